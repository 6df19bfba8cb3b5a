/// The kept hashes of seeds: a line for each, seed and hash; lines that begin with `#` are for people.
struct HashFile {
    enum Problem: Error, CustomStringConvertible {
        case line(path: String, number: Int, text: String)

        var description: String {
            switch self {
            case .line(let path, let number, let text):
                "\(path):\(number): '\(text)' is no seed with its hash; write them anew with tools/hashes --write"
            }
        }
    }

    private(set) var hashes: [UInt64: String] = [:]

    init() {}

    init(reading path: String) throws {
        let text = try TextFile.read(path)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            let words = line.split(separator: " ")
            guard words.count == 2, let seed = UInt64(words[0]), words[1].utf8.count == 16 else {
                throw Problem.line(path: path, number: index + 1, text: String(line))
            }
            hashes[seed] = String(words[1])
        }
    }

    mutating func note(_ hash: String, of seed: UInt64) { hashes[seed] = hash }

    /// Whether a run went as it did when the hashes were taken; nil for a seed of which none is kept.
    func agrees(_ hash: String, of seed: UInt64) -> Bool? { hashes[seed].map { $0 == hash } }

    func write(to path: String, head: String) throws {
        var text = "# \(head)\n"
        for (seed, hash) in hashes.sorted(by: { $0.key < $1.key }) { text += "\(seed) \(hash)\n" }
        try TextFile.write(text, to: path)
    }
}
