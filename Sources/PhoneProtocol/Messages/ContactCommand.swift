package import AlarmModel

/// A command in words, as a person types it to the box in an account's chat (docs/pairing.md 10).
///
/// Letters of both cases; words are parted by any white space. What the sender may do is decided elsewhere.
package enum ContactCommand: Codable, Equatable, Sendable {
    package enum Arming: String, Codable, Hashable, Sendable, CaseIterable { case stay, night, away }

    case status
    /// Without a mode: away. Partition 1…8; nil: the one that there is, or the first.
    case arm(Arming, partition: Int?)
    case disarm(code: Secret, partition: Int?)
    /// Zone 1…64.
    case bypass(code: Secret, zone: Int)
    /// The last so many events, 1…50.
    case log(Int)
    case seen
    case help

    /// What the sender must be allowed; nil for what everybody may ask.
    package var verb: ContactVerb? {
        switch self {
        case .status: .status
        case .arm: .arm
        case .disarm: .disarm
        case .bypass: .bypass
        case .log: .log
        case .seen: .seen
        case .help: nil
        }
    }

    /// Bytes of a command.
    package static let limit = 200
    /// Events that `log` tells without a number, and at most.
    package static let logDefault = 10
    package static let logLimit = 50

    package init(parsing text: String) throws(ContactCommandError) {
        guard text.utf8.count <= Self.limit else { throw .tooLong }
        var words = ContactWords(text)
        guard let word = words.next() else { throw .empty }
        switch word {
        case "status": self = .status
        case "seen": self = .seen
        case "help", "?": self = .help
        case "log":
            let count = try words.number("log", "how many events", in: 1...Self.logLimit)
            self = .log(count ?? Self.logDefault)
        case "arm":
            var arming = Arming.away
            if let mode = words.peek, let named = Arming(rawValue: mode) {
                arming = named
                _ = words.next()
            }
            self = .arm(arming, partition: try words.number("arm", "a partition", in: 1...8))
        case "disarm":
            let code = try words.code("disarm")
            self = .disarm(code: code, partition: try words.number("disarm", "a partition", in: 1...8))
        case "bypass":
            let code = try words.code("bypass")
            guard let zone = try words.number("bypass", "a zone", in: 1...64) else {
                throw .missing(word: "bypass", what: "a zone")
            }
            self = .bypass(code: code, zone: zone)
        default: throw .unknown(ContactWords.shown(word))
        }
        if words.peek != nil { throw .tooMuch(word: word) }
    }

    /// What may be typed by somebody who is allowed these.
    package static func help(_ allowed: [ContactVerb]) -> String {
        var lines = ["You may write:"]
        for verb in ContactVerb.allCases where allowed.contains(verb) {
            switch verb {
            case .seen: lines.append("seen - you have seen the alarm, others are told")
            case .status: lines.append("status - how the house is")
            case .log: lines.append("log 10 - the last 10 events")
            case .arm:
                lines.append("arm, arm stay, arm night, arm away - and a partition's number if there are several")
            case .disarm: lines.append("disarm CODE - CODE is the six digits that your authenticator app shows")
            case .bypass: lines.append("bypass CODE ZONE - leaves a zone out until the next disarming")
            }
        }
        lines.append("help - this text")
        return lines.joined(separator: "\n")
    }
}

/// Why a text is no command; says what to write instead.
package enum ContactCommandError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    case empty
    case tooLong
    /// The first word, made printable and short.
    case unknown(String)
    case missing(word: String, what: String)
    case number(word: String, what: String, range: ClosedRange<Int>)
    /// Not six digits. What was typed is not kept: it may be a code of something else.
    case code(word: String)
    case tooMuch(word: String)

    package var description: String {
        switch self {
        case .empty: "There was no word in your message. Write help for what you can ask."
        case .tooLong: "Your message is too long for a command. Write help for what you can ask."
        case .unknown(let word): "\"\(word)\" is no command. Write help for what you can ask."
        case .missing(let word, let what): "\(word) needs \(what); nothing was done. Write help for how."
        case .number(let word, let what, let range):
            "\(word) takes \(what) from \(range.lowerBound) to \(range.upperBound); nothing was done."
        case .code(let word):
            "\(word) needs the six digits that your authenticator app shows now; nothing was done. Never write the "
                + "panel's own code here."
        case .tooMuch(let word): "There is more behind \(word) than it takes; nothing was done. Write help for how."
        }
    }
}

/// The words of a command, in lower case.
private struct ContactWords {
    private var words: ArraySlice<String>

    init(_ text: String) {
        words = text.split { $0.isWhitespace }.map { Self.lower($0) }[...]
    }

    var peek: String? { words.first }
    mutating func next() -> String? { words.popFirst() }

    mutating func number(
        _ word: String, _ what: String, in range: ClosedRange<Int>
    ) throws(ContactCommandError) -> Int? {
        guard let text = next() else { return nil }
        guard text.utf8.count <= 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            range.contains(number)
        else { throw .number(word: word, what: what, range: range) }
        return number
    }

    mutating func code(_ word: String) throws(ContactCommandError) -> Secret {
        guard let text = next(), OneTimeCode.isWellFormed(text) else { throw .code(word: word) }
        return Secret(text)
    }

    /// ASCII only: the words are, and other scripts' cases need tables.
    private static func lower(_ word: Substring) -> String {
        String(decoding: word.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    static func shown(_ word: String) -> String {
        let cleaned = PrintableText.cleaned(word)
        return cleaned.count > 20 ? cleaned.prefix(20) + "…" : cleaned
    }
}
