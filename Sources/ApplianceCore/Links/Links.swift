import AlarmModel
import PhoneLink
import Uplinks

/// The links: which link carries, the modem, and the connections that the channels want.
///
/// Guarantees: what is in the house is reached as the operating system's routes say, everything else by the link that
/// carries; a connection by a link that is left is ended and opened anew. Knows nothing of what the connections carry,
/// nor of the text messages that the modem sends.
struct Links: Machine, Codable, Equatable, Sendable {
    /// Taken one after the other, each with all that follows from it.
    enum Action: Equatable, Sendable {
        // For this machine itself, in its turn.
        case dialer(Dialer.Action, line: UInt64)
        case failover(FailoverAction)
        case modem(ModemAction)
        case dialFailed(line: UInt64, ConnectFailure)
        case closed(Closed)
        case leave(Leaving)
        /// A line whose dial was cancelled dials again.
        case redial(UInt64)
        /// The configuration has no links any more; those that were are closed.
        case linksRemoved
        case modemRemoved
        /// For whoever has texts sent, and people called.
        case lastResort(LastResortFact)
        // For whoever owns the connection.
        case tell(LineOwner, LineFact)
        /// Whoever waits for the network may try again.
        case networkChanged
    }

    /// A connection of a line has ended.
    struct Closed: Equatable, Sendable {
        var line: UInt64
        var connection: ConnectionID
        var end: ConnectionEnd
        var standing: DialLine.Standing?
        /// It had not proved who it is yet, or was not open yet.
        var wasOpening: Bool
    }

    /// Connections by a link that carries no more are ended, one after the other: whoever owns one may end others
    /// itself.
    struct Leaving: Equatable, Sendable {
        /// nil: all that do not go by the link that carries now; else those by this one that came from an address that
        /// is gone.
        var renumbered: Link?
        var isRenumbered = false
        var gone: [IPAddress] = []
        var hasLeft = false
        /// Only those that came about by another link, and have been there long enough.
        var areStrays = false
        /// Only what this owner has by the usual link, where no message gets through.
        var stalled: LineOwner?
        var index = 0
        /// Of this line.
        var stale: [ConnectionID] = []
        var isLineBegun = false
    }

    /// nil: the operating system chooses the link.
    var failover: Failover?
    var modem: ModemSession?
    var lines: [DialLine] = []
    private var nextLine: UInt64 = 0
    /// Links whose probes are answered and whose connections are not.
    var unreliable: [UnreliableLink] = []
    var waiting: [Waiting] = []
    /// Something of class alarm or fault waits to go out.
    var isAlarmWaiting = false
    // State of the present step.
    var ended: [Ended] = []
    /// Owners that got a message back.
    var returned: [LineOwner] = []
    /// The connection whose bytes its owner reads.
    var readConnection: ConnectionID?
    /// Bytes on their way to the services.
    private var flows: [Flow] = []
    /// Much waits for the disk: no service is read.
    private var areServicesHeld = false
    var actions: [Action] = []

    private enum CodingKeys: String, CodingKey {
        case failover, modem, lines, nextLine, unreliable, waiting, isAlarmWaiting, flows, areServicesHeld
    }

    /// How much was ordered to be sent on a connection, and how much has left.
    private struct Flow: Codable, Equatable, Sendable {
        var connection: ConnectionID
        var ordered: UInt64 = 0
        var left: UInt64 = 0
        var isPaused = false

        /// A peer that asks on and on and reads no answer has to wait.
        static let pauseAt: UInt64 = 1 << 20
        static let resumeAt: UInt64 = 1 << 18
    }

    mutating func start(_ refusedPIN: UInt64?, _ usage: [LinkUsage], _ step: inout Step) {
        startModem(refusedPIN: refusedPIN, &step)
        startLinks(usage: usage, &step)
    }

    mutating func reconfigure(_ refusedPIN: UInt64?, _ usage: [LinkUsage], _ step: inout Step) {
        reconfigureModem(refusedPIN: refusedPIN, &step)
        reconfigureLinks(usage: usage, &step)
    }

