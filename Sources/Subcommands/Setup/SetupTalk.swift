import AlarmModel
import CommandKit
import Glibc

/// Questions and answers on standard input and output, a line each.
struct SetupTalk {
    /// Nobody answers any more.
    struct Over: Error {}

    let console: Console
    /// Secrets are typed there, without an echo.
    var isTerminal = isatty(STDIN_FILENO) == 1
    /// nil: nobody answers any more.
    var line: () -> String? = { readLine() }

    init(console: Console) { self.console = console }

    func say(_ lines: String...) { console.print(lines) }

    /// What was typed, without blanks at its ends.
    ///
    /// - Parameter usual: what Enter alone means, shown in brackets
    func ask(_ question: String, usual: String? = nil) throws(Over) -> String {
        console.write(question + (usual.map { " [\($0)]" } ?? "") + ": ")
        guard let line = line() else {
            console.write("\n")
            throw Over()
        }
        let text = Self.trimmed(line)
        return text.isEmpty ? usual ?? "" : text
    }

    /// Asks until there is an answer that can be used.
    func ask<Value>(
        _ question: String, usual: String? = nil, expected: String, _ read: (String) -> Value?
    ) throws(Over) -> Value {
        while true {
            let text = try ask(question, usual: usual)
            if let value = read(text) { return value }
            say("That cannot be used; \(expected).")
        }
    }

    func confirm(_ question: String, usual: Bool = true) throws(Over) -> Bool {
        try ask(question, usual: usual ? "Y/n" : "y/N", expected: "type y or n") { text in
            switch text.lowercased() {
            case "y/n": usual
            case "y", "yes": true
            case "n", "no": false
            default: nil
            }
        }
    }

    /// Without an echo where there is a terminal.
    func askSecret(_ question: String, usual: Secret) throws(Over) -> Secret {
        guard isTerminal else { return Secret(try ask(question, usual: usual.revealed)) }
        do throws(SecretInputError) {
            return try SecretInput.terminal("\(question) [\(usual.revealed)]")
        } catch {
            if error == .empty { return usual }
            throw Over()
        }
    }

    /// The same, until there is one that can be used; nil: Enter alone.
    func askHidden(_ question: String, expected: String, _ isUsable: (String) -> Bool) throws(Over) -> Secret? {
        while true {
            let text = try hidden(question)
            if text.isEmpty { return nil }
            if isUsable(text) { return Secret(text) }
            say("That cannot be used; \(expected).")
        }
    }

    private func hidden(_ question: String) throws(Over) -> String {
        guard isTerminal else { return try ask(question) }
        do throws(SecretInputError) {
            return try SecretInput.terminal(question).revealed
        } catch {
            if error == .empty { return "" }
            throw Over()
        }
    }

    static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while rest.first?.isWhitespace ?? false { rest.removeFirst() }
        while rest.last?.isWhitespace ?? false { rest.removeLast() }
        return String(rest)
    }
}
