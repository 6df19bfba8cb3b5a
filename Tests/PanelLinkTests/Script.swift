import AlarmModel
import PanelLink

/// A session on a fake clock: feed lines, let time pass, look at what came of it.
struct Script {
    var session: Session
    var now: Moment
    /// Everything since the last `take…`.
    var actions: [PanelAction] = []
    /// Everything ever.
    var history: [PanelAction] = []
    /// Commands that the module acknowledges by itself while time passes.
    var answered: [String] = []
    /// How many timers fired, to notice a deadline that does not move.
    var firings = 0

    static let start = Moment(
        boot: BootTime(nanoseconds: 1_000_000_000_000), wall: WallTime(milliseconds: 1_795_000_000_000),
        isWallTrusted: true)

    static func settings() -> PanelSettings {
        PanelSettings(
            password: Secret("user"), masterCode: Secret("1234"),
            names: SiteNames(
                partitions: [SiteNames.Named(number: 1, name: "Ground floor")],
                zones: [
                    SiteNames.Zone(number: 3, name: "Kitchen window", partition: 1),
                    SiteNames.Zone(number: 5, name: "Hall motion", partition: 1),
                    SiteNames.Zone(number: 9, name: "Smoke", partition: 1, isFire: true),
                ],
                users: [SiteNames.Named(number: 40, name: "Anna")]))
    }

    init(_ settings: PanelSettings = Script.settings(), known: PanelState = PanelState(), seed: UInt64 = 7) {
        session = Session(settings: settings, known: known, seed: seed)
        now = Script.start
    }

    // MARK: What happens

    mutating func perform(_ body: (inout Session, Moment, inout [PanelAction]) -> Void) {
        var new: [PanelAction] = []
        body(&session, now, &new)
        actions += new
        history += new
    }

    mutating func start() { perform { $0.start(at: $1, into: &$2) } }
    mutating func stop() { perform { $0.stop(at: $1, into: &$2) } }
    mutating func connected() { perform { $0.connected(at: $1, into: &$2) } }
    mutating func connectFailed(_ why: ConnectionEnd) {
        perform { $0.connectFailed(.unreachable(why), at: $1, into: &$2) }
    }
    mutating func closed(_ end: ConnectionEnd = .reset) { perform { $0.closed(end, at: $1, into: &$2) } }
    mutating func receive(_ bytes: [UInt8]) { perform { $0.received(bytes, at: $1, into: &$2) } }

    /// Lines without checksum: code and data.
    mutating func feed(_ lines: String...) {
        receive(lines.flatMap { Frame.bytes(code: String($0.prefix(3)), data: String($0.dropFirst(3))) })
    }

    /// Bytes as they are, checksum and all.
    mutating func feedRaw(_ text: String) { receive(Array(text.utf8)) }

    mutating func submit(
        _ command: PanelCommand, id: UInt64 = 1, code: String? = nil, within span: Duration = .seconds(30)
    ) {
        let order = PanelOrder(
            id: CommandID(id), command: command, code: code.map { Secret($0) }, deadline: now.boot + span)
        perform { $0.submit(order, at: $1, into: &$2) }
    }

    /// Lets time pass and fires every deadline in between at its exact time.
    mutating func advance(_ span: Duration) {
        let target = now.boot + span
        while let next = session.nextDeadline, next <= target {
            firings += 1
            precondition(firings < 200_000, "a deadline does not move")
            jump(max(next, now.boot))
            let known = history.count
            perform { $0.timerFired(at: $1, into: &$2) }
            answer(Array(history[known...]))
        }
        jump(target)
    }

    private mutating func answer(_ new: [PanelAction]) {
        for case .send(let bytes) in new {
            let code = String(decoding: bytes.prefix(3), as: UTF8.self)
            if answered.contains(code) { feed("500" + code) }
        }
    }

    private mutating func jump(_ time: BootTime) {
        now.wall = now.wall + (time - now.boot)
        now.boot = time
    }

    // MARK: What came of it

    /// Lines that were sent since the last call, without checksum, with their secrets.
    mutating func takeSent() -> [String] {
        let lines = actions.compactMap { action -> String? in
            guard case .send(let bytes) = action else { return nil }
            return String(decoding: bytes.dropLast(4), as: UTF8.self)
        }
        actions.removeAll { if case .send = $0 { true } else { false } }
        return lines
    }

    mutating func takeEvents() -> [Event] {
        let events = actions.compactMap { action -> Event? in
            if case .event(let event) = action { event } else { nil }
        }
        actions.removeAll { if case .event = $0 { true } else { false } }
        return events
    }

    mutating func takeOutcomes() -> [Outcome] {
        let outcomes = actions.compactMap { action -> Outcome? in
            if case .outcome(_, let outcome) = action { outcome } else { nil }
        }
        actions.removeAll { if case .outcome = $0 { true } else { false } }
        return outcomes
    }

    mutating func takeCloses() -> Int {
        let count = actions.count { $0 == .close }
        actions.removeAll { $0 == .close }
        return count
    }

    mutating func takeConnects() -> Int {
        let count = actions.count { $0 == .connect }
        actions.removeAll { $0 == .connect }
        return count
    }

    mutating func forget() { actions = [] }

    // MARK: Shortcuts

    /// Connected, logged in, status report with these lines, in step; nothing left to look at.
    mutating func comeUp(_ report: String..., timers: Bool = true) {
        start()
        logIn(timers: timers)
        resynchronise(report)
        forget()
    }

    /// Lets time pass up to the next attempt to connect.
    mutating func awaitAttempt() {
        guard let time = session.report(at: now).nextAttempt else { return }
        advance(time - now.boot)
    }

    mutating func logIn(timers: Bool = true) {
        connected()
        feed("5053")
        advance(.milliseconds(30))
        feed("500005", "5051")
        if timers { feed("615" + String(repeating: "0", count: 256)) }
    }

    mutating func resynchronise(_ report: [String]) {
        advance(.milliseconds(30))
        feed("500001")
        for line in report { feed(line) }
        advance(.milliseconds(30))
        feed("500000")
        advance(.milliseconds(30))
    }
}
