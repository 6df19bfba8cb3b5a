import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators

/// The services that this house has beside the push service, each at its place in the simulated network.
///
/// Guarantees: there is one of each kind; no two wires of all of them bear the same name at their far end.
struct ChannelHosts: Sendable {
    private var hosts: [ChannelHost]
    private var lastPeer: UInt64 = 1 << 40
    /// How a service names the connection of somebody who is not the box.
    private var lastVisitor: UInt64 = 1 << 50

    init(_ hosts: [ChannelHost]) { self.hosts = hosts }

    var indices: Range<Int> { hosts.indices }
    var kinds: [ChannelKind] { hosts.map(\.kind) }
    subscript(_ index: Int) -> ChannelHost { hosts[index] }

    func index(_ kind: ChannelKind) -> Int? { hosts.firstIndex { $0.kind == kind } }
    func index(named name: String) -> Int? { hosts.firstIndex { $0.name == name } }
    func index(at endpoint: Endpoint) -> Int? { hosts.firstIndex { $0.address == endpoint.address } }
    func index(of connection: ConnectionID) -> Int? { hosts.firstIndex { $0.has(connection) } }

    /// Somebody posts to a topic, over a connection of his own.
    ///
    /// - Returns: what the server has taken
    mutating func take(
        _ post: TopicPost, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) -> [Arrival] {
        guard let index = index(.ntfy), hosts[index].isListening else { return [] }
        lastVisitor += 1
        let visitor = ConnectionID(lastVisitor)
        let arrivals = hosts[index].turn(at: here, &chance, &agenda) {
            $0.accepted(visitor, at: $1, into: &$2)
            $0.received(visitor, post.request, at: $1, into: &$2)
        }
        hosts[index].setTimer(at: here.now, &agenda)
        agenda.add(.channel(.ntfy, .loses(visitor)), at: here.now + .seconds(60))
        return arrivals
    }

    /// What somebody else than the box has to do with a service, and nothing is sent.
    @discardableResult
    mutating func change<Service: ChannelPeer, Answer>(
        _ kind: ChannelKind, _ type: Service.Type, _ act: (inout Service) -> Answer
    ) -> Answer? {
        guard let index = index(kind), var service = hosts[index].peer as? Service else { return nil }
        defer { hosts[index].peer = service }
        return act(&service)
    }

    /// Since when nothing is wrong with it; nil: something is, or there is none.
    func sound(_ kind: ChannelKind, at now: BootTime) -> BootTime? {
        index(kind).flatMap { hosts[$0].sound(at: now) }
    }

    // MARK: What the services do

    /// Lets one act. What has arrived there is dealt with before its timer is set.
    mutating func turn(
        _ index: Int, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda,
        _ act: (inout any ChannelPeer, Moment, inout [HTTPServiceAction]) -> Void
    ) -> [Arrival] {
        hosts[index].turn(at: here, &chance, &agenda, act)
    }

    mutating func setTimer(_ index: Int, at now: BootTime, _ agenda: inout Agenda) {
        hosts[index].setTimer(at: now, &agenda)
    }

    /// Whose timer it is; nil when it was set anew meanwhile.
    mutating func takesTimer(_ kind: ChannelKind, _ time: BootTime) -> Int? {
        guard let index = index(kind), hosts[index].takesTimer(time) else { return nil }
        return index
    }

    // MARK: What the box does

    mutating func open(
        _ connection: ConnectionID, _ index: Int, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) {
        if hosts[index].open(connection, ConnectionID(lastPeer + 1), at: here, &chance, &agenda) { lastPeer += 1 }
    }

    mutating func secure(
        _ connection: ConnectionID, _ index: Int, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) {
        hosts[index].secure(connection, at: here, &chance, &agenda)
    }

    mutating func send(
        _ bytes: [UInt8], on connection: ConnectionID, _ index: Int, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) {
        hosts[index].send(bytes, on: connection, at: here, &chance, &agenda)
    }

    mutating func close(
        _ connection: ConnectionID, _ index: Int, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) {
        hosts[index].close(connection, at: here, &chance, &agenda)
    }

    mutating func forget(_ connection: ConnectionID) {
        if let index = index(of: connection) { hosts[index].forget(connection) }
    }

    /// The process is gone.
    mutating func drop(silently: Bool, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda) {
        for index in hosts.indices { hosts[index].drop(silently: silently, at: now, &chance, &agenda) }
    }

    // MARK: What befalls

    mutating func cut(_ kind: ChannelKind, until time: BootTime) {
        if let index = index(kind) { hosts[index].cut(until: time) }
    }
    mutating func suffers(_ fault: PeerFault, _ index: Int, at now: BootTime) { hosts[index].suffers(fault, at: now) }
    mutating func mend(_ index: Int, at now: BootTime) { hosts[index].mend(at: now) }
    mutating func takeOut(_ kind: ChannelKind, _ isOut: Bool, at now: BootTime) {
        if let index = index(kind) { hosts[index].takeOut(isOut, at: now) }
    }

    /// The owner has put back in all that was taken out.
    mutating func putAllBack(at now: BootTime) {
        for index in hosts.indices where hosts[index].isTakenOut { hosts[index].takeOut(false, at: now) }
    }
}
