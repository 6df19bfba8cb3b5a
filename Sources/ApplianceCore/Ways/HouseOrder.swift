import AlarmModel
import PhoneLink
import PhoneProtocol

/// What the broker or the command tube asked for, by the words of HowAlarming (reference fcm-xmpp B.3) or of Home
/// Assistant.
struct HouseOrder: Codable, Hashable, Sendable {
    var verb: LegacyPhone.Verb
    /// nil for what asks only.
    var command: PanelCommand?
    var code: Secret?

    /// nil: nothing that we know.
    init?(_ text: String, _ upstream: Upstream, first: Int) {
        if upstream.way == .mqtt {
            // `BASE/partition/N/set`: the transport listens to no other.
            let parts = upstream.from.split(separator: "/", omittingEmptySubsequences: false)
            let base = parts.dropLast(3).joined(separator: "/")
            guard let asked = HomeAssistantCommand(topic: upstream.from, payload: text, baseTopic: base) else {
                return nil
            }
            code = asked.code
            verb = asked.action == .disarm ? .disarm : .arm
            command =
                switch asked.action {
                case .disarm: .disarm(partition: asked.partition)
                case .armAway: .arm(partition: asked.partition, mode: .away, force: false)
                case .armHome: .arm(partition: asked.partition, mode: .stay, force: false)
                case .armNight: .arm(partition: asked.partition, mode: .zeroEntry, force: false)
                }
            return
        }
        guard let verb = LegacyPhone.Verb(rawValue: text.trimmed.lowercased()) else { return nil }
        self.verb = verb
        command = verb.command
    }
}

/// Five wrong codes within 15 minutes lock for as long.
struct CodeLock: Codable, Hashable, Sendable {
    private var failures: [BootTime] = []
    private var lockedUntil: BootTime?

    static let span: Duration = .minutes(15)
    static let tries = 5

    func mayTry(at now: BootTime) -> Bool { lockedUntil.map { $0 <= now } ?? true }

    /// Returns true when this one locks.
    mutating func failed(at now: BootTime) -> Bool {
        failures.removeAll { now - $0 >= Self.span }
        failures.append(now)
        guard failures.count >= Self.tries else { return false }
        failures = []
        lockedUntil = now + Self.span
        return true
    }
}
