import ApplianceCore
import PhoneLink
import Testing
import YAMLConfiguration

/// A configuration in `/etc/ha/c.yaml` whose first two lines are right; what is added begins in line 3.
enum ChannelSample {
    static let certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"

    static func read(_ text: String, _ others: [String: String] = [:], mode: UInt32 = 0o600) -> ConfigurationResult {
        var files = FakeFiles(others, mode: mode)
        files.files["/etc/ha/c.yaml"] = ConfigurationFile(
            bytes: Array((ConfigurationSample.valid + text).utf8), mode: 0o600)
        return ConfigurationReader.read(file: "/etc/ha/c.yaml", files: files)
    }

    /// The problems, those of the main file without its name.
    static func problems(_ text: String, _ others: [String: String] = [:]) -> [String] {
        read(text, others).problems.map { $0.description.replacing("/etc/ha/c.yaml:", with: "") }
    }

    static func phones(_ text: String, _ others: [String: String] = [:]) throws -> PhoneSettings {
        let result = read(text, others)
        #expect(result.problems == [])
        return try #require(result.configuration).phones
    }

    /// What is wrong begins like this, and nothing else is wrong.
    static func check(
        _ text: String, _ begins: String, _ others: [String: String] = [:],
        location: SourceLocation = #_sourceLocation
    ) {
        let found = problems(text, others)
        #expect(found.count == 1, "\(found)", sourceLocation: location)
        #expect(found.first?.hasPrefix(begins) == true, "\(found)", sourceLocation: location)
    }
}
