import AlarmModel
import ApplianceCore
import PhoneLink
import Testing
import Uplinks

/// Somebody in the path of a link answers its probes, lets connections open and be secured, and keeps what is sent.
@Suite("Links: one that half works")
struct LinkSilenceTests {
    @Test(
        "a link that lets connections open and answers nothing: an alarm goes out by the other within 45 s",
        arguments: [StandbyPolicy.hot, .cold], [Harm.swallows, .resets])
    func aLinkThatAnswersNothing(standby: StandbyPolicy, harm: Harm) throws {
        var bench = Bench.withLinks { $0.uplinks?.links[1].standby = standby }
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        #expect(bench.link == "eth0")
        harm.done(to: &bench)
        let before = bench.topics.published.count
        bench.panel("6011003")
        bench.advance(.seconds(45))
        #expect(bench.topics.published.dropFirst(before).contains { $0.title.contains("ALARM") })
        #expect(bench.net.routes.contains { $0.interface == "wwan0" && $0.connection < Appliance.firstProbe })
    }

    @Test("one who resets the standing connections first gains nothing")
    func oneWhoResetsTheStandingConnectionsFirstGainsNothing() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.swallowing = ["eth0"]
        for connection in bench.topics.connections { bench.feed(.closed(connection, .reset)) }
        let before = bench.topics.published.count
        bench.panel("6011003")
        bench.advance(.seconds(45))
        #expect(bench.topics.published.dropFirst(before).contains { $0.title.contains("ALARM") })
    }

    @Test(
        "a link that answers nothing is told once while that lasts, and its end once",
        arguments: [Harm.swallows, .resets])
    func aLinkThatAnswersNothingIsToldOnce(harm: Harm) throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        harm.done(to: &bench)
        bench.panel("6011003")
        bench.advance(.minutes(180))
        let told = bench.events(.linkLost)
        #expect(told.count == 1 && told.first?.type == .fault)
        #expect(told.first?.message.contains("ethernet cannot be relied on") == true)
        #expect(bench.events(.linkRestored).isEmpty)
        #expect(bench.detours < 120, "\(bench.detours) connections by the metered link in three hours")
        harm.undone(to: &bench)
        bench.advance(.minutes(31))
        bench.panel("6541", "6011003")
        bench.advance(.minutes(1))
        #expect(bench.link == "eth0")
        #expect(bench.events(.linkRestored).map(\.message) == ["The link ethernet answers again."])
    }

    @Test("the link that would carry cuts the handshakes of two connections by chance: the alarm is there within 75 s")
    func theOtherLinkCutsTwoHandshakesByChance() throws {
        var bench = Bench.withLinks { $0.uplinks?.links[1].standby = .cold }
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.swallowing = ["eth0"]
        bench.net.handshakesToCut = ["wwan0": 2]
        let before = bench.topics.published.count
        bench.panel("6011003")
        bench.advance(.seconds(75))
        #expect(bench.net.handshakesToCut["wwan0"] == 0)
        #expect(bench.topics.published.dropFirst(before).contains { $0.title.contains("ALARM") })
    }

    @Test("an alarm that comes in the midst of a long outage of the server is there within six minutes of its end")
    func anAlarmInTheMidstOfALongOutage() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.swallowing = ["eth0", "wwan0"]
        // A trouble, which is no alarm, wants to go out.
        bench.panel("802")
        bench.advance(.minutes(20))
        let detours = bench.detours
        for _ in 1...600 where bench.detours == detours { bench.advance(.seconds(1)) }
        try #require(bench.detours > detours)
        // That one was in vain, too.
        bench.advance(.seconds(30))
        bench.net.swallowing = ["eth0"]
        let before = bench.topics.published.count
        bench.panel("6011003")
        bench.advance(.minutes(6))
        #expect(bench.topics.published.dropFirst(before).contains { $0.title.contains("ALARM") })
    }

    @Test("a server that answers by no link is seldom tried by another than the one in use")
    func aServerThatAnswersByNoLinkIsSeldomTriedByAnother() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.swallowing = ["eth0", "wwan0"]
        bench.panel("6011003")
        bench.advance(.minutes(60))
        #expect(bench.detours > 0 && bench.detours <= 60, "\(bench.detours)")
        #expect(bench.events(.linkLost).isEmpty)
    }

    @Test("a single connection that a server drops tells nothing of the link")
    func aSingleConnectionThatAServerDropsTellsNothingOfTheLink() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.resetting = ["eth0"]
        bench.panel("6011003")
        bench.net.resetting = []
        bench.advance(.minutes(30))
        #expect(bench.events(.linkLost).isEmpty)
        #expect(bench.link == "eth0")
    }

    @Test("a chat that falls silent goes by the other link, and the alarm with it")
    func aChatThatFallsSilentGoesByTheOtherLink() throws {
        var bench = Bench.withLinks { $0.phones.channels = Bench.chatConfiguration().phones.channels }
        let first = try #require(bench.chat.connection)
        #expect(bench.net.interface(of: first) == "eth0")
        bench.net.swallowing = ["eth0"]
        bench.advance(.minutes(3))
        #expect(bench.chat.connection.flatMap { bench.net.interface(of: $0) } == "wwan0")
    }

    /// What somebody in the path does to a link whose probes he answers.
    enum Harm: CaseIterable {
        case swallows, resets

        func done(to bench: inout Bench) {
            switch self {
            case .swallows: bench.net.swallowing = ["eth0"]
            case .resets: bench.net.resetting = ["eth0"]
            }
        }

        func undone(to bench: inout Bench) {
            bench.net.swallowing = []
            bench.net.resetting = []
        }
    }
}

extension Bench {
    /// Connections by the metered link that are no probes.
    fileprivate var detours: Int {
        net.routes.count { $0.interface == "wwan0" && $0.connection < Appliance.firstProbe }
    }
}
