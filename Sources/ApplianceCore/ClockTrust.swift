package import AlarmModel

/// Decides what wall time is worth (docs/ARCHITECTURE.md 6): never earlier than the newest journal entry and the build,
/// and trusted only while it is synchronised, did not step back, did not leap, and the servers that have proved who
/// they are do not say otherwise.
///
/// **Servers can only raise a doubt or end one, never make a clock trusted that no time server has set**, and their time
/// dates nothing. The clock, as the time servers (NTP) set it, and each operator of a server have one voice: the clock
/// is doubted while more operators contradict it than agree with it, so one that lies alone is outvoted by any honest
/// one, and nothing at all is asked of servers that are not there. A single server that lies can keep the doubt up as
/// long as it is listened to. That stops no alarm and no signed command: phones sign with a challenge of the box instead
/// of the time (docs/pairing.md 7.2); what waits are commands with a code of a clock's and the removal of old events,
/// and the event names the server. To let such a doubt lapse by itself would hand the clock to who forges the time
/// servers' answers, which nobody signs.
///
/// **Whoever answers for the time servers decides neither whose certificate counts nor what time a token is signed
/// with**: see `timeForServers`.
package struct ClockTrust: Codable, Equatable, Sendable {
    /// Why the wall time is not trusted.
    package enum Doubt: String, Codable, Equatable, Sendable {
        case unsynchronised
        /// It stepped back, or is behind what was written before; over once it has passed that.
        case behind
        /// It is ahead of the boot clock by more than a day since it was last proved; over when it comes back, or when a
        /// server that has proved who it is agrees with it.
        case leapt
        /// Servers that have proved who they are say another time; over when they agree again.
        case contradicted
    }

    /// Where the wall clock should be is told from such a moment by the boot clock.
    private struct Anchor: Codable, Equatable, Sendable {
        var moment: Moment
        /// A server that had proved who it is agreed.
        var isConfirmed: Bool

        func wall(at boot: BootTime) -> WallTime { moment.wall + (boot - moment.boot) }
    }

    private var floor: WallTime
    /// The newest event of the journal: the time of the start is not far after it, or the box was switched off.
    private let newestEvent: WallTime?
    /// The first moment that was seen, with the floor of then as its time.
    private var beginning: Moment?
    /// The newest moment that was trusted; steps back are seen from here.
    private var believed: Moment?
    private var anchor: Anchor?
    private var leaptSince: BootTime?
    private var wasSynchronised = false
    private var witnesses = ServerTimes()
    private var lastRaw: Moment?
    /// Which of the possible times is told to servers, while there are several.
    private var choice = 0
    /// TLS handshakes that run, oldest first, each with the time at which the server's certificate is checked.
    private var handshakes: [Handshake] = []
    /// A server's certificate was good at that time, the last one.
    private var accepted: Moment?
    /// The same, of an earlier start.
    private let acceptedBefore: WallTime?
    package private(set) var doubt: Doubt? = .unsynchronised

    private struct Handshake: Codable, Equatable, Sendable {
        var connection: ConnectionID
        var time: WallTime
    }

    /// How much the wall clock may fall behind the boot clock before it counts as a step back.
    private static let tolerance: Duration = .seconds(5)
    /// Not taken for true without a proof, or one wrong answer of a time server would date the journal years ahead for
    /// good.
    private static let leap: Duration = .hours(24)
    /// A box that was switched off for days and hears no server but the time servers believes them after so long.
    private static let patience: Duration = .hours(1)
    /// More than run at once.
    private static let handshakeLimit = 64

    /// - Parameters:
    ///   - newestEvent: of the journal; nil where it has none with a time that was trusted
    ///   - accepted: `acceptedTime` of an earlier start
    package init(
        floor: WallTime = WallTime(milliseconds: 0), newestEvent: WallTime? = nil, accepted: WallTime? = nil
    ) {
        self.floor = floor
        self.newestEvent = newestEvent
        acceptedBefore = accepted
    }

    init(_ start: Start) {
        self.init(
            floor: max(start.newestEvent ?? start.buildTime, start.buildTime), newestEvent: start.newestEvent,
            accepted: start.snapshot?.acceptedTime)
    }

    package var isTrusted: Bool { doubt == nil }

    /// The moment as the core uses it.
    package mutating func refine(_ raw: Moment) -> Moment {
        if raw.isWallTrusted, !wasSynchronised { believed = nil }
        wasSynchronised = raw.isWallTrusted
        lastRaw = raw
        if beginning == nil { beginning = Moment(boot: raw.boot, wall: floor, isWallTrusted: false) }
        if let time = believed.map({ $0.wall + (raw.boot - $0.boot) }), raw.wall < time + (.zero - Self.tolerance) {
            floor = max(floor, time)
            believed = nil
        }
        let expected = anchor?.wall(at: raw.boot) ?? newestEvent.flatMap { _ in wallSinceBeginning(at: raw.boot) }
        let isAhead = expected.map { raw.wall - $0 > Self.leap } ?? false
        let isConfirmed = witnesses.confirm(raw)
        if isConfirmed, floor - raw.wall > Self.leap { floor = raw.wall }
        leaptSince = isAhead && !isConfirmed ? leaptSince ?? raw.boot : nil
        doubt =
            if !raw.isWallTrusted {
                .unsynchronised
            } else if let leaptSince, !isAccepted(leaptSince, raw) {
                .leapt
            } else if raw.wall < floor {
                .behind
            } else if witnesses.contradict(raw) {
                .contradicted
            } else {
                nil
            }
        var wall = raw.wall
        switch doubt {
        case nil:
            believed = raw
            // Servers agree with it: what one certificate says counts for nothing.
            if isConfirmed { choice = 0 }
            floor = max(floor, raw.wall)
            if isConfirmed || anchor == nil && !isAhead { anchor = Anchor(moment: raw, isConfirmed: isConfirmed) }
        case .behind: break
        case .unsynchronised, .leapt: if isAhead { wall = expected ?? wall }
        case .contradicted: wall = anchor?.wall(at: raw.boot) ?? wall
        }
        return Moment(boot: raw.boot, wall: max(wall, floor), isWallTrusted: isTrusted)
    }

    /// Only after a start, when the box may have been switched off for long, and where no server says anything.
    private func isAccepted(_ since: BootTime, _ raw: Moment) -> Bool {
        anchor == nil && raw.boot - since >= Self.patience && !witnesses.hasVoice(at: raw)
    }

    private func wallSinceBeginning(at boot: BootTime) -> WallTime? { beginning.map { $0.wall + (boot - $0.boot) } }

    /// A server has proved who it is and told its time. Returns the present moment as it is to be seen now.
    package mutating func heard(_ time: WallTime, of server: String, at now: Moment) -> Moment {
        witnesses.heard(time, of: server, at: now.boot)
        return lastRaw.map { refine($0) } ?? now
    }

    /// Servers have told their time within the last day.
    package var hasWitness: Bool { lastRaw.map { witnesses.hasVoice(at: $0) } ?? false }

    // MARK: What is told to servers

    /// The time at which certificates are checked and tokens are signed; nil: the system's clock has it.
    ///
    /// While the clock is in doubt it goes on from where it was last proved, by the boot clock. Where several times are
    /// possible, at a start above all, each objection of a certificate to its time goes on to the next of them: who
    /// forges the time keeps no server away. None is earlier than the newest entry of the journal.
    package var timeForServers: WallTime? {
        guard let raw = lastRaw else { return nil }
        let times = possibleTimes(raw)
        let time = times[choice % times.count]
        guard ServerTimes.agrees(raw.wall - time) else { return time }
        // Servers agree with the system's clock, and the core's own is still ahead, where the journal was.
        return isJudged(raw) && !ServerTimes.agrees(max(floor, raw.wall) - raw.wall) ? time : nil
    }

    private func possibleTimes(_ raw: Moment) -> [WallTime] {
        let proved = anchor.flatMap { $0.isConfirmed ? $0.wall(at: raw.boot) : nil }
        let usual: [WallTime?] =
            isTrusted ? [raw.wall] : [proved, isJudged(raw) ? witnesses.time(at: raw.boot) : nil]
        let all =
            usual + [
                accepted.map { $0.wall + (raw.boot - $0.boot) }, anchor?.wall(at: raw.boot), raw.wall,
                wallSinceBeginning(at: raw.boot),
                beginning.flatMap { begun in acceptedBefore.map { $0 + (raw.boot - begun.boot) } },
            ]
        var times: [WallTime] = []
        for time in all.compactMap({ $0 }) where !times.contains(where: { Self.isNear($0, time) }) {
            times.append(time)
        }
        return times
    }

    /// Servers have spoken, and most of them for the clock or against it: then what they say goes, whatever else is in doubt.
    private func isJudged(_ raw: Moment) -> Bool { witnesses.contradict(raw) || witnesses.confirm(raw) }

    private static func isNear(_ a: WallTime, _ b: WallTime) -> Bool { a - b <= leap && b - a <= leap }

    /// A server is asked to prove who it is. Its certificate is checked at `timeForServers` of now.
    package mutating func secures(_ connection: ConnectionID) {
        guard let time = timeForServers ?? lastRaw?.wall else { return }
        if handshakes.count >= Self.handshakeLimit { handshakes.removeFirst() }
        handshakes.append(Handshake(connection: connection, time: time))
    }

    /// It has: the time was one at which its certificate is good.
    package mutating func secured(_ connection: ConnectionID, at now: Moment) {
        guard let time = endHandshake(connection) else { return }
        accepted = Moment(boot: now.boot, wall: time, isWallTrusted: false)
        // The list of times has changed, and this one is known to be good.
        guard let raw = lastRaw else { return }
        choice = possibleTimes(raw).firstIndex { Self.isNear($0, time) } ?? 0
    }

    /// The hour in which a server's certificate was good for the last time; for the next start, which may know no other
    /// time than the one that somebody forges.
    package var acceptedTime: WallTime? {
        accepted.map { WallTime(milliseconds: $0.wall.milliseconds / 3_600_000 * 3_600_000) } ?? acceptedBefore
    }

    /// What objects to a certificate's time while our clock is in doubt objects to the clock.
    package mutating func explaining(
        _ end: ConnectionEnd, of connection: ConnectionID, at now: Moment
    ) -> ConnectionEnd {
        let asked = endHandshake(connection)
        guard case .tls(let failure) = end, let raw = lastRaw else { return end }
        switch failure {
        case .certificateExpired, .certificateNotYetValid:
            if now.isWallTrusted, witnesses.confirm(raw) { return end }
            let times = possibleTimes(raw)
            // An objection to a time that is not told any more says nothing of the next one.
            if let asked, Self.isNear(asked, times[choice % times.count]) { choice = (choice + 1) % times.count }
            // With the first of them all have been tried.
            return now.isWallTrusted && choice == 0 ? end : .tls(.clockDoubtful(timeForServers ?? raw.wall))
        case .clockDoubtful, .wrongHost, .selfSigned, .unknownAuthority, .impostor, .tooWeak, .certificateRejected,
            .stalled,
            .cutOff, .protocolError, .noAuthorities:
            return end
        }
    }

    private mutating func endHandshake(_ connection: ConnectionID) -> WallTime? {
        handshakes.firstIndex { $0.connection == connection }.map { handshakes.remove(at: $0).time }
    }

    // MARK: Words

    /// For `contradicted`.
    var contradictionWords: String {
        lastRaw.flatMap { witnesses.words($0) } ?? "servers say another time; check the time server"
    }

    /// For `leapt`.
    static let leapWords =
        "it is more than a day ahead, and no server that has proved who it is agrees; check the time server (NTP)"

    /// Why it is not trusted; nil while it is.
    var problemWords: String? {
        switch doubt {
        case nil: nil
        case .unsynchronised: "not synchronised with a time server (NTP); check the network"
        case .behind: "behind what was written before; it is trusted again once it has passed that"
        case .leapt: Self.leapWords
        case .contradicted: contradictionWords
        }
    }
}
