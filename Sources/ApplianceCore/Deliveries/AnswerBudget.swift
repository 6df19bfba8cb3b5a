import AlarmModel
import PhoneLink

/// How many answers a topic server is given that takes only so many messages a day from one house: what it takes is for
/// alarms first. A phone that fetches its log, or asks without end, would use it up, and signs of life, too.
///
/// Where several phones live there, half of it is for whoever asks first, and of the other half each phone has an equal
/// share that no other one can use up.
struct AnswerBudget: Codable, Equatable, Sendable {
    private struct Account: Codable, Equatable, Sendable {
        /// In thousandths; nil before the first use: full.
        private var left: Int64?
        private var countedAt = BootTime.zero

        /// Half a day's answers may go at once.
        ///
        /// - Parameter daily: thousandths of an answer that come in a day
        mutating func take(isHistory: Bool, daily: Int64, at now: BootTime) -> Bool {
            let full = max(1000, daily / 2)
            let gained = min(full, (now - countedAt).milliseconds / 1000 * daily / 86_400)
            let left = min(full, (self.left ?? full) + gained)
            // Time that bought nothing yet is not lost.
            if gained > 0 || self.left == nil { countedAt = now }
            let isEnough = left >= (isHistory ? min(full, full / 2 + 1000) : 1000)
            self.left = isEnough ? left - 1000 : left
            return isEnough
        }
    }

    private struct Share: Codable, Equatable, Sendable {
        var phone: PhoneID
        var account = Account()
    }

    private var common = Account()
    private var shares: [Share] = []

    /// A topic phone's sign of life comes no more often where there is a limit.
    static let heartbeat = Duration.hours(2)

    /// - Parameters:
    ///   - phones: all that live by the channel
    ///   - isHistory: rows that a phone lacks: they get no more than half of what may go at once, for a command's outcome
    ///     matters more
    ///   - limit: answers a day to all phones
    /// - Returns: whether this one may go; whoever misses an answer asks again
    mutating func take(
        for phone: PhoneID, of phones: [PhoneID], isHistory: Bool, limit: Int, at now: BootTime
    ) -> Bool {
        let daily = Int64(limit) * 1000
        guard phones.count > 1 else { return common.take(isHistory: isHistory, daily: daily, at: now) }
        if common.take(isHistory: isHistory, daily: daily / 2, at: now) { return true }
        shares.removeAll { !phones.contains($0.phone) }
        var share = shares.firstIndex { $0.phone == phone }
        if share == nil, phones.contains(phone) {
            shares.append(Share(phone: phone))
            share = shares.endIndex - 1
        }
        guard let share else { return false }
        return shares[share].account.take(isHistory: isHistory, daily: daily / 2 / Int64(phones.count), at: now)
    }
}

extension Step {
    /// The answers that a channel is given a day; nil: as many as there are.
    func answersADay(by channel: ChannelKind) -> Int? {
        guard channel == .ntfy else { return nil }
        if let server = configuration.phones.topicServer { return server.answersADay }
        return nil
    }

    /// Phones that hear something by this channel.
    func phones(by channel: ChannelKind) -> [PhoneID] {
        book.phones.filter { phone in
            phone.addresses.contains { $0.state == .inUse && place(of: $0)?.channel == channel }
        }.map(\.id)
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
