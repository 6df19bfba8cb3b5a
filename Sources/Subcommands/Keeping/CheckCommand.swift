import AlarmModel
import ApplianceCore
import CommandKit
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks
import YAMLConfiguration

/// `howalarming check FILE`: says everything that is wrong with a configuration, and changes nothing.
struct CheckCommand: Command, Equatable {
    var file: String
    var json = false

    static let entry = CommandEntry(
        "check", "[FILE]", in: .daemon, brief: "check a configuration",
        """
        Says everything that is wrong with a configuration file and changes nothing. Without FILE it is
        \(CommandSyntax.configurationFile).

        \(CommandSyntax.json)

        howalarming check howalarming.yaml
        """
    ) { CheckCommand(file: $0.operand(0) ?? CommandSyntax.configurationFile, json: $0.json) }

    enum Format: Equatable, Sendable {
        /// One line per problem and a summary.
        case text
        /// One JSON object per problem.
        case json
    }

    struct Report: Equatable, Sendable {
        var lines: [String]
        /// 0 if the configuration is valid, 1 if not.
        var exitStatus: Int32
    }

    func run(on console: Console) -> Int32 {
        let report = Self.report(file: file, format: json ? .json : .text)
        console.print(report.lines)
        return report.exitStatus
    }

    static func report(
        file: String, format: Format = .text, files: some ConfigurationFiles = SystemConfigurationFiles()
    ) -> Report {
        var result = ConfigurationReader.read(file: file, files: files)
        let bytes = (try? files.read(file, limit: ConfigurationReader.sizeLimit))?.bytes ?? []
        if let root = try? YAMLDocument.parse(bytes).root {
            result.add(ExampleValues.warnings(in: root, of: file))
            result.add(ExampleValues.advice(in: root, of: file))
        }
        result.warnIfNobodyIsTold(by: file)
        result.warnOfSharedTopicServer(by: file)
        result.warnOfNamelessNumbers(by: file)
        let lines: [String]
        switch format {
        case .text:
            let excerpt = ProblemExcerpt(of: bytes)
            lines =
                result.problems.flatMap { [$0.description] + ($0.file == file ? excerpt.lines(for: $0) : []) }
                + [summary(of: result, file: file)]
        case .json: lines = result.problems.map { json($0) }
        }
        return Report(lines: lines, exitStatus: result.configuration == nil ? 1 : 0)
    }

    /// `howalarming.yaml: valid — panel 192.168.1.50:4025, 2 partitions, 14 zones, 3 users; 1 warning`
    static func summary(of result: ConfigurationResult, file: String) -> String {
        let warnings = count(result.warningCount, "warning")
        guard let configuration = result.configuration else {
            let errors = count(result.errorCount, "error")
            return "\(file): not valid — \(errors)" + (result.warningCount > 0 ? ", \(warnings)" : "")
        }
        let names = configuration.panel.names
        let host = configuration.panelHost
        var parts = [
            "panel \(host.contains(":") ? "[\(host)]" : host):\(configuration.panelPort)",
            count(configuration.panel.partitions.count, "partition"), count(names.zones.count, "zone"),
            count(names.users.count, "user"),
        ]
        parts += ChannelSummary.lines(configuration.phones)
        let links = configuration.uplinks?.links ?? []
        if !links.isEmpty {
            parts.append("\(count(links.count, "link")) (\(links.map(\.name).joined(separator: ", ")))")
        }
        if let texts = configuration.texts { parts.append("text messages to \(count(texts.numbers.count, "number"))") }
        if let calls = configuration.calls {
            let people = count(calls.people.count, "number")
            if let provider = calls.provider {
                let language = provider.namesLanguage ? "each person's language" : "the language of the house"
                parts.append("calls to \(people) through \(provider.place) in \(language)")
            } else {
                parts.append("calls to \(people) by the modem, with tones and without words")
            }
        }
        if let deadManPing = configuration.deadManPing { parts.append("a sign of life to \(deadManPing.place)") }
        if let ups = configuration.ups { parts.append("the UPS \(ups.name) of \(ups.server)") }
        return "\(file): valid — " + parts.joined(separator: ", ") + (result.warningCount > 0 ? "; \(warnings)" : "")
    }

    private static func count(_ number: Int, _ word: String) -> String {
        number == 1 ? "1 \(word)" : "\(number) \(word)s"
    }

    private static func json(_ problem: ConfigurationProblem) -> String {
        JSON.object([
            "file": .string(problem.file),
            "line": problem.line.map { .integer(Int64($0)) },
            "column": problem.column.map { .integer(Int64($0)) },
            "severity": .string(problem.severity.rawValue),
            "path": .string(problem.path),
            "message": .string(problem.what),
            "expected": problem.expected.map { .string($0) },
            "nearest": problem.nearest.map { .string($0) },
        ]).text
    }
}
