import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators
import Testing

@Suite("An alarm as people live through it")
struct IncidentTests {
    @Test("a power cut is one message, and its end another that does not ring")
    func aPowerCutIsOneMessage() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        let before = bench.topics.published.count
        bench.panel("802", "8401", "84902")
        bench.advance(.seconds(5))
        bench.panel("803", "8411", "84900")
        bench.advance(.seconds(5))
        #expect(bench.topics.published.dropFirst(before).map(\.title) == ["Mill: Power cut", "Mill: Power is back"])
        #expect(bench.topics.machine.truth.messages.suffix(2).map(\.priority) == [4, 3])
    }

    @Test("a test alarm rings like an alarm, says that it is none, and is not repeated")
    func aTestAlarmRingsLikeAnAlarm() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp(allow: [.arm])
        try #require(paired != nil)
        let before = bench.topics.published.count
        bench.ask(.phones(.testAlarm(phone: nil)), as: 70)
        bench.advance(.minutes(20))
        let told = bench.topics.published.dropFirst(before)
        #expect(told.map(\.title) == ["Mill: TEST ALARM"])
        #expect(told.first?.message.hasPrefix("This is a test: nothing has happened.") == true)
        #expect(told.first?.buttons.map(\.label) == ["Seen", "Status"])
        #expect(bench.topics.machine.truth.messages.last?.priority == 5)
    }

    @Test("people are told in their own language")
    func peopleAreToldInTheirOwnLanguage() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.ask(.people(.set(name: "Anna", PersonChange(language: "de"))), as: 71)
        bench.panel("65210")
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let alarm = try #require(bench.topics.published.last)
        #expect(alarm.title.hasPrefix("Mill: ALARM, "))
        #expect(alarm.message.contains("scharf (außer Haus)"))
        #expect(alarm.buttons.map(\.label) == ["Gesehen", "Status"])
    }

    @Test("that nobody was told is in the report ten seconds after the alarm: since when, who, why; not once it was")
    func thatNobodyWasToldIsInTheReport() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.topics.isDead = true
        bench.panel("6011003")
        let since = bench.now.wall
        bench.advance(.seconds(9))
        #expect(try bench.status()?.phones?.untold == nil)
        bench.advance(.seconds(6))
        let untold = try #require(try bench.status()?.phones?.untold)
        #expect(untold.since == since && untold.alarms == 1 && untold.isNobodyTold)
        #expect(untold.names == ["Annas iPhone"])
        bench.advance(.seconds(60))
        #expect(try bench.status()?.phones?.untold?.why?.hasPrefix("ntfy: 192.0.2.9") == true)
        bench.topics.isDead = false
        bench.advance(.minutes(2))
        #expect(try bench.status()?.phones?.untold == nil)
    }
}
