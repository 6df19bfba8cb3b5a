import Glibc

/// Damaged files are kept under names of their own, `journal.damaged-N.db` with its log; at most three of them.
struct DamagedFiles {
    let directory: String
    static let keptAtMost = 3
    private static let prefix = "journal.damaged-"

    private var path: String { "\(directory)/\(Journal.fileName)" }

    /// Renames the journal and its log. Returns the new name.
    func setAside() throws(StoreError) -> String {
        let name = try nextName()
        try StateFile.move(path, to: "\(directory)/\(name)")
        if StateFile.exists(path + "-wal") { try StateFile.move(path + "-wal", to: "\(directory)/\(name)-wal") }
        unlink(path + "-shm")
        try StateFile.syncDirectory(of: path)
        try dropSurplus()
        return name
    }

    /// Undoes `setAside`, as far as the card lets it, where no new journal could be made.
    func putBack(_ name: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        if StateFile.exists("\(directory)/\(name)-wal") {
            rename("\(directory)/\(name)-wal", path + "-wal")
        }
        rename("\(directory)/\(name)", path)
        try? StateFile.syncDirectory(of: path)
    }

    /// Copies the write-ahead log alone.
    func keepCopyOfLog() throws(StoreError) {
        guard let content = try StateFile.read(path + "-wal") else { return }
        try StateFile.write(content, to: "\(directory)/\(try nextName())-wal")
        try dropSurplus()
    }

    /// Ascending.
    private func numbers() throws(StoreError) -> [Int] {
        var numbers: [Int] = []
        for name in try StateFile.names(in: directory) where name.hasPrefix(Self.prefix) {
            let rest = name.dropFirst(Self.prefix.count)
            guard let number = Int(rest.prefix { $0 != "." }), !numbers.contains(number) else { continue }
            numbers.append(number)
        }
        return numbers.sorted()
    }

    private func nextName() throws(StoreError) -> String {
        let last = try numbers().last ?? 0
        return "\(Self.prefix)\(last == .max ? last : last + 1).db"
    }

    private func dropSurplus() throws(StoreError) {
        for number in try numbers().dropLast(Self.keptAtMost) {
            for suffix in [".db", ".db-wal", ".db-shm"] { unlink("\(directory)/\(Self.prefix)\(number)\(suffix)") }
        }
    }
}
