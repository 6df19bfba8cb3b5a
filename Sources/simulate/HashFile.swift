import Glibc

/// The kept hashes of seeds: a line for each, seed and hash; lines that begin with `#` are for people.
struct HashFile {
    enum Problem: Error, CustomStringConvertible {
        case unreadable(path: String, errno: Int32)
        case unwritable(path: String, errno: Int32)
        case line(path: String, number: Int, text: String)

        var description: String {
            switch self {
            case .unreadable(let path, let code): "\(path) cannot be read: \(String(cString: strerror(code)))"
            case .unwritable(let path, let code): "\(path) cannot be written: \(String(cString: strerror(code)))"
            case .line(let path, let number, let text):
                "\(path):\(number): '\(text)' is no seed with its hash; write them anew with tools/hashes --write"
            }
        }
    }

    private(set) var hashes: [UInt64: String] = [:]

    init() {}

    init(reading path: String) throws(Problem) {
        guard let file = fopen(path, "r") else { throw .unreadable(path: path, errno: errno) }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        var number = 0
        while getline(&line, &size, file) > 0 {
            number += 1
            guard let line else { return }
            let text = String(cString: line).prefix { !$0.isNewline }
            if text.isEmpty || text.hasPrefix("#") { continue }
            let words = text.split(separator: " ")
            guard words.count == 2, let seed = UInt64(words[0]), words[1].utf8.count == 16 else {
                throw .line(path: path, number: number, text: String(text))
            }
            hashes[seed] = String(words[1])
        }
    }

    mutating func note(_ hash: String, of seed: UInt64) { hashes[seed] = hash }

    /// Whether a run went as it did when the hashes were taken; nil for a seed of which none is kept.
    func agrees(_ hash: String, of seed: UInt64) -> Bool? { hashes[seed].map { $0 == hash } }

    func write(to path: String, head: String) throws(Problem) {
        guard let file = fopen(path, "w") else { throw .unwritable(path: path, errno: errno) }
        var text = "# \(head)\n"
        for (seed, hash) in hashes.sorted(by: { $0.key < $1.key }) { text += "\(seed) \(hash)\n" }
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten else { throw .unwritable(path: path, errno: errno) }
    }
}
