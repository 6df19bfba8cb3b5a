import CommandKit
import PhoneProtocol

/// What trying one thing came to.
struct SelfTestLine: Equatable, Sendable {
    enum Result: String, Hashable, Sendable {
        case passed, failed
        /// There is nothing to try, or it cannot be tried now.
        case skipped
    }

    /// One word or two: `panel`, `phone`.
    var subject: String
    var result: Result
    /// What was found.
    var text: String
    /// What to do about it; of a failed one always there.
    var advice: String?

    static func passed(_ subject: String, _ text: String) -> SelfTestLine {
        SelfTestLine(subject: subject, result: .passed, text: text)
    }

    static func failed(_ subject: String, _ text: String, _ advice: String) -> SelfTestLine {
        SelfTestLine(subject: subject, result: .failed, text: text, advice: advice)
    }

    static func skipped(_ subject: String, _ text: String, _ advice: String? = nil) -> SelfTestLine {
        SelfTestLine(subject: subject, result: .skipped, text: text, advice: advice)
    }

    /// For a terminal, at most `width` columns.
    func lines(width: Int = 80) -> [String] {
        let mark =
            switch result {
            case .passed: "ok   "
            case .failed: "FAIL "
            case .skipped: "--   "
            }
        let head = mark + Text.cell(subject, 16)
        let indent = String(repeating: " ", count: head.count)
        let found = Text.wrapped(Text.printable(text), width: width - head.count)
        let todo = advice.map { Text.wrapped("→ " + Text.printable($0), width: width - head.count) } ?? []
        return (found + todo).enumerated().map { $0.offset == 0 ? head + $0.element : indent + $0.element }
    }

    /// Keys: `test`, `result` (passed, failed or skipped), `text`, `advice` (or null).
    var json: JSON {
        .object([
            "test": .string(subject), "result": .string(result.rawValue), "text": .string(text),
            "advice": advice.map(JSON.string) ?? .null,
        ])
    }
}
