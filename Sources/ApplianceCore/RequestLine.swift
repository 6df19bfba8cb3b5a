import AlarmModel
import PhoneProtocol

/// A value that stands in a line of the control socket. The line goes to the daemon alone: secrets stand there as they
/// are, while every other form hides them.
protocol LineValue {
    var inLine: JSON { get }
}

extension Int: LineValue { var inLine: JSON { .integer(Int64(self)) } }
extension Int64: LineValue { var inLine: JSON { .integer(self) } }
extension Bool: LineValue { var inLine: JSON { .bool(self) } }
extension String: LineValue { var inLine: JSON { .string(self) } }
extension Secret: LineValue { var inLine: JSON { .string(revealed) } }
/// Words are joined by commas.
extension [String]: LineValue { var inLine: JSON { .string(joined(separator: ",")) } }

extension JSON {
    /// A request's line; members that are nil are left out.
    static func request(_ verb: String, _ members: KeyValuePairs<String, (any LineValue)?> = [:]) -> JSON {
        .object(
            [Member(key: "request", value: .string(verb))]
                + members.compactMap { key, value in value.map { Member(key: key, value: $0.inLine) } })
    }
}

/// A line that is read: its members, what is wrong with them, and which of them were looked for.
///
/// Neither a code nor a PIN is repeated in an error.
struct RequestLine {
    private let document: JSON
    private var known = ["request"]

    init(_ line: [UInt8]) throws(ControlRequestError) {
        do throws(JSONError) {
            document = try JSON(parsing: line)
        } catch {
            throw ControlRequestError("not a JSON object in one line: \(error)")
        }
        guard case .object = document else { throw ControlRequestError("a request is a JSON object") }
    }

    /// A member that nobody reads is a slip of the asker; passed over, it would arm another partition than was meant.
    ///
    /// - Parameter others: what the verb knows, whatever it is to do
    func expectOnlyKnown(_ others: [String] = []) throws(ControlRequestError) {
        var seen: [String] = []
        for member in document.objectValue ?? [] {
            guard (known + others).contains(member.key) else {
                throw ControlRequestError("member \(Self.quoted(member.key)) is not known in this request")
            }
            guard !seen.contains(member.key) else {
                throw ControlRequestError("member '\(member.key)' stands there twice")
            }
            seen.append(member.key)
        }
    }

    /// Text of the asker in an error; digits are left out, for a code may have slipped there.
    static func quoted(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 || $0 == 95 }
        return isWord && !text.isEmpty ? "'\(text.prefix(40))'" : "that is not a word"
    }

    /// A member as it stands there.
    mutating func member(_ key: String) -> JSON? {
        known.append(key)
        return document[key]
    }

    /// A member as `read` understands it; nil when it is not there, or null.
    mutating func read<Value>(
        _ key: String, _ misfit: String, _ read: (JSON) -> Value?
    ) throws(ControlRequestError) -> Value? {
        guard let value = member(key), value != .null else { return nil }
        guard let value = read(value) else { throw ControlRequestError("member '\(key)' \(misfit)") }
        return value
    }

    mutating func flag(_ key: String) throws(ControlRequestError) -> Bool? {
        try read(key, "is not true or false") { $0.boolValue }
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int64>) throws(ControlRequestError) -> Int64? {
        try read(key, "is not a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            value.integerValue.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func number(_ key: String, in range: ClosedRange<Int>) throws(ControlRequestError) -> Int? {
        try integer(key, in: Int64(range.lowerBound)...Int64(range.upperBound)).map(Int.init)
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String
    ) throws(ControlRequestError) -> Choice? where Choice.RawValue == String {
        try read(key, "is one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))") {
            $0.stringValue.flatMap(Choice.init(rawValue:))
        }
    }

    mutating func code() throws(ControlRequestError) -> Secret? {
        try read("code", "is not 4 to 6 digits") { value in
            let digits = value.stringValue?.utf8.allSatisfy { (48...57).contains($0) } == true
            return value.stringValue.flatMap { digits && (4...6).contains($0.utf8.count) ? Secret($0) : nil }
        }
    }

    mutating func text(_ key: String, _ length: ClosedRange<Int>) throws(ControlRequestError) -> String {
        guard let value = member(key)?.stringValue, length.contains(value.utf8.count) else {
            throw ControlRequestError(
                "member '\(key)' is missing: a text of \(length.lowerBound) to \(length.upperBound) bytes")
        }
        return value
    }

    /// Words joined by commas, in the order of `known`; nil when the member is not there.
    mutating func words<Word>(
        _ key: String, of known: [Word], named name: (Word) -> String
    ) throws(ControlRequestError) -> [Word]? {
        guard let value = member(key) else { return nil }
        let words = (value.stringValue ?? "?").split(separator: ",").map(String.init)
        guard words.allSatisfy({ word in known.contains { name($0) == word } }) else {
            throw ControlRequestError(
                "member '\(key)' may hold \(known.map(name).joined(separator: ", ")), joined by commas")
        }
        return known.filter { words.contains(name($0)) }
    }

    func needed<Value>(
        _ value: Value?, _ key: String, _ expected: String
    ) throws(ControlRequestError) -> Value {
        guard let value else { throw ControlRequestError("member '\(key)' is missing: \(expected)") }
        return value
    }
}
