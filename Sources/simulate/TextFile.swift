import Glibc

/// Whole files of text.
enum TextFile {
    struct Problem: Error, CustomStringConvertible {
        var path: String
        var activity: String
        var errno: Int32
        var description: String { "\(path) cannot be \(activity): \(String(cString: strerror(errno)))" }
    }

    static func read(_ path: String) throws(Problem) -> String {
        guard let file = fopen(path, "r") else { throw Problem(path: path, activity: "read", errno: errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        guard ferror(file) == 0 else { throw Problem(path: path, activity: "read", errno: errno) }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func write(_ text: String, to path: String) throws(Problem) {
        guard let file = fopen(path, "w") else { throw Problem(path: path, activity: "written", errno: errno) }
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten else { throw Problem(path: path, activity: "written", errno: errno) }
    }
}
