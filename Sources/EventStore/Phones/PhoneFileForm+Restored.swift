import AlarmModel

extension PhoneFileForm {
    /// The phones of a backup as they are put in the place of others (`PhoneBook.restored`), with the keys and the secrets
    /// that belong to them.
    ///
    /// - Parameter current: what the backup replaces; nil where there is nothing, or nothing that can be read
    func restored(over current: PhoneFileForm?) -> PhoneFileForm {
        let book = book.restored(over: current?.book)
        let newest = max(generation, current?.generation ?? 0)
        return PhoneFileForm(
            generation: newest < .max ? newest + 1 : newest, book: book,
            keys: keys.filter { book.phone($0.0) != nil },
            codes: book.codes.compactMap { codes in
                // A secret that was taken away or replaced since the backup stays so.
                let now = book.person(codes.person).flatMap { current?.book.person(named: $0.name) }
                let secrets = now == nil ? self.codes : current?.codes ?? []
                return secrets.first { $0.0 == now?.id ?? codes.person }.map { (codes.person, $0.1) }
            })
    }
}
