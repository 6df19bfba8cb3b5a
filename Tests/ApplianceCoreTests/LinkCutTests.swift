import AlarmModel
import PhoneLink
import Simulators
import Testing
import Uplinks

@testable import ApplianceCore

/// The promise: while one link carries a channel's dialogue to its end, each alarm is accepted there within 45 s. Every
/// record of every dialogue, every harm, each of two links.
@Suite("Delivery under attack: somebody in the path of one of two links")
struct LinkCutTests {
    @Test(
        "whatever befalls the dialogue at whichever record, the alarm is accepted within 45 s",
        arguments: CutHouse.channels)
    func whateverBefallsTheDialogueTheAlarmIsAcceptedWithin45S(channel: ChannelKind) throws {
        let house = try CutHouse(channel)
        let cells = house.cells
        let (slowest, failures) = house.outcome(of: cells)
        print("\(channel): \(cells.count) cells, \(failures.count) not in time, the slowest other \(slowest)")
        for failure in failures.prefix(200) { print("  \(channel): \(failure)") }
        #expect(cells.count > 50)
        #expect(failures.isEmpty, "\(channel): \(failures.count) of \(cells.count), first \(failures.first ?? "")")
    }
}

extension LinkCutTests {
    @Test(
        "the same at the first link while the second one sleeps and has to be woken for the alarm",
        arguments: CutHouse.channels)
    func theSameWhileTheSecondLinkSleeps(channel: ChannelKind) throws {
        let house = try CutHouse(channel, standby: .cold)
        let cells = house.cells.filter { $0.cut.interface == "eth0" }
        let (slowest, failures) = house.outcome(of: cells)
        print(
            "\(channel), cold standby: \(cells.count) cells, \(failures.count) not in time, the slowest other \(slowest)"
        )
        #expect(failures.isEmpty, "\(channel): \(failures.count) of \(cells.count): \(failures.prefix(20))")
    }
}

/// A few of these cells for each channel.
@Suite("Delivery under attack: one record of each dialogue")
struct LinkCutSampleTests {
    @Test(
        "a link that ends each connection at its last record loses the alarm to the other one within 45 s",
        arguments: CutHouse.channels, [LinkCut.Harm.reset, .finish, .swallow])
    func aLinkThatEndsEachConnectionAtItsLastRecord(channel: ChannelKind, harm: LinkCut.Harm) throws {
        let house = try CutHouse(channel)
        #expect(house.records > 1)
        let cut = LinkCut(interface: "eth0", passing: house.records - 1, harm: harm)
        for stands in [true, false] {
            let span = house.spanUntilAccepted(CutCell(cut: cut, stands: stands))
            #expect(span != nil, "\(channel) \(cut), stands: \(stands)")
        }
    }

    @Test(
        "a quota that others use up at the first link's address holds up no alarm",
        arguments: [ChannelKind.ntfy, .xmpp, .mail, .url, .webPush])
    func aQuotaThatOthersUseUp(channel: ChannelKind) throws {
        let house = try CutHouse(channel)
        let cell = CutCell(cut: LinkCut(interface: "eth0", passing: 0, harm: .tooMany), stands: true)
        #expect(house.spanUntilAccepted(cell) != nil)
    }

    @Test("a name server that lies on the only link: the remembered address is tried", arguments: CutHouse.channels)
    func aNameServerThatLiesOnTheOnlyLink(channel: ChannelKind) throws {
        let house = try CutHouse(channel, links: 1)
        let cell = CutCell(cut: LinkCut(interface: "eth0", passing: 0, harm: .lie), stands: false)
        #expect(house.spanUntilAccepted(cell) != nil)
        var bench = house.begun(cell.cut, stands: false)
        bench.panel("6011003")
        bench.advance(.minutes(3))
        let told = try bench.status()?.phones?.channels.compactMap(\.problem) ?? []
        #expect(told.allSatisfy { !$0.contains("ca_file") }, "\(told)")
        #expect(bench.stored.allSatisfy { !$0.event.message.contains("ca_file") })
    }

    @Test("a server that has moved is found by its name, although its old address is remembered and dead")
    func aServerThatHasMovedIsFoundByItsName() throws {
        let house = try CutHouse(.url, links: 1)
        var bench = house.begun(LinkCut(interface: "eth0", passing: 0, harm: .move), stands: false)
        bench.panel("6011003")
        bench.advance(.seconds(45))
        #expect(!bench.web.requests.isEmpty)
    }

    @Test("without harm each alarm is accepted at once", arguments: CutHouse.channels)
    func withoutHarmEachAlarmIsAcceptedAtOnce(channel: ChannelKind) throws {
        let house = try CutHouse(channel)
        #expect(house.spanUntilAccepted(nil).map { $0 <= .seconds(6) } == true)
    }

