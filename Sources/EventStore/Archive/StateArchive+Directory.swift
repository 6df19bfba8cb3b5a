import AlarmModel
import Glibc

extension StateArchive {
    /// Journals made since the backup may have taken numbers above its own; the restored one must be above them all,
    /// and nobody knows how many there were.
    package static let logNumberStep: UInt32 = 16

    /// Copies the journal as it is at this moment, its log number, the phones' file, the key towards push services and
    /// the other files named, as far as they exist. The daemon may run meanwhile.
    package init(of directory: String, files names: [String] = []) throws(StoreError) {
        let reader = try JournalReader(directory: directory)
        files = [File(name: Journal.fileName, content: try reader.copy())]
        for name in [LogNumber.fileName] + PhoneFile.names + [PushKeyFile.name] + names {
            precondition(Self.isAllowed(name), "a backup takes plain file names")
            guard let content = try StateFile.read("\(directory)/\(name)") else { continue }
            files.append(File(name: name, content: content))
        }
    }

    /// Puts the files into a directory, which is made where it is missing. The restored journal gets a log number above
    /// that of the backup and of the directory. The caller holds the directory's `StateLock`.
    ///
    /// - Parameter replacing: allows a directory in use; its journal is kept under a name of its own.
    package func restore(into directory: String, replacing: Bool = false) throws(StateArchiveError) {
        guard files.contains(where: { $0.name == Journal.fileName }) else { throw .noJournal }
        let isFree = try Self.storing { () throws(StoreError) in
            try StateFile.makeDirectory(directory)
            return try StateFile.names(in: directory).allSatisfy { $0 == "lock" || $0.hasSuffix(Self.unfinished) }
        }
        guard isFree || replacing else { throw .directoryNotEmpty(directory) }
        try putBeside(directory)
        try Self.storing { () throws(StoreError) in try Self.putInPlace(files.map(\.name), directory) }
    }

    /// Puts the files beside those of a directory that a daemon uses, checked, for `finishRestoring` at its next start.
    package func prepareRestoring(into directory: String) throws(StateArchiveError) {
        guard files.contains(where: { $0.name == Journal.fileName }) else { throw .noJournal }
        try Self.storing { () throws(StoreError) in try StateFile.makeDirectory(directory) }
        try putBeside(directory)
        try Self.storing { () throws(StoreError) in
            let names = files.map { $0.name + "\n" }.joined()
            try StateFile.write(Array(names.utf8), to: "\(directory)/\(Self.prepared)")
        }
    }

    /// Takes back what `prepareRestoring` has prepared: the next start goes on with the state that is there.
    package static func giveUpRestoring(in directory: String) throws(StoreError) {
        try StateFile.remove("\(directory)/\(prepared)")
        for name in try StateFile.names(in: directory) where name.hasSuffix(unfinished) {
            try StateFile.remove("\(directory)/\(name)")
        }
    }

    /// Whether `finishRestoring` has something to do.
    package static func isRestoringPrepared(in directory: String) throws(StoreError) -> Bool {
        try StateFile.size(of: "\(directory)/\(prepared)") != nil
    }

    /// Does what `prepareRestoring` has prepared, if it has; a power cut meanwhile makes no difference. The caller holds
    /// the directory's `StateLock`.
    ///
    /// - Returns: whether there was something to restore
    package static func finishRestoring(in directory: String) throws(StoreError) -> Bool {
        let list = "\(directory)/\(prepared)"
        guard let bytes = try StateFile.read(list) else { return false }
        let names = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        try putInPlace(names.filter(isAllowed), directory)
        try StateFile.remove(list)
        return true
    }

    /// Names the files that are beside theirs.
    private static let prepared = "restore.prepared"

    private func putBeside(_ directory: String) throws(StateArchiveError) {
        do throws(StateArchiveError) {
            try Self.storing { () throws(StoreError) in
                for file in files {
                    try StateFile.write(file.content, to: "\(directory)/\(file.name)\(Self.unfinished)")
                }
            }
            try Self.check("\(directory)/\(Journal.fileName)\(Self.unfinished)")
        } catch {
            for file in files { unlink("\(directory)/\(file.name)\(Self.unfinished)") }
            throw error
        }
    }

