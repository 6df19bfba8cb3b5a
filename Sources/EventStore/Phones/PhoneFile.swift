package import AlarmModel
import Glibc

/// The phone book, the phones' keys and the secrets of one-time codes, in two copies beside the journal, so that a journal that is set aside loses no
/// phone (docs/pairing.md 9). What the keys' bytes mean is the business of whoever gives them.
///
/// Form of a copy: magic (8), version (2), generation (8), length (4) and phone book as JSON, number of keys (4), for
/// each the phone (8), length (4), bytes; in version 2 the same of one-time codes by person (8); at the end a checksum (8) of
/// all that. Numbers are big-endian. The copy of the
/// higher generation counts.
package enum PhoneFile {
    /// In the state directory.
    package static let names = ["phones.keys.1", "phones.keys.2"]

    /// What a copy that cannot be understood is called when there is no other.
    private static let damagedSuffix = ".damaged"

    private struct Copy {
        var path: String
        /// nil: missing, damaged or unreadable.
        var form: PhoneFileForm?
        /// In words, where there is something wrong.
        var problem: String?
        var failure: StoreError?
    }

    /// Empty without the files. A copy that is damaged, missing or behind is written anew; without a sound one the
    /// damaged ones are kept under names of their own.
    ///
    /// - Throws: when no copy could be read though one may be sound: nothing is known then, and nothing may be written.
    package static func read(in directory: String) throws(StoreError) -> PhoneFileContent {
        let copies = copies(in: directory)
        var problems = copies.compactMap(\.problem)
        guard let newest = newest(of: copies) else {
            if let failure = copies.lazy.compactMap(\.failure).first { throw failure }
            for copy in copies where copy.problem != nil {
                try StateFile.move(copy.path, to: copy.path + damagedSuffix)
                try StateFile.syncDirectory(of: copy.path)
            }
            return PhoneFileContent(problem: describe(problems + (problems.isEmpty ? [] : ["no phone is known"])))
        }
        for copy in copies where copy.form != newest {
            do throws(StoreError) {
                try StateFile.write(newest.bytes, to: copy.path)
            } catch {
                problems.append(error.description)
            }
        }
        return PhoneFileContent(book: newest.book, keys: newest.keys, codes: newest.codes, problem: describe(problems))
    }

    /// The phone book alone, for a reader beside the daemon: no copy is touched. nil: there is no sound one.
    package static func book(in directory: String) -> PhoneBook? { form(in: directory)?.book }

    /// Writes both copies in turn, each durably before the other is touched, the one that is behind first. After an
    /// error at least one of them is sound, and holds either what it held or the new content.
    package static func write(
        _ book: PhoneBook, _ keys: [(PhoneID, [UInt8])], codes: [(PersonID, [UInt8])] = [], in directory: String
    ) throws(StoreError) {
        let copies = copies(in: directory)
        let newest = newest(of: copies)
        // A copy that cannot be read now may be sound, and newer than the other.
        if newest == nil, let failure = copies.lazy.compactMap(\.failure).first { throw failure }
        let generation = (newest?.generation ?? 0).addingReportingOverflow(1)
        let form = PhoneFileForm(
            generation: generation.overflow ? .max : generation.partialValue, book: book, keys: keys,
            codes: codes)
        let bytes = try form.checkedBytes()
        let behind = copies.filter { newest == nil || $0.form != newest }
        let inStep = copies.filter { newest != nil && $0.form == newest }
        for copy in behind + inStep { try StateFile.write(bytes, to: copy.path) }
    }

    /// The newest sound copy; nil where there is none.
    ///
    /// - Parameter suffix: what the names of the copies end with
    static func form(in directory: String, suffix: String = "") -> PhoneFileForm? {
        newest(of: copies(in: directory, suffix: suffix))
    }

    private static func copies(in directory: String, suffix: String = "") -> [Copy] {
        names.map { name in
            let path = "\(directory)/\(name)\(suffix)"
            do throws(StoreError) {
                guard let bytes = try StateFile.read(path) else { return Copy(path: path) }
                do throws(PhoneFileForm.Damage) {
                    return Copy(path: path, form: try PhoneFileForm(bytes))
                } catch {
                    return Copy(path: path, problem: "\(name) is damaged: \(error)")
                }
            } catch {
                return Copy(path: path, problem: error.description, failure: error)
            }
        }
    }

    private static func newest(of copies: [Copy]) -> PhoneFileForm? {
        copies.compactMap(\.form).max { $0.generation < $1.generation }
    }

    private static func describe(_ problems: [String]) -> String? {
        problems.isEmpty ? nil : problems.joined(separator: "; ")
    }
}

/// What lies in the phones' file.
package struct PhoneFileContent: Sendable {
    package var book: PhoneBook
    /// In the order in which they were given. They are secret: never print them.
    package var keys: [(PhoneID, [UInt8])]
    /// Secrets of one-time codes, in the order in which they were given.
    package var codes: [(PersonID, [UInt8])]
    /// What was wrong with the file, in words, also where the other copy made up for it.
    package var problem: String?

    package init(
        book: PhoneBook = PhoneBook(), keys: [(PhoneID, [UInt8])] = [], codes: [(PersonID, [UInt8])] = [],
        problem: String? = nil
    ) {
        self.book = book
        self.keys = keys
        self.codes = codes
        self.problem = problem
    }
}
