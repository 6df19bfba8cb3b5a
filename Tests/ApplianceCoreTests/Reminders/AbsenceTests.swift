import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

@testable import ApplianceCore

@Suite("Reminders: nobody home and not armed")
struct AbsenceTests {
    private static func bench(
        _ settings: ReminderSettings? = ReminderSettings(nobodyHome: .minutes(15)),
        _ change: (inout Configuration) -> Void = { _ in }
    ) -> Bench {
        Bench.reminding(settings ?? ReminderSettings()) {
            var mqtt = MQTTSettings(
                host: "192.0.2.12", security: .plain, user: "box", password: Secret("broker"), site: "house",
                commandsAllowed: false)
            mqtt.presenceTopic = "house/presence"
            $0.phones.channels.append(.mqtt(mqtt))
            $0.reminders = settings
            change(&$0)
        }
    }

    @Test("it is told when nobody has been home for 15 minutes, once until somebody was home; nothing is armed by it")
    func itIsToldOnceForEachAbsence() throws {
        var bench = Self.bench()
        bench.forget()
        bench.say("not_home")
        bench.advance(.seconds(7))
        // It changes nothing, and the line's own signs of life come at another time.
        bench.say("not_home")
        bench.advance(.minutes(15) - .seconds(8))
        #expect(bench.told(.reminderNobodyHome) == 0)
        bench.advance(.seconds(1))
        let event = try #require(bench.events(.reminderNobodyHome).first)
        #expect(event.message == "Partition 1 Ground floor is not armed, and nobody has been home for 15 minutes")
        #expect(event.partition == 1 && event.priority == .state)
        bench.say("not_home")
        bench.advance(.hours(30))
        #expect(bench.told(.reminderNobodyHome) == 1)
        bench.say("home")
        bench.say("not_home")
        bench.advance(.minutes(14))
        #expect(bench.told(.reminderNobodyHome) == 1)
        bench.advance(.minutes(1))
        #expect(bench.told(.reminderNobodyHome) == 2)
        #expect(!bench.sent.contains { $0.hasPrefix("03") || $0.hasPrefix("04") })
    }

    @Test("a house that is armed is left alone; disarmed again in the absence it is told after the whole span")
    func aHouseThatIsArmedIsLeftAlone() {
        var bench = Self.bench()
        bench.say("not_home")
        bench.advance(.minutes(10))
        bench.panel("65210")
        bench.advance(.hours(2))
        #expect(bench.told(.reminderNobodyHome) == 0)
        for count in 1...2 {
            bench.panel("6551")
            bench.advance(.minutes(15) - .seconds(1))
            #expect(bench.told(.reminderNobodyHome) == count - 1)
            bench.advance(.seconds(1))
            #expect(bench.told(.reminderNobodyHome) == count)
            bench.panel("65210")
            bench.advance(.minutes(1))
        }
    }

    @Test(
        "whatever breaks the absence makes the span begin anew, and what is not known is no absence",
        arguments: ["home", "unknown", "unavailable", "", "not_home not_home", "0"])
    func whateverBreaksTheAbsenceMakesTheSpanBeginAnew(word: String) {
        var bench = Self.bench()
        bench.say(word)
        bench.advance(.hours(1))
        bench.say("not_home")
        bench.advance(.minutes(14))
        bench.say(word)
        bench.say("not_home")
        bench.advance(.minutes(15) - .seconds(1))
        #expect(bench.told(.reminderNobodyHome) == 0)
        bench.advance(.seconds(1))
        #expect(bench.told(.reminderNobodyHome) == 1)
        // It is the same absence unless somebody was home.
        bench.say(word)
        bench.say("not_home")
        bench.advance(.hours(1))
        #expect(bench.told(.reminderNobodyHome) == (word == "home" ? 2 : 1))
    }

