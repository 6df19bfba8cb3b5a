package import AlarmModel

/// Asks a NUT server in the house again and again how one UPS is (RFC 9271). No channel: it carries no message. User and
/// password are enough to read; `LOGIN` would make the server wait for this box at its shutdown.
///
/// Guarantees: one question is under way at a time, each with a deadline; what the server says without being asked ends
/// the connection; the server is tried for ever, no more often than the back-off allows, however often it lets the box in
/// and hangs up. Nothing that it says is obeyed.
package struct UPSClient: Transport {
    private struct Wire: Codable, Equatable, Sendable {
        let id: ConnectionID
        var reader = NUTReader()
        /// The last question was sent then.
        var since: BootTime
    }

    /// What was asked last.
    private enum Asked: Codable, Equatable, Sendable {
        case user, password
        case status
        case charge(status: String)
        case runtime(status: String, charge: String?)
        /// Nothing is under way.
        case nothing(until: BootTime)
    }

    package let settings: UPSSettings
    /// What the UPS said last.
    package private(set) var reading: UPSReading?
    package private(set) var readAt: BootTime?
    package private(set) var lastRead: WallTime?
    private var attempts: Reconnector
    private var jitter: Jitter
    private var wire: Wire?
    private var asked = Asked.nothing(until: .zero)
    private var told = ToldProblem()
    private static let slot = DialSlot(0)
    /// Only a connection that stood for so long makes the next attempt come soon.
    private static let steadyAfter = Duration.minutes(1)

    package init(settings: UPSSettings, seed: UInt64) {
        self.settings = settings
        jitter = Jitter(seed: seed)
        attempts = Reconnector(
            pace: settings.pace, dialPatience: settings.dialPatience, steadyAfter: Self.steadyAfter)
    }

    package var room: TransportRoom { .none }
    package var health: TransportHealth {
        TransportHealth(phase: attempts.shown, problem: told.current, lastAccepted: lastRead)
    }

    package var nextDeadline: BootTime? {
        guard let wire else { return attempts.nextDeadline }
        if case .nothing(let until) = asked { return until }
        return wire.since + settings.answerPatience
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !attempts.isRunning else { return }
        connect(at: now, into: &actions)
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        drop(into: &actions)
        attempts.stop()
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool { false }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {}

    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        if attempts.waitsForNetwork { connect(at: now, into: &actions) }
    }

    // MARK: The connection

    private mutating func connect(at now: Moment, into actions: inout [TransportAction]) {
        attempts.dial(at: now)
        actions.append(
            .connect(Self.slot, DialTarget(host: settings.host, port: settings.port, security: .plain)))
    }

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.connected(at: now) else { return actions.append(.close(connection)) }
        attempts.becameReady(since: now.boot)
        wire = Wire(id: connection, since: now.boot)
        if let user = settings.user {
            asked = .user
            say("USERNAME \(NUTReader.quoted(user))", at: now, into: &actions)
        } else {
            askStatus(at: now, into: &actions)
        }
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.isDialing else { return }
        attempts.rest()
        fail(UPSProblem.connect(failure), at: now, into: &actions)
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard wire?.id == connection else { return }
        wire = nil
        fail(UPSProblem.lost(end), at: now, into: &actions)
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        if let wire {
            if case .nothing(let until) = asked {
                if until <= now.boot { askStatus(at: now, into: &actions) }
            } else if wire.since + settings.answerPatience <= now.boot {
                fail(UPSProblem.unanswered, at: now, into: &actions)
            }
            return
        }
        switch attempts.due(at: now) {
        case .attempt: connect(at: now, into: &actions)
        case .dialStalled, .setupStalled: fail(UPSProblem.dialStalled, at: now, into: &actions)
        case nil: break
        }
    }

    private mutating func fail(
        _ problem: TransportProblem, at now: Moment, into actions: inout [TransportAction]
    ) {
        drop(into: &actions)
        attempts.fail(isRefusal: problem.isRefusal, at: now, &jitter)
        told.tell(problem, into: &actions)
    }

    private mutating func drop(into actions: inout [TransportAction]) {
        if attempts.isDialing { actions.append(.cancelConnect(Self.slot)) }
        if let wire { actions.append(.close(wire.id)) }
        wire = nil
    }

    // MARK: Questions and answers

    private mutating func say(_ line: String, at now: Moment, into actions: inout [TransportAction]) {
        guard let id = wire?.id else { return }
        wire?.since = now.boot
        actions.append(.send(id, Array((line + "\n").utf8)))
    }

    private mutating func ask(_ variable: String, at now: Moment, into actions: inout [TransportAction]) {
        say("GET VAR \(settings.name) \(variable)", at: now, into: &actions)
    }

    private mutating func askStatus(at now: Moment, into actions: inout [TransportAction]) {
        asked = .status
        ask("ups.status", at: now, into: &actions)
    }

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        guard wire?.id == connection else { return }
        wire?.reader.append(bytes)
        do throws(NUTReader.Failure) {
            guard let answer = try wire?.reader.next() else { return }
            // One question is under way at a time: what comes behind its answer answers nothing.
            guard wire?.reader.hasRest == false else { return fail(UPSProblem.unasked, at: now, into: &actions) }
            answered(answer, at: now, into: &actions)
        } catch {
            fail(UPSProblem.malformed(error), at: now, into: &actions)
        }
    }

    private mutating func answered(_ answer: NUTAnswer, at now: Moment, into actions: inout [TransportAction]) {
        switch asked {
        case .user:
            guard answer == .ok else { return loginRefused(answer, at: now, into: &actions) }
            asked = .password
            say("PASSWORD \(NUTReader.quoted(settings.password?.revealed ?? ""))", at: now, into: &actions)
        case .password:
            guard answer == .ok else { return loginRefused(answer, at: now, into: &actions) }
            askStatus(at: now, into: &actions)
        case .status:
            if case .refused(let refusal) = answer { return rest(UPSProblem.refused(refusal), at: now, into: &actions) }
            guard let status = value(answer, "ups.status") else {
                return fail(UPSProblem.unasked, at: now, into: &actions)
            }
            asked = .charge(status: status)
            ask("battery.charge", at: now, into: &actions)
        case .charge(let status):
            guard isAbout(answer, "battery.charge") else { return fail(UPSProblem.unasked, at: now, into: &actions) }
            asked = .runtime(status: status, charge: value(answer, "battery.charge"))
            ask("battery.runtime", at: now, into: &actions)
        case .runtime(let status, let charge):
            guard isAbout(answer, "battery.runtime") else { return fail(UPSProblem.unasked, at: now, into: &actions) }
            learned(status, charge, value(answer, "battery.runtime"), at: now, into: &actions)
        case .nothing: fail(UPSProblem.unasked, at: now, into: &actions)
        }
    }

    private mutating func loginRefused(_ answer: NUTAnswer, at now: Moment, into actions: inout [TransportAction]) {
        guard case .refused(let refusal) = answer else { return fail(UPSProblem.unasked, at: now, into: &actions) }
        fail(refusal == .unknownUPS ? UPSProblem.refused(refusal) : UPSProblem.loginRefused, at: now, into: &actions)
    }

    /// A UPS that does not have the variable gives an answer, too.
    private func isAbout(_ answer: NUTAnswer, _ name: String) -> Bool {
        if case .refused = answer { return true }
        return value(answer, name) != nil
    }

    private func value(_ answer: NUTAnswer, _ name: String) -> String? {
        guard case .variable(settings.name, name, let value) = answer else { return nil }
        return value
    }

    private mutating func learned(
        _ status: String, _ charge: String?, _ runtime: String?, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        guard let reading = UPSReading(status: status, charge: charge, runtime: runtime) else {
            return rest(UPSProblem.unclear, at: now, into: &actions)
        }
        (self.reading, readAt, lastRead) = (reading, now.boot, now.wall)
        rest(nil, at: now, into: &actions)
    }

    /// Until the next question; the server is there, whatever it knows of the UPS.
    private mutating func rest(
        _ problem: TransportProblem?, at now: Moment, into actions: inout [TransportAction]
    ) {
        asked = .nothing(until: now.boot + settings.interval)
        told.tell(problem, into: &actions)
    }
}
