import Glibc

/// The arguments of one command, checked against its syntax.
///
/// Operands are never repeated in an error: somebody may have typed a code there.
package struct ParsedArguments: Sendable {
    package let syntax: CommandSyntax
    package private(set) var operands: [String] = []
    package private(set) var wantsHelp = false
    private var given: [(name: String, value: String?)] = []

    package init(_ arguments: some Collection<String>, syntax: CommandSyntax) throws(UsageError) {
        self.syntax = syntax
        var rest = Array(arguments)[...]
        if let manual = syntax.manual {
            try take(&rest, manual)
            return
        }
        var isOver = false
        while let argument = rest.popFirst() {
            if isOver || argument == "-" || !argument.hasPrefix("-") {
                operands.append(argument)
            } else if argument == "--" {
                isOver = true
            } else if argument == "-h" || argument == "--help" {
                wantsHelp = true
            } else {
                try take(argument, &rest)
            }
        }
        if !wantsHelp { try checkOperandCount() }
    }

    /// Arguments of a program for trying things out, up to a wish for help.
    private mutating func take(
        _ rest: inout ArraySlice<String>, _ manual: CommandSyntax.Manual
    ) throws(UsageError) {
        while !wantsHelp, let argument = rest.popFirst() {
            let (name, value) = Self.halves(argument)
            if name == "--help" || name == "-h" {
                wantsHelp = true
            } else if let option = syntax.option(name), option.value != nil || value == nil {
                guard option.value != nil else {
                    given.append((name, nil))
                    continue
                }
                guard let value = value ?? rest.popFirst() ?? (manual.missing == nil ? "" : nil) else {
                    throw misuse("option '\(name)' \(manual.missing ?? "")")
                }
                given.append((name, value))
            } else {
                throw misuse(manual.unknown(argument))
            }
        }
    }

    private static func halves(_ argument: String) -> (name: String, value: String?) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count == 2 ? parts[1] : nil)
    }

    private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let (typed, written) = Self.halves(argument)
        let long = CommandSyntax.letters[typed]
        let name = long.flatMap { syntax.option($0) == nil ? nil : $0 } ?? typed
        guard let option = syntax.option(name) else {
            if ["--code", "--pin", "--password", "--passphrase"].contains(name) { throw codeError }
            // A word that stands without dashes here: `arm --stay`.
            let word = String(name.drop { $0 == "-" })
            if syntax.operands.contains(where: { $0.name.split(separator: "|").contains(Substring(word)) }) {
                throw misuse("unknown option '\(name)'; here it is 'howalarming \(syntax.name) \(word)'")
            }
            let known = syntax.allOptions.map(\.name)
            throw misuse("unknown option '\(name)'\(UsageError.suggestion(for: name, among: known))")
        }
        guard !given.contains(where: { $0.name == name }) else { throw misuse("option '\(name)' is given twice") }
        guard let placeholder = option.value else {
            guard written == nil else { throw misuse("option '\(name)' takes no value") }
            return given.append((name, nil))
        }
        if let written {
            given.append((name, written))
        } else if let value = rest.first, !value.hasPrefix("-") || value == "-" || Int(value) != nil {
            rest = rest.dropFirst()
            given.append((name, value))
        } else {
            throw misuse("option '\(name)' needs a value: \(name) \(placeholder)")
        }
    }

    private var codeError: UsageError {
        var choices = ["--ask-code", "--code-file", "--passphrase-file"]
            .filter { syntax.option($0) != nil }.joined(separator: " or ")
        if !choices.isEmpty { choices = "; use \(choices)" }
        return misuse(
            "a code or passphrase is never taken from the command line, because everybody on this machine can read it "
                + "there\(choices)")
    }

    private func checkOperandCount() throws(UsageError) {
        let required = syntax.operands.filter { !$0.isOptional }
        if operands.count < required.count { throw misuse("\(required[operands.count].name) is missing") }
        guard operands.count > syntax.operands.count else { return }
        let names = syntax.operands.map(\.name).joined(separator: " ")
        var message = "too many arguments: '\(syntax.name)' takes \(names.isEmpty ? "none" : "only \(names)")"
        if operands.dropFirst(syntax.operands.count).contains(where: Self.looksLikeCode) {
            message +=
                "; a code is never taken from the command line, because everybody on this machine can read it there"
        }
        throw misuse(message)
    }

    private static func looksLikeCode(_ text: String) -> Bool {
        (4...6).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }
}

/// What was given, read as what it stands for.
extension ParsedArguments {
    /// What is wrong with the arguments, with the command line that says more.
    package func misuse(_ message: String) -> UsageError { UsageError(message, help: syntax.help) }

    package func has(_ name: String) -> Bool { given.contains { $0.name == name } }
    /// The last one, where a program takes several.
    package func value(_ name: String) -> String? { values(name).last }
    package func values(_ name: String) -> [String] { given.filter { $0.name == name }.compactMap(\.value) }
    package func operand(_ index: Int) -> String? { operands.indices.contains(index) ? operands[index] : nil }

    /// `--state`, or else what HOWALARMING_STATE in the environment says.
    package var stateDirectory: String {
        value("--state")
            ?? CommandSyntax.stateDirectory(environment: getenv("HOWALARMING_STATE").map { String(cString: $0) })
    }
    package var json: Bool { has("--json") }

    package func needed(_ name: String) throws(UsageError) -> String {
        guard let value = value(name) else { throw misuse("option '\(name)' is missing") }
        return value
    }

    /// An option's value as `read` understands it; nil without the option.
    package func read<Value>(
        _ name: String, _ expected: String, _ read: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let text = value(name) else { return nil }
        guard let value = read(text) else { throw misuse("option '\(name)' takes \(expected)") }
        return value
    }

    package func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        try value(name).map { text throws(UsageError) in try number(text, "option '\(name)'", in: range) }
    }

    /// An operand that is a number.
    package func number(_ index: Int, _ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
        try number(operands[index], name, in: range)
    }

    private func number(_ text: String, _ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw misuse("\(name) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// An operand that is one of several words; nil when it is not there.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ index: Int, what: String
    ) throws(UsageError) -> Choice? where Choice.RawValue == String {
        guard let text = operand(index) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let known = Choice.allCases.map(\.rawValue)
        throw misuse(
            "\(what) is one of \(known.joined(separator: ", "))\(UsageError.suggestion(for: text, among: known))")
    }

    /// An operand that says on or off; nil when it is not there.
    package func isOn(_ index: Int, what: String) throws(UsageError) -> Bool? {
        let word: Switch? = try choice(index, what: what)
        return word.map { $0 == .on }
    }

    private enum Switch: String, CaseIterable { case on, off }

    /// Words with commas between them, each one of `known`.
    package func words(_ text: String, of what: String, known: [String]) throws(UsageError) -> [String] {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for word in words where !known.contains(word) {
            throw misuse(
                "\(what) takes \(known.joined(separator: ", ")), joined by commas"
                    + UsageError.suggestion(for: word, among: known))
        }
        return words
    }
}
