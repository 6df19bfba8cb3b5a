import Glibc

/// Reads whole small files.
package enum FileReader {
    /// At most `limit` bytes; a longer file is the error EFBIG. Works for files of /proc, too, whose size reads as 0.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = Descriptor(owning: try checked("open", path) { open(path, O_RDONLY | O_CLOEXEC) })
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(64 * 1024, limit + 1))
        while true {
            let count = try checked("read", path) { Glibc.read(file.number, &chunk, chunk.count) }
            if count == 0 { return bytes }
            guard bytes.count + count <= limit else { throw SystemError(call: "read", number: EFBIG, subject: path) }
            bytes += chunk[..<count]
        }
    }
}