    @Test("a link that resets each mail at its message is told, and its end, and a single reset is not")
    func aLinkThatResetsEachMailAtItsMessageIsTold() throws {
        let house = try CutHouse(.mail)
        var bench = house.begun(LinkCut(interface: "eth0", passing: house.records - 1, harm: .reset), stands: true)
        bench.panel("6011003")
        bench.advance(.seconds(45))
        #expect(bench.events(.linkLost).isEmpty, "one doubt is a detour")
        for _ in 0..<3 {
            bench.advance(.minutes(4))
            bench.panel("6541", "6011003")
            bench.advance(.seconds(45))
        }
        #expect(bench.events(.linkLost).count == 1)
        #expect(bench.events(.linkLost).first?.message.contains("ethernet cannot be relied on") == true)
        bench.net.cut = nil
        bench.advance(.minutes(40))
        bench.panel("6541", "6011003")
        bench.advance(.minutes(1))
        #expect(bench.events(.linkRestored).map(\.message) == ["The link ethernet answers again."])
    }
}

/// Case of the table.
struct CutCell: CustomStringConvertible {
    var cut: LinkCut
    /// The connections of before stand when the alarm is raised; else each dialogue begins with a dial.
    var stands: Bool

    var description: String { "\(cut), \(stands ? "on what stands" : "from the dial on")" }
}

/// A house with two links and one channel, an alarm away from the attack.
struct CutHouse {
    static let channels: [ChannelKind] = [.ntfy, .fcm, .ccs, .xmpp, .mail, .url, .webPush, .receiver]
    private static let names = [
        "topics", "fcm", "push", "chat", "mail", "url", "browsers", "receiver",
    ].map { $0 + ".test" }

    let channel: ChannelKind
    private let bench: Bench
    /// The longest dialogue that ends with an accepted alarm, from the dial on.
    private(set) var records = 0

    /// - Parameter standby: of the second link
    init(_ channel: ChannelKind, links: Int = 2, standby: StandbyPolicy = .hot) throws {
        self.channel = channel
        var configuration = try Self.configuration(channel)
        configuration.uplinks = Bench.twoLinks
        configuration.uplinks?.links[1].standby = standby
        configuration.uplinks?.links.removeLast(2 - links)
        var bench = Bench(configuration)
        bench.net.facts = Bench.interfaces
        bench.mail = MailServer(MailPeer(password: nil, startsEncrypted: false), at: MailServer.port)
        for name in Self.names { bench.net.names[name] = LinkCut.house }
        bench.start(configuration)
        bench.logIn()
        bench.advance(.minutes(2))
        try Self.furnish(channel, &bench)
        bench.advance(.minutes(1))
        self.bench = bench
        records = try #require(spanAndRecords(nil)).records
    }

    private static func configuration(_ channel: ChannelKind) throws -> Configuration {
        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        switch channel {
        case .ntfy: configuration.phones.channels = [.ntfy(NtfySettings(host: "topics.test"))]
        case .fcm:
            configuration = try Bench.fcmConfiguration(at: "fcm.test")
            configuration.phones.isLegacyEnabled = true
        case .ccs:
            configuration = Bench.phoneConfiguration { $0.isLegacyEnabled = true }
            configuration.phones.host = "push.test"
        case .xmpp:
            configuration = Bench.chatConfiguration()
            configuration.phones.channels = configuration.phones.channels.map { channel in
                guard case .xmpp(var settings) = channel else { return channel }
                settings.host = "chat.test"
                return .xmpp(settings)
            }
        case .mail:
            configuration.phones.channels = [
                .mail(
                    MailSettings(host: "mail.test", port: MailServer.port, security: .startTLS, from: "box@mail.test"))
            ]
            configuration.phones.house = [.init(kind: .mail, value: "anna@mail.test", triggers: [.alarm])]
        case .url:
            let url = "https://url.test:\(WebServer.port)/alarm"
            configuration.phones.channels = [.url(URLSettings(targets: [try URLTarget(url, method: .post)]))]
            configuration.phones.house = [.init(kind: .url, value: url, triggers: [.alarm])]
        case .webPush:
            configuration = Bench.phoneConfiguration {
                $0.channels.append(.webPush(WebPushChannelTests.settings(host: "browsers.test")))
            }
            configuration.phones.host = "push.test"
        case .receiver:
            var settings = ReceiverSettings(host: "receiver.test", port: ReceiverServer.port, account: "1234")
            settings.security = .tls(authorityFile: nil)
            configuration.phones.channels = [.receiver(settings)]
            configuration.phones.house = [
                .init(kind: .receiver, value: "1234", triggers: [.alarm], goesByOwnType: true)
            ]
        case .mqtt, .program, .beanstalk: Issue.record("not a channel of the table")
        }
        return configuration
    }

