import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators
import Testing

/// A mail server without encryption and login, as the core's tests look at it.
typealias MailServer = Served<MailPeer>

extension MailServer {
    static var port: UInt16 { 2525 }

    init() { self.init(MailPeer(password: nil, startsEncrypted: true), at: Self.port) }

    /// To whom each mail that it took was sent.
    var taken: [String] { arrivals.map(\.arrival.address) }
}

@Suite("What is told of refused messages, and when it is over")
struct RefusedMessageTests {
    private static let anna = "anna@mail.test"
    private static let ben = "ben@mail.test"

    /// Mail to these, and nothing else.
    private static func bench(_ recipients: [String]) -> Bench {
        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = [
            .mail(
                MailSettings(host: "192.0.2.12", port: MailServer.port, security: .plain, from: "box@mail.test"))
        ]
        configuration.phones.house = recipients.map {
            .init(kind: .mail, value: $0, triggers: [.alarm, .fault, .recovery])
        }
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        return bench
    }

    @Test("a mail address of the configuration that is refused is told and kept; its alarm arrives when it is mended")
    func aMailAddressOfTheConfigurationThatIsRefusedIsToldAndKept() {
        var bench = Self.bench([Self.anna])
        bench.mail.machine.toRecipients = [Self.anna: "550 5.1.1 nobody here"]
        bench.panel("6011003")
        bench.advance(.seconds(1))
        #expect(bench.mail.taken.isEmpty)
        #expect(bench.messages(.pushOffline).count == 1)
        #expect(bench.messages(.pushOffline).first?.hasPrefix("Messages for mail \(Self.anna) are refused:") == true)
        #expect(bench.push.messages.first { $0.event.code == "601" }?.state == .waiting)
        bench.mail.machine.toRecipients = [:]
        bench.advance(.minutes(6))
        #expect(bench.mail.taken.contains(Self.anna))
        #expect(bench.push.messages.first { $0.event.code == "601" }?.state == .accepted)
        #expect(bench.messages(.pushOnline) == ["Messages for mail \(Self.anna) are taken again."])
        let count = bench.mail.taken.count
        bench.panel("6011004")
        bench.advance(.seconds(1))
        #expect(bench.mail.taken.count > count)
    }

    @Test("one recipient that is refused holds up no other, and its refusals do not feed themselves")
    func oneRecipientThatIsRefusedHoldsUpNoOther() {
        for reply in ["550 5.1.1 nobody here", "550 5.7.1 not for you", "554 relay access denied"] {
            var bench = Self.bench([Self.anna, Self.ben])
            bench.mail.machine.toRecipients = [Self.anna: reply]
            bench.panel("6011003")
            bench.advance(.seconds(1))
            #expect(bench.mail.taken.contains(Self.ben), "\(reply)")
            bench.panel("800")
            bench.advance(.hours(2))
            #expect(bench.messages(.pushOffline).count == 1, "\(reply)")
            #expect(bench.messages(.pushOnline).isEmpty, "\(reply)")
            #expect(bench.mail.machine.asked < 60, "\(reply): \(bench.mail.machine.asked)")
        }
    }

    @Test("a sender that is refused is told once, in whatever words; a login alone is no recovery")
    func aSenderThatIsRefusedIsToldOnce() {
        var bench = Self.bench([Self.anna])
        bench.mail.machine.toSender = "550 5.7.60 not your address"
        bench.panel("6011003")
        bench.advance(.hours(3))
        #expect(bench.mail.machine.asked > 3)
        #expect(bench.messages(.pushOffline).count == 1)
        #expect(bench.messages(.pushOnline).isEmpty)
        bench.mail.machine.toSender = nil
        bench.advance(.hours(1))
        #expect(bench.mail.taken.contains(Self.anna))
        #expect(bench.messages(.pushOnline).count == 1)
    }

    @Test("a topic that is closed to the box is told once, while another is open; its alarm waits for the key")
    func aTopicThatIsClosedToTheBoxIsToldOnce() throws {
        var bench = Bench.withTopics()
        let first = bench.pairStoreApp("Annas iPhone", person: "Anna")
        let second = bench.pairStoreApp("Bens Pixel", person: "Ben")
        _ = try #require(first)
        let ben = try #require(second)
        let name = try #require(ben.value.split(separator: "/").last)
        let topic = String(name)
        bench.topics.forbidden = [topic]
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let told = bench.messages(.pushOffline)
        #expect(told.count == 1 && told.first?.hasPrefix("Messages for Ben (Bens Pixel) are refused:") == true)
        bench.panel("800")
        bench.advance(.minutes(30))
        #expect(bench.messages(.pushOffline).count == 1)
        #expect(bench.messages(.pushOnline).isEmpty)
        #expect(!bench.topics.published.contains { $0.topic == topic && $0.title.contains("ALARM") })
        bench.topics.forbidden = []
        bench.advance(.minutes(6))
        #expect(bench.topics.published.contains { $0.topic == topic && $0.title.contains("ALARM") })
        #expect(bench.messages(.pushOnline) == ["Messages for Ben (Bens Pixel) are taken again."])
    }

    @Test("a topic that is closed to the box ends the pairing, which says why")
    func aTopicThatIsClosedToTheBoxEndsThePairing() {
        var bench = Bench.withTopics()
        bench.topics.answer(403)
        let contact = bench.pairStoreApp()
        #expect(contact == nil)
        let isTold = bench.replies.contains { entry in
            guard case .pairing(.ended(let why)) = entry.reply else { return false }
            return why.contains("write access")
        }
        #expect(isTold)
        #expect(bench.messages(.pushOffline).isEmpty)
    }

    @Test("an alarm that meets a topic server without its pages, or with another token, waits for it")
    func anAlarmThatMeetsATopicServerWithoutItsPages() throws {
        for status in [401, 404, 408] {
            var bench = Bench.withTopics()
            let paired = bench.pairStoreApp()
            _ = try #require(paired)
            bench.topics.answer(status)
            bench.panel("6011003")
            bench.advance(.seconds(1))
            #expect(bench.push.messages.last { $0.event.code == "601" }?.state == .waiting, "\(status)")
            bench.topics.answer(200)
            bench.advance(.minutes(6))
            #expect(bench.topics.published.contains { $0.title.contains("ALARM") }, "\(status)")
            #expect(bench.messages(.pushOffline).count == bench.messages(.pushOnline).count, "\(status)")
        }
    }
}
