import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

/// A broker with Home Assistant behind it, as the core's tests look at it.
typealias BrokerServer = Served<MQTTPeer>

extension BrokerServer {
    static var port: UInt16 { 1883 }

    init() { self.init(MQTTPeer(password: Secret("broker")), at: Self.port) }

    /// What Home Assistant heard of its commands, in order.
    var answers: [JSON] { texts(at: "answer").compactMap { try? JSON(parsing: $0) } }

    func texts(at topic: String) -> [String] {
        arrivals.map(\.arrival).filter { $0.address == "howalarming/house/\(topic)" }.map(\.text)
    }

    mutating func press(_ payload: String, to topic: String = "partition/1/set", at now: Moment) -> [Input] {
        act(at: now) {
            $0.publish(payload, to: "howalarming/house/\(topic)", isRetained: false, at: now, into: &$1)
        }
    }
}

@Suite("Home Assistant hears what became of its commands")
struct HomeAssistantAnswerTests {
    private static func bench(
        _ allowed: [HouseVerb] = [.arm, .disarm], _ change: (inout Configuration) -> Void = { _ in }
    ) -> Bench {
        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        var mqtt = MQTTSettings(
            host: "192.0.2.12", security: .plain, user: "box", password: Secret("broker"), site: "house",
            commandsAllowed: true)
        mqtt.verbs = allowed
        configuration.phones.channels = [.mqtt(mqtt)]
        configuration.phones.houseVerbs = [.init(channel: .mqtt, allowed: allowed, code: Secret("246802"))]
        change(&configuration)
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        return bench
    }

    /// - Returns: the answers that came of it
    private static func press(
        _ bench: inout Bench, _ action: String, code: String? = nil, panel lines: [String] = []
    ) -> [JSON] {
        let before = bench.broker.answers.count
        let payload = #"{"action":"\#(action)","code":"\#(code ?? "")"}"#
        for input in bench.broker.press(payload, at: bench.now) { bench.feed(input) }
        bench.settle()
        for line in lines { bench.panel(line) }
        bench.advance(.seconds(20))
        return Array(bench.broker.answers.dropFirst(before))
    }

    private static func words(_ answer: JSON?) -> [String] {
        [answer?["event_type"]?.stringValue ?? "", answer?["text"]?.stringValue ?? ""]
    }

    @Test("that it is done, with the partition, and who asked is not named")
    func thatItIsDone() throws {
        var bench = Self.bench()
        let answers = Self.press(&bench, "ARM_AWAY", panel: ["6561", "65210"])
        #expect(answers.count == 1)
        let answer = try #require(answers.first)
        #expect(answer["event_type"]?.stringValue == "done")
        #expect(answer["partition"]?.integerValue == 1)
        #expect(answer["open_zones"] == .array([]))
        #expect(answer["text"]?.stringValue?.hasSuffix(": done") == true)
    }

    @Test("that a zone is open, by its number and its name")
    func thatAZoneIsOpen() throws {
        var bench = Self.bench()
        bench.panel("609003", "6511")
        let answer = try #require(Self.press(&bench, "ARM_HOME").first)
        #expect(answer["event_type"]?.stringValue == "refused")
        #expect(answer["open_zones"]?.text == #"[{"number":3,"name":"Kitchen window"}]"#)
        let text = try #require(answer["text"]?.stringValue)
        #expect(text.contains("open zones 3 (Kitchen window); close them") && !text.contains("--force"))
    }

    @Test("that the code was wrong, and from the fifth on that it is locked, the right one included")
    func thatTheCodeWasWrong() {
        var bench = Self.bench()
        for number in 1...5 {
            let words = Self.words(Self.press(&bench, "DISARM", code: "111111").first)
            #expect(words[0] == (number == 5 ? "locked" : "refused") && words[1].contains("the code is wrong"))
        }
        let words = Self.words(Self.press(&bench, "DISARM", code: "246802").first)
        #expect(words[0] == "locked" && words[1].contains("five wrong codes"))
        bench.advance(.minutes(15))
        bench.panel("65210")
        #expect(Self.words(Self.press(&bench, "DISARM", code: "246802", panel: ["6551"]).first)[0] == "done")
    }

    @Test("what the configuration does not allow, and what comes too often, is answered, too")
    func whatTheConfigurationDoesNotAllow() {
        var bench = Self.bench([.arm])
        let words = Self.words(Self.press(&bench, "DISARM", code: "246802").first)
        #expect(words[0] == "refused" && words[1].contains("the configuration does not allow it"))
        var kinds: [String] = []
        for _ in 1...12 {
            for input in bench.broker.press(#"{"action":"ARM_HOME"}"#, at: bench.now) {
                bench.feed(input)
            }
            bench.settle()
        }
        bench.advance(.seconds(20))
        kinds = bench.broker.answers.map { Self.words($0)[1] }
        #expect(kinds.contains { $0.contains("phones.command_rate") })
    }

