import Foundation
import Testing

@testable import YAMLConfiguration

/// `Configurations/told.txt` holds configurations with all that is said of them; `ToldConfiguration` says how.
///
/// For a new key add inputs there; HOWALARMING_KEEP_TOLD=1 writes what today's program says and sets beside them.
@Suite("what the program says to a configuration stays, letter by letter")
struct ToldConfigurationTests {
    private static let file = ConfigurationSample.repository
        .appendingPathComponent("Tests/DaemonTests/Configurations/told.txt")

    private static func kept() throws -> [ToldConfiguration] {
        let lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return lines.split(separator: "").map { ToldConfiguration($0) }
    }

    @Test("every problem with its place and its words, and all that a good value changes")
    func everyProblemWithItsPlaceAndItsWords() throws {
        var all = try Self.kept()
        #expect(all.count > 700)
        if ProcessInfo.processInfo.environment["HOWALARMING_KEEP_TOLD"] == "1" {
            for index in all.indices { all[index].said = try all[index].told() }
            try Data(all.map(\.block).joined(separator: "\n").utf8).write(to: Self.file)
        }
        for configuration in all {
            let told = try configuration.told()
            #expect(told == configuration.said, "\(configuration.block)")
        }
    }

    @Test("every key of every section is there with a wrong value")
    func everyKeyOfEverySectionIsThereWithAWrongValue() throws {
        let results = try Self.kept().map(\.result)
        let wrong = Set(results.flatMap { $0.problems.map(\.path) })
        let start = "unknown key 'zebra' in '"
        var sections: [String: [String]] = [:]
        for problem in results.flatMap(\.problems) where problem.what.hasPrefix(start) {
            let keys = problem.expected?.split(separator: " ").dropFirst(2) ?? []
            sections[String(problem.what.dropFirst(start.count).dropLast())] = keys.map { key in
                String(key.prefix { $0 != "," })
            }
        }
        #expect(sections.count > 40)
        // Nothing of it is used, so nothing of it can be wrong.
        sections["alert_plivo"] = nil
        let forgotten = sections.flatMap { path, keys in keys.map { "\(path).\($0)" } }.filter { !wrong.contains($0) }
        #expect(forgotten.sorted() == [])
    }

    @Test("no table has a key twice: the second line would never be read")
    func noTableHasAKeyTwice() {
        let outline = TopSection.all.flatMap(\.outline)
        #expect(outline.contains { $0.path == "network.wifi" && $0.keys.contains("password") })
        for (path, keys) in outline + [(path: "", keys: ConfigurationKeys.top)] {
            #expect(Set(keys).count == keys.count, "\(path): \(keys)")
        }
    }
}
