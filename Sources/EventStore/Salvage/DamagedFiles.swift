import Glibc

/// Damaged files are kept under names of their own, `journal.damaged-N.db` with their logs; at most three of them.
struct DamagedFiles {
    let directory: String
    static let keptAtMost = 3
    private static let prefix = "journal.damaged-"

    private var path: String { "\(directory)/\(Journal.fileName)" }

    /// Renames the journal, then its log: without its log it would pass for a journal that ends earlier.
    ///
    /// - Parameter name: of `nextName`.
    func setAside(as name: String) throws(StoreError) {
        try StateFile.move(path, to: "\(directory)/\(name)")
        try StateFile.syncDirectory(of: path)
        try setLogAside(as: name)
    }

    /// Takes back what `setAside` has done, as far as it has come; the card may refuse that, too. The log goes first: the
    /// journal without it would pass for one that ends earlier.
    func putBack(_ name: String) {
        guard !StateFile.exists(path) else { return }
        for suffix in ["-wal", "-journal", ""] { _ = rename("\(directory)/\(name)\(suffix)", path + suffix) }
    }

    /// Goes on where the power went in the midst of `setAside`, before another journal takes the name.
    func finishSettingAside() throws(StoreError) { try setLogAside(as: try numbers().last.map { Self.name($0) }) }

    /// Nothing of the old journal may lie beside the next, which would take it for its own.
    private func setLogAside(as name: String?) throws(StoreError) {
        for suffix in ["-wal", "-journal"] {
            guard let name, try StateFile.size(of: path + suffix) != nil,
                try StateFile.size(of: "\(directory)/\(name)\(suffix)") == nil
            else {
                try StateFile.remove(path + suffix)
                continue
            }
            try StateFile.move(path + suffix, to: "\(directory)/\(name)\(suffix)")
        }
        try StateFile.remove(path + "-shm")
        try StateFile.syncDirectory(of: path)
        try dropSurplus()
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

    /// That of the next file that is set aside.
    func nextName() throws(StoreError) -> String {
        let last = try numbers().last ?? 0
        return Self.name(last == .max ? last : last + 1)
    }

    private static func name(_ number: Int) -> String { "\(prefix)\(number).db" }

    private func dropSurplus() throws(StoreError) {
        for number in try numbers().dropLast(Self.keptAtMost) {
            for suffix in ["", "-wal", "-journal", "-shm"] { unlink("\(directory)/\(Self.name(number))\(suffix)") }
        }
    }
}