    @Test("without the broker nobody knows who is at home; the span begins when it says so again")
    func withoutTheBrokerNobodyKnows() throws {
        var bench = Self.bench()
        bench.say("not_home")
        bench.advance(.minutes(14))
        bench.broker.isDead = true
        bench.feed(.closed(try #require(bench.broker.connections.last), .reset))
        bench.advance(.hours(2))
        #expect(bench.told(.reminderNobodyHome) == 0)
        bench.broker.isDead = false
        bench.advance(.minutes(10))
        #expect(bench.told(.reminderNobodyHome) == 0)
        bench.advance(.minutes(30))
        #expect(bench.told(.reminderNobodyHome) == 1)
    }

    @Test("while the panel is away it waits for it")
    func whileThePanelIsAwayItWaits() throws {
        var bench = Self.bench()
        bench.say("not_home")
        bench.advance(.minutes(14))
        bench.listens = false
        bench.feed(.closed(try #require(bench.connection), .reset))
        bench.advance(.minutes(10))
        #expect(bench.told(.reminderNobodyHome) == 0)
        bench.listens = true
        bench.advance(.minutes(2))
        bench.logIn()
        bench.advance(.minutes(3))
        #expect(bench.core.panel.link == .up && bench.told(.reminderNobodyHome) == 1)
    }

    @Test("its button arms away for who may arm, whatever the other reminder arms; who may not is not told")
    func itsButtonArmsAway() throws {
        var bench = Self.bench(
            ReminderSettings(notArmed: .init(at: ReminderSettings.daily(23)), nobodyHome: .minutes(15)))
        let paired = bench.pairStoreApp(allow: [.arm], tellsArming: true)
        let contact = try #require(paired)
        let ben = bench.pairStoreApp("Bens", person: "Ben", tellsArming: true)
        try #require(ben != nil)
        let before = bench.topics.published.count
        bench.say("not_home")
        bench.advance(.minutes(15))
        let told = bench.topics.published.dropFirst(before)
        #expect(told.map(\.title) == ["Mill: Nobody home, Ground floor"])
        #expect(told.first?.buttons.map(\.label) == ["Status", "Arm"])
        let button = try #require(told.first?.buttons.last)
        bench.forget()
        bench.post(button.body, to: contact)
        bench.advance(.seconds(1))
        #expect(bench.sent.filter { $0.hasPrefix("03") } == ["0301"])
    }

    @Test("in the maintenance mode it is written down and told to nobody")
    func inTheMaintenanceModeItIsToldToNobody() throws {
        var bench = Self.bench()
        let anna = bench.pairStoreApp(tellsArming: true)
        try #require(anna != nil)
        bench.ask(.maintenance(on: true), as: 5)
        bench.advance(.minutes(1))
        let before = bench.topics.published.count
        bench.say("not_home")
        bench.advance(.minutes(20))
        #expect(bench.events(.reminderNobodyHome).map { $0.flags.contains(.maintenance) } == [true])
        #expect(bench.topics.published.count == before)
    }

    @Test("a restart tells no absence twice")
    func aRestartTellsNoAbsenceTwice() {
        var bench = Self.bench()
        bench.say("not_home")
        bench.advance(.minutes(16))
        #expect(bench.told(.reminderNobodyHome) == 1)
        var next = bench.off(for: .minutes(5))
        next.advance(.minutes(1))
        next.say("not_home")
        next.advance(.hours(1))
        #expect(next.told(.reminderNobodyHome) == 1)
        next.say("home")
        next.say("not_home")
        next.advance(.minutes(16))
        #expect(next.told(.reminderNobodyHome) == 2)
    }

    @Test("only partitions of the other reminder are looked at, and without the line nothing is; a reload brings it")
    func onlyPartitionsOfTheOtherReminder() {
        let other = ReminderSettings.NotArmed(at: ReminderSettings.daily(23), partitions: [2])
        var bench = Self.bench(ReminderSettings(notArmed: other, nobodyHome: .minutes(15)))
        bench.say("not_home")
        bench.advance(.minutes(30))
        #expect(bench.told(.reminderNobodyHome) == 0)
        for settings in [nil, ReminderSettings()] {
            bench = Self.bench(settings)
            bench.say("not_home")
            bench.advance(.hours(1))
            #expect(bench.told(.reminderNobodyHome) == 0)
            var configuration = bench.configuration
            configuration.reminders = ReminderSettings(nobodyHome: .minutes(15))
            bench.feed(.reload(.configuration(configuration)))
            bench.advance(.minutes(15))
            #expect(bench.told(.reminderNobodyHome) == 1)
        }
    }
}

extension Bench {
    /// Somebody publishes whether anybody is at home, to be kept at the broker.
    fileprivate mutating func say(_ word: String) {
        let now = now
        let inputs = broker.act(at: now) {
            $0.publish(word, to: "house/presence", isRetained: true, at: now, into: &$1)
        }
        for input in inputs { feed(input) }
    }
}
