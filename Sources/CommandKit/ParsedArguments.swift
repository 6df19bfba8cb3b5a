/// The arguments of one command, checked against its syntax.
///
/// Operands are never repeated in an error: somebody may have typed a code there.
package struct ParsedArguments: Hashable, Sendable {
    package let command: String
    package private(set) var operands: [String] = []
    package private(set) var wantsHelp = false
    private var given: [Given] = []

    private struct Given: Hashable, Sendable {
        var name: String
        var value: String?
    }

    package init(_ arguments: [String], syntax: CommandSyntax) throws(UsageError) {
        command = syntax.name
        var rest = arguments[...]
        var isOver = false
        while let argument = rest.popFirst() {
            if isOver || argument == "-" || !argument.hasPrefix("-") {
                operands.append(argument)
            } else if argument == "--" {
                isOver = true
            } else if argument == "-h" || argument == "--help" {
                wantsHelp = true
            } else {
                try take(argument, rest: &rest, syntax: syntax)
            }
        }
        guard !wantsHelp else { return }
        try checkOperandCount(syntax)
    }

    private mutating func take(
        _ argument: String, rest: inout ArraySlice<String>, syntax: CommandSyntax
    ) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        guard let option = syntax.option(name) else {
            if ["--code", "--pin", "--password", "--passphrase"].contains(name) { throw Self.codeError(syntax) }
            let known = syntax.allOptions.map(\.name)
            throw UsageError(
                "unknown option '\(name)'\(UsageError.suggestion(for: name, among: known))", command: command)
        }
        guard !given.contains(where: { $0.name == name }) else {
            throw UsageError("option '\(name)' is given twice", command: command)
        }
        guard let placeholder = option.value else {
            guard parts.count == 1 else { throw UsageError("option '\(name)' takes no value", command: command) }
            given.append(Given(name: name, value: nil))
            return
        }
        if parts.count == 2 {
            given.append(Given(name: name, value: parts[1]))
        } else if let value = rest.first, !value.hasPrefix("-") || value == "-" {
            rest = rest.dropFirst()
            given.append(Given(name: name, value: value))
        } else {
            throw UsageError("option '\(name)' needs a value: \(name) \(placeholder)", command: command)
        }
    }

    private static func codeError(_ syntax: CommandSyntax) -> UsageError {
        var choices = ["--ask-code", "--code-file", "--passphrase-file"]
            .filter { syntax.option($0) != nil }.joined(separator: " or ")
        if !choices.isEmpty { choices = "; use \(choices)" }
        return UsageError(
            "a code or passphrase is never taken from the command line, because everybody on this machine can read it "
                + "there\(choices)", command: syntax.name)
    }

    private func checkOperandCount(_ syntax: CommandSyntax) throws(UsageError) {
        let required = syntax.operands.filter { !$0.isOptional }
        if operands.count < required.count {
            throw UsageError("\(required[operands.count].name) is missing", command: command)
        }
        guard operands.count > syntax.operands.count else { return }
        let names = syntax.operands.map(\.name).joined(separator: " ")
        var message = "too many arguments: '\(command)' takes \(names.isEmpty ? "none" : "only \(names)")"
        if operands.dropFirst(syntax.operands.count).contains(where: Self.looksLikeCode) {
            message +=
                "; a code is never taken from the command line, because everybody on this machine can read it there"
        }
        throw UsageError(message, command: command)
    }

    private static func looksLikeCode(_ text: String) -> Bool {
        (4...6).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    package func has(_ name: String) -> Bool { given.contains { $0.name == name } }
    package func value(_ name: String) -> String? { given.first { $0.name == name }?.value }
    package func operand(_ index: Int) -> String? { operands.indices.contains(index) ? operands[index] : nil }

    package var stateDirectory: String { value("--state") ?? CommandSyntax.stateDirectory }

    package func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        return try Self.number(text, name: "option '\(name)'", in: range, command: command)
    }

    package static func number(
        _ text: String, name: String, in range: ClosedRange<Int>, command: String
    ) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "\(name) takes a number from \(range.lowerBound) to \(range.upperBound)", command: command)
        }
        return number
    }

    /// An operand that is one of several words; nil when it is not there.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ index: Int, what: String
    ) throws(UsageError) -> Choice? where Choice.RawValue == String {
        guard let text = operand(index) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue)
            throw UsageError(
                "\(what) is one of \(known.joined(separator: ", "))\(UsageError.suggestion(for: text, among: known))",
                command: command)
        }
        return choice
    }
}