    private static func putInPlace(_ names: [String], _ directory: String) throws(StoreError) {
        let beside = { (name: String) in "\(directory)/\(name)\(unfinished)" }
        // The journal's moves last: when it is gone, a power cut has come after it, and the rest is in place.
        guard try StateFile.size(of: beside(Journal.fileName)) != nil else { return }
        let names = names.filter { !PhoneFile.names.contains($0) } + (try preparePhones(names, directory))
        let inBackup = try StateFile.read(beside(LogNumber.fileName))
            .flatMap { LogNumber(String(decoding: $0.prefix(8), as: UTF8.self)) }
        let number = max(inBackup ?? LogNumber(0), LogNumber.stored(in: directory) ?? LogNumber(0))
        try number.advanced(by: logNumberStep).store(in: directory)
        // A copy that is not replaced could be of a higher generation, and bring back phones that were revoked.
        for name in PhoneFile.names where !names.contains(name) { unlink("\(directory)/\(name)") }
        for name in names where name != LogNumber.fileName && name != Journal.fileName {
            // After a power cut some have moved already.
            guard try StateFile.size(of: beside(name)) != nil else { continue }
            try StateFile.move(beside(name), to: "\(directory)/\(name)")
        }
        // Until all that could fail is done the old journal stays where it is, and goes on.
        let old = DamagedFiles(directory: directory)
        let journal = "\(directory)/\(Journal.fileName)"
        if try StateFile.size(of: journal) == nil {
            try old.finishSettingAside()
            try StateFile.move(beside(Journal.fileName), to: journal)
        } else {
            let name = try old.nextName()
            do throws(StoreError) {
                try old.setAside(as: name)
                try StateFile.move(beside(Journal.fileName), to: journal)
            } catch {
                // Nobody may find an empty journal where the backup did not come.
                old.putBack(name)
                throw error
            }
        }
        unlink(beside(LogNumber.fileName))
        try StateFile.syncDirectory(of: "\(directory)/\(Journal.fileName)")
    }

    /// Writes what the backup may bring back of the phones (`PhoneFileForm.restored`) beside those in use.
    ///
    /// - Returns: the names of the files to put in place; without phones anywhere those of the backup
    private static func preparePhones(_ names: [String], _ directory: String) throws(StoreError) -> [String] {
        let inBackup = names.filter(PhoneFile.names.contains)
        let current = PhoneFile.form(in: directory)
        var brought = PhoneFile.form(in: directory, suffix: unfinished)
        if inBackup.isEmpty, current != nil { brought = PhoneFileForm(generation: 0, book: PhoneBook(), keys: []) }
        guard let brought else { return inBackup }
        let bytes = try brought.restored(over: current).checkedBytes()
        for name in PhoneFile.names { try StateFile.write(bytes, to: "\(directory)/\(name)\(unfinished)") }
        return PhoneFile.names
    }

    private static func check(_ path: String) throws(StateArchiveError) {
        do throws(StoreError) {
            let database = try Database(path: path, access: .immutable)
            guard try database.integer("PRAGMA application_id", doing: "checking the backup") == Schema.applicationID
            else { throw StoreError(kind: .corrupt, activity: "checking the backup", detail: "another program's file") }
            let verdict = try database.text("PRAGMA quick_check(1)", doing: "checking the backup")
            guard verdict == "ok" else {
                throw StoreError(kind: .corrupt, activity: "checking the backup", detail: verdict ?? "no verdict")
            }
        } catch {
            throw .damagedJournal(error.detail)
        }
    }

    private static func storing<R>(_ body: () throws(StoreError) -> R) throws(StateArchiveError) -> R {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .store(error)
        }
    }
}

extension JournalReader {
    /// The journal as one file that needs no write-ahead log.
    fileprivate func copy() throws(StoreError) -> [UInt8] {
        var bytes = try serialized()
        // Bytes 18 and 19 of the header name the journal mode: 2 is "write-ahead log", 1 is "none beside this file".
        if bytes.count > 19 {
            bytes[18] = 1
            bytes[19] = 1
        }
        return bytes
    }
}
