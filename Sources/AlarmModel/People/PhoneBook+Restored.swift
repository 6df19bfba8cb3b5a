/// What a backup may bring back of the people and phones of then: everybody hears of alarms again, nobody is revived, and
/// nobody acts before somebody at the box has looked (docs/pairing.md 9).
extension PhoneBook {
    /// The book of a backup as it is put in the place of another. Applied a second time, as after a power cut, it changes
    /// nothing.
    ///
    /// - Parameter current: what the backup replaces; nil where there is nothing, or nothing that can be read
    package func restored(over current: PhoneBook?) -> PhoneBook {
        var book = self
        book.isRestored = true
        book.dead += (current?.dead ?? []).filter { !dead.contains($0) }
        let gone = book.dead
        book.phones.removeAll { gone.contains($0.id) }
        for index in book.phones.indices { book.phones[index].isSuspended = true }
        for index in book.legacyPhones.indices { book.legacyPhones[index].allowed.removeAll { $0.acts } }
        for index in book.contacts.indices {
            book.contacts[index].allowed.removeAll { $0.acts }
            let contact = book.contacts[index]
            let now = current?.contacts.first { $0.kind == contact.kind && $0.value == contact.value }
            if let now, now.isGone { book.contacts[index].state = now.state }
        }
        book.codes = people.compactMap { person in
            guard let now = current?.person(named: person.name) else { return codes(of: person.id) }
            return current?.codes(of: now.id).map { PersonCodes(person: person.id, lastStep: $0.lastStep) }
        }
        return book
    }
}

extension Contact {
    fileprivate var isGone: Bool {
        switch state {
        case .gone: true
        case .unconfirmed, .inUse: false
        }
    }
}

extension ContactVerb {
    fileprivate var acts: Bool {
        switch self {
        case .arm, .disarm, .bypass: true
        case .seen, .status, .log: false
        }
    }
}

extension LegacyPhone.Verb {
    fileprivate var acts: Bool {
        switch self {
        case .arm, .disarm, .fire, .medical, .police: true
        case .ping, .status: false
        }
    }
}
