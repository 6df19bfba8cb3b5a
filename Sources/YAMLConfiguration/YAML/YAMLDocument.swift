import CYAML

/// One YAML file as a tree, read through libyaml, with bounds on everything that a file can ask for.
///
/// Anchors, aliases, tags, keys that are not text and second documents are refused: a configuration needs none of them.
package struct YAMLDocument: Equatable, Sendable {
    package struct Limits: Equatable, Sendable {
        package var bytes = 1 << 20
        package var depth = 32
        package var nodes = 100_000
        package init() {}
    }

    package var root: YAMLNode

    /// Never traps, whatever the bytes are. An empty file is a document whose root is null.
    package static func parse(_ bytes: [UInt8], limits: Limits = Limits()) throws(YAMLProblem) -> YAMLDocument {
        guard bytes.count <= limits.bytes else {
            throw YAMLProblem(
                mark: .start, what: "the file has \(bytes.count) bytes", expected: "at most \(limits.bytes) bytes")
        }
        guard !bytes.isEmpty else {
            return YAMLDocument(root: YAMLNode(mark: .start, content: .scalar("", .plain)))
        }
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        defer {
            parser.deinitialize(count: 1)
            parser.deallocate()
        }
        guard yaml_parser_initialize(parser) == 1 else {
            throw YAMLProblem(mark: .start, what: "there is not enough memory to read the file")
        }
        defer { yaml_parser_delete(parser) }
        // libyaml keeps the pointer, so all parsing happens within the closure.
        let result: Result<YAMLDocument, YAMLProblem> = bytes.withUnsafeBufferPointer { buffer in
            yaml_parser_set_input_string(parser, buffer.baseAddress, buffer.count)
            do throws(YAMLProblem) {
                return .success(try document(from: parser, bytes: bytes, limits: limits))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func document(
        from parser: UnsafeMutablePointer<yaml_parser_t>, bytes: [UInt8], limits: Limits
    ) throws(YAMLProblem) -> YAMLDocument {
        var builder = YAMLTreeBuilder(limits: limits)
        while !builder.isFinished {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else { throw problem(of: parser.pointee, bytes: bytes) }
            defer { yaml_event_delete(&event) }
            try builder.take(event)
        }
        return YAMLDocument(root: builder.root ?? YAMLNode(mark: .start, content: .scalar("", .plain)))
    }

    /// What libyaml says, with a hint where its words help nobody.
    private static func problem(of parser: yaml_parser_t, bytes: [UInt8]) -> YAMLProblem {
        var words = parser.problem.map { String(cString: $0) } ?? "the parser gave no reason"
        guard parser.error != YAML_READER_ERROR else {
            // The reader knows an offset in bytes, no mark.
            let before = bytes.prefix(max(0, Int(clamping: parser.problem_offset)))
            let line = before.reduce(into: 1) { $0 += $1 == UInt8(ascii: "\n") ? 1 : 0 }
            let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.reduce(into: 1) {
                $0 += $1 & 0xC0 == 0x80 ? 0 : 1
            }
            return YAMLProblem(
                mark: YAMLMark(line: line, column: column), what: "the text cannot be read: \(words)",
                expected: "UTF-8 without control characters")
        }
        let mark = YAMLMark(parser.problem_mark)
        // libyaml notices it a line or two later.
        if let strange = TypographicCharacter.first(in: bytes, lines: max(1, mark.line - 2)...mark.line) {
            return YAMLProblem(
                mark: strange.mark, what: "not valid YAML, and \(strange.words) is here", expected: strange.expected)
        }
        // libyaml sees it one line too late.
        if words == "could not find expected ':'", parser.context != nil {
            return YAMLProblem(
                mark: YAMLMark(parser.context_mark), what: "not valid YAML: \(words)",
                expected: "a colon and a space behind the key, as in 'port: 4025'")
        }
        if let context = parser.context {
            words += " \(String(cString: context))"
            let start = YAMLMark(parser.context_mark)
            if start.line != mark.line { words += " that starts in line \(start.line)" }
        }
        return YAMLProblem(mark: mark, what: "not valid YAML: \(words)", expected: hint(at: mark, in: bytes))
    }

    private static func hint(at mark: YAMLMark, in bytes: [UInt8]) -> String? {
        var line = 1
        var index = 0
        while index < bytes.count, line < mark.line {
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
        let text = String(decoding: bytes[index...].prefix { $0 != UInt8(ascii: "\n") }.prefix(4096), as: UTF8.self)
        guard let character = text.unicodeScalars.dropFirst(max(0, mark.column - 1)).first else { return nil }
        switch character {
        case "\t": return "spaces here; YAML does not indent with tabs"
        case "@", "`", "%", "*", "&", "!": return "quotes around a value that begins with '\(character)'"
        case ":":
            return "quotes around a value with ': ' in it, or as many spaces before the line as its neighbours have"
        default: return nil
        }
    }
}

extension YAMLMark {
    init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line) &+ 1, column: Int(clamping: mark.column) &+ 1)
    }
}
