import YAMLConfiguration

/// Both files of a configuration in one, so that they come into force together.
struct PendingImport: Equatable {
    var working: [UInt8]
    var secrets: [UInt8]

    private static let head = "howalarming-import 1"

    init(working: [UInt8], secrets: [UInt8]) {
        self.working = working
        self.secrets = secrets
    }

    var bytes: [UInt8] {
        Array("\(Self.head)\n\(working.count) \(secrets.count)\n".utf8) + working + secrets
    }

    /// nil for what is none, or not whole.
    init?(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3, String(decoding: lines[0], as: UTF8.self) == Self.head else { return nil }
        let counts = lines[1].split(separator: UInt8(ascii: " ")).map {
            ConfigurationText.decimal(String(decoding: $0, as: UTF8.self))
        }
        guard counts.count == 2, let first = counts[0], let second = counts[1], lines[2].count == first + second else {
            return nil
        }
        working = Array(lines[2].prefix(first))
        secrets = Array(lines[2].dropFirst(first))
    }
}
