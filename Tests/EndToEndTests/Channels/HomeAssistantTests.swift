import Foundation
import PhoneProtocol
import Testing

/// The daemon at Mosquitto, with Mosquitto's clients in Home Assistant's place.
@Suite(
    "Home Assistant", .serialized, .timeLimit(.minutes(15)),
    .enabled(if: Independents.hasMosquitto, "no Mosquitto: \(Independents.advice)"))
struct HomeAssistantTests {
    private static let base = "howalarming/home"
    private static let set = "\(base)/partition/1/set"
    private static let code = "246802"

    private struct House {
        let broker: BrokerProcess
        let house: Appliance
        let ear: Program

        /// The newest payload of a topic.
        func newest(_ topic: String) -> JSON? {
            let mark = " \(HomeAssistantTests.base)/\(topic) "
            guard let line = ear.lines.last(where: { $0.dropFirst().hasPrefix(mark) }) else { return nil }
            return try? JSON(parsing: String(line.dropFirst(mark.count + 1)))
        }

        func wait(_ partition: Int = 1, is state: String) throws {
            try eventually("partition \(partition) \(state); \(ear.report) \(house.daemon?.report ?? "")") {
                newest("partition/\(partition)")?["state"] == .string(state) ? true : nil
            }
        }

        func events() -> [JSON] {
            let mark = "0 \(HomeAssistantTests.base)/event "
            return ear.lines.filter { $0.hasPrefix(mark) }.compactMap {
                try? JSON(parsing: String($0.dropFirst(mark.count)))
            }
        }

        /// As the announced template writes it.
        func press(_ action: String, code: String = "None", isRetained: Bool = false) throws {
            try broker.publish(
                HomeAssistantTests.set, #"{"action":"\#(action)","code":"\#(code)"}"#, isRetained: isRetained)
        }

        /// What was sent before has been read when this returns: the broker keeps the order.
        func settle() throws {
            for (verb, state) in [("off", "ON"), ("on", "OFF")] {
                try house.house("ac \(verb)")
                try eventually("the mains are \(verb); \(ear.report)") {
                    newest("panel")?["ac"] == .string(state) ? true : nil
                }
            }
        }

        func orders() throws -> [String] {
            try house.records().filter { $0.type == "command" }.map(\.message)
        }
    }

    private func running(commands: String?, code: String? = nil) throws -> House {
        let directory = try TestDirectory()
        let broker = try BrokerProcess(in: directory)
        let ear = try broker.listener()
        var configuration = Configuration()
        configuration.channels = broker.section(commands: commands, code: code)
        let house = try Appliance(configuration, in: directory)
        try house.start()
        try house.waitUntilUp()
        let started = House(broker: broker, house: house, ear: ear)
        try started.wait(is: "disarmed")
        return started
    }

