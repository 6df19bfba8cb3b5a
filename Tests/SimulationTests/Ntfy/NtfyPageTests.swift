import AlarmModel
import Simulators
import Testing

/// The simulated topic server before a web page, whose browser lets it read only what says so.
@Suite struct NtfyPageTests {
    private func answer(to text: String) -> String {
        var server = NtfySimulator()
        let now = Moment(boot: .zero, wall: WallTime(milliseconds: 1_700_000_000_000), isWallTrusted: true)
        var actions: [HTTPServiceAction] = []
        server.accepted(ConnectionID(1), at: now, into: &actions)
        server.received(ConnectionID(1), Array(text.utf8), at: now, into: &actions)
        return actions.reduce("") {
            if case .send(_, let bytes) = $1 { $0 + String(decoding: bytes, as: UTF8.self) } else { $0 }
        }
    }

    private let page = "Host: topics.test\r\nOrigin: https://app.test\r\n"

    @Test("a page may read what it publishes and its stream; a program is told nothing of pages")
    func aPageMayReadWhatItPublishesAndItsStream() {
        let field = "Access-Control-Allow-Origin: *\r\n"
        let publishing = "POST /alerts HTTP/1.1\r\n\(page)Content-Length: 1\r\n\r\nx"
        #expect(answer(to: publishing).hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer(to: publishing).contains(field))
        #expect(answer(to: "GET /alerts/sse HTTP/1.1\r\n\(page)\r\n").contains(field))
        #expect(!answer(to: "GET /alerts/sse HTTP/1.1\r\nHost: topics.test\r\n\r\n").contains("Access-Control"))
    }

    @Test("a browser that asks first whether a page may send a token is told yes, and nothing is published")
    func aBrowserThatAsksFirstIsToldYes() {
        let told = answer(
            to: "OPTIONS /alerts HTTP/1.1\r\n\(page)Access-Control-Request-Headers: authorization\r\n\r\n")
        #expect(told.hasPrefix("HTTP/1.1 204 No Content\r\n"))
        #expect(told.contains("Access-Control-Allow-Headers: *\r\n"))
        #expect(!told.contains("\"id\""))
    }
}
