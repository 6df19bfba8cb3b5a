import PhoneProtocol
import Platform
import YAMLConfiguration

/// What came of the owner's card at the last start: kept on data, shown by the console, and written beside the
/// configuration where that has errors. No secret is in it.
package struct CardReport: Equatable, Sendable {
    package struct Problem: Equatable, Sendable {
        package var isError: Bool
        /// nil: the file as a whole, or the card.
        package var line: Int?
        package var column: Int?
        package var what: String
        package var expected: String?
        package var nearest: String?

        package init(
            isError: Bool = true, line: Int? = nil, column: Int? = nil, what: String, expected: String? = nil,
            nearest: String? = nil
        ) {
            self.isError = isError
            self.line = line
            self.column = column
            self.what = what
            self.expected = expected
            self.nearest = nearest
        }
    }

    /// Which configuration holds.
    package enum InForce: String, Hashable, Sendable, CaseIterable {
        /// The one on the card.
        case card
        /// The last one that was good: the card's has errors.
        case earlier
        /// The card's has errors, and there was none before.
        case none
    }

    package var inForce: InForce
    /// Errors first, each kind from top to bottom.
    package private(set) var problems: [Problem]

    package mutating func add(_ more: [Problem]) { self = CardReport(inForce: inForce, problems: problems + more) }

    package init(inForce: InForce, problems: [Problem]) {
        self.inForce = inForce
        self.problems = problems.filter(\.isError) + problems.filter { !$0.isError }
    }

    package static let fileName = "card-report.json"
    /// A file with more problems is a file of another kind.
    static let problemLimit = 100

    package var errors: [Problem] { problems.filter(\.isError) }

    /// One sentence: what holds now.
    package var summary: String {
        switch inForce {
        case .card: errors.isEmpty ? "the configuration of the card holds" : "the configuration of the card holds, but"
        case .earlier: "the card's configuration has errors; the last good one holds"
        case .none: "there is no valid configuration: the panel is not watched"
        }
    }

    /// What the owner does about it; nil where there is nothing to do.
    package var remedy: String? {
        guard !errors.isEmpty else { return nil }
        return "Switch the box off, put its card into any computer, correct \(CardImport.fileName) there, put the card "
            + "back and switch the box on."
    }

    /// The one of the last start; nil where no card is used.
    ///
    /// - Parameter stateDirectory: of the daemon; what came from the card lies in a directory of its own there
    package static func kept(in stateDirectory: String) -> CardReport? {
        (try? FileReader.read("\(stateDirectory)/card/\(fileName)", limit: 1 << 20)).flatMap { CardReport(json: $0) }
    }

    package var json: String {
        JSON.object([
            "inForce": .string(inForce.rawValue),
            "problems": .array(
                problems.prefix(Self.problemLimit).map { problem in
                    JSON.object([
                        "severity": .string(problem.isError ? "error" : "warning"),
                        "line": problem.line.map { .integer(Int64($0)) },
                        "column": problem.column.map { .integer(Int64($0)) },
                        "message": .string(problem.what),
                        "expected": problem.expected.map { .string($0) },
                        "nearest": problem.nearest.map { .string($0) },
                    ])
                }),
        ]).text
    }

    /// nil for what is no report.
    package init?(json bytes: [UInt8]) {
        guard let value = try? JSON(parsing: bytes), let list = value["problems"]?.arrayValue,
            let inForce = value["inForce"]?.stringValue.flatMap({ InForce(rawValue: $0) })
        else { return nil }
        self.inForce = inForce
        problems = list.prefix(Self.problemLimit).compactMap { item in
            guard let what = item["message"]?.stringValue else { return nil }
            return Problem(
                isError: item["severity"]?.stringValue != "warning",
                line: item["line"]?.integerValue.flatMap { Int(exactly: $0) },
                column: item["column"]?.integerValue.flatMap { Int(exactly: $0) }, what: what,
                expected: item["expected"]?.stringValue, nearest: item["nearest"]?.stringValue)
        }
    }

    /// The text beside the configuration, for Windows' editor: lines end with CR LF.
    package var text: String {
        let found = errors.isEmpty ? "" : "What is wrong with \(CardImport.fileName) on this card:"
        var lines = [found, ""]
        for problem in problems.prefix(Self.problemLimit) {
            let kind = problem.isError ? "" : "not wrong, but to be known: "
            lines.append(kind + problem.place(capital: problem.isError) + problem.what + ".")
            if let expected = problem.expected { lines.append("    Expected: \(expected).") }
            if let nearest = problem.nearest { lines.append("    Did you mean '\(nearest)'?") }
            lines.append("")
        }
        if problems.count > Self.problemLimit {
            lines += ["And \(problems.count - Self.problemLimit) more.", ""]
        }
        switch inForce {
        case .card: break
        case .earlier: lines.append("Until it is corrected, the box works with the last configuration that was good.")
        case .none: lines.append("Until it is corrected, the box does not watch the panel: it has no other one.")
        }
        lines.append(
            "What to do next: correct \(CardImport.fileName) in any editor, put the card back and switch the box on. "
                + "This file goes away when all is well.")
        return lines.joined(separator: "\r\n") + "\r\n"
    }
}

extension CardReport.Problem {
    init(_ problem: ConfigurationProblem) {
        let isKept = problem.file == CardFiles.secretsName
        self.init(
            isError: problem.severity == .error, line: isKept ? nil : problem.line,
            column: isKept ? nil : problem.column,
            what: isKept ? "of the secrets that are kept on the box: \(problem.what)" : problem.what,
            expected: isKept && problem.severity == .error
                ? "'\(problem.path)' written anew on the card" : problem.expected,
            nearest: isKept ? nil : problem.nearest)
    }

    init(_ problem: YAMLProblem) {
        self.init(line: problem.mark.line, column: problem.mark.column, what: problem.what, expected: problem.expected)
    }

    /// `line 12, column 3: `
    func place(capital: Bool) -> String {
        guard let line else { return "" }
        return "\(capital ? "Line" : "line") \(line)\(column.map { ", column \($0)" } ?? ""): "
    }

    /// In one sentence, for a screen or a log.
    package var sentence: String {
        var text = place(capital: false) + what
        if let expected { text += "; expected \(expected)" }
        if let nearest { text += "; did you mean '\(nearest)'?" }
        return text
    }
}
