import AlarmModel
import PhoneProtocol
import Simulators
import Testing

@Suite("A push service and its phones")
struct PushPhoneTests {
    @Test("for a phone that is away a message waits as long as it lives; one for now is dropped")
    func forAPhoneThatIsAwayAMessageWaitsAsLongAsItLives() throws {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        try bench.perform("phone TOKEN offline")
        bench.down("now", ttl: 0)
        bench.down("short", ttl: 10)
        bench.down("long", ttl: 100)
        #expect(bench.ids("ack") == ["now", "short", "long"])
        bench.wait(.seconds(10))
        try bench.perform("phone TOKEN online")
        #expect(bench.arrivals == ["long"])
    }

    @Test("the hundred and first stored message drops them all, and the phone is told")
    func theHundredAndFirstStoredMessageDropsThemAll() throws {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        try bench.perform("phone TOKEN offline")
        for number in 1...100 { bench.down("\(number)") }
        #expect(bench.push.truth.phones.first?.stored.count == 100)
        bench.down("101")
        bench.down("102")
        try bench.perform("phone TOKEN online")
        let toPhone = bench.actions.filter { action in
            if case .deliver = action { true } else { action == .deletedMessages(token: "TOKEN") }
        }
        #expect(toPhone.first == .deletedMessages(token: "TOKEN"))
        #expect(bench.arrivals == ["102"])
        try bench.perform("phone TOKEN offline")
        try bench.perform("phone TOKEN online")
        #expect(bench.actions.filter { $0 == .deletedMessages(token: "TOKEN") }.count == 1)
    }

    @Test("an iPhone in the background shows notifications and is woken on demand; other data waits for the app")
    func anIPhoneInTheBackgroundShowsNotificationsAndIsWoken() throws {
        var bench = PushBench()
        bench.phone("TOKEN", .ios)
        bench.logIn()
        try bench.perform("phone TOKEN background")
        bench.down("silent")
        bench.down("empty", ttl: 60, ",\"notification\":{}")
        bench.down("shown", ttl: 60, ",\"notification\":{\"title\":\"x\"}")
        bench.down("woken", ttl: 60, ",\"content_available\":true")
        #expect(bench.arrivals == ["shown", "woken"])
        try bench.perform("phone TOKEN online")
        #expect(bench.arrivals == ["shown", "woken", "silent", "empty"])
    }

    @Test("a new token: the old one still leads to the phone, and the answer names the new one")
    func aNewTokenTheOldOneStillLeadsToThePhoneAndTheAnswerNames() throws {
        var bench = PushBench()
        bench.phone("OLD", .ios)
        bench.logIn()
        try bench.perform("canonical-id OLD NEW")
        #expect(bench.actions.last == .tokenChanged(old: "OLD", new: "NEW"))
        bench.down("1", ttl: 60, to: "OLD")
        #expect(
            bench.payloads().last?.text
                == "{\"message_type\":\"ack\",\"from\":\"OLD\",\"message_id\":\"1\",\"registration_id\":\"NEW\"}")
        try bench.perform("canonical-id NEW NEWER")
        bench.down("2", ttl: 60, to: "OLD")
        bench.down("3", ttl: 60, to: "NEWER")
        #expect(bench.payloads().map { $0["registration_id"]?.stringValue } == ["NEW", "NEWER", nil])
        #expect(bench.arrivals == ["1", "2", "3"])
        bench.inbound("u", from: "NEWER")
        #expect(bench.payloads().last?["from"] == .string("NEWER"))
    }

    @Test("an app that was removed is refused, and one that comes back is not")
    func anAppThatWasRemovedIsRefused() throws {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        bench.step { $0.phoneUnregistered("TOKEN", at: $1, into: &$2) }
        bench.down("1")
        #expect(bench.refusals() == ["DEVICE_UNREGISTERED"])
        bench.phone()
        bench.down("2")
        #expect(bench.arrivals == ["2"])
    }

    @Test("duplicates and another order come on demand")
    func duplicatesAndAnotherOrderComeOnDemand() throws {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        try bench.perform("duplicate down 1")
        bench.down("a")
        bench.down("b")
        try bench.perform("reorder down 2")
        for id in ["c", "d", "e"] { bench.down(id) }
        #expect(bench.arrivals == ["a", "a", "b", "d", "c", "e"])
    }

    @Test("the same seed and the same calls give the same actions")
    func theSameSeedAndTheSameCallsGiveTheSameActions() throws {
        func run(_ seed: UInt64) throws -> [PushSimulator.Action] {
            var bench = PushBench(seed: seed)
            try bench.perform("split on")
            bench.connect()
            bench.say(PushBench.header)
            bench.phone("TOKEN", .ios)
            return bench.actions
        }
        #expect(try run(7) == run(7))
        #expect(try run(7) != run(8))
    }
}
