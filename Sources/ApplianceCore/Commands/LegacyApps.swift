import AlarmModel
import PhoneLink
import PhoneProtocol

/// The original apps (docs/messages.md B.8): who may speak, what was heard already, and how they are answered. Their
/// tokens are approved at the box; everything here is in clear and only as true as the push service.
struct LegacyApps: Codable, Equatable, Sendable {
    /// Tokens that have spoken and wait for approval, oldest first.
    private(set) var pending: [String] = []
    /// When it was told that one waits.
    private var pendingToldAt: BootTime?
    private var heard: [Heard] = []
    /// When the connection became ready after an outage that lasted.
    private var readyAfterOutage: BootTime?
    private var lostAt: BootTime?
    private var wasEverReady = false

    private struct Heard: Codable, Equatable, Sendable {
        var key: String
        var at: BootTime
    }

    enum Judgement: Equatable, Sendable {
        case carryOut(LegacyPhone.Verb)
        /// The token waits for approval, and that is to be told.
        case newToken
        /// An approved app asks for what it may not, or too late: it hears how things are, or its button stays dead.
        case refuse
        case drop
    }

    static let pendingLimit = 8
    /// Whoever makes up tokens gets one event an hour.
    static let pendingPause: Duration = .hours(1)
    static let remembered = 1000
    static let memory: Duration = .hours(24)
    /// Commands that were on their way while the box was away may be hours old.
    static let stalePatience: Duration = .seconds(5)
    static let outage: Duration = .seconds(5)

    mutating func connectionLost(at now: BootTime) { if lostAt == nil { lostAt = now } }

    mutating func connectionReady(at now: BootTime) {
        // Nobody knows how long the box was away before this run.
        if !wasEverReady || lostAt.map({ now - $0 > Self.outage }) ?? false { readyAfterOutage = now }
        wasEverReady = true
        lostAt = nil
    }

    /// The token of a paired phone is no original app: that phone speaks sealed or not at all.
    mutating func judge(
        from token: String, messageID: String, data: JSON, by channel: ChannelKind, book: PhoneBook, isEnabled: Bool,
        at now: BootTime
    ) -> Judgement {
        guard isEnabled, data["registration_token"]?.stringValue == token,
            book.phone(at: .fcmToken, token) == nil, (8...4096).contains(token.utf8.count)
        else { return .drop }
        guard isNew("\(messageID) \(token)", at: now) else { return .drop }
        guard let phone = book.legacyPhones.first(where: { $0.token == token }) else {
            guard !pending.contains(token) else { return .drop }
            pending.append(token)
            if pending.count > Self.pendingLimit { pending.removeFirst() }
            guard pendingToldAt.map({ now - $0 >= Self.pendingPause }) ?? true else { return .drop }
            pendingToldAt = now
            return .newToken
        }
        guard let verb = data["command"]?.stringValue.flatMap(LegacyPhone.Verb.init(rawValue:)),
            phone.allowed.contains(verb)
        else { return .refuse }
        switch verb {
        case .ping, .status: break
        case .arm, .disarm, .fire, .medical, .police:
            // A database keeps an order for hours without saying so, and gives it again after our restart.
            guard channel == .ccs, !isStale(at: now) else { return .refuse }
        }
        return .carryOut(verb)
    }

    /// Whether what comes on the connection now may have waited for it.
    private func isStale(at now: BootTime) -> Bool {
        // It may come before the connection is ready.
        guard wasEverReady, lostAt.map({ now - $0 <= Self.outage }) ?? true else { return true }
        return readyAfterOutage.map { now - $0 < Self.stalePatience } ?? false
    }

    mutating func approved(_ token: String) { pending.removeAll { $0 == token } }

    private mutating func isNew(_ key: String, at now: BootTime) -> Bool {
        heard.removeAll { now - $0.at > Self.memory }
        guard !heard.contains(where: { $0.key == key }) else { return false }
        heard.append(Heard(key: key, at: now))
        if heard.count > Self.remembered { heard.removeFirst() }
        return true
    }
}

extension LegacyPhone.Verb {
    /// What the panel is asked for; nil for verbs that only ask.
    var command: PanelCommand? {
        switch self {
        case .ping, .status: nil
        case .arm: .arm(partition: 1, mode: .away, force: false)
        case .disarm: .disarm(partition: 1)
        case .fire: .panic(.fire)
        case .medical: .panic(.ambulance)
        case .police: .panic(.police)
        }
    }
}
