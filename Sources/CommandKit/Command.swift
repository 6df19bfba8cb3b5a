/// A command line that was understood: it can be carried out.
package protocol Command: Sendable {
    /// - Returns: the exit status, one of `ExitStatus`
    func run(on console: Console) -> Int32
}

/// A command as the table holds it: what it takes, and how its arguments become something that can be carried out.
package struct CommandEntry: Sendable {
    package typealias Reading = @Sendable (ParsedArguments) throws(UsageError) -> any Command

    package private(set) var syntax: CommandSyntax
    package let parts: [CommandEntry]
    private let reading: Reading

    /// A command, or a part of one.
    package init(
        _ name: String, _ operands: String = "", in purpose: CommandSyntax.Purpose, brief: String,
        isListed: Bool = true, needs: [String] = [], _ text: String, read: @escaping Reading
    ) {
        syntax = CommandSyntax(
            name, operands, in: purpose, brief: brief, isListed: isListed, needs: needs, text)
        parts = []
        reading = read
    }

    /// A command whose next word says what to do; without one it is `list`.
    package init(
        _ name: String, in purpose: CommandSyntax.Purpose, brief: String, _ text: String, parts: [CommandEntry]
    ) {
        syntax = CommandSyntax(name, "", in: purpose, brief: brief, isListed: true, needs: [], text)
        syntax.parts = parts.map(\.syntax)
        self.parts = parts
        reading = { given throws(UsageError) in throw given.misuse("a part is missing") }
    }

    /// A command of a program for trying things out.
    package init(_ syntax: CommandSyntax, read: @escaping Reading) {
        self.syntax = syntax
        parts = []
        reading = read
    }

    package func read(_ given: ParsedArguments) throws(UsageError) -> any Command { try reading(given) }
}