    private static func furnish(_ channel: ChannelKind, _ bench: inout Bench) throws {
        switch channel {
        case .ntfy:
            let paired = bench.pairStoreApp()
            try #require(paired != nil)
        case .xmpp: bench.pairChat()
        case .fcm, .ccs: bench.ask(.phones(.approve(token: PhonesLegacyTests.token, [.ping])), as: 60)
        // Its address is remembered once it has been needed.
        case .url: bench.panel("6011004", "6021004")
        case .webPush:
            var phone = try bench.pair()
            try WebPushChannelTests.subscribe(&phone, at: "browsers.test", &bench)
        case .mail, .receiver, .mqtt, .program, .beanstalk: break
        }
    }

    // MARK: The table

    var cells: [CutCell] {
        var cells: [CutCell] = []
        for interface in ["eth0", "wwan0"] {
            for harm in LinkCut.Harm.allCases where harm != .move && isPossible(harm) {
                // A lying name server is no matter of records: it changes no connection that stands.
                let passings = harm == .lie ? 0...0 : 0...records
                for passing in passings {
                    let cut = LinkCut(interface: interface, passing: passing, harm: harm)
                    if harm != .lie { cells.append(CutCell(cut: cut, stands: true)) }
                    cells.append(CutCell(cut: cut, stands: false))
                }
            }
        }
        return cells
    }

    /// A receiver refuses nothing for now, and FCM counts what a project sends, whatever address it comes from.
    private func isPossible(_ harm: LinkCut.Harm) -> Bool {
        switch (harm, channel) {
        case (.refuse, .receiver), (.tooMany, .receiver), (.tooMany, .fcm): false
        case _: true
        }
    }

    /// The cut is there, and the alarm not yet.
    func begun(_ cut: LinkCut?, stands: Bool) -> Bench {
        var bench = bench
        bench.net.dialogues.begin()
        bench.net.cut = cut
        bench.push.server.isCutOff = cut != nil
        if !stands { for connection in bench.net.dialogues.open { bench.feed(.closed(connection, .reset)) } }
        return bench
    }

    /// The longest time until an alarm was accepted, and the cells in which it was not in time.
    func outcome(of cells: [CutCell]) -> (slowest: Duration, failures: [String]) {
        var slowest = Duration.zero
        var failures: [String] = []
        for cell in cells {
            let span = spanUntilAccepted(cell)
            slowest = max(slowest, span ?? .zero)
            if span == nil { failures.append("\(cell)") }
        }
        return (slowest, failures)
    }

    /// nil: not within 45 s.
    func spanUntilAccepted(_ cell: CutCell?) -> Duration? { spanAndRecords(cell)?.span }

    private func spanAndRecords(_ cell: CutCell?) -> (span: Duration, records: Int)? {
        var bench = begun(cell?.cut, stands: cell?.stands ?? false)
        let before = bench.alarmRows
        bench.panel("6011003")
        let begin = bench.now.boot
        while bench.alarmRows == before || bench.core.deliveries.outbox.hasUntaken("601", by: channel) {
            guard bench.now.boot - begin < .seconds(45) else { return nil }
            bench.advance(.milliseconds(500))
        }
        return (bench.now.boot - begin, bench.net.dialogues.longest)
    }
}

extension Outbox {
    fileprivate func hasUntaken(_ code: String, by channel: ChannelKind) -> Bool {
        items.contains { $0.event.code == code && $0.channel == channel && $0.isToBeSent }
    }
}

extension Bench {
    fileprivate var alarmRows: Int { push.messages.count { $0.event.code == "601" } }

    /// Whatever the service is asked next it turns down; nil: no more.
    mutating func refuse(_ harm: LinkCut.Harm?) {
        let fault: PeerFault =
            switch harm {
            case .refuse: .failure(.max)
            case .tooMany: .tooMany(.max)
            case .reset, .finish, .swallow, .hold, .renumber, .lie, .move, nil: .off
            }
        let now = now
        _ = fcm.act(at: now) { $0.perform(fault, at: now, into: &$1) }
        _ = web.act(at: now) { $0.perform(fault, at: now, into: &$1) }
        _ = chat.act(at: now) { $0.perform(fault, at: now, into: &$1) }
        _ = mail.act(at: now) { $0.perform(fault, at: now, into: &$1) }
        let quota = NtfyStimulus.answer(.status(429, retryAfter: nil, code: 42908), times: .max, .publish)
        _ = topics.act(at: now) { machine, actions in
            guard harm == .tooMany else { return machine.perform(fault, at: now, into: &actions) }
            machine.perform(quota, at: now, into: &actions)
        }
        push.server.answer = harm == nil ? .ack : .nack("SERVICE_UNAVAILABLE")
    }
}
