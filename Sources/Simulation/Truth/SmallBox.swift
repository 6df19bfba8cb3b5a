import AlarmModel
import ApplianceCore
import PanelLink
import Simulators

/// The panel with its module, the product's session with it, and the least of a box around: what the session tells is
/// told to one address, and its state is stored with that. All of it is one value.
struct SmallBox: Sendable {
    private enum Transfer: Sendable {
        case toBox(ConnectionID, [UInt8])
        case toModule(ConnectionID, [UInt8])
        case opened(ConnectionID)
        case failed
        case closedByModule(ConnectionID)
    }

    private static let delay = Duration.milliseconds(5)
    private static let everybody = AddressID(1)

    private(set) var panel: PanelSimulator
    private let settings: PanelSettings
    private let sabotage: Sabotage?
    /// nil while the box is off.
    private var session: Session?
    private var connection: ConnectionID?
    private var stored = PanelState()
    private(set) var now = BootTime.zero
    private var transfers: [(at: BootTime, what: Transfer)] = []
    private var connections: UInt64 = 0
    private var orders: UInt64 = 0
    private var lastSaid = BootTime.zero
    private var isCut = false
    /// The process dies as soon as it has stored the next event that people are told.
    private var diesAfterNextEvent = false
    private var oracle = IncidentOracle()
    private(set) var untruths: [IncidentOracle.Untruth] = []

    init(_ house: SimulatedHouse, _ settings: PanelSettings, sabotage: Sabotage?) {
        self.sabotage = sabotage
        panel = PanelSimulator(house: house, seed: 1)
        self.settings = settings
        start()
        pass(.seconds(10))
    }

    // MARK: What happens

    mutating func act(_ stimulus: PanelSimulator.Stimulus) { turn { $0.perform(stimulus, at: $1, into: &$2) } }

    mutating func order(_ command: PanelCommand, code: Secret? = nil) {
        guard session != nil else { return }
        orders += 1
        oracle.ordered(command, orders, at: now)
        let order = PanelOrder(id: CommandID(orders), command: command, code: code, deadline: now + .seconds(30))
        drive { $0.submit(order, at: $1, into: &$2) }
    }

    /// The network between box and module loses everything.
    mutating func cut() { isCut = true }
    mutating func restoreNetwork() { isCut = false }

    /// Kill -9: what is stored stays.
    mutating func stop() {
        session = nil
        diesAfterNextEvent = false
        closeConnection()
    }

    mutating func start() {
        guard session == nil else { return }
        session = Session(settings: settings, known: stored, seed: 1)
        #if SABOTAGE
            session?.sabotage = sabotage
        #endif
        drive { $0.start(at: $1, into: &$2) }
    }

    mutating func dieAfterNextEvent() { diesAfterNextEvent = true }

    mutating func pass(_ span: Duration) {
        let end = now + span
        while let next = nextTime, next <= end {
            now = max(now, next)
            if let index = transfers.firstIndex(where: { $0.at <= now }) {
                carry(transfers.remove(at: index).what)
            } else if let due = panel.nextDeadline, due <= now {
                turn { $0.timerFired(at: $1, into: &$2) }
            } else {
                drive { $0.timerFired(at: $1, into: &$2) }
            }
            look()
        }
        now = end
        look()
    }

    private var nextTime: BootTime? {
        [transfers.map(\.at).min(), panel.nextDeadline, session?.nextDeadline].compactMap { $0 }.min()
    }

    // MARK: Between panel and session

    private mutating func turn(_ act: (inout PanelSimulator, BootTime, inout [PanelSimulator.Action]) -> Void) {
        var actions: [PanelSimulator.Action] = []
        act(&panel, now, &actions)
        for action in actions {
            switch action {
            case .send(let peer, let bytes):
                lastSaid = now
                send(.toBox(peer, bytes))
            case .close(let peer), .reset(let peer): send(.closedByModule(peer))
            case .stopReading, .resumeReading, .listen: break
            }
        }
    }

    private mutating func drive(_ act: (inout Session, Moment, inout [PanelAction]) -> Void) {
        guard var driven = session else { return }
        // Held once only, so that nothing of it is copied.
        session = nil
        var actions: [PanelAction] = []
        act(&driven, moment, &actions)
        #if SABOTAGE
            driven.spoil(&actions)
        #endif
        session = driven
        for action in actions {
            carryOut(action)
            if session == nil { return }
        }
    }

    private mutating func carryOut(_ action: PanelAction) {
        switch action {
        case .connect:
            connections += 1
            send(isCut ? .failed : .opened(ConnectionID(connections)), in: isCut ? .seconds(5) : Self.delay)
        case .close: closeConnection()
        case .send(let bytes): if let connection { send(.toModule(connection, bytes)) }
        case .event(let event): tell(event)
        case .outcome(let id, let outcome): untruths += oracle.ended(id.number, outcome, panel, at: now)
        case .trace, .log: break
        }
    }

    private mutating func closeConnection() {
        guard let open = connection else { return }
        connection = nil
        turn { $0.closed(open, at: $1, into: &$2) }
    }

    private mutating func send(_ transfer: Transfer, in span: Duration = delay) {
        transfers.append((now + span, transfer))
    }

    private mutating func carry(_ transfer: Transfer) {
        switch transfer {
        case .opened(let new):
            guard session != nil, !isCut else { return carry(.failed) }
            connection = new
            turn { $0.accepted(new, at: $1, into: &$2) }
            drive { $0.connected(at: $1, into: &$2) }
        case .failed: drive { $0.connectFailed(.unreachable(.timedOut), at: $1, into: &$2) }
        case .toBox(let peer, let bytes):
            guard !isCut, peer == connection else { return }
            drive { $0.received(bytes, at: $1, into: &$2) }
        case .toModule(let peer, let bytes):
            guard !isCut else { return }
            turn { $0.received(peer, bytes, at: $1, into: &$2) }
        case .closedByModule(let peer):
            guard !isCut, peer == connection else { return }
            connection = nil
            drive { $0.closed(.reset, at: $1, into: &$2) }
        }
    }

    // MARK: What people are told

    private mutating func tell(_ event: Event) {
        stored = session?.state ?? stored
        guard event.priority != .info else { return }
        let partitions = stored.partitions
        let statement = IncidentOracle.Statement(
            event: event, subject: event.noticeSubject(settings.names, partitions: partitions),
            contactID: event.contactID(settings.names, partitions: partitions))
        untruths += oracle.check(statement, panel.ledger, at: now)
        untruths += oracle.told(event, to: [Self.everybody], panel.ledger)
        if diesAfterNextEvent { stop() }
    }

    private mutating func look() {
        let isUp = session?.state.link == .up && !isCut && panel.isTelling
        let hearing = IncidentOracle.Hearing(
            isPossible: isUp,
            isComplete: isUp && session?.awaitsReport == false && transfers.isEmpty && now - lastSaid > .seconds(8))
        let recipient = IncidentOracle.Recipient(
            address: Self.everybody, since: .zero - .hours(1), hearsEnds: true)
        untruths += oracle.look(at: session?.state, panel, hearing, { [recipient] }, at: now)
        if hearing.isComplete { stored = session?.state ?? stored }
    }

    private var moment: Moment {
        Moment(boot: now, wall: WallTime(milliseconds: 1_790_000_000_000) + (now - .zero), isWallTrusted: true)
    }
}
