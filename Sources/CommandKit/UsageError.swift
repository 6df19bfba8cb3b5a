/// Arguments that make no command; the process ends with status 64 (EX_USAGE).
package struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    package var message: String
    /// The command line that says more.
    package var help: String

    package init(_ message: String, help: String = "howalarming help") {
        self.message = message
        self.help = help
    }

    package var description: String {
        message.hasSuffix("?") ? "\(message) See '\(help)'." : "\(message); see '\(help)'"
    }

    /// `; did you mean 'x'?` where something is near.
    package static func suggestion(for written: String, among known: [String]) -> String {
        NearestKey.of(written, among: known).map { "; did you mean '\($0)'?" } ?? ""
    }
}
