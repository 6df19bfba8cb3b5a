import AlarmModel
import ApplianceCore
import PhoneLink
import Testing
import Uplinks

@Suite("Links: the link")
struct LinksTests {
    @Test("an alarm raised in a black hole reaches the phone by the other link within 45 s")
    func anAlarmRaisedInABlackHoleReachesThePhoneByTheOtherLink() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        #expect(bench.link == "eth0")
        bench.net.blackHoles = ["eth0"]
        bench.panel("6011003")
        let before = bench.topics.published.count
        bench.advance(.seconds(45))
        #expect(bench.topics.published.dropFirst(before).contains { $0.title.contains("ALARM") })
        #expect(bench.link == "wwan0")
    }

    @Test("a lost carrier is left within 5 s, and told")
    func aLostCarrierIsLeftWithin5S() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.changeLinks { $0.facts[0].hasCarrier = false }
        bench.advance(.seconds(5))
        #expect(bench.link == "wwan0")
        let told = bench.events(.linkLost)
        #expect(told.count == 1 && told.first?.type == .fault)
        #expect(told.first?.message.contains("ethernet") == true)
        #expect(told.first?.about == .link("ethernet"))
        #expect(bench.events(.linkSwitched).last?.message.contains("modem") == true)
    }

    @Test("the preferred link is taken again once it has been good for its hold time")
    func thePreferredLinkIsTakenAgainOnceItHasBeenGoodForItsHold() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.changeLinks { $0.facts[0].hasCarrier = false }
        bench.advance(.minutes(1))
        #expect(bench.link == "wwan0")
        bench.changeLinks { $0.facts[0].hasCarrier = true }
        bench.advance(.seconds(50))
        #expect(bench.link == "wwan0")
        bench.advance(.seconds(90))
        #expect(bench.link == "eth0")
        #expect(bench.events(.linkRestored).count == 1)
    }

    @Test("no link at all is an event of its own, and the first that works is used", arguments: [0, 1])
    func noLinkAtAllIsAnEventOfItsOwn(first: Int) throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.changeLinks { world in
            world.facts[0].hasCarrier = false
            world.facts[1].hasCarrier = false
        }
        bench.advance(.minutes(10))
        #expect(bench.events(.linksLost).count == 1)
        bench.changeLinks { $0.facts[first].hasCarrier = true }
        bench.advance(.seconds(45))
        #expect(bench.link == ["eth0", "wwan0"][first])
        let status = try bench.status()
        let isActive = status?.links?.links.first { $0.isActive }?.interface
        #expect(isActive == ["eth0", "wwan0"][first])
    }

    @Test("a link lost while the house is armed is an alarm, where that is wanted", arguments: [true, false])
    func aLinkLostWhileTheHouseIsArmedIsAnAlarm(isWanted: Bool) throws {
        var bench = Bench.withLinks { $0.uplinks?.isLossAlarmWhileArmed = isWanted }
        bench.panel("65210", "7001004")
        bench.changeLinks { $0.facts[0].hasCarrier = false }
        bench.advance(.seconds(5))
        #expect(bench.events(.linkLost).first?.type == (isWanted ? .alarm : .fault))
    }

    @Test("what is in the house is not looked for by a link", arguments: ["192.168.1.9", "127.0.0.1", "topics.local"])
    func whatIsInTheHouseIsNotLookedForByALink(host: String) {
        let bench = Bench.withLinks(at: host)
        let links = bench.history.compactMap { effect -> Link? in
            switch effect {
            case .open(let id, let endpoint, let link) where endpoint.port == TopicServer.port:
                id < Appliance.firstProbe ? link : nil
            case .resolve(let id, let name, let link) where name == host:
                id.number < Appliance.firstProbe.number ? link : nil
            case _: nil
            }
        }
        #expect(!links.isEmpty && links.allSatisfy { $0 == .any })
    }

    @Test("another address on the link in use: what stood on the old one is opened anew")
    func anotherAddressOnTheLinkInUse() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        let before = try #require(bench.topics.connections.last)
        bench.changeLinks { $0.facts[0].addresses = [IPAddress("192.0.2.101")].compactMap { $0 } }
        bench.advance(.seconds(5))
        #expect(bench.history.contains(.close(before)))
        #expect(bench.link == "eth0")
    }

    @Test("an address of IPv6 that goes closes no connection of IPv4, however often")
    func anAddressOfIPv6ThatGoesClosesNoConnectionOfIPv4() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        let before = try #require(bench.topics.listening)
        for number in UInt8(1)...UInt8(20) {
            let extra = IPAddress(bytes: [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: number, count: 12))
            bench.changeLinks { $0.facts[0].addresses = [IPAddress("192.0.2.100"), extra].compactMap { $0 } }
            bench.advance(.milliseconds(100))
        }
        #expect(!bench.history.contains(.close(before)))
        #expect(bench.topics.listening == before)
    }

    @Test("another address on a link that stands by touches nothing of what goes by the one in use")
    func anotherAddressOnALinkThatStandsByTouchesNothingOfWhatGoes() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        let before = try #require(bench.topics.listening)
        bench.changeLinks { $0.facts[1].addresses = [IPAddress("203.0.113.6")].compactMap { $0 } }
        bench.advance(.seconds(5))
        #expect(!bench.history.contains(.close(before)))
        #expect(bench.topics.listening == before)
    }

    @Test("a connection that had to take another link for once comes back to the link in use")
    func aConnectionThatHadToTakeAnotherLinkForOnceComesBack() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.refusing = ["eth0"]
        let standing = try #require(bench.topics.listening)
        bench.feed(.closed(standing, .reset))
        bench.advance(.seconds(20))
        #expect(bench.link == "wwan0")
        bench.net.refusing = []
        bench.advance(.minutes(3))
        #expect(bench.link == "eth0")
        #expect(bench.events(.linkLost).isEmpty)
    }

    @Test("a connection by another link, which was not yet good, is left at once when that link is cut")
    func aConnectionByALinkThatIsNotYetGoodIsLeftWhenItIsCut() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        for hasCarrier in [false, true] {
            bench.changeLinks { $0.facts[1].hasCarrier = hasCarrier }
            bench.advance(.milliseconds(100))
        }
        bench.net.refusing = ["eth0"]
        let standing = try #require(bench.topics.listening)
        bench.feed(.closed(standing, .reset))
        bench.advance(.seconds(3))
        #expect(bench.link == "wwan0")
        bench.net.refusing = []
        bench.changeLinks { $0.facts[1].hasCarrier = false }
        bench.advance(.seconds(5))
        #expect(bench.link == "eth0")
    }

    @Test(
        "where connections open and nothing can be encrypted, an alarm goes out by the link that stands by",
        arguments: [StandbyPolicy.hot, .cold], [TLSFailure.stalled, .unknownAuthority])
    func whereConnectionsOpenAndNothingCanBeEncrypted(standby: StandbyPolicy, objection: TLSFailure) throws {
        var bench = Bench.withLinks { $0.uplinks?.links[1].standby = standby }
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        #expect(bench.link == "eth0")
        bench.net.unsecured = ["eth0"]
        bench.net.objection = objection
        for connection in bench.topics.connections { bench.feed(.closed(connection, .reset)) }
        let before = bench.topics.published.count
        bench.panel("6011003")
        bench.advance(.seconds(45))
        #expect(bench.topics.published.dropFirst(before).contains { $0.title.contains("ALARM") })
        #expect(bench.link == "wwan0")
        bench.net.unsecured = []
        bench.advance(.minutes(3))
        #expect(bench.link == "eth0")
        #expect(bench.events(.linkLost).isEmpty)
    }

    @Test("a chat that is encrypted only after it began takes the other link as well when that fails")
    func aChatThatIsEncryptedOnlyAfterItBeganTakesTheOtherLink() throws {
        var bench = Bench.withLinks { configuration in
            let chat = Bench.chatConfiguration().phones.channels
            configuration.phones.channels = chat.map { channel -> ChannelSettings in
                guard case .xmpp(var settings) = channel else { return channel }
                settings.isDirectTLS = false
                settings.port = ChatServer.plainPort
                return .xmpp(settings)
            }
        }
        let first = try #require(bench.chat.connection)
        #expect(bench.net.interface(of: first) == "eth0")
        bench.net.unsecured = ["eth0"]
        bench.feed(.closed(first, .reset))
        bench.advance(.seconds(20))
        #expect(bench.chat.connection.flatMap { bench.net.interface(of: $0) } == "wwan0")
        bench.net.unsecured = []
        bench.advance(.minutes(3))
        #expect(bench.chat.connection.flatMap { bench.net.interface(of: $0) } == "eth0")
    }

    @Test("a server that proves itself by no link is seldom tried by another than the one in use")
    func aServerThatProvesItselfByNoLinkIsSeldomTriedByAnother() throws {
        var bench = Bench.withLinks()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.unsecured = ["eth0", "wwan0"]
        bench.net.objection = .certificateExpired
        for connection in bench.topics.connections { bench.feed(.closed(connection, .reset)) }
        bench.panel("6011003")
        bench.advance(.minutes(60))
        let detours = bench.net.routes.count { $0.interface == "wwan0" && $0.connection < Appliance.firstProbe }
        #expect(detours > 0 && detours <= 60, "\(detours)")
    }

    @Test("what a link has carried survives a restart")
    func whatALinkHasCarriedSurvivesARestart() throws {
        var bench = Bench.withLinks()
        bench.changeLinks { $0.facts[1].traffic = 5_000_000 }
        bench.advance(.minutes(30))
        let usage = try #require(bench.snapshot?.linkUsage?.first { $0.name == "modem" })
        #expect(usage.total >= 5_000_000)
        var next = Bench(bench.configuration)
        next.net = bench.net
        let snapshot = bench.snapshot
        next.start(bench.configuration) { $0.snapshot = snapshot }
        next.advance(.minutes(2))
        let status = try next.status()
        #expect((status?.links?.links.last?.bytesThisMonth ?? 0) >= 5_000_000)
    }
}
