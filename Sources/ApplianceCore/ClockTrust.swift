package import AlarmModel

/// Decides what wall time is worth (docs/ARCHITECTURE.md 6): never earlier than the newest journal entry and the build,
/// and trusted only while it is synchronised, did not step back, did not leap, and the servers that have proved who
/// they are do not say otherwise.
///
/// **Servers can only raise a doubt, never make a clock trusted**, and their time is never taken over. The clock, as the
/// time servers (NTP) set it, and each operator of a server have one voice: the clock is doubted while more operators
/// contradict it than agree with it, so one that lies alone is outvoted by any honest one, and nothing at all is asked
/// of servers that are not there. A single server that lies can keep the doubt up as long as it is listened to. That
/// stops no alarm and no signed command: phones sign with a challenge of the box instead of the time
/// (docs/pairing.md 7.2); what waits are commands with a code of a clock's and the removal of old events, and the event
/// names the server. To let such a doubt lapse by itself would hand the clock to who forges the time servers' answers,
/// which nobody signs.
package struct ClockTrust: Codable, Hashable, Sendable {
    /// Why the wall time is not trusted.
    package enum Doubt: String, Codable, Hashable, Sendable {
        case unsynchronised
        /// It stepped back, or is behind what was written before; over once it has passed that.
        case behind
        /// It went ahead by more than a month at once; over when it comes back or is synchronised anew.
        case leapt
        /// Servers that have proved who they are say another time; over when they agree again.
        case contradicted
    }

    private var floor: WallTime
    /// The newest moment that was trusted: where the wall clock should be is told from here by the boot clock.
    private var believed: Moment?
    private var wasSynchronised = false
    private var witnesses = ServerTimes()
    private var lastRaw: Moment?
    package private(set) var doubt: Doubt? = .unsynchronised

    /// How much the wall clock may fall behind the boot clock before it counts as a step back.
    private static let tolerance: Duration = .seconds(5)
    /// Not taken for true, or one wrong answer of a time server would date the journal years ahead for good.
    private static let leap: Duration = .hours(24 * 31)

    package init(floor: WallTime = WallTime(milliseconds: 0)) { self.floor = floor }

    package var isTrusted: Bool { doubt == nil }

    /// The moment as the core uses it.
    package mutating func refine(_ raw: Moment) -> Moment {
        if raw.isWallTrusted, !wasSynchronised { believed = nil }
        wasSynchronised = raw.isWallTrusted
        lastRaw = raw
        var expected = believed.map { $0.wall + (raw.boot - $0.boot) }
        if let time = expected, raw.wall < time + (.zero - Self.tolerance) {
            floor = max(floor, time)
            believed = nil
            expected = nil
        }
        let leaptFrom = expected.flatMap { raw.wall - $0 > Self.leap ? $0 : nil }
        doubt =
            if !raw.isWallTrusted {
                .unsynchronised
            } else if leaptFrom != nil {
                .leapt
            } else if raw.wall < floor {
                .behind
            } else if witnesses.contradict(raw) {
                .contradicted
            } else {
                nil
            }
        if doubt == nil {
            believed = raw
            floor = max(floor, raw.wall)
        }
        return Moment(boot: raw.boot, wall: max(leaptFrom ?? raw.wall, floor), isWallTrusted: isTrusted)
    }

    /// A server has proved who it is and told its time. Returns the present moment as it is to be seen now.
    package mutating func heard(_ time: WallTime, of server: String, at now: Moment) -> Moment {
        witnesses.heard(time, of: server, at: now.boot)
        return lastRaw.map { refine($0) } ?? now
    }

    /// Servers have told their time within the last day.
    package var hasWitness: Bool { lastRaw.map { witnesses.hasVoice(at: $0) } ?? false }

    /// For `contradicted`.
    var contradictionWords: String {
        lastRaw.flatMap { witnesses.words($0) } ?? "servers say another time; check the time server"
    }

    /// Why it is not trusted; nil while it is.
    var problemWords: String? {
        switch doubt {
        case nil: nil
        case .unsynchronised: "not synchronised with a time server (NTP); check the network"
        case .behind: "behind what was written before; it is trusted again once it has passed that"
        case .leapt: "it leapt ahead by more than a month; check the time server"
        case .contradicted: contradictionWords
        }
    }

    /// What objects to a certificate's time while our clock is in doubt objects to the clock.
    func explaining(_ end: ConnectionEnd, at now: Moment) -> ConnectionEnd {
        guard !now.isWallTrusted, case .tls(let failure) = end, let clock = lastRaw?.wall else { return end }
        switch failure {
        case .certificateExpired, .certificateNotYetValid: return .tls(.clockDoubtful(clock))
        case .clockDoubtful, .wrongHost, .selfSigned, .unknownAuthority, .tooWeak, .certificateRejected, .stalled,
            .cutOff, .protocolError, .noAuthorities:
            return end
        }
    }
}
