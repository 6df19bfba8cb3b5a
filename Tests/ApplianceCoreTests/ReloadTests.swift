import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators
import Testing
import Uplinks

/// The configuration is read again while something waits.
@Suite("A reload changes the channels to people and the links")
struct ReloadTests {
    private static func withPhoneAndTopics() throws -> (Bench, TestPhone, Contact) {
        var configuration = Bench.phoneConfiguration()
        configuration.phones.channels = [.ntfy(NtfySettings(host: "192.0.2.9"))]
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        let phone = try bench.pair()
        let paired = bench.pairStoreApp(person: "Anna")
        let contact = try #require(paired)
        bench.advance(.minutes(2))
        return (bench, phone, contact)
    }

    private static func alarmsTold(_ bench: Bench) -> Int {
        bench.topics.published.count { $0.title.contains("ALARM, ") }
    }

    private static func alarmsPushed(_ bench: Bench, _ phone: TestPhone) -> [PushServer.Push] {
        bench.push.server.pushes.filter { push in
            guard let bytes = push.bytes, let message = try? phone.channel.open(bytes, TestPhone.crypto) else {
                return false
            }
            return message.kind == .event && message.content["type"]?.stringValue == "alarm"
        }
    }

    /// The server takes what is under way and says nothing, or no connection stands and it refuses new ones.
    @Test(
        "an alarm that waits leaves by the way as it was changed, once",
        arguments: [Duration.seconds(1), .minutes(2)])
    func anAlarmThatWaitsLeavesByTheWayAsItWasChanged(idle: Duration) throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.advance(idle)
        bench.topics.isDead = true
        bench.panel("6011003")
        bench.advance(.seconds(2))
        #expect(Self.alarmsTold(bench) == 0)
        bench.topics.isDead = false
        bench.forget()
        var configuration = bench.configuration
        configuration.phones.channels = [.ntfy(NtfySettings(host: "192.0.2.9", access: .token(Secret("tk_second"))))]
        bench.topics.machine.settings.accounts = [.init(token: Secret("tk_second"))]
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.seconds(10))
        #expect(Self.alarmsTold(bench) == 1)
        #expect(bench.push.messages.filter { $0.event.code == "601" }.map(\.state) == [.accepted])
        let posts = bench.history.compactMap { effect -> String? in
            guard case .send(let id, let bytes) = effect, bench.topics.connections.contains(id) else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            return text.hasPrefix("POST") ? text : nil
        }
        #expect(!posts.isEmpty && posts.allSatisfy { $0.contains("Bearer tk_second") })
    }

    @Test("an alarm that is under way at the push service leaves again by the changed account, under the same name")
    func anAlarmThatIsUnderWayAtThePushServiceLeavesAgain() throws {
        var (bench, phone) = try Bench.paired()
        bench.push.server.answer = .silence
        bench.panel("6011003")
        bench.push.server.answer = .ack
        #expect(Self.alarmsPushed(bench, phone).count == 1)
        var configuration = bench.configuration
        configuration.phones.account?.apiKey = Secret("AIzaAnother")
        bench.push.server.key = Secret("AIzaAnother")
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.seconds(10))
        let sent = Self.alarmsPushed(bench, phone)
        try #require(sent.count == 2)
        #expect(sent[0].id == sent[1].id && sent[0].connection != sent[1].connection)
        let alarm = try #require(bench.stored.last { $0.event.code == "601" })
        bench.request(phone, "got", ["log": "00000000", "seq": "\(alarm.seq.number)"])
        bench.advance(.hours(1))
        #expect(Self.alarmsPushed(bench, phone).count == 2)
    }

    @Test("what waits for a way that is taken out leaves when it is put back; the others go on")
    func whatWaitsForAWayThatIsTakenOutLeavesWhenItIsPutBack() throws {
        var (bench, phone, contact) = try Self.withPhoneAndTopics()
        bench.topics.isDead = true
        bench.panel("6011003")
        bench.advance(.seconds(5))
        #expect(Self.alarmsPushed(bench, phone).count == 1)
        let line = bench.push.server.current
        var configuration = bench.configuration
        configuration.phones.channels = []
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.seconds(5))
        let rows = bench.push.messages.filter { $0.address == contact.address && $0.event.code == "601" }
        #expect(rows.map(\.state) == [.waiting])
        // The push connection was not touched, and the next alarm goes out by it.
        #expect(bench.push.server.current == line && line != nil)
        bench.panel("6011004")
        bench.advance(.seconds(5))
        #expect(Self.alarmsPushed(bench, phone).count == 2)
        #expect(bench.push.messages.count { $0.address == contact.address && $0.event.code == "601" } == 1)
        // Put in again, the store app is told what waited, and all that is new.
        bench.topics.isDead = false
        bench.feed(.reload(.configuration(bench.configuration)))
        bench.advance(.seconds(10))
        #expect(Self.alarmsTold(bench) == 1)
        bench.panel("6011005")
        bench.advance(.seconds(5))
        #expect(Self.alarmsTold(bench) == 2)
    }

    @Test("people to whom the configuration has no channel left are named, at each start, too, and when it has one")
    func peopleToWhomTheConfigurationHasNoChannelLeftAreNamed() throws {
        var (bench, _) = try Bench.paired()
        var configuration = bench.configuration
        configuration.phones.account = nil
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.seconds(1))
        let told = bench.events(.pushOffline).map(\.message)
        #expect(told.count == 1 && told.allSatisfy { $0.contains("cannot be told anything") })
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.minutes(10))
        #expect(bench.events(.pushOffline).count == 1)
        bench.feed(.reload(.configuration(bench.configuration)))
        bench.advance(.seconds(1))
        #expect(bench.events(.pushOnline).contains { $0.message.hasPrefix("The configuration has a channel to ") })
    }

    @Test("of somebody whose phone is revoked meanwhile nothing is told any more")
    func ofSomebodyWhosePhoneIsRevokedMeanwhileNothingIsToldAnyMore() throws {
        var (bench, phone) = try Bench.paired()
        var configuration = bench.configuration
        configuration.phones.account = nil
        bench.feed(.reload(.configuration(configuration)))
        bench.ask(.phones(.revoke(phone: phone.id.description)), as: 76)
        bench.advance(.seconds(1))
        bench.feed(.reload(.configuration(bench.configuration)))
        bench.advance(.seconds(1))
        #expect(bench.events(.pushOffline).count == 1)
        #expect(!bench.events(.pushOnline).contains { $0.message.hasPrefix("The configuration") })
    }

    @Test("a configuration with errors changes no channel: connections stand, and what waits leaves as before")
    func aConfigurationWithErrorsChangesNoChannel() throws {
        var (bench, phone, contact) = try Self.withPhoneAndTopics()
        bench.topics.answer(503)
        bench.panel("6011003")
        bench.advance(.seconds(2))
        let line = bench.push.server.current
        let stream = bench.topics.listening
        bench.forget()
        bench.feed(.reload(.refused(["house.yaml:3: wrong"])))
        let orders = bench.history.filter { effect in
            switch effect {
            case .open, .close: true
            case _: false
            }
        }
        #expect(orders.isEmpty)
        #expect(bench.push.server.current == line && line != nil)
        #expect(bench.topics.listening == stream && stream != nil)
        bench.topics.answer(200)
        bench.advance(.minutes(2))
        #expect(Self.alarmsTold(bench) == 1)
        #expect(!Self.alarmsPushed(bench, phone).isEmpty)
        let row = bench.push.messages.last { $0.address == contact.address && $0.event.code == "601" }
        #expect(row?.state == .accepted)
    }

    @Test(
        "links, modem and texts begin with a reload, together or one after the other, and end with one",
        arguments: [false, true])
    func linksModemAndTextsBeginWithAReloadTogether(areTextsLater: Bool) throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        var configuration = bench.configuration
        configuration.uplinks = Bench.twoLinks
        configuration.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
        let texts = TextAlarmSettings(numbers: ["+431234567"], unless: .taken)
        if !areTextsLater { configuration.texts = texts }
        bench.net.facts = Bench.interfaces
        bench.feed(.reload(.configuration(configuration)))
        LastResortTests.plugIn(&bench)
        bench.advance(.minutes(2))
        #expect(bench.link == "eth0")
        #expect(bench.look?.links?.links.map(\.name) == ["ethernet", "modem"])
        if areTextsLater {
            configuration.texts = texts
            bench.feed(.reload(.configuration(configuration)))
        }
        bench.net.blackHoles = ["eth0", "wwan0"]
        bench.panel("6011003")
        bench.advance(.minutes(6))
        #expect(bench.net.texts.map(\.number) == ["+431234567"])
        #expect(Self.alarmsTold(bench) == 0)

        bench.net.blackHoles = []
        bench.forget()
        bench.feed(.reload(.configuration(bench.configuration)))
        bench.advance(.minutes(2))
        let report = try #require(bench.look?.links)
        #expect(report.links.isEmpty && report.modem == nil && report.textsWaiting == nil)
        let links = bench.history.compactMap { effect -> Link? in
            guard case .open(let id, let endpoint, let link) = effect, endpoint.port == TopicServer.port else {
                return nil
            }
            return id < Appliance.firstProbe ? link : nil
        }
        #expect(links.last == .any)
        // The alarm waited through both.
        #expect(Self.alarmsTold(bench) == 1)
        bench.topics.isDead = true
        bench.panel("6011004")
        bench.advance(.minutes(10))
        #expect(bench.net.texts.count == 1)
    }
}