    /// Everything that this machine does for itself.
    mutating func perform(_ action: Action, _ step: inout Step) {
        switch action {
        case .dialer(let action, let line): perform(action, ofLine: line, &step)
        case .failover(let action): perform(action, &step)
        case .modem(let action): perform(action, &step)
        case .dialFailed(let line, let failure): dialFailed(line, failure, &step)
        case .closed(let closed): goOn(closed, &step)
        case .leave(let leaving): leave(leaving, &step)
        case .redial(let line):
            guard let index = index(ofLine: line) else { return }
            connect(lines[index].owner, lines[index].slot, to: lines[index].target, &step)
        case .linksRemoved:
            failover = nil
            (unreliable, waiting, ended, returned) = ([], [], [], [])
            actions.append(.leave(Leaving()))
        case .modemRemoved: modem = nil
        case .lastResort, .tell, .networkChanged: break
        }
    }

    // MARK: Lines

    /// Whoever is asked about a connection of this line owns it, or nobody does any more.
    func index(ofLine number: UInt64) -> Int? { lines.firstIndex { $0.number == number } }

    func channel(of connection: ConnectionID) -> ChannelKind? {
        guard case .line(let number) = connection.owner, let index = index(ofLine: number) else { return nil }
        return lines[index].owner.channel
    }

    func index(_ owner: LineOwner, _ slot: DialSlot) -> Int? {
        lines.firstIndex { $0.owner == owner && $0.slot == slot }
    }

    mutating func line(_ owner: LineOwner, _ slot: DialSlot, to target: DialTarget) -> Int {
        if let known = index(owner, slot) {
            lines[known].target = target
            return known
        }
        lines.append(DialLine(owner, slot, number: nextLine, target: target))
        nextLine += 1
        return lines.count - 1
    }

    /// The owner wants no connection any more; it has closed what it had.
    mutating func removeLines(of owner: LineOwner) { lines.removeAll { $0.owner == owner } }

    /// A connection is no more.
    mutating func forget(_ connection: ConnectionID) {
        flows.removeAll { $0.connection == connection }
        guard case .line(let number) = connection.owner, let index = index(ofLine: number) else { return }
        lines[index].standing.removeAll { $0.connection == connection }
    }

    // MARK: Backpressure

    mutating func ordered(_ bytes: Int, on connection: ConnectionID, _ step: inout Step) {
        flow(on: connection, &step) { $0.ordered += UInt64(bytes) }
        waitsForAnswer(connection, step.now.boot)
    }

    mutating func sent(on connection: ConnectionID, upTo: UInt64, _ step: inout Step) {
        flow(on: connection, &step) { $0.left = max($0.left, upTo) }
    }

    private mutating func flow(on connection: ConnectionID, _ step: inout Step, _ change: (inout Flow) -> Void) {
        let index = flows.firstIndex { $0.connection == connection } ?? flows.count
        if index == flows.count { flows.append(Flow(connection: connection)) }
        change(&flows[index])
        adjust(index, &step)
    }

    private mutating func adjust(_ index: Int, _ step: inout Step) {
        let waiting = flows[index].ordered - min(flows[index].left, flows[index].ordered)
        let isPaused = areServicesHeld || waiting >= (flows[index].isPaused ? Flow.resumeAt + 1 : Flow.pauseAt)
        guard isPaused != flows[index].isPaused else { return }
        flows[index].isPaused = isPaused
        step.effects.append(isPaused ? .pause(flows[index].connection) : .resume(flows[index].connection))
    }

    /// Whoever makes the box write has to wait for the disk: the services do so at half of what the panel may cause, so
    /// that none of them has the panel wait in its stead.
    ///
    /// - Parameter load: what waits
    mutating func holdServices(_ load: (batches: Int, events: Int), _ step: inout Step) {
        // They go on when the panel does, or one that floods would silence them.
        let limit = areServicesHeld ? (batches: 16, events: 128) : (batches: 31, events: 255)
        // A failing store must not silence the services as well: then memory is the buffer.
        let areHeld = step.isStoreGood && (load.batches > limit.batches || load.events > limit.events)
        guard areHeld != areServicesHeld else { return }
        areServicesHeld = areHeld
        for index in flows.indices { adjust(index, &step) }
    }

    mutating func forgetFlow(_ connection: ConnectionID) { flows.removeAll { $0.connection == connection } }
}
