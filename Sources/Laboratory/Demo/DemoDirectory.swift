import Glibc
import Platform

/// The directory of one demo, under TMPDIR or /tmp.
enum DemoDirectory {
    static func make() throws(SystemError) -> String {
        let variable = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let parent = variable.isEmpty ? "/tmp" : variable
        var template = Array("\(parent)/howalarming-demo-XXXXXX".utf8) + [0]
        let isMade = template.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        guard isMade else { throw SystemError.last("mkdtemp", parent) }
        return String(decoding: template.dropLast(), as: UTF8.self)
    }

    /// The directory with all that is in it.
    static func remove(_ path: String) {
        guard let names = names(in: path) else { return }
        for name in names where unlink("\(path)/\(name)") != 0 && errno == EISDIR { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// Of what lies there; nil when it is no directory, or one that cannot be read.
    static func names(in path: String) -> [String]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
