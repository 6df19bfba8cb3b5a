package import AlarmModel
import PanelLink
package import PhoneLink
import PhoneProtocol
import Uplinks

/// The whole box as one value: facts in, orders out.
///
/// It owns the machines and lets them act, one after the other; they do not see each other. A fact goes to the machine
/// that it belongs to; what that machine orders is carried out at once, with all that follows from it
/// (`Appliance+Machines`); at the end of the step the phases of `StepPhase` follow.
///
/// Guarantees: `handle` is a function of the state and its arguments alone; it does not block and its work is bounded.
package struct Appliance: Codable, Equatable, Sendable {
    /// What lasts from step to step and belongs to no machine; nil while a step has it.
    private var rest: Step?
    var panelConnection: PanelConnection
    var journal = JournalWriter()
    var commands = Commands(next: CommandID(1))
    var directory = Directory()
    var pairing = Pairing()
    var deliveries = Deliveries(bootMark: "", seed: 0)
    var channels = Channels()
    var links = Links()
    var lastResort = LastResort()
    var control = Control()
    var health = Health()
    var updates = Updates()
    var cameras = Cameras()
    var power = Power()
    var reminders = Reminders()
    var stopDeadline: BootTime?
    var statusLine = StatusLine()
    var timers = Timers()
    #if SABOTAGE
        package var sabotage: Sabotage? {
            get { rest?.sabotage }
            set { rest?.sabotage = newValue }
        }
        /// Makes no progress any more.
        package var frozen: Freeze?
    #endif

    package init(configuration: Configuration) {
        rest = Step(configuration, at: Moment(boot: .zero, wall: WallTime(milliseconds: 0), isWallTrusted: false))
        panelConnection = PanelConnection(Session(settings: configuration.panel, known: PanelState(), seed: 0))
    }

    /// The state of the panel as it is known now.
    package var panel: PanelState { panelConnection.session.state }

    /// A line of the panel was lost and its state is being asked for.
    package var awaitsPanelReport: Bool { panelConnection.session.awaitsReport }

    /// A code was asked for at the box and not typed yet.
    package var isPairingContact: Bool { pairing.contactPairing != nil }

    /// Events that wait for the disk. With thousands of them the state is too big to be written down often.
    package var waitingEvents: Int { journal.queue.waitingEvents }

    /// Which channel this fact is for; a crash may be its doing.
    package func channel(of fact: Input) -> ChannelKind? { fact.connection.flatMap { links.channel(of: $0) } }

    /// Takes one fact and appends the orders that follow from it.
    package mutating func handle(_ input: Input, at raw: Moment, into effects: inout [Effect]) {
        guard var step = rest.take() else { preconditionFailure("the core takes one fact at a time") }
        step.now = raw
        take(input, &step)
        effects += step.effects
        step.effects = []
        rest = step
    }

    private mutating func take(_ input: Input, _ step: inout Step) {
        if case .started(let start) = input {
            health.clock = ClockTrust(start)
        } else if step.life == .fresh {
            return control.receivedEarly(input, &step)
        }
        if health.lookAtClock(&step) { clockCame(&step) }
        commands.forgetActors(at: step.now.boot)
        route(input, &step)
        endStep(&step)
        health.sawHandshakes(step)
        #if DEBUG
            precondition(Orders.areCarriedOut(by: &self), "a machine acted and what it orders was not carried out")
        #endif
    }

    private mutating func route(_ input: Input, _ step: inout Step) {
        #if SABOTAGE
            if let frozen, frozen.swallows(input, panel: panelConnection.connection) { return }
        #endif
        switch input {
        case .started(let start): started(start, &step)
        case .resolved(let id, let resolution): resolved(id, resolution, &step)
        case .connected(let connection): take(.opened, on: connection, &step)
        case .secured(let connection):
            health.secured(connection, &step)
            take(.secured, on: connection, &step)
        case .received(let connection, let bytes): take(.received(bytes), on: connection, &step)
        case .sent(let connection, let upTo): take(.sent(upTo: upTo), on: connection, &step)
        case .closed(let connection, let end):
            take(.closed(health.explaining(end, of: connection, &step)), on: connection, &step)
        case .accepted(let client): step.clients.append(Client(id: client))
        case .request(let client, let request): requested(request, by: client, &step)
        case .badRequest(let client, let error): control.refused(error, of: client, &step)
        case .timer(let id): timerFired(id, &step)
        case .committed(let upTo, let last): committed(upTo: upTo, last: last, &step)
        case .commitFailed(let from, let upTo, let failure): commitFailed(from: from, upTo: upTo, failure, &step)
        case .rows(let query, let rows): rowsArrived(query, rows, &step)
        case .vault(let id, let answer): vaultAnswered(id, answer, &step)
        case .computed(let id, let answer): computed(id, answer, &step)
        case .located(let id, let lookup):
            guard case .transport(let channel, let job)? = step.questions.answered(id) else { return }
            channels(&step) { $0.drive(channel, &$1) { $0.located(job, lookup, at: $1, into: &$2) } }
        case .modem(let fact): links(&step) { $0.modemTold(fact, &$1) }
        case .links(let facts): links(&step) { $0.driveLinks(&$1) { $0.linksChanged(facts, at: $1, into: &$2) } }
        case .found(let finding): control.found(finding, &step)
        case .derived(let id, let answer): control.derived(id, answer, &step)
        case .reload(let reload): reloaded(reload, &step)
        case .signal(.terminate): terminate(&step)
        }
    }

    private mutating func resolved(_ id: ResolveID, _ resolution: Resolution, _ step: inout Step) {
        switch id.owner {
        case .panel: panel(&step) { $0.resolved(id, resolution, $1) }
        case .line, .probe, .client: links(&step) { $0.resolved(id, resolution, &$1) }
        }
    }

    private mutating func take(_ fact: ConnectionFact, on connection: ConnectionID, _ step: inout Step) {
        switch connection.owner {
        case .panel: panel(&step) { $0.take(fact, on: connection, &$1) }
        case .line, .probe: links(&step) { $0.take(fact, on: connection, &$1) }
        case .client: control.take(fact, on: connection, &step)
        }
    }

    private mutating func timerFired(_ id: TimerID, _ step: inout Step) {
        timers.fired(id)
        switch id {
        case .panel: panel(&step) { $0.drive(&$1) { $0.timerFired(at: $1, into: &$2) } }
        case .dialer: panel(&step) { $0.dialerDue($1) }
        case .journal, .clock, .reminders: break  // each step looks at these itself
        case .retention: journal.retentionDue(&step)
        case .phoneDialer:
            for index in links.lines.indices { links(&step) { $0.dialersDue(index, &$1) } }
        case .phones: phonesDue(&step)
        case .links:
            links(&step) { $0.driveLinks(&$1) { $0.timerFired(at: $1, into: &$2) } }
            links(&step) { $0.lookAtConnections(&$1) }
        case .modem: links(&step) { $0.driveModem(&$1) { $0.timerFired(at: $1, into: &$2) } }
        case .texts: lastResort(&step) { $0.timerFired(&$1) }
        case .watchdog: health.watchdogDue(Deadline.all(of: &self, step), &step)
        case .console: control.consoleDue(&step)
        case .trial: health.trialDue(&step)
        case .updates: updates(&step) { $0.timerFired($1, &$2) }
        case .cameras: cameras(&step) { $0.act($1, &$2) }
        case .power: power(&step) { $0.timerFired(&$1) }
        }
    }

    /// What the channels to people and those who are told by them want done now.
    private mutating func phonesDue(_ step: inout Step) {
        timers.phones = nil
        channels(&step) { $0.drivePing(&$1) { $0.timerFired(at: $1, into: &$2) } }
        for kind in step.channels { channels(&step) { $0.timerFired(kind, &$1) } }
        pairing(&step) { $0.endOverdue(&$1) }
        deliveries.timerFired(&step)
        pairing.sendWelcomes(&step)
        let reach = channels.reach
        directory.sendProbes(by: reach.ready, &step)
        deliveries.heartbeatDue(reach, &step)
        directory.retireAddresses(&step)
        channels.noticeTroubles(&step)
        deliveries.noticeUnreachable(reach, &step)
    }
}
