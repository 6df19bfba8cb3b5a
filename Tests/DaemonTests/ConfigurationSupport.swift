import Daemon
import Foundation
import Testing

/// Files that exist only in a test.
struct FakeFiles: ConfigurationFiles {
    var files: [String: ConfigurationFile] = [:]

    init(_ texts: [String: String] = [:], mode: UInt32 = 0o600) {
        for (path, text) in texts { files[path] = ConfigurationFile(bytes: Array(text.utf8), mode: mode) }
    }

    func read(_ path: String, limit: Int) throws(ConfigurationFileFailure) -> ConfigurationFile {
        guard let file = files[path] else { throw .notFound }
        guard file.bytes.count <= limit else { throw .tooLarge(limit: limit) }
        return file
    }
}

enum ConfigurationSample {
    /// The lines of a file without a problem; sections that a test is about follow.
    static let valid = """
        site: {name: Test, time_zone: UTC}
        panel: {host: 192.0.2.1, password: user}

        """

    static var repository: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    static func example() throws -> [UInt8] {
        Array(try Data(contentsOf: repository.appendingPathComponent("howalarming.example.yaml")))
    }

    static func heritage() throws -> [UInt8] {
        let path = "Tests/DaemonTests/Configurations/howalarming-heritage.yaml"
        return Array(try Data(contentsOf: repository.appendingPathComponent(path)))
    }

    /// What a file with this text is told, line by line.
    static func complaints(_ text: String) -> [String] {
        ConfigurationReader.read(bytes: Array(text.utf8), name: "c.yaml").problems.map(\.description)
    }

    /// The same for lines added to a file without a problem; they begin in line 3.
    static func complaints(added text: String) -> [String] { complaints(valid + text) }
}
