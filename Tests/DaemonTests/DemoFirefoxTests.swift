import AlarmModel
import PhoneProtocol
import Platform
import Simulators
import Testing

@testable import Laboratory

@Suite("The demo's own Firefox")
struct DemoFirefoxTests {
    @Test("its profile names the demo's push service and trusts that certificate at that place")
    func itsProfileNamesTheDemosPushService() {
        let preferences = FirefoxProfile.preferences(4711, hasDesktop: false)
        #expect(preferences.contains("user_pref(\"dom.push.serverURL\", \"wss://localhost:4711/\");\n"))
        #expect(preferences.contains("user_pref(\"browser.tabs.closeWindowWithLastTab\", false);\n"))
        #expect(preferences.contains("user_pref(\"alerts.useSystemBackend\", false);\n"))
        let trust = FirefoxProfile.trust(4711, [0x0A] + [UInt8](repeating: 0xFF, count: 31))
        #expect(trust.hasPrefix("localhost:4711:\tOID.2.16.840.1.101.3.4.2.1\t0A:FF:FF:") && trust.hasSuffix(":FF\t\n"))
    }

    @Test("the fingerprint is that of the server's own certificate")
    func theFingerprintIsThatOfTheServersOwnCertificate() throws {
        let identity = try Authority(name: "Test").issue(Authority.Request(names: ["localhost"]))
        let lines = identity.certificateChainPEM.split(separator: "\n")
        let end = try #require(lines.firstIndex { $0.hasPrefix("-----END") })
        let encoded = try #require(Base64.decode(lines[1..<end].joined()))
        #expect(identity.fingerprint == Digest.sha256(encoded))
    }

    @Test("messages of its remote control are read wherever they are split; what is none is never read on")
    func messagesOfItsRemoteControlAreRead() {
        let messages: [JSON] = [.object(["a": .string("ü")]), .array([.integer(1), .integer(2), .null, .object([])])]
        let bytes = messages.flatMap { MarionetteReader.framed($0) }
        for place in bytes.indices {
            var reader = MarionetteReader()
            var found: [JSON] = []
            for piece in [bytes[..<place], bytes[place...]] {
                reader.append(Array(piece))
                while let message = reader.next() { found.append(message) }
            }
            #expect(found == messages, "split at \(place)")
        }
        for text in ["HTTP/1.1 400 Bad Request\r\n:", "-1:{}", "99999999:{}"] {
            var reader = MarionetteReader()
            reader.append(Array(text.utf8))
            #expect(reader.next() == nil)
        }
    }

    /// RFC 6455 1.3.
    @Test("the push service proves to a browser that it speaks WebSocket, as the document shows")
    func thePushServiceProvesThatItSpeaksWebSocket() {
        var service = BrowserPushService.make(seed: 1)
        let now = Moment(boot: .zero, wall: WallTime(milliseconds: 0), isWallTrusted: true)
        var actions: [HTTPServiceAction] = []
        let request =
            "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        service.accepted(ConnectionID(1), at: now, into: &actions)
        service.received(ConnectionID(1), Array(request.utf8), at: now, into: &actions)
        guard case .send(_, let bytes)? = actions.first else {
            Issue.record("nothing was answered")
            return
        }
        let answer = String(decoding: bytes, as: UTF8.self)
        #expect(answer.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(!answer.contains("Sec-WebSocket-Protocol"))
    }

    @Test("only with a Firefox does the configuration know browsers' pushes")
    func onlyWithAFirefoxDoesTheConfigurationKnowPushes() {
        func text(_ browsers: (port: UInt16, authorityFile: String)?) -> String {
            DemoConfiguration.text(
                port: 1, push: 2, topics: 3, authorityFile: "a.pem", topicAuthorityFile: "b.pem",
                topicHost: "localhost",
                browsers: browsers, pace: .fast)
        }
        #expect(!text(nil).contains("web_push"))
        #expect(text((4711, "c.pem")).contains("\nweb_push:\n  contact: mailto:demo@example.org\n"))
        #expect(text((4711, "c.pem")).contains("hosts: ['localhost:4711']\n  ca_file: 'c.pem'\n"))
    }
}
