import AlarmModel
import PhoneLink
import PhoneProtocol

/// Messages that are no events: answers to requests, results, probes, the pairing's frame. They are worth something
/// only now, so they live in memory, for a minute at most; who misses one asks again.
struct AnswerQueue: Codable, Equatable, Sendable {
    struct Entry: Codable, Equatable, Sendable {
        var message: MessageID
        var place: Answer.Place
        var content: Answer.Content
        var until: BootTime
        var isUnderWay = false
        /// Goes when nothing else wants to.
        var isHeartbeat = false
        var triesLeft = 5
        var notBefore: BootTime
    }

    private(set) var answers: [Entry] = []

    static let limit = 256
    static let life: Duration = .seconds(60)

    mutating func add(
        _ content: Answer.Content, to place: Answer.Place, as message: MessageID, isHeartbeat: Bool = false,
        at now: BootTime
    ) {
        answers.removeAll { $0.until <= now }
        if answers.count >= Self.limit, let index = answers.firstIndex(where: { !$0.isUnderWay }) {
            answers.remove(at: index)
        }
        answers.append(
            Entry(
                message: message, place: place, content: content, until: now + Self.life, isHeartbeat: isHeartbeat,
                notBefore: now))
    }

    /// The next that may be sent by this channel; it is under way from now on.
    mutating func next(by channel: ChannelKind, isHeartbeat: Bool = false, at now: BootTime) -> Entry? {
        guard !answers.isEmpty else { return nil }
        answers.removeAll { $0.until <= now && !$0.isUnderWay }
        guard
            let index = answers.firstIndex(where: {
                $0.place.channel == channel && !$0.isUnderWay && $0.notBefore <= now && $0.isHeartbeat == isHeartbeat
            })
        else { return nil }
        answers[index].isUnderWay = true
        return answers[index]
    }

    func contains(_ message: MessageID) -> Bool { answers.contains { $0.message == message } }
    subscript(_ message: MessageID) -> Entry? { answers.first { $0.message == message } }

    /// Accepted, or not worth another try.
    @discardableResult
    mutating func end(_ message: MessageID) -> Bool {
        guard let index = answers.firstIndex(where: { $0.message == message }) else { return false }
        answers.remove(at: index)
        return true
    }

    /// The phone is gone: nothing but the word of it is told there any more.
    mutating func forget(_ phone: PhoneID) {
        answers.removeAll { answer in
            guard case .sealed(phone, let message, _) = answer.content else { return false }
            return message.kind != .bye
        }
    }

    /// Sent again with the same id; false when it is none of these.
    @discardableResult
    mutating func again(_ message: MessageID, after span: Duration, at now: BootTime) -> Bool {
        guard let index = answers.firstIndex(where: { $0.message == message }) else { return false }
        answers[index].triesLeft -= 1
        guard answers[index].triesLeft > 0, answers[index].until > now else {
            answers.remove(at: index)
            return true
        }
        answers[index].isUnderWay = false
        answers[index].notBefore = now + span
        return true
    }

    /// When one that waits may go; nil while none waits for time.
    func nextDeadline(after now: BootTime) -> BootTime? {
        answers.filter { !$0.isUnderWay && $0.notBefore > now }.map(\.notBefore).min()
    }
}