    @Test("the house stands at the broker for whoever comes later, and an alarm is an event; the end is told")
    func theHouseStandsAtTheBrokerForWhoeverComesLater() throws {
        let started = try running(commands: "arm")
        let (house, ear) = (started.house, started.ear)
        _ = try ear.waitForLine(containing: "homeassistant/device/howalarming_home/config")
        // Somebody who comes late finds all of it.
        let late = try started.broker.listener()
        let line = try late.waitForLine(containing: "1 homeassistant/device/howalarming_home/config ")
        let config = try JSON(parsing: String(line.split(separator: " ", maxSplits: 2)[2]))
        #expect(config["dev"]?["name"] == .string("Mill Lane 4"))
        guard case .object(let parts)? = config["cmps"] else {
            Issue.record("no components in \(config.text)")
            return
        }
        let panels = parts.filter { $0.value["p"] == .string("alarm_control_panel") }
        #expect(panels.count == 2)
        #expect(panels.first?.value["command_topic"] == .string(Self.set))
        #expect(parts.contains { $0.value["name"] == .string("Kitchen window") })
        _ = try late.waitForLine(containing: "1 \(Self.base)/availability online")
        _ = try late.waitForLine(containing: #"1 \#(Self.base)/partition/2 {"state":"disarmed""#)
        _ = try late.waitForLine(containing: "1 \(Self.base)/zone/3 ")
        try started.settle()
        try house.house("open 3")
        _ = try late.waitForLine(containing: #"0 \#(Self.base)/zone/3 {"state":"ON""#)
        try house.house("close 3")
        try eventually("closed") { started.newest("zone/3")?["state"] == .string("OFF") ? true : nil }

        try house.house("key panic")
        try started.wait(is: "triggered")
        // The panel calls it off in the same moment; an automation sees it all the same.
        for state in ["ON", "OFF"] {
            try eventually("the panic key is \(state); \(ear.report)") {
                started.newest("panel")?["panic_key"] == .string(state) ? true : nil
            }
        }
        try eventually("the alarm as an event; \(ear.report)") {
            started.events().contains { $0["type"] == .string("alarm") && $0["code"] == .string("625") } ? true : nil
        }
        #expect(!late.lines.contains { $0.hasPrefix("1 \(Self.base)/event") })
        #expect(try house.stop() == 0)
        _ = try ear.waitForLine(containing: "0 \(Self.base)/availability offline")

        try house.start()
        try eventually("there again") {
            ear.lines.last { $0.contains("/availability ") }?.hasSuffix(" online") == true ? true : nil
        }
        house.kill9()
        try eventually("the broker tells of the end that nobody announced") {
            ear.lines.last { $0.contains("/availability ") }?.hasSuffix("offline") == true ? true : nil
        }
    }

    @Test("arming needs no code, disarming the configured one; five wrong ones lock")
    func armingNeedsNoCode() throws {
        let started = try running(commands: "arm, disarm", code: Self.code)
        try started.press("ARM_AWAY")
        try started.wait(is: "armed_away")
        try started.press("DISARM")
        try started.press("DISARM", code: "1234")
        try eventually("both are refused") {
            try started.house.records().count { $0.code == "PHONE_DENIED" } == 2 ? true : nil
        }
        try started.press("DISARM", code: Self.code)
        try started.wait(is: "disarmed")
        #expect(try started.orders().count == 2)

        try started.press("ARM_HOME")
        try started.wait(is: "armed_home")
        for guess in 1...5 { try started.press("DISARM", code: "11111\(guess)") }
        try started.house.waitForRecord("the lock") { $0.code == "PHONE_LOCKED" && $0.type == "fault" }
        try started.press("DISARM", code: Self.code)
        try started.settle()
        #expect(started.newest("partition/1")?["state"] == .string("armed_home"))
        #expect(try started.orders().count == 3)
        // Nothing of the codes is in anything that we say.
        let told = try started.house.records().map(\.text).joined() + (started.house.daemon?.report ?? "")
        #expect(!told.contains(Self.code) && !told.contains("111115"))
    }

    @Test("a command that is left at the broker is not obeyed, neither as it comes nor with the next session")
    func aCommandThatIsLeftAtTheBrokerIsNotObeyed() throws {
        let started = try running(commands: "arm")
        try started.press("ARM_AWAY", isRetained: true)
        try started.settle()
        #expect(try started.house.stop() == 0)
        try started.house.start()
        try started.house.waitUntilUp()
        try started.settle()
        #expect(try started.orders() == [])
        // One that is not kept is.
        try started.press("ARM_AWAY")
        try started.wait(is: "armed_away")
    }

    @Test("what is not allowed is not done", arguments: [nil, "arm"])
    func whatIsNotAllowedIsNotDone(commands: String?) throws {
        let started = try running(commands: commands)
        if commands != nil {
            try started.house.house("keypad 1 arm away")
            try started.wait(is: "armed_away")
            try started.press("DISARM")
            try started.press("DISARM", code: "1234")
        } else {
            try started.press("ARM_AWAY")
        }
        try started.press("ARM_VACATION")
        try started.broker.publish(Self.set, "DISARM")
        try started.broker.publish("\(Self.base)/partition/9/set", #"{"action":"ARM_AWAY"}"#)
        try started.settle()
        #expect(try started.orders() == [])
    }

    @Test("a disarming under duress looks at the broker like any other")
    func aDisarmingUnderDuressLooksAtTheBrokerLikeAnyOther() throws {
        let started = try running(commands: nil)
        try started.house.house("keypad 1 arm away")
        try started.wait(is: "armed_away")
        try started.house.house("keypad 1 duress")
        try started.wait(is: "disarmed")
        try eventually("the row in its table") {
            try started.house.sql("SELECT code FROM duress") == "620" ? true : nil
        }
        try started.settle()
        #expect(!started.ear.output.lowercased().contains("duress") && !started.ear.output.contains("\"620"))
    }
}
