import AlarmModel
import PhoneLink

/// How many answers a topic server is given that takes only so many messages a day from one house: what it takes is for
/// alarms first. A phone that fetches its log, or asks without end, would use it up, and signs of life, too.
struct AnswerBudget: Codable, Hashable, Sendable {
    /// In thousandths; nil before the first use: full.
    private var left: Int64?
    private var countedAt = BootTime.zero

    /// A topic phone's sign of life comes no more often where there is a limit.
    static let heartbeat = Duration.hours(2)

    /// Half a day's answers may go at once.
    ///
    /// - Parameters:
    ///   - isHistory: rows that a phone lacks: they get no more than half of that, for a command's outcome matters more
    ///   - limit: answers a day
    /// - Returns: whether this one may go; whoever misses an answer asks again
    mutating func take(isHistory: Bool, limit: Int, at now: BootTime) -> Bool {
        let full = max(1000, Int64(limit) * 500)
        let gained = min(full, (now - countedAt).milliseconds / 1000 * Int64(limit) * 1000 / 86_400)
        let left = min(full, (self.left ?? full) + gained)
        // Time that bought nothing yet is not lost.
        if gained > 0 || self.left == nil { countedAt = now }
        let isEnough = left >= (isHistory ? full / 2 + 1000 : 1000)
        self.left = isEnough ? left - 1000 : left
        return isEnough
    }
}

extension Step {
    /// The answers that a channel is given a day; nil: as many as there are.
    func answersADay(by channel: ChannelKind) -> Int? {
        guard channel == .ntfy else { return nil }
        for case .ntfy(let settings) in configuration.phones.channels { return settings.answersADay }
        return nil
    }

    /// Every how many of the house's signs of life are for this phone.
    func heartbeatShare(of phone: PhoneID) -> Int64 {
        guard answersADay(by: .ntfy) != nil, let interval = configuration.phones.heartbeat,
            let phone = book.phone(phone)
        else { return 1 }
        let places = phone.addresses.filter { $0.state == .inUse && $0.kind != .webPush }.compactMap { place(of: $0) }
        guard places.contains(where: { $0.channel == .ntfy }), places.allSatisfy({ $0.channel == .ntfy }) else {
            return 1
        }
        let every = max(1, interval.milliseconds)
        return max(1, (AnswerBudget.heartbeat.milliseconds + every - 1) / every)
    }
}
