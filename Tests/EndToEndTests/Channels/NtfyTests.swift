import Foundation
import Glibc
import PhoneProtocol
import Testing

/// A store app at a topic server: from the pairing to the alarm and back.
@Suite("the channel ntfy", .serialized, .timeLimit(.minutes(30)))
struct NtfyTests {
    @Test("pairing, an alarm with buttons, and each button acts once")
    func pairingAnAlarmWithButtonsAndEachButtonActsOnce() throws {
        let house = try TopicHouse.running()
        let anna = try house.pair("Anna")
        let entry = try house.phones()["phones"]?.arrayValue?.first
        #expect(entry?["name"] == .string(anna.name) && entry?["person"] == .string("Anna"))
        // The topic is a secret, which was shown when it was made.
        let list = try house.house.run("phones", "list").output
        #expect(list.contains(anna.topic.prefix(8)) && !list.contains(anna.topic))
        #expect(entry?["roles"] == .array([.string("seen"), .string("status")]))

        #expect(try house.house.run("phones", "test", anna.name).status == 0)
        try house.waitForMessage(to: anna, "the test notice") {
            $0.text.hasPrefix("If you can read this") && $0.priority == 3
        }

        try house.panic()
        let alarm = try house.waitForMessage(to: anna, "the alarm") {
            $0.text.contains("panic key")
        }
        #expect(alarm.title == "Mill Lane 4: PANIC ALARM" && alarm.priority == 5)
        #expect(alarm.buttons.map(\.label) == ["Seen", "Status"])
        #expect(alarm.buttons.allSatisfy { !$0.address.contains(anna.topic) }, "buttons have a topic of their own")

        let status = try alarm.button("Status")
        try house.press(status)
        let told = try house.waitForMessage(to: anna, "the state") { $0.title.hasSuffix(": status") }
        #expect(told.text.contains("Ground floor: IN ALARM"))
        let seen = try alarm.button("Seen")
        try house.press(seen)
        try house.waitForMessage(to: anna, "the receipt") { $0.title.hasSuffix(": seen") }
        try house.house.waitForRecord("seen") { $0.message == "Anna has seen the alarm." }

        // The same again, then one that was not pressed yet: what comes of them is known when it has acted.
        try house.panic()
        let other = try house.waitForMessage(to: anna, "the second alarm") {
            $0.text.contains("panic key") && $0.sequence != alarm.sequence
        }
        for button in [status, seen, status, seen] { try house.press(button) }
        try house.press(TopicHouse.Message.Button(label: "", address: seen.address, body: "disarm 1"))
        try house.press(TopicHouse.Message.Button(label: "", address: seen.address, body: "HA2BAAAAAAAAAAAAAAAAAAAAAA"))
        try house.press(try other.button("Seen"))
        try eventually("the second alarm's button") {
            try house.house.records().count { $0.message == "Anna has seen the alarm." } == 2 ? true : nil
        }
        let messages = try house.messages(to: anna)
        #expect(messages.count { $0.title.hasSuffix(": status") } == 1)
        #expect(try house.house.records().count { $0.message == "Anna has seen the alarm." } == 2)

        // Revoked: the topics mean nothing any more.
        let late = try other.button("Status")
        #expect(try house.house.run("phones", "revoke", anna.topic).status == 0)
        try eventually("nobody is listened to") {
            try house.topics.truth()["streams"]?.arrayValue?.isEmpty == true ? true : nil
        }
        try house.press(late)
        let before = try house.alarms().count
        try house.panic()
        try eventually("another alarm") { try house.alarms().count > before ? true : nil }
        usleep(500_000)
        #expect(try house.messages(to: anna).count { $0.title.hasSuffix(": status") } == 1)
        #expect(try house.messages(to: anna).filter { $0.text.contains("panic key") && $0.priority == 5 }.count == 2)
    }

