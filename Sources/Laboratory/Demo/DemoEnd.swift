/// Why the demo ends before its day is over.
enum DemoEnd: Error, CustomStringConvertible {
    case signal(Int32)
    /// Nobody reads what it prints.
    case unread
    /// One of the programs ended, with the last lines it said.
    case programEnded(String, [String])
    case noAnswer(String)
    case refused(verb: String, answer: String)
    case missing(act: String, [DemoExpectation], [String])
    case failed(String)

    var exitStatus: Int32 {
        switch self {
        case .signal(let number): 128 + number
        case .unread, .programEnded, .noAnswer, .refused, .missing, .failed: 1
        }
    }

    var description: String {
        switch self {
        case .signal: "interrupted; all programs are stopped"
        case .unread: "nobody reads any more; all programs are stopped"
        case .programEnded(let name, let lines): "the \(name) ended by itself\(Self.said(lines))"
        case .noAnswer(let what): "\(what) did not answer in time; is this machine very busy? Try again"
        case .refused(let verb, let answer): "'\(verb)' was not taken: \(answer)"
        case .missing(let act, let expectations, let lines):
            "\"\(act)\" should have brought these events and did not: "
                + expectations.map(\.description).joined(separator: ", ") + Self.said(lines)
        case .failed(let why): why
        }
    }

    private static func said(_ lines: [String]) -> String {
        lines.isEmpty ? "" : "; the last it said:\n" + lines.map { "  \($0)" }.joined(separator: "\n")
    }
}
