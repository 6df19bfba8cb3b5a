import AlarmModel
import SoftwareUpdate

/// Whether the box itself is well: the watchdog's ping, the trial of a new version, the one restart that a disk is worth,
/// and what is told of the clock.
///
/// Guarantees: no ping leaves while a machine does not act; no restart of its own accord comes while there is an alarm or an
/// entry delay, nor soon after one. Knows nothing of panel, channels and phones but that they can be reached.
struct Health: Codable, Equatable, Sendable {
    var clock = ClockTrust()
    var vitals = Vitals()
    /// nil on a machine without slots for its software.
    var trial: TrialBoot?
    var software: SoftwareRecord?
    /// Whether trouble with the disk may still be answered with a restart.
    var mayRestart = false
    /// Started without what the store holds, which was not open in time.
    var isBlind = false
    /// When that store took something all the same.
    var sightAt: BootTime?
    /// When a partition was last in alarm or entry delay.
    var lastHotAt: BootTime?
    /// When the clock lost its synchronisation, while that is not told yet.
    var clockLostAt: BootTime?
    var isClockDoubtTold = true

    /// Lost synchronisation of the clock that lasts so long is an event.
    static let clockPatience: Duration = .minutes(5)

    mutating func start(_ start: Start, _ step: Step) {
        mayRestart = start.mayRestart
        isBlind = !start.isStoreOpen
        isClockDoubtTold = !step.now.isWallTrusted
    }

    mutating func startWatchdog(_ interval: Duration?, _ step: Step) {
        guard let interval else { return }
        vitals.interval = interval
        vitals.nextLook = step.now.boot + interval / 2
    }

    /// The store has taken something.
    mutating func sawStore(at now: BootTime) { if isBlind, sightAt == nil { sightAt = now } }

    var clockDeadline: BootTime? { clockLostAt.map { $0 + Self.clockPatience } }

    /// What the system's clock says becomes the moment of this step.
    ///
    /// - Returns: whether the clock is trusted from now on
    mutating func lookAtClock(_ step: inout Step) -> Bool {
        let wasTrusted = clock.isTrusted
        step.now = clock.refine(step.now)
        tellTime(&step)
        noteClock(&step)
        return step.now.isWallTrusted && !wasTrusted
    }

    private func tellTime(_ step: inout Step) {
        step.timeForServers = clock.timeForServers
        #if SABOTAGE
            if step.sabotage == .forgedTimeForServers { step.timeForServers = nil }
        #endif
    }

    /// A server that has proved who it is told its time.
    mutating func heard(_ time: WallTime, of server: String, _ step: inout Step) {
        step.now = clock.heard(time, of: server, at: step.now)
        tellTime(&step)
        noteClock(&step)
    }

    /// A server that was asked to prove who it is did so, or the connection ended.
    mutating func sawHandshakes(_ step: Step) {
        for case .startTLS(let connection, _, _, _) in step.effects { clock.secures(connection) }
    }

    mutating func secured(_ connection: ConnectionID, _ step: inout Step) {
        clock.secured(connection, at: step.now)
        tellTime(&step)
    }

    /// What an objection of a certificate means while the clock is in doubt.
    mutating func explaining(_ end: ConnectionEnd, of connection: ConnectionID, _ step: inout Step) -> ConnectionEnd {
        let end = clock.explaining(end, of: connection, at: step.now)
        tellTime(&step)
        return end
    }

    /// Tells a step of the clock at once, lost synchronisation when it lasts: a link that comes and goes is no news.
    private mutating func noteClock(_ step: inout Step) {
        guard step.life == .running else { return }
        switch clock.doubt {
        case nil:
            clockLostAt = nil
            guard isClockDoubtTold else { return }
            isClockDoubtTold = false
            step.note(
                .recovery, .clock,
                clock.hasWitness
                    ? "The clock is trusted: it is synchronised and agrees with servers that have proved who they are."
                    : "The clock is trusted: it is synchronised.")
        case .unsynchronised:
            guard !isClockDoubtTold else { return }
            let since = clockLostAt ?? step.now.boot
            clockLostAt = since
            guard step.now.boot - since >= Self.clockPatience else { return }
            tellClockDoubt("it has not been synchronised for some minutes; check the network", &step)
        case .behind: tellClockDoubt("it stepped back behind what was written before", &step)
        case .leapt: tellClockDoubt(ClockTrust.leapWords, &step)
        case .contradicted: tellClockDoubt(clock.contradictionWords, &step)
        }
    }

    private mutating func tellClockDoubt(_ why: String, _ step: inout Step) {
        clockLostAt = nil
        guard !isClockDoubtTold else { return }
        isClockDoubtTold = true
        step.note(
            .fault, .clock,
            "The clock is not trusted any more: \(why). Times of events may be wrong until it is set.")
    }
}