    @Test("arming by a button, when it was allowed: told with its outcome, once; disarming not at all")
    func armingByAButton() throws {
        let house = try TopicHouse.running(panelArguments: ["--trace"])
        let anna = try house.pair("Anna", words: ["--allow", "arm", "--tell-arming"])
        let refused = try house.house.run("phones", "allow", anna.name, "seen,disarm")
        #expect(refused.status != 0 && refused.errors.contains("ntfy.trusted"))
        try house.house.house("keypad 1 arm away")
        try house.waitForMessage(to: anna, "armed") {
            $0.title.contains("Armed") && $0.buttons.map(\.label) == ["Status"]
        }
        try house.house.house("keypad 1 disarm")
        let disarmed = try house.waitForMessage(to: anna, "disarmed") { $0.title.contains("Disarmed") }
        let arm = try disarmed.button("Arm")
        try house.press(arm)
        try house.press(arm)
        try eventually("armed again") { () throws -> Bool? in
            try house.messages(to: anna).count { $0.title.contains(": Armed") } == 2 ? true : nil
        }
        #expect(house.house.panel.program.lines.count { $0.hasPrefix("> 030") } == 1)
        try house.house.waitForRecord("who armed") { $0.type == "command" && $0.message.contains("Anna") }
    }

    @Test(
        "the server is gone for 4 s while ten alarms happen: all ten arrive within 10 s, by either kind of silence",
        arguments: ["refuse-connect", "black-hole"])
    func theServerIsGoneFor4SWhileTenAlarmsHappen(kind: String) throws {
        let house = try TopicHouse.running()
        let anna = try house.pair("Anna")
        try house.topics.perform("\(kind) on")
        if kind == "refuse-connect" { try house.topics.perform("reset") }
        let published = try house.topics.truth()["published"]
        let deadline = Deadline(.seconds(4))
        for count in 1...10 {
            try house.panic()
            try eventually("alarm \(count) in the journal") { try house.alarms().count >= count ? true : nil }
            usleep(100_000)
        }
        while !deadline.isOver { usleep(50_000) }
        #expect(try house.topics.truth()["published"] == published, "the server is gone")
        try house.topics.perform("\(kind) off")
        let back = ContinuousClock.now
        // Twice the figure, as everywhere with real peers.
        try eventually(within: .seconds(20), "all ten; \(house.house.daemon?.report ?? "")") {
            try Set(
                house.messages(to: anna).filter { $0.text.contains("panic key") && $0.priority == 5 }.map(\.sequence)
            )
            .count == 10 ? true : nil
        }
        print("ntfy \(kind): ten of ten \(ContinuousClock.now - back) after it was back")
        #expect(try house.alarms().count == 10)
        try eventually("nothing waits") {
            try house.phones()["waiting"] == .integer(0) ? true : nil
        }
    }

    @Test("two channels, the topic server a black hole: the alarm arrives by the other within a second")
    func twoChannelsTheTopicServerABlackHoleTheAlarmArrives() throws {
        let directory = try TestDirectory()
        let hook = try HookProcess(in: directory)
        let house = try TopicHouse(in: directory) {
            $0.channels += ["alert_url:", "  urls: ['http://127.0.0.1:\(hook.port)/hook?type=']"]
        }
        try house.start()
        let anna = try house.pair("Anna")
        try house.panic()
        try house.waitForMessage(to: anna, "the first alarm") { $0.text.contains("panic key") }
        try eventually("the first alarm at the hook") { try hook.requests().isEmpty ? nil : true }
        for round in 1...3 {
            if round == 1 { try house.topics.perform("black-hole on") }
            // What the last one brought about is over.
            usleep(300_000)
            let before = try hook.requests().count { $0.contains("type=alarm") }
            let start = ContinuousClock.now
            try house.panic()
            // Twice the figure.
            try eventually(within: .seconds(2), "alarm \(round) at the hook; \(hook.program.report)") {
                try hook.requests().count { $0.contains("type=alarm") } > before ? true : nil
            }
            print("ntfy black hole: by the other way after \(ContinuousClock.now - start)")
        }
        try house.topics.perform("black-hole off")
        try eventually("the alarms of the black hole") {
            try Set(
                house.messages(to: anna).filter { $0.text.contains("panic key") && $0.priority == 5 }.map(\.sequence)
            )
            .count == 4 ? true : nil
        }
    }

