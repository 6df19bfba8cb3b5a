package import AlarmModel
import PhoneProtocol

/// The runner of programs behind its local socket: one line in, one line out, the end.
package struct ProgramPeer: TalkingPeer {
    package struct Client: PeerClient {
        package var id: ConnectionID
        var input: [UInt8] = []
    }

    package static let socket = "/run/howalarming-hook/socket"
    package static let name = "siren"

    package init() {}

    package var port = PeerPort()
    package var clients: [Client] = []
    package var arrivals: [Arrival] = []

    package func newClient(_ id: ConnectionID) -> Client { Client(id: id) }

    package mutating func received(
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
            end(id, at: now, into: &actions)
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
        if PeerPort.take(&port.closesMidway) { return end(id, at: now, into: &actions) }
        say("{\"exit\":0}")
    }
}