    @Test("bypass, chime, outputs, arming by force and panic reach the panel where they are named, and nowhere else")
    func bypassChimeOutputsForceAndPanicReachThePanelWhereTheyAreNamed() {
        let wishes = [
            ("zone/3/bypass", "ON", "bypass zone 3"), ("partition/1/chime", "ON", "chime on partition 1"),
            ("partition/1/output", "2", "output 2 partition 1"),
            ("partition/1/set", #"{"action":"ARM_CUSTOM_BYPASS"}"#, "arm away partition 1 by force"),
            ("partition/1/set", #"{"action":"TRIGGER"}"#, "panic police"),
        ]
        for (topic, payload, summary) in wishes {
            for isNamed in [true, false] {
                var bench = Self.bench(isNamed ? HouseVerb.allCases : [.arm, .disarm])
                for input in bench.broker.press(payload, to: topic, at: bench.now) { bench.feed(input) }
                bench.advance(.seconds(1))
                let isAccepted = bench.events(.command).contains { $0.message.hasPrefix("\(summary): asked") }
                #expect(isAccepted == isNamed, "\(summary)")
            }
        }
    }

    @Test("that the panel did not confirm it")
    func thatThePanelDidNotConfirmIt() {
        var bench = Self.bench()
        #expect(Self.words(Self.press(&bench, "ARM_AWAY").first)[0] == "not_confirmed")
    }

    @Test("cut off between order and outcome: it is not done again, and Home Assistant hears once that nobody knows")
    func cutOffBetweenOrderAndOutcome() {
        var bench = Self.bench()
        for input in bench.broker.press(#"{"action":"ARM_AWAY"}"#, at: bench.now) { bench.feed(input) }
        bench.settle()
        for count in [1, 0] {
            bench = bench.restarted()
            bench.logIn()
            bench.advance(.seconds(10))
            #expect(bench.broker.answers.count == count)
            let words = bench.broker.answers.map(Self.words)
            #expect(words.allSatisfy { $0[0] == "not_confirmed" && $0[1].contains("the daemon was restarted") })
            #expect(!bench.sent.contains { $0.hasPrefix("030") })
        }
    }

    @Test("nothing of duress: disarming under duress at the keypad makes no answer, and no answer names a user")
    func nothingOfDuress() {
        var bench = Self.bench()
        bench.panel("65210", "6200000", "7501034", "6551")
        bench.advance(.seconds(20))
        #expect(bench.broker.answers.isEmpty)
        _ = Self.press(&bench, "ARM_AWAY", panel: ["6561", "65210"])
        _ = Self.press(&bench, "DISARM", code: "246802", panel: ["7501034", "6200000", "6551"])
        #expect(bench.broker.answers.count == 2)
        for text in bench.broker.texts(at: "answer") { #expect(!text.contains("user") && !text.contains("uress")) }
    }

    @Test("with the trouble light off none of its troubles is unknown; maintenance and a lost clock are seen")
    func withTheTroubleLightOffNoTroubleIsUnknown() throws {
        var bench = Self.bench()
        let panel = try JSON(parsing: try #require(bench.broker.texts(at: "panel").last))
        for trouble in Trouble.allCases where trouble != .smoke && trouble != .keybus {
            #expect(panel[trouble.key]?.stringValue == "OFF", "\(trouble)")
        }
        #expect(panel["trouble"]?.stringValue == "OFF")
        bench.ask(.maintenance(on: true))
        bench.now.isWallTrusted = false
        bench.advance(.seconds(30))
        let box = try JSON(parsing: try #require(bench.broker.texts(at: "box").last))
        #expect(box["maintenance"]?.stringValue == "ON" && box["problem"]?.stringValue == "ON")
        #expect(box["faults"]?.arrayValue == [.string("the clock of the box is not trusted")])
    }

    @Test("a flood of refused commands is answered less often")
    func aFloodIsAnsweredLessOften() {
        var bench = Self.bench([.arm])
        for _ in 1...200 {
            for input in bench.broker.press(#"{"action":"DISARM"}"#, at: bench.now) { bench.feed(input) }
        }
        bench.advance(.seconds(1))
        #expect((1...30).contains(bench.broker.answers.count), "\(bench.broker.answers.count)")
    }
}
