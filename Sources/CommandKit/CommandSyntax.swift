/// What one subcommand takes: declared once, read by the parser and by the help.
package struct CommandSyntax: Sendable {
    package enum Purpose: String, CaseIterable, Sendable {
        case daemon = "The daemon"
        case watching = "Watching"
        case acting = "Acting on the house"
        case phones = "People, phones, and keeping it all"
    }

    struct Option: Equatable, Sendable {
        /// With its dashes: `--since`.
        var name: String
        /// What stands for the value in the help; nil for a flag.
        var value: String?
        var summary: String
    }

    struct Operand: Equatable, Sendable {
        /// As the help shows it: `FILE`, `away|stay`.
        var name: String
        var isOptional: Bool
    }

    /// Of a part both words: `phones pair`.
    package let name: String
    let purpose: Purpose
    /// At most 26 characters, for the overview.
    let brief: String
    /// One or more sentences.
    private(set) var summary = ""
    let operands: [Operand]
    private(set) var options: [Option] = []
    /// Options without which nothing is done: shown in the usage line.
    let needs: [String]
    package private(set) var examples: [String] = []
    /// Shown in the overview.
    package let isListed: Bool
    /// What the word after the command's name chooses.
    package internal(set) var parts: [CommandSyntax] = []
    /// The help of another program than the box's, as it stands; its options are read from it.
    private(set) var manual: Manual?

    /// How a program for trying things out explains itself. It takes options only, the same one more than once.
    struct Manual: Sendable {
        var text: String
        /// The words with which it is asked for.
        var asking: String
        var unknown: @Sendable (String) -> String
        /// Said of an option without its value; nil: the value is empty then.
        var missing: String?
    }

    /// - Parameters:
    ///   - operands: as the help shows them; those that may be left out in brackets
    ///   - text: sentences, then options (`--since WHEN  only events from then on`), then examples
    init(
        _ name: String, _ operands: String, in purpose: Purpose, brief: String, isListed: Bool, needs: [String],
        _ text: String
    ) {
        self.name = name
        self.purpose = purpose
        self.brief = brief
        self.isListed = isListed
        self.needs = needs
        self.operands = operands.split(separator: " ").map {
            Operand(name: String($0.filter { $0 != "[" && $0 != "]" }), isOptional: $0.hasPrefix("["))
        }
        for line in text.split(separator: "\n") {
            if let option = Option(line) {
                options.append(option)
            } else if line.hasPrefix("howalarming ") {
                examples.append(String(line))
            } else {
                summary += (summary.isEmpty ? "" : " ") + line
            }
        }
    }

    /// Of a program for trying things out.
    ///
    /// - Parameters:
    ///   - manual: its help, in which each option stands in a line of its own
    ///   - asking: the command line that shows it
    ///   - unknown: said of what is no option
    ///   - missing: said of an option without its value; nil: the value is empty then
    package init(
        _ name: String, manual: String, asking: String, unknown: (@Sendable (String) -> String)? = nil,
        missing: String? = "needs a value"
    ) {
        self.init(name, "", in: .daemon, brief: "", isListed: false, needs: [], manual)
        self.manual = Manual(
            text: manual, asking: asking, unknown: unknown ?? { "'\($0)' is not an option of '\(name)'" },
            missing: missing)
    }

    /// The option of most commands that print something.
    package static let json = "--json  print JSON for programs"
    /// Where the device keeps its state; `--state` names another place.
    private static let stateDirectory = "/var/lib/howalarming"

    /// - Parameter environment: what HOWALARMING_STATE says
    package static func stateDirectory(environment: String?) -> String {
        environment.flatMap { $0.isEmpty ? nil : $0 } ?? stateDirectory
    }

    /// Where its configuration is unless another one is named.
    package static let configurationFile = "/etc/howalarming/howalarming.yaml"
    /// Letters for options that are typed often, of whichever command has them.
    static let letters = [
        "-f": "--follow", "-j": "--json", "-n": "--limit", "-p": "--partition", "-s": "--state", "-v": "--verbose",
        "-w": "--watch", "-z": "--zone",
    ]

    /// What every command takes stands behind its own.
    var allOptions: [Option] {
        guard manual == nil else { return options }
        return options + [
            Option(name: "--state", value: "DIR", summary: "its state: HOWALARMING_STATE or \(Self.stateDirectory)"),
            Option(name: "--help", value: nil, summary: "show this"),
        ]
    }

    func option(_ name: String) -> Option? { allOptions.first { $0.name == name } }

    /// Where more is said: a command line.
    var help: String { manual?.asking ?? "howalarming help \(name)" }
}

extension CommandSyntax.Option {
    /// `--since WHEN  only events from then on`; nil for another line.
    init?(_ line: some StringProtocol) {
        let line = line.drop { $0 == " " }
        let name = line.prefix { $0 == "-" || $0.isLowercase }
        var rest = line.dropFirst(name.count)
        guard name.hasPrefix("--"), rest.isEmpty || rest.first == " " else { return nil }
        if !rest.hasPrefix("  ") { rest = rest.dropFirst() }
        let value = rest.prefix { $0 != " " }
        rest = rest.dropFirst(value.count)
        // A sentence that is broken before an option's name has single blanks.
        guard rest.isEmpty || rest.hasPrefix("  ") else { return nil }
        self.init(
            name: String(name), value: value.isEmpty ? nil : String(value),
            summary: String(rest.drop { $0 == " " }))
    }
}
