import AlarmModel
import Foundation
import PanelLink
import Testing

@Suite struct SessionRobustnessTests {
    private static let secrets = ["hunter2", "8642", "97531", "4718#"]

    private func settings() -> PanelSettings {
        var settings = Script.settings()
        settings.password = Secret("hunter2")
        settings.masterCode = Secret("8642")
        settings.codeOnRequest = .always
        return settings
    }

    /// A session in which every secret is used, also by a module that echoes them.
    private func talkative() -> Script {
        var script = Script(settings())
        script.start()
        script.logIn()
        script.resynchronise(["6501"])
        script.submit(.arm(partition: 1, mode: .away, force: false), id: 1)
        script.feed("500030", "900")
        script.advance(.milliseconds(40))
        script.feed("500200", "6561", "65210")
        script.submit(.disarm(partition: 1), id: 2, code: "97531")
        script.advance(.milliseconds(40))
        script.feed("500040", "6551")
        script.submit(.keys(partition: 1, keys: Secret("4718#"), allowInstaller: false), id: 3)
        script.advance(.milliseconds(40))
        script.feed("500071")
        script.submit(.disarm(partition: 1), id: 4, code: "9753x1")
        script.receive(Array("005hunter2\r\n2008642\r\nhunter2\r\n040197531ZZ\r\n".utf8))
        script.feed("999hunter2", "9988642", "609hunter2")
        script.advance(.minutes(3))
        return script
    }

    @Test("password, codes and keys appear in no action but what goes on the wire")
    func passwordCodesAndKeysAppearInNoActionButWhatGoesOnTheWire() {
        let script = talkative()
        #expect(script.history.count > 40)
        for action in script.history {
            if case .send = action { continue }
            let text = "\(action)"
            for secret in Self.secrets { #expect(!text.contains(secret), "\(text)") }
            #expect(!text.contains("9753x1"))
        }
        let report = "\(script.session.report(at: script.now))"
        for secret in Self.secrets { #expect(!report.contains(secret)) }
    }

    @Test("the secrets do reach the wire")
    func theSecretsDoReachTheWire() {
        let sent = talkative().history.compactMap { action -> String? in
            if case .send(let bytes) = action { String(decoding: bytes, as: UTF8.self) } else { nil }
        }.joined()
        for secret in Self.secrets { #expect(sent.contains(secret)) }
    }

    @Test("random bytes, lines, orders and losses never trap nor stop the clock", arguments: 0..<100)
    func randomBytesLinesOrdersAndLossesNeverTrapNorStopTheClock(_ seed: UInt64) {
        var random = Jitter(seed: seed)
        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        var script = Script(seed: seed)
        script.start()
        var asked: [UInt64] = []
        for step in 0..<150 {
            switch below(12) {
            case 0: script.receive((0..<below(60)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            case 1: script.connected()
            case 2 where step % 10 == 0: script.closed(.reset)
            case 3 where step % 10 == 0: script.connectFailed(.timedOut)
            case 4: script.feed("5053")
            case 5: script.feed("5051")
            case 6:
                asked.append(UInt64(step))
                script.submit(Self.command(below), id: UInt64(step), within: .seconds(below(90)))
            case 7:
                script.feed("500" + ["000", "001", "005", "008", "020", "030", "040", "060", "071", "200"][below(10)])
            case 8: script.advance(.milliseconds(below(30_000)))
            default:
                let code = String(["5", "6", "7", "8", "9"][below(5)]) + "\(below(10))\(below(10))"
                script.feed(code + (0..<below(6)).map { _ in "\(below(10))" }.joined())
                script.advance(.milliseconds(below(100)))
            }
        }
        let copy = script
        script.advance(.minutes(10))
        script.stop()
        // Each order has exactly one outcome.
        let ended = script.history.compactMap { action -> UInt64? in
            if case .outcome(let id, _) = action { id.number } else { nil }
        }
        #expect(ended.sorted() == asked)
        // The same again is the same, byte for byte.
        var again = copy
        again.advance(.minutes(10))
        again.stop()
        #expect(again.history == script.history)
        #expect(again.session == script.session)
    }

    private static func command(_ below: (Int) -> Int) -> PanelCommand {
        let partition = below(10)
        switch below(12) {
        case 0: return .arm(partition: partition, mode: .away, force: true)
        case 1: return .disarm(partition: partition)
        case 2: return .bypass(zone: below(70), bypassed: below(2) == 0)
        case 3: return .panic(.fire)
        case 4: return .output(partition: partition, output: below(6))
        case 5: return .chime(partition: partition, on: true)
        case 6: return .silence(partition: partition)
        case 7: return .smokeReset(partition: partition)
        case 8: return .setClock
        case 9: return .keys(partition: partition, keys: Secret("1234567"), allowInstaller: false)
        case 10: return .refresh
        default: return .timers
        }
    }

    @Test("a session written down in the middle goes on the same, and the paper holds no secret")
    func aSessionWrittenDownInTheMiddleGoesOnTheSame() throws {
        var script = Script(settings())
        script.comeUp("609003", "6501")
        script.feed("601100")
        script.submit(.panic(.fire), id: 1)
        script.submit(.refresh, id: 2)
        script.receive(Array("6090".utf8))
        let paper = try JSONEncoder().encode(script.session)
        for secret in Self.secrets { #expect(!String(decoding: paper, as: UTF8.self).contains(secret)) }
        var copy = script
        copy.session = try JSONDecoder().decode(Session.self, from: paper)
        #expect(copy.session.nextDeadline == script.session.nextDeadline)
        for line in ["0330", "500060", "621", "6011005"] {
            let bytes =
                line == "0330"
                ? Array("0330\r\n".utf8)
                : Frame.bytes(
                    code: String(line.prefix(3)), data: String(line.dropFirst(3)))
            script.receive(bytes)
            copy.receive(bytes)
        }
        script.advance(.minutes(2))
        copy.advance(.minutes(2))
        #expect(copy.history == script.history)
        #expect(copy.session.state == script.session.state)
    }

    @Test("how the bytes are cut makes no difference")
    func howTheBytesAreCutMakesNoDifference() {
        let lines = ["6011005", "6541", "609003", "84902", "75010040", "6551", "699", "6501"]
        let bytes = lines.flatMap { Frame.bytes(code: String($0.prefix(3)), data: String($0.dropFirst(3))) }
        var whole = Script()
        whole.comeUp("6501")
        var pieces = whole
        whole.receive(bytes)
        for byte in bytes { pieces.receive([byte]) }
        #expect(whole.session.state == pieces.session.state)
        #expect(whole.takeEvents() == pieces.takeEvents())
    }

    @Test("one command is in flight at a time, and none leaves within 30 ms of a line")
    func oneCommandIsInFlightAtATime() {
        var script = Script()
        script.comeUp("6501")
        for id in 0..<8 { script.submit(.panic(.fire), id: UInt64(id)) }
        #expect(script.takeSent().count == 1)
        for _ in 0..<7 {
            script.feed("500060", "621")
            script.advance(.milliseconds(29))
            #expect(script.takeSent().isEmpty)
            script.advance(.milliseconds(1))
            #expect(script.takeSent() == ["0601"])
            script.advance(.milliseconds(500))
            #expect(script.takeSent().isEmpty)
        }
    }
}