    @Test("a stream that says nothing any more is noticed, and what was pressed meanwhile is heard once")
    func aStreamThatSaysNothingAnyMoreIsNoticed() throws {
        let house = try TopicHouse.running()
        let anna = try house.pair("Anna")
        try house.panic()
        let alarm = try house.waitForMessage(to: anna, "the alarm") { $0.text.contains("panic key") }
        try house.topics.perform("silent on")
        try house.press(try alarm.button("Status"))
        usleep(500_000)
        #expect(try !house.messages(to: anna).contains { $0.title.hasSuffix(": status") }, "the stream is silent")
        // 3 s without a sign of life; the new stream begins where the old one ended.
        try house.waitForMessage(to: anna, "what was pressed") { $0.title.hasSuffix(": status") }
        try house.topics.perform("silent off")
        try house.topics.perform("duplicate 1")
        try house.press(try alarm.button("Seen"))
        try house.waitForMessage(to: anna, "the receipt") { $0.title.hasSuffix(": seen") }
        usleep(300_000)
        #expect(try house.messages(to: anna).count { $0.title.hasSuffix(": seen") } == 1)
        #expect(try house.messages(to: anna).count { $0.title.hasSuffix(": status") } == 1)
    }

    @Test("kill -9 in the middle: every stored alarm arrives, and no button acts twice")
    func kill9InTheMiddle() throws {
        let house = try TopicHouse.running(panelArguments: ["--trace"])
        let anna = try house.pair("Anna", words: ["--allow", "arm", "--tell-arming"])
        var pressed: [TopicHouse.Message.Button] = []
        let kills = ProcessInfo.processInfo.environment["HOWALARMING_KILLS"].flatMap { Int($0) } ?? 20
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<kills {
            try house.house.house("keypad 1 arm away", "keypad 1 disarm")
            let disarmed = try eventually("the offer to arm; \(house.house.daemon?.report ?? "")") {
                try house.messages(to: anna).last { message in
                    message.title.contains("Disarmed")
                        && message.buttons.contains { arm in
                            arm.label == "Arm" && !pressed.contains { $0.body == arm.body }
                        }
                }
            }
            let arm = try disarmed.button("Arm")
            try house.press(arm)
            pressed.append(arm)
            try house.panic()
            usleep(UInt32.random(in: 0...150_000, using: &generator))
            house.house.kill9()
            try house.start()
            // Somebody presses what he has pressed before.
            for button in pressed.suffix(3) { try house.press(button) }
            try house.house.house("keypad 1 disarm")
        }
        let alarms = try house.alarms().count
        try eventually("\(alarms) alarms; \(house.house.daemon?.report ?? "")") {
            try Set(
                house.messages(to: anna).filter { $0.text.contains("panic key") && $0.priority == 5 }.map(\.sequence)
            )
            .count >= alarms ? true : nil
        }
        // What is no alarm leaves at the pace of one message in three seconds.
        try eventually(within: .seconds(600), "nothing waits") {
            try house.phones()["waiting"] == .integer(0) ? true : nil
        }
        for button in pressed.suffix(20) { try house.press(button) }
        func sent() -> Int { house.house.panel.program.lines.count { $0.hasPrefix("> 030") } }
        usleep(500_000)
        let before = sent()
        #expect(before <= pressed.count, "\(before) lines at the panel for \(pressed.count) buttons")
        // What was pressed first has come first: when this one has acted, the others have had their chance.
        let offers = try house.messages(to: anna).count { $0.title.contains("Disarmed") }
        try house.house.house("keypad 1 arm away", "keypad 1 disarm")
        let fresh = try eventually("a new offer") { () throws -> TopicHouse.Message? in
            let all = try house.messages(to: anna).filter { $0.title.contains("Disarmed") }
            return all.count > offers ? all.last : nil
        }
        try house.press(try fresh.button("Arm"))
        try eventually("armed by a button") { sent() > before ? true : nil }
        #expect(sent() == before + 1)
        #expect(try house.house.sql("PRAGMA integrity_check") == "ok")
        print("ntfy kill -9: \(alarms) alarms stored, \(before) of \(pressed.count) buttons reached the panel")
    }
}
