/// Arguments that make no command; the process ends with status 64 (EX_USAGE).
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    package var message: String
    /// The command whose help says more.
    package var command: String?

    package init(_ message: String, command: String? = nil) {
        self.message = message
        self.command = command
    }

    package var description: String {
        let help = command.map { "howalarming help \($0)" } ?? "howalarming help"
        return message.hasSuffix("?") ? "\(message) See '\(help)'." : "\(message); see '\(help)'"
    }

    /// `; did you mean 'x'?` where something is near.
    package static func suggestion(for written: String, among known: [String]) -> String {
        NearestKey.of(written, among: known).map { "; did you mean '\($0)'?" } ?? ""
    }
}
