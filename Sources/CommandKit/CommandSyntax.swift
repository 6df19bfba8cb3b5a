/// What one subcommand takes: declared once, read by the parser and by the help.
package struct CommandSyntax: Hashable, Sendable {
    package enum Purpose: String, CaseIterable, Sendable {
        case daemon = "The daemon"
        case watching = "Watching"
        case acting = "Acting on the house"
        case phones = "People, phones, and keeping it all"
    }

    package struct Option: Hashable, Sendable {
        /// With its dashes: `--since`.
        var name: String
        /// What stands for the value in the help; nil for a flag.
        var value: String?
        var summary: String
        /// Shown in the usage line.
        var isNeeded = false

        package init(name: String, value: String?, summary: String, isNeeded: Bool = false) {
            self.name = name
            self.value = value
            self.summary = summary
            self.isNeeded = isNeeded
        }
    }

    package struct Operand: Hashable, Sendable {
        /// As the help shows it: `FILE`, `away|stay`.
        var name: String
        var isOptional = false

        package init(name: String, isOptional: Bool = false) {
            self.name = name
            self.isOptional = isOptional
        }
    }

    package var name: String
    var purpose: Purpose
    /// At most 26 characters, for the overview.
    var brief: String
    /// One or more sentences.
    var summary: String
    var operands: [Operand] = []
    var options: [Option] = []
    var examples: [String] = []
    /// What the word after the command's name chooses: their names are both words (`phones pair`).
    package var parts: [CommandSyntax] = []
    /// Shown in the overview.
    package var isListed = true

    package init(
        name: String, purpose: Purpose, brief: String, summary: String, operands: [Operand] = [],
        options: [Option] = [], examples: [String] = [], parts: [CommandSyntax] = [], isListed: Bool = true
    ) {
        self.name = name
        self.purpose = purpose
        self.brief = brief
        self.summary = summary
        self.operands = operands
        self.options = options
        self.examples = examples
        self.parts = parts
        self.isListed = isListed
    }

    /// Where the device keeps its state; `--state` names another place.
    static let stateDirectory = "/var/lib/howalarming"
    static let state = Option(
        name: "--state", value: "DIR", summary: "the daemon's state directory (\(stateDirectory))")
    static let help = Option(name: "--help", value: nil, summary: "show this")

    /// What every command takes stands behind its own.
    var allOptions: [Option] { options + [Self.state, Self.help] }

    func option(_ name: String) -> Option? { allOptions.first { $0.name == name } }
}
