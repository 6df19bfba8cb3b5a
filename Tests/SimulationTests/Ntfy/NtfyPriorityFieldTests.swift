import AlarmModel
import Simulators
import Testing

/// The field `Priority` of a request: a message's, or a browser's own (RFC 9218).
@Suite struct NtfyPriorityFieldTests {
    private func answer(priority: String) -> String {
        var server = NtfySimulator()
        let now = Moment(boot: .zero, wall: WallTime(milliseconds: 1_700_000_000_000), isWallTrusted: true)
        var actions: [HTTPServiceAction] = []
        server.accepted(ConnectionID(1), at: now, into: &actions)
        let text = "POST /alerts HTTP/1.1\r\nHost: topics.test\r\nPriority: \(priority)\r\nContent-Length: 1\r\n\r\nx"
        server.received(ConnectionID(1), Array(text.utf8), at: now, into: &actions)
        return actions.reduce("") {
            if case .send(_, let bytes) = $1 { $0 + String(decoding: bytes, as: UTF8.self) } else { $0 }
        }
    }

    @Test("what a browser says of its request is no priority of the message", arguments: ["u=4", "u=1, i"])
    func whatABrowserSaysIsNoPriority(field: String) {
        #expect(answer(priority: field).hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(!answer(priority: field).contains("\"priority\""))
    }

    @Test("a priority that is none is refused, and one that is goes with the message")
    func aPriorityThatIsNoneIsRefused() {
        #expect(answer(priority: "u").hasPrefix("HTTP/1.1 400 "))
        #expect(answer(priority: "high").contains("\"priority\":4"))
    }
}
