/// What one subcommand takes: declared once, read by the parser and by the help.
struct CommandSyntax: Hashable, Sendable {
    enum Purpose: String, CaseIterable, Sendable {
        case daemon = "The daemon"
        case watching = "Watching"
        case acting = "Acting on the house"
        case phones = "People, phones, and keeping it all"
    }

    struct Option: Hashable, Sendable {
        /// With its dashes: `--since`.
        var name: String
        /// What stands for the value in the help; nil for a flag.
        var value: String?
        var summary: String
        /// Shown in the usage line.
        var isNeeded = false
    }

    struct Operand: Hashable, Sendable {
        /// As the help shows it: `FILE`, `away|stay`.
        var name: String
        var isOptional = false
    }

    var name: String
    var purpose: Purpose
    /// At most 26 characters, for the overview.
    var brief: String
    /// One or more sentences.
    var summary: String
    var operands: [Operand] = []
    var options: [Option] = []
    var examples: [String] = []
    /// What the word after the command's name chooses: their names are both words (`phones pair`).
    var parts: [CommandSyntax] = []
    /// Shown in the overview.
    var isListed = true

    static let state = Option(
        name: "--state", value: "DIR", summary: "the daemon's state directory (\(HowAlarmingCommand.stateDirectory))")
    static let help = Option(name: "--help", value: nil, summary: "show this")

    /// What every command takes stands behind its own.
    var allOptions: [Option] { options + [Self.state, Self.help] }

    func option(_ name: String) -> Option? { allOptions.first { $0.name == name } }
}
