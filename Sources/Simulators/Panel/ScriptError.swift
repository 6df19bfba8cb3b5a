/// A script line that cannot be carried out: where, and why.
package struct ScriptError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    package var line: Int
    /// From 1; where the word stands that is wrong, or where one is missing.
    package var column: Int
    package var reason: Reason

    package enum Reason: Equatable, Sendable {
        case missing(String)
        case unexpected(String)
        case notOneOf(String, [String])
        case notNumber(String, ClosedRange<Int>)
        case notDuration(String)
        case notKeys(String)
        case notClock(String)
        case notLine(String)
        case notBytes(String)
        case notJSON(String)
    }

    package init(line: Int, column: Int, reason: Reason) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    package var description: String { "line \(line), column \(column): \(reason.description)" }
}

extension ScriptError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let what): "here \(what) is missing"
        case .unexpected(let word): "nothing was expected after this, found \"\(word)\""
        case .notOneOf(let word, let words): "\"\(word)\" is none of \(words.joined(separator: ", "))"
        case .notNumber(let word, let range):
            "\"\(word)\" is not a number from \(range.lowerBound) to \(range.upperBound)"
        case .notDuration(let word): "\"\(word)\" is not a span of time; write 500ms, 10s, 2m or 1h"
        case .notKeys: "a keypad has the keys 0 to 9, * and # only"
        case .notClock(let word): "\"\(word)\" is not a date and time; write 2026-10-12T14:30"
        case .notLine(let word): "\"\(word)\" is not a line; write three digits and the data, for example 6543"
        case .notBytes(let word): "\"\(word)\" is not an even number of hexadecimal digits"
        case .notJSON(let word): "\"\(word)\" is not a JSON object; write for example {\"command\":\"ping\"}"
        }
    }
}
