/// A backup of a state directory in one piece: the journal and other files by name. It is not sealed here; whoever
/// stores it seals it, and so knows that nobody changed it.
///
/// Form: magic (8), version (2), count (2), then per file: length of name (2), name, length (8), content; at the end
/// `endMark` (4). Numbers are big-endian.
package struct StateArchive: Equatable, Sendable {
    package struct File: Equatable, Sendable {
        package var name: String
        package var content: [UInt8]
        package init(name: String, content: [UInt8]) {
            self.name = name
            self.content = content
        }
    }

    package var files: [File]

    package init(files: [File]) { self.files = files }

    private static let magic = Array("HOWALARM".utf8)
    private static let version: UInt16 = 1
    private static let endMark = Array("end.".utf8)

    package var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.appendBigEndian(Self.version)
        bytes.appendBigEndian(UInt16(clamping: files.count))
        for file in files {
            bytes.appendBigEndian(UInt16(clamping: file.name.utf8.count))
            bytes += file.name.utf8
            bytes.appendBigEndian(UInt64(file.content.count))
            bytes += file.content
        }
        return bytes + Self.endMark
    }

    package init(parsing bytes: [UInt8]) throws(StateArchiveError) {
        var rest = bytes[...]
        func take(_ count: Int) throws(StateArchiveError) -> ArraySlice<UInt8> {
            guard count <= rest.count else { throw .truncated }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func number(_ size: Int) throws(StateArchiveError) -> Int {
            let value = try take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let number = Int(exactly: value) else { throw .truncated }
            return number
        }
        guard bytes.starts(with: Self.magic) else { throw .notAnArchive }
        rest = rest.dropFirst(Self.magic.count)
        let version = try number(2)
        guard version <= Self.version else { throw .newerVersion(version) }
        files = []
        for _ in 0..<(try number(2)) {
            let name = String(decoding: try take(try number(2)), as: UTF8.self)
            guard Self.isAllowed(name), !files.contains(where: { $0.name == name }) else { throw .badName(name) }
            files.append(File(name: name, content: Array(try take(try number(8)))))
        }
        guard try take(Self.endMark.count).elementsEqual(Self.endMark), rest.isEmpty else { throw .truncated }
    }

    /// A plain name that cannot lead out of the directory nor meet a file that somebody else looks after there.
    package static func isAllowed(_ name: String) -> Bool {
        guard (1...100).contains(name.utf8.count), name.utf8.first != UInt8(ascii: "."), name != "lock" else {
            return false
        }
        return name.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") }
            && ![".new", "-wal", "-shm", StateArchive.unfinished].contains { name.hasSuffix($0) }
    }

    /// What a file is called until all are there and checked.
    static let unfinished = ".restoring"
}

/// Why an archive was not restored; nothing was changed then, except where a system call failed half-way.
package enum StateArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
    case notAnArchive
    case newerVersion(Int)
    case truncated
    case badName(String)
    case noJournal
    case damagedJournal(String)
    case directoryNotEmpty(String)
    case store(StoreError)

    package var description: String {
        switch self {
        case .notAnArchive: "this is not a backup of HowAlarming"
        case .newerVersion(let version):
            "the backup has form \(version), made by a newer program; update this one first"
        case .truncated: "the backup is incomplete; use another copy of it"
        case .badName(let name): "the backup holds a file that cannot belong to it: \(name.debugDescription)"
        case .noJournal: "the backup holds no journal"
        case .damagedJournal(let why): "the journal in the backup is damaged (\(why)); use another copy"
        case .directoryNotEmpty(let path):
            "the state directory \(path) is not empty; choose another one, or say that it is to be replaced"
        case .store(let error): error.description
        }
    }
}

extension [UInt8] {
    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
