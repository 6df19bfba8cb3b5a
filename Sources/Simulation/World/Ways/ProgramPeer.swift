import AlarmModel
import PhoneProtocol

/// The runner of programs behind its local socket: one line in, one line out, the end.
struct ProgramPeer: WayPeer {
    private struct Client: Sendable {
        var id: ConnectionID
        var input: [UInt8] = []
    }

    static let socket = "/run/howalarming-hook/socket"
    static let name = "siren"

    private var port = PeerPort()
    private var clients: [Client] = []
    private var arrivals: [Arrival] = []

    var nextDeadline: BootTime? { port.nextDeadline }

    mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.accepted(id)
        clients.append(Client(id: id))
    }

    mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.closed(id)
        clients.removeAll { $0.id == id }
    }

    mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.timerFired(at: now, into: &actions)
    }

    mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard port.hears(id), let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].input += bytes
        guard let end = clients[index].input.firstIndex(of: 10) else { return }
        let line = Array(clients[index].input[..<end])
        clients[index].input = []
        answer(line, id, at: now, into: &actions)
    }

    private mutating func answer(
        _ line: [UInt8], _ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        func say(_ text: String) {
            port.send(id, text + "\n", at: now, into: &actions)
            port.close(id, at: now, into: &actions)
            clients.removeAll { $0.id == id }
        }
        guard let json = try? JSON(parsing: line), json["program"]?.stringValue == Self.name else {
            return say("{\"refused\":\"no such program\"}")
        }
        if PeerPort.take(&port.tooMany) || !port.takes() { return say("{\"busy\":true}") }
        if PeerPort.take(&port.failures) { return say("{\"exit\":1}") }
        if PeerPort.take(&port.lies) { return say("{\"sorry\":true}") }
        arrivals.append(
            Arrival(
                address: Self.name, message: json["message"]?.stringValue.map { MessageID($0) },
                text: json["event"]?.text ?? ""))
        if PeerPort.take(&port.noAnswer) { return }
        if PeerPort.take(&port.closesMidway) {
            port.close(id, at: now, into: &actions)
            return clients.removeAll { $0.id == id }
        }
        say("{\"exit\":0}")
    }

    mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        for id in port.perform(fault, at: now, into: &actions) { clients.removeAll { $0.id == id } }
    }
}
