package import AlarmModel

/// The session with one EnvisaLink module: connects, logs in, keeps the state of the panel, carries orders out.
///
/// Bytes and deadlines come in, orders for the shell go out; the same inputs give the same actions. Every method
/// appends to `actions` and may move `nextDeadline`.
package struct Session: Codable, Equatable, Sendable {
    /// How far the session has come.
    enum Phase: Codable, Equatable, Sendable {
        case idle
        case waiting(until: BootTime)
        /// The shell or its dialing gives up by itself; `giveUpAt` is the belt to its braces.
        case connecting(giveUpAt: BootTime)
        /// Connected; waits for 5053.
        case greeting(deadline: BootTime)
        /// 5053 came; the password leaves a moment later.
        case greeted(loginAt: BootTime)
        case authenticating(deadline: BootTime)
        case resynchronising
        case up
        case stopped
    }

    static let connectLimit = Duration.seconds(60)
    /// After a start, until it is told that there is no session.
    static let hope = Duration.seconds(60)
    /// 849 repeats every 5 min while there is trouble.
    static let troubleSilence = Duration.minutes(11)
    static let clockInterval = Duration.hours(24)

    #if SABOTAGE
        package var sabotage: Sabotage?
    #endif

    var settings: PanelSettings
    var reducer: StateReducer
    var phase = Phase.idle
    var phaseSince: BootTime?
    var reader = LineReader()
    var hasReceivedLine = false
    var queue = CommandQueue()
    var reconnect = ReconnectPolicy()
    var jitter: Jitter
    var statusReport: StatusReport?
    var evidence = ZoneEvidence()
    var flaps = FlapCounter()
    var noise = NoiseMeter()
    var latency = Latency()
    var problem: LinkProblem?
    var alarmsSeen = AlarmsSeen()
    /// Watches for what no line says by itself.
    var gaps: GapWatch
    var troubles = TroubleWatch()
    var delays = DelayWatch()
    var bus = BusWatch()
    var lateErrors = LateErrorWatch()
    /// What PANEL_REFUSED was last written for.
    var announcedRefusal: LinkProblem?
    /// The session, or the hope for one, was reported as lost and not as regained yet.
    var isLossAnnounced = false
    /// When it is told that no session has come about since the start.
    var unreachedAt: BootTime?
    /// What is lost of the panel, and becomes an alarm.
    var losses: LossWatch
    /// What the box itself runs on, as a UPS says; nil: nobody says it.
    var boxFeed: UPSReading?
    /// When the last attempt to connect began.
    var attemptAt: BootTime?
    var loggedInAt: BootTime?
    var lastLineAt: BootTime?
    var lockedOutUntil: BootTime?
    var bypassNeedsCode = false
    /// When 849 has been silent for so long that its troubles are over.
    var troublesEndAt: BootTime?
    var clockDueAt: BootTime?
    var hasToldFurtherZones = false
    /// A status report is due because lines may be missing.
    var reportDueAt: BootTime?
    /// When a report was last asked for because lines may be missing; the one of the login does not count.
    var lastWantedReportAt: BootTime?

    /// Whether somebody watches: lines are written out for the trace only then.
    package var isTraced = true

    /// Counted since the daemon started.
    package internal(set) var counters = PanelCounters()

    /// - Parameters:
    ///   - known: the state of before the restart; stale until the panel confirms it
    ///   - seed: for jitter
    package init(settings: PanelSettings, known: PanelState, seed: UInt64) {
        self.settings = settings
        reducer = StateReducer(known: known, settings: settings)
        losses = LossWatch(known: known)
        gaps = GapWatch(known: known)
        jitter = Jitter(seed: seed)
    }

    /// Lines may be missing and the report that will tell has not ended: what counts as known may have changed.
    package var awaitsReport: Bool { reportDueAt != nil || statusReport != nil || queue.has(.statusReport) }

    /// What is known of the panel.
    package var state: PanelState { reducer.state }

    /// Names the person for whom the box armed or disarmed with a code of its own.
    package mutating func nameLastChange(of partition: Int, _ name: String) {
        reducer.nameLastChange(of: partition, name)
    }

    /// Begins to connect, and never gives up until `stop`.
    package mutating func start(at now: Moment, into actions: inout [PanelAction]) {
        switch phase {
        case .idle, .stopped:
            unreachedAt = now.boot + Self.hope
            losses.begin(at: now.boot)
            connect(at: now, into: &actions)
            watchLosses(at: now, into: &actions)
        case .waiting, .connecting, .greeting, .greeted, .authenticating, .resynchronising, .up: break
        }
    }

    /// Closes the session; waiting orders are refused.
    package mutating func stop(at now: Moment, into actions: inout [PanelAction]) {
        if phase.isConnectedOrConnecting { actions.append(.close) }
        leaveSession(at: now, into: &actions)
        for waiting in queue.transactions { conclude(waiting, .refused(.stopping), at: now, into: &actions) }
        problem = nil
        unreachedAt = nil
        losses.end()
        enter(.stopped, at: now)
    }

    /// New settings: names at once, a new password without waiting; a standing session is kept.
    package mutating func reconfigure(
        _ settings: PanelSettings, at now: Moment, into actions: inout [PanelAction]
    ) {
        let isOtherPassword = settings.password != self.settings.password
        self.settings = settings
        reducer.configure(settings)
        bypassNeedsCode = false
        if isOtherPassword, case .waiting = phase {
            reconnect.reset()
            announcedRefusal = nil
            connect(at: now, into: &actions)
        }
        if case .up = phase, clockDueAt == nil { scheduleClock(at: now) }
        pump(at: now, into: &actions)
    }

    /// The module is to be looked for at another place: what stands is given up, and the new place tried at once.
    package mutating func moduleMoved(at now: Moment, into actions: inout [PanelAction]) {
        switch phase {
        case .idle, .stopped: return
        case .waiting: break
        case .connecting, .greeting, .greeted, .authenticating: actions.append(.close)
        case .resynchronising, .up: lose(.closed(.local), closing: true, at: now, into: &actions)
        }
        reader = LineReader()
        reconnect.reset()
        announcedRefusal = nil
        connect(at: now, into: &actions)
    }

    var isLoggedIn: Bool { phase.isLoggedIn }

    mutating func enter(_ phase: Phase, at now: Moment) {
        self.phase = phase
        phaseSince = now.boot
    }

    func writer(at now: Moment) -> EventWriter { EventWriter(settings: settings, now: now) }

    func context(at now: Moment) -> TransactionContext {
        TransactionContext(
            settings: settings, state: state, now: now, isLockedOut: lockedOutUntil.map { now.boot < $0 } ?? false,
            bypassNeedsCode: bypassNeedsCode, queue: queue)
    }
}
