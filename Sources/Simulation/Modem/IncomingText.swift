import AlarmModel

/// A text message that somebody sends to the box.
struct IncomingText: Codable, Equatable, Sendable {
    enum Sender: String, Codable, CaseIterable, Sendable {
        case olga = "+431234567"
        /// As a network may show her number.
        case ines = "004420123456"
        case stranger = "+15550001111"
        /// The end of Olga's number, and too little of it.
        case almostOlga = "1234567"

        /// As the owner has written it down; nil: he has not.
        var number: String? {
            switch self {
            case .olga: "+431234567"
            case .ines: "+4420123456"
            case .stranger, .almostOlga: nil
            }
        }
    }

    /// Stands in texts that are no answer, and nowhere else.
    static let secret = "word-of-a-text"
    private static let answers = ["OK", " ok.\n", "Gesehen!"]
    private static let others = ["disarm 1 \(secret)", "ok \(secret)", "\(secret)", ""]

    var sender: Sender
    var text: String

    var isOK: Bool { Self.answers.contains(text) }

    static func draw(from chance: inout Jitter) -> IncomingText {
        let sender = Sender.allCases[Int(chance.next() % UInt64(Sender.allCases.count))]
        let words = chance.next() % 3 == 0 ? others : answers
        return IncomingText(sender: sender, text: words[Int(chance.next() % UInt64(words.count))])
    }

    /// nil: not one of these.
    init?(number: String, text: String) {
        guard let sender = Sender(rawValue: number) else { return nil }
        self.init(sender: sender, text: text)
    }

    init(sender: Sender, text: String) {
        self.sender = sender
        self.text = text
    }
}
