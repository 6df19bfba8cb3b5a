package import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// The whole box as one value: facts in, orders out.
///
/// Guarantees: `handle` is a function of the state and its arguments alone; it does not block and its work is bounded.
package struct Appliance: Codable, Hashable, Sendable {
    var configuration: Configuration
    var session: Session
    var dialer: Dialer
    var journal = JournalQueue()
    var desk: CommandDesk
    var clients: [Client] = []
    var continuations: [Continuation] = []
    var clock: ClockTrust
    var addresses: [RememberedAddress]
    var isMaintenance: Bool
    var lastSequence: SequenceNumber
    var storedSnapshot: Snapshot?
    var panelConnection: ConnectionID?
    var isPanelPaused = false
    var life: Life = .fresh
    var startedAt: BootTime = .zero
    var stopDeadline: BootTime?
    var bootMark = ""
    var nextUnstored: UInt64 = 1
    var nextDuress: UInt64 = 1 << 32
    var nextConnection: UInt64 = 1
    var nextQuery: UInt64 = 1
    var nextRetention: BootTime?
    var timers: [SetTimer] = []
    var lastStatusLine = ""
    /// When the clock lost its synchronisation, while that is not told yet.
    var clockLostAt: BootTime?
    var isClockDoubtTold = true
    /// What the file said before the core was started.
    var earlyReload: Reload?
    /// Whether trouble with the disk may still be answered with a restart.
    var mayRestart = false
    /// Started without what the store holds, which was not open in time.
    var isBlind = false
    /// When that store took something all the same.
    var sightAt: BootTime?
    /// Whether the machine can be restarted from here.
    var mayReboot = false
    /// Whether a bundle can be installed from here.
    var mayUpdate = false
    /// When a partition was last in alarm or entry delay.
    var lastHotAt: BootTime?
    var hall: PhoneHall
    var vitals = Vitals()
    /// nil on a machine without slots for its software.
    var trial: TrialBoot?
    var software: SoftwareRecord?
    /// The sign of life to a service outside; nil where none is configured.
    var post: BeaconPost?
    var consoleLock = ConsoleLock()
    /// A single change while the daemon is stopped: nothing is opened and nothing of a start is told.
    var isOffline = false
    /// nil: the operating system chooses the way out.
    var failover: Failover?
    var modem: ModemSession?
    /// Alarms that no other way has taken.
    var texts: TextAlarm?
    #if SABOTAGE
        package var sabotage: Sabotage?
        /// Makes no progress any more.
        package var frozen: Freeze?
    #endif

    enum Life: String, Codable, Hashable, Sendable {
        case fresh, running, stopping, finished
    }

    struct SetTimer: Codable, Hashable, Sendable {
        var id: TimerID
        var at: BootTime
    }

    /// Clients the shell accepts are numbered from here, connections of the core below.
    package static let firstClient = ConnectionID(1 << 62)

    /// Batches that may wait for the disk before the panel has to (docs/ARCHITECTURE.md 2, backpressure).
    static let pauseAt = 64
    static let resumeAt = 16
    /// Lost synchronisation of the clock that lasts so long is an event.
    static let clockPatience: Duration = .minutes(5)
    /// Problems of one configuration that are logged one by one.
    package static let problemLimit = 20

    package init(configuration: Configuration) {
        self.configuration = configuration
        session = Session(settings: configuration.panel, known: PanelState(), seed: 0)
        dialer = Dialer()
        desk = CommandDesk(next: CommandID(1))
        clock = ClockTrust()
        hall = PhoneHall(bootMark: "", seed: 0)
        addresses = []
        isMaintenance = false
        lastSequence = .zero
    }

    /// The state of the panel as it is known now.
    package var panel: PanelState { session.state }

    /// A line of the panel was lost and its state is being asked for.
    package var awaitsPanelReport: Bool { session.awaitsReport }

    /// Takes one fact and appends the orders that follow from it.
    package mutating func handle(_ input: Input, at raw: Moment, into effects: inout [Effect]) {
        if case .started(let start) = input {
            clock = ClockTrust(floor: max(start.newestEvent ?? start.buildTime, start.buildTime))
        }
        let isFirst = if case .started = input { true } else { false }
        guard life != .fresh || isFirst else {
            var step = Step(at: raw)
            receivedEarly(input, &step)
            return effects += step.effects
        }
        let wasTrusted = clock.isTrusted
        var step = Step(at: clock.refine(raw))
        noteClockTrust(&step)
        if step.now.isWallTrusted, !wasTrusted { clockCame(&step) }
        hall.recentActors.removeAll { $0.until <= step.now.boot }
        route(input, &step)
        endStep(&step)
        effects += step.effects
    }

    private mutating func route(_ input: Input, _ step: inout Step) {
        #if SABOTAGE
            if isSwallowed(input) { return }
        #endif
        switch input {
        case .started(let start): started(start, &step)
        case .resolved(let id, let resolution) where Self.isProbe(id):
            driveLinks(&step) { $0.resolved(id, resolution, at: $1, into: &$2) }
        case .resolved(let id, let resolution) where id.number >= PhoneHall.firstQuestion.number:
            phoneResolved(id, resolution, &step)
        case .resolved(let id, let resolution):
            var actions: [Dialer.Action] = []
            dialer.resolved(id, resolution, at: step.now, into: &actions)
            perform(actions, &step)
        case .connected(let connection) where Self.isProbe(connection):
            driveLinks(&step) { $0.opened(connection, at: $1, into: &$2) }
        case .connected(let connection) where Self.isPhones(connection):
            phoneOpened(connection, &step)
        case .connected(let connection):
            var actions: [Dialer.Action] = []
            dialer.opened(connection, at: step.now, into: &actions)
            perform(actions, &step)
        case .secured(let connection): secured(connection, &step)
        case .received(let connection, let bytes) where Self.isPhones(connection):
            phoneReceived(connection, bytes, &step)
        case .received(let connection, let bytes):
            guard connection == panelConnection else { return }
            #if SABOTAGE
                let bytes = sabotage == .readsOneLinePerSegment ? Array(bytes.prefix { $0 != 10 }) + [10] : bytes
            #endif
            drivePanel(&step) { $0.received(bytes, at: $1, into: &$2) }
        case .sent(let connection, let upTo) where Self.isPhones(connection):
            phoneSent(connection, upTo: upTo, &step)
        case .sent(let connection, let upTo): clientSent(connection, upTo: upTo, &step)
        case .closed(let connection, let end): closed(connection, end, &step)
        case .accepted(let client): clients.append(Client(id: client))
        case .request(let client, let request): requested(request, by: client, &step)
        case .badRequest(let client, let error): refusedLine(error, of: client, &step)
        case .timer(let id): timerFired(id, &step)
        case .committed(let upTo, let last): committed(upTo: upTo, last: last, &step)
        case .commitFailed(let from, let upTo, let failure):
            commitFailed(from: from, upTo: upTo, failure, &step)
        case .rows(let query, let rows):
            if !phoneRowsArrived(query, rows, &step) { rowsArrived(query, rows, &step) }
        case .vault(let id, let answer): vaultAnswered(id, answer, &step)
        case .computed(let id, let answer): computed(id, answer, &step)
        case .located(let id, let lookup): located(id, lookup, &step)
        case .modem(let fact): modemTold(fact, &step)
        case .links(let facts):
            driveLinks(&step) { $0.linksChanged(facts, at: $1, into: &$2) }
        case .found(let finding): note(finding, &step)
        case .derived(let id, let answer): derived(id, answer, &step)
        case .reload(let reload): reloaded(reload, &step)
        case .signal(.terminate): terminate(&step)
        }
    }

    private mutating func timerFired(_ id: TimerID, _ step: inout Step) {
        timers.removeAll { $0.id == id }
        switch id {
        case .panel: drivePanel(&step) { $0.timerFired(at: $1, into: &$2) }
        case .dialer:
            var actions: [Dialer.Action] = []
            dialer.timerFired(at: step.now, into: &actions)
            perform(actions, &step)
        case .journal, .clock: break  // `endStep` and `noteClockTrust` look at the time themselves
        case .retention: retentionDue(&step)
        case .phoneDialer: phoneDialerDue(&step)
        case .phones: phonesDue(&step)
        case .links:
            driveLinks(&step) { $0.timerFired(at: $1, into: &$2) }
            if let due = strayDeadline, step.now.boot >= due { moveWays(&step) }
        case .modem: driveModem(&step) { $0.timerFired(at: $1, into: &$2) }
        case .texts: driveTexts(&step) { $0.timerFired(at: $1, into: &$2) }
        case .watchdog: watchdogDue(&step)
        case .console: consoleDue(&step)
        case .trial: trialDue(&step)
        }
    }

    /// Connections of the ways to people are numbered between the panel's and the control clients'.
    static func isPhones(_ connection: ConnectionID) -> Bool {
        connection >= PhoneHall.firstConnection && connection < firstProbe
    }

    /// Orders a timer for every machine whose deadline moved.
    func deadlines() -> [(TimerID, BootTime?)] {
        TimerID.allCases.map { id in
            switch id {
            case .panel: (id, life == .running ? panelDeadline : nil)
            case .dialer: (id, dialer.nextDeadline)
            case .journal: (id, journalDeadline)
            case .retention: (id, life == .running ? nextRetention : nil)
            case .clock: (id, life == .running ? clockLostAt.map { $0 + Self.clockPatience } : nil)
            case .phoneDialer: (id, hall.dialLines.compactMap(\.dialer.nextDeadline).min())
            case .phones: (id, hall.deadline)
            case .links:
                (id, life == .running ? [failover?.nextDeadline, strayDeadline].compactMap { $0 }.min() : nil)
            case .modem: (id, life == .running ? modem?.nextDeadline : nil)
            case .texts: (id, life == .running ? texts?.nextDeadline : nil)
            case .watchdog: (id, life == .running || life == .stopping ? vitals.nextLook : nil)
            case .console: (id, life == .running ? consoleLock.nextDeadline : nil)
            case .trial: (id, life == .running ? trialDeadline : nil)
            }
        }
    }

    private var panelDeadline: BootTime? {
        #if SABOTAGE
            if sabotage == .ignoresSilence, session.state.link == .up { return nil }
        #endif
        return session.nextDeadline
    }

    mutating func updateTimers(_ step: inout Step) {
        for (id, deadline) in deadlines() {
            let index = timers.firstIndex { $0.id == id }
            switch (deadline, index) {
            case (nil, nil): break
            case (nil, .some(let index)):
                timers.remove(at: index)
                step.effects.append(.setTimer(id, nil))
            case (.some(let time), nil):
                timers.append(SetTimer(id: id, at: time))
                step.effects.append(.setTimer(id, time))
            case (.some(let time), .some(let index)):
                guard timers[index].at != time else { continue }
                timers[index].at = time
                step.effects.append(.setTimer(id, time))
            }
        }
    }
}
