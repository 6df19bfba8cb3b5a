import AlarmModel
import ApplianceCore
import Testing
import Uplinks

@Suite("Text messages as the last resort")
struct LastResortTests {
    private static func bench() -> Bench {
        var bench = Bench.withLinks { configuration in
            configuration.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            configuration.texts = TextAlarmSettings(numbers: ["+431234567"])
        }
        plugIn(&bench)
        bench.advance(.seconds(30))
        return bench
    }

    @Test("an alarm that no way takes goes out as a text after five minutes, once")
    func sent() throws {
        var bench = Self.bench()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.blackHoles = ["eth0", "wwan0"]
        bench.panel("6011003")
        bench.advance(.seconds(299))
        #expect(bench.net.texts.isEmpty)
        bench.advance(.seconds(2))
        #expect(bench.net.texts.map(\.number) == ["+431234567"])
        #expect(bench.net.texts.first?.text.contains("Kitchen window") == true)
        bench.advance(.minutes(60))
        #expect(bench.net.texts.count == 1)
        #expect(bench.events(.textMessage).count == 1)
    }

    @Test("an alarm that a phone's service took is no text")
    func delivered() throws {
        var bench = Self.bench()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.panel("6011003")
        bench.advance(.minutes(60))
        #expect(bench.topics.published.contains { $0.title.contains("ALARM") })
        #expect(bench.net.texts.isEmpty)
    }

    @Test("duress is never a text")
    func duress() throws {
        var bench = Self.bench()
        bench.net.blackHoles = ["eth0", "wwan0"]
        bench.panel("6200000")
        bench.advance(.minutes(60))
        #expect(bench.net.texts.isEmpty)
    }

    @Test("an alarm that a restart finds undelivered still goes out")
    func restart() throws {
        var bench = Self.bench()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.blackHoles = ["eth0", "wwan0"]
        bench.panel("6011003")
        bench.advance(.seconds(30))
        var next = bench.restarted()
        Self.plugIn(&next)
        next.logIn()
        next.advance(.minutes(6))
        #expect(next.net.texts.count == 1)
    }

    /// The modem is there and in the network.
    private static func plugIn(_ bench: inout Bench) {
        var status = ModemStatus(name: "Test", phase: .registered, lock: .none)
        status.registration = .home
        bench.feed(.modem(.service(isThere: true)))
        bench.feed(.modem(.modem(status)))
    }
}
