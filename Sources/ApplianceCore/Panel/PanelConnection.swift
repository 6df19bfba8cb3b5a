import AlarmModel
import PanelLink
import Uplinks

/// The session with the panel and the connection below it.
///
/// Guarantees: one connection at a time; while the journal cannot follow, the panel has to wait. Knows nothing of what
/// becomes of events and outcomes.
struct PanelConnection: Machine, Codable, Equatable, Sendable {
    /// Taken one after the other, each with all that follows from it.
    enum Action: Equatable, Sendable {
        case session(PanelAction)
        case dialer(Dialer.Action)
    }

    private(set) var session: Session
    private(set) var dialer = Dialer()
    private(set) var connection: ConnectionID?
    private var isPaused = false
    var actions: [Action] = []

    /// What may wait for the disk before the panel has to (docs/ARCHITECTURE.md 2, backpressure): one read of a flood is
    /// one batch of many events.
    private static let pauseAt = (batches: 64, events: 512)
    private static let resumeAt = (batches: 16, events: 128)

    private enum CodingKeys: String, CodingKey { case session, dialer, connection, isPaused }

    init(_ session: Session) { self.session = session }

    init(_ start: Start, _ known: Snapshot, _ step: Step) {
        session = Session(settings: step.configuration.panel, known: known.panel, seed: start.seed)
        #if SABOTAGE
            session.sabotage = step.sabotage
        #endif
    }

    var isIdle: Bool { session.nextDeadline == nil && dialer.nextDeadline == nil }

    func nextDeadline(_ step: Step) -> BootTime? {
        #if SABOTAGE
            if step.sabotage == .ignoresSilence, session.state.link == .up { return nil }
        #endif
        return session.nextDeadline
    }

    /// Lets the session act.
    mutating func drive(_ step: inout Step, _ act: (inout Session, Moment, inout [PanelAction]) -> Void) {
        var orders: [PanelAction] = []
        session.isTraced = step.clients.contains { $0.isTracing }
        act(&session, step.now, &orders)
        #if SABOTAGE
            session.spoil(&orders)
        #endif
        step.panel = session.state
        for order in orders { actions.append(.session(order)) }
    }

    /// The configuration was read anew.
    mutating func reconfigure(from old: Configuration, _ step: inout Step) {
        let new = step.configuration
        if new.panelHost != old.panelHost || new.panelPort != old.panelPort {
            drive(&step) { $0.moduleMoved(at: $1, into: &$2) }
        }
        drive(&step) { $0.reconfigure(new.panel, at: $1, into: &$2) }
    }

    private mutating func dial(_ step: Step, _ act: (inout Dialer, inout [Dialer.Action]) -> Void) {
        var orders: [Dialer.Action] = []
        act(&dialer, &orders)
        for order in orders { actions.append(.dialer(order)) }
    }

    /// - Returns: false for what others have to know
    mutating func perform(_ action: Action, _ step: inout Step) -> Bool {
        switch action {
        case .session(.connect):
            dial(step) { dialer, actions in
                dialer.dial(
                    name: step.configuration.panelHost, port: step.configuration.panelPort, link: .any,
                    remembered: step.addresses, at: step.now, into: &actions)
            }
        case .session(.close):
            close(&step)
            dial(step) { $0.cancel(at: step.now, into: &$1) }
        case .session(.send(let bytes)):
            if let connection { step.effects.append(.send(connection, bytes)) }
        case .session(.log(let entry)): step.log(entry)
        case .session(.event), .session(.outcome), .session(.trace): return false
        case .dialer(.resolve(let id, let name, let link)): step.effects.append(.resolve(id, name: name, link))
        case .dialer(.open(let id, let endpoint, let link)): step.effects.append(.open(id, endpoint, link))
        case .dialer(.close(let id)): step.effects.append(.close(id))
        case .dialer(.connected(let id)):
            connection = id
            isPaused = false
            drive(&step) { $0.connected(at: $1, into: &$2) }
        case .dialer(.failed(let failure)): drive(&step) { $0.connectFailed(failure, at: $1, into: &$2) }
        case .dialer(.remember(let address)): step.remember(address)
        }
        return true
    }

    // MARK: What comes in

    mutating func resolved(_ id: ResolveID, _ resolution: Resolution, _ step: Step) {
        dial(step) { $0.resolved(id, resolution, at: step.now, into: &$1) }
    }

    mutating func take(_ fact: ConnectionFact, on id: ConnectionID, _ step: inout Step) {
        switch fact {
        case .opened: dial(step) { $0.opened(id, at: step.now, into: &$1) }
        case .received(let bytes): received(id, bytes, &step)
        case .closed(let end): closed(id, end, &step)
        case .secured, .sent: break
        }
    }

    mutating func dialerDue(_ step: Step) { dial(step) { $0.timerFired(at: step.now, into: &$1) } }

    private mutating func received(_ id: ConnectionID, _ bytes: [UInt8], _ step: inout Step) {
        guard id == connection else { return }
        #if SABOTAGE
            let bytes =
                step.sabotage == .readsOneLinePerSegment ? Array(bytes.prefix { $0 != 10 }) + [10] : bytes
        #endif
        drive(&step) { $0.received(bytes, at: $1, into: &$2) }
    }

    private mutating func closed(_ id: ConnectionID, _ end: ConnectionEnd, _ step: inout Step) {
        guard id == connection else { return dial(step) { $0.openFailed(id, end, at: step.now, into: &$1) } }
        connection = nil
        drive(&step) { $0.closed(end, at: $1, into: &$2) }
    }

    mutating func close(_ step: inout Step) {
        guard let open = connection else { return }
        connection = nil
        step.effects.append(.close(open))
    }

    /// The panel's record of the change names this person, too.
    mutating func nameLastChange(of partition: Int, _ name: String, _ step: inout Step) {
        session.nameLastChange(of: partition, name)
        step.panel = session.state
    }

    /// Holds the panel's lines back while too much waits for the disk.
    ///
    /// - Parameter load: what waits
    mutating func adjustBackpressure(_ load: (batches: Int, events: Int), _ step: inout Step) {
        guard let connection else {
            isPaused = false
            return
        }
        let isLittle = load.batches <= Self.resumeAt.batches && load.events <= Self.resumeAt.events
        // A failing store must not cost the panel session as well: then memory is the buffer.
        if !isPaused, step.isStoreGood, load.batches >= Self.pauseAt.batches || load.events >= Self.pauseAt.events {
            isPaused = true
            step.effects.append(.pause(connection))
        } else if isPaused, isLittle || !step.isStoreGood {
            isPaused = false
            step.effects.append(.resume(connection))
        }
    }
}
