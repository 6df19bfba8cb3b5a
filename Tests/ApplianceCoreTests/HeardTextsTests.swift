import AlarmModel
import ApplianceCore
import Testing

@Suite("The same message twice is one command") struct HeardTextsTests {
    private static let now = BootTime(nanoseconds: 7_000_000_000)

    private func message(_ channel: String, _ from: String, _ id: String) -> HeardCommand {
        HeardCommand(channel: channel, from: from, id: id)
    }

    @Test(
        "a flood of one sender pushes out nothing of another's",
        arguments: [("xmpp", "anna@a.test", "xmpp", "ben@a.test"), ("xmpp", "anna@a.test", "mqtt", "anna@a.test")])
    func aFloodOfOneSenderPushesOutNothing(channel: String, anna: String, other: String, flooder: String) {
        var heard = HeardTexts(at: Self.now)
        heard.note(message(channel, anna, "1"), at: Self.now)
        for number in 1...3 * HeardTexts.limit { heard.note(message(other, flooder, "\(number)"), at: Self.now) }
        #expect(heard.lastHeard(message(channel, anna, "1")) == Self.now)
    }

    @Test("what is kept of one sender is bounded, also where a broker lets him call himself anything")
    func whatIsKeptOfOneSenderIsBounded() {
        var heard = HeardTexts(at: Self.now)
        for number in 0...HeardTexts.limit { heard.note(message("mqtt", "client \(number)", "x"), at: Self.now) }
        #expect(heard.lastHeard(message("mqtt", "client 0", "x")) == nil)
        #expect(heard.lastHeard(message("mqtt", "client 1", "x")) != nil)
    }

    @Test("of an earlier run's command it is told once that it is not repeated")
    func ofAnEarlierRunsCommandItIsToldOnce() {
        let message = message("xmpp", "anna@a.test", "1")
        var heard = HeardTexts(earlier: [message], at: Self.now)
        let tells = [heard.tellsEarlier(message), heard.tellsEarlier(message)]
        #expect(tells == [true, false])
        #expect(heard.lastHeard(message) == Self.now)
    }
}
