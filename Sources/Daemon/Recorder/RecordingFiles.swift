import AlarmModel
import EventStore
import Glibc
import Platform

/// The ring on disk: segments `segment-N.rec` in `recorder` of the state directory, of which the oldest go. What was
/// written survives the end of the process; it is not synced, so a power cut may take the last half minute.
package struct RecordingFiles {
    package static func directory(in stateDirectory: String) -> String { "\(stateDirectory)/recorder" }

    /// Segments that are kept, at least two, and their bytes together.
    static let countLimit = 6
    static let byteLimit = 8 << 20

    private let directory: String
    private var file: Descriptor?

    init(directory: String) { self.directory = directory }

    /// The segments' names, oldest first.
    package static func names(in directory: String) -> [String] {
        let names = (try? StateFile.names(in: directory)) ?? []
        return names.compactMap { name in number(of: name).map { ($0, name) } }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private static func number(of name: String) -> Int? {
        guard name.hasPrefix("segment-"), name.hasSuffix(".rec") else { return nil }
        return Int(name.dropFirst("segment-".count).dropLast(".rec".count))
    }

    /// Begins a segment; from then on `write` appends to it.
    mutating func begin(_ bytes: [UInt8]) throws(SystemError) {
        file = nil
        let names = Self.names(in: directory)
        removeOldest(of: names)
        let next = (names.last.flatMap(Self.number) ?? 0) + 1
        let path = "\(directory)/segment-\(next).rec"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        let number = path.withCString { open($0, flags, 0o600) }
        guard number >= 0 else { throw .last("open", path) }
        file = Descriptor(owning: number)
        try write(bytes)
    }

    mutating func write(_ bytes: [UInt8]) throws(SystemError) {
        guard let file else { return }
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                let error = SystemError.last("write", directory)
                // Behind half a record nothing could be read any more.
                self.file = nil
                throw error
            }
            done += count
        }
    }

    /// Makes room for one more.
    private func removeOldest(of names: [String]) {
        var sizes = names.map { name -> (name: String, size: Int) in
            var status = stat()
            return (name, lstat("\(directory)/\(name)", &status) == 0 ? Int(status.st_size) : 0)
        }
        while sizes.count >= Self.countLimit || (sizes.count > 1 && sizes.reduce(0) { $0 + $1.size } > Self.byteLimit) {
            unlink("\(directory)/\(sizes.removeFirst().name)")
        }
    }
}
