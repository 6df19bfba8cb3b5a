import Foundation
import Testing
import YAMLConfiguration

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

    static func legacy() throws -> [UInt8] {
        let path = "Tests/DaemonTests/Configurations/howalarming-legacy.yaml"
        return Array(try Data(contentsOf: repository.appendingPathComponent(path)))
    }

    /// The text with a section that it shows as a comment. Comments within stay comments.
    static func opened(_ text: String, _ name: String) throws -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let indent = ["", "  "]
        let (start, front) = try #require(
            indent.lazy.compactMap { front in lines.firstIndex(of: "\(front)# \(name):").map { ($0, front) } }.first,
            "\(name)")
        lines[start] = "\(front)\(name):"
        for index in (start + 1)..<lines.count {
            guard lines[index].hasPrefix("\(front)#   ") else { break }
            lines[index] = front + lines[index].dropFirst(front.count + 2)
        }
        return lines.joined(separator: "\n")
    }

    /// The example with its channels switched on and without its comments: every line means something.
    static func dense() throws -> [UInt8] {
        var text = String(decoding: try example(), as: UTF8.self)
        for name in [
            "mqtt", "xmpp", "alert_email", "alert_url", "hooks", "beanstalkd", "alert_gcm", "fcm", "links", "sms",
            "heartbeat", "receiver", "ups",
        ] {
            text = try opened(text, name)
        }
        let lines = text.split(separator: "\n").filter { line in
            line.first { $0 != " " } != "#" && !line.contains("ca_file")
        }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// What a file with this text is told, line by line.
    static func complaints(_ text: String) -> [String] {
        ConfigurationReader.read(bytes: Array(text.utf8), name: "c.yaml").problems.map(\.description)
    }

    /// The same for lines added to a file without a problem; they begin in line 3.
    static func complaints(added text: String) -> [String] { complaints(valid + text) }
}
