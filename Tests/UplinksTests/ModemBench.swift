import AlarmModel
import Testing
import Uplinks

/// A modem session with a clock that only the test moves.
struct ModemBench {
    var session: ModemSession
    var seconds = 0
    var actions: [ModemAction] = []

    init(pin: String? = "1234", allowsRoaming: Bool = false, isPINRefused: Bool = false) {
        let subscription = ModemSubscription(apn: "internet", allowsRoaming: allowsRoaming)
        session = ModemSession(
            settings: ModemSettings(pin: pin.map { Secret($0) }, subscription: subscription),
            isPINRefused: isPINRefused, at: Self.moment(0))
    }

    static func moment(_ seconds: Int) -> Moment {
        Moment(
            boot: BootTime(nanoseconds: Int64(seconds) * 1_000_000_000), wall: WallTime(milliseconds: 0),
            isWallTrusted: false)
    }

    var now: Moment { Self.moment(seconds) }
    /// What is ordered, as words; a PIN and the APN beside it.
    var orders: [String] {
        actions.compactMap {
            guard case .order(let order) = $0 else { return nil }
            switch order {
            case .unlock(let pin): return "unlock \(pin.revealed)"
            case .connect(let subscription): return "connect \(subscription.apn)"
            case .find, .enable, .disconnect, .reset: return order.task?.rawValue
            case .sendText: return "text"
            case .call, .speak, .sendTone, .hangUp: return "call"
            }
        }
    }

    mutating func start(wanted: Bool = true) {
        actions = []
        session.start(at: now, into: &actions)
        session.setWanted(wanted, at: now, into: &actions)
        session.heard(.service(isThere: true), at: now, into: &actions)
        session.heard(.done(.find), at: now, into: &actions)
    }

    @discardableResult
    mutating func hear(_ facts: ModemFact...) -> [String] {
        actions = []
        for fact in facts { session.heard(fact, at: now, into: &actions) }
        return orders
    }

    /// Lets time pass, firing the timer at each of its deadlines.
    @discardableResult
    mutating func pass(_ span: Int) -> [String] {
        actions = []
        let end = seconds + span
        var rounds = 0
        while let due = session.nextDeadline, due <= Self.moment(end).boot {
            seconds = max(seconds, Int((due.nanoseconds + 999_999_999) / 1_000_000_000))
            session.timerFired(at: now, into: &actions)
            rounds += 1
            if rounds > 1000 {
                Issue.record("the timer is due for ever")
                break
            }
        }
        seconds = end
        session.timerFired(at: now, into: &actions)
        return orders
    }

    /// The configuration is read anew.
    mutating func change(_ change: (inout ModemSettings) -> Void) {
        var settings = session.settings
        change(&settings)
        actions = []
        session.change(settings, at: now, into: &actions)
    }

    mutating func wanted(_ isWanted: Bool) -> [String] {
        actions = []
        session.setWanted(isWanted, at: now, into: &actions)
        return orders
    }
}

extension ModemStatus {
    static func locked(tries: Int?) -> ModemStatus { ModemStatus(phase: .locked, lock: .pin, triesLeft: tries) }
    static let disabled = ModemStatus(phase: .disabled, lock: .none)
    static let searching = ModemStatus(phase: .searching, lock: .none, registration: .searching)
    static let home = ModemStatus(phase: .registered, lock: .none, registration: .home, signal: 60, access: .fourth)
    static let online = ModemStatus(
        phase: .connected, lock: .none, registration: .home, bearer: ModemBearer(interface: "wwan0"))
}
