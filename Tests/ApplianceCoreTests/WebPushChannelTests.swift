import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Platform
import Simulators
import Testing

/// A key that is there from the beginning.
struct KeptPushKey: PushKeyStorage {
    private static let stored = OpenSSLSigner.generateP256()?.stored
    func load() -> [UInt8]? { Self.stored }
    func save(_ key: [UInt8]) {}
}

/// A phone that has another way and runs the web app, whose browser takes pushes.
@Suite("Browsers' pushes beside another way")
struct WebPushChannelTests {
    private static let keys = OpenSSLSigner.generateP256()
    private static let secret = Base64URL.encode([UInt8](repeating: 3, count: 16))

    private static func subscription(_ endpoint: String = "https://192.0.2.9:\(WebServer.port)/push/1") -> String {
        let point = Base64URL.encode(keys?.publicKey ?? [])
        return #"{"endpoint":"\#(endpoint)","p256dh":"\#(point)","auth":"\#(secret)"}"#
    }

    private static func paired() throws -> (Bench, TestPhone) {
        try Bench.paired { $0.channels.append(.webPush(settings(host: "192.0.2.9"))) }
    }

    /// - Parameter host: plays the push service
    static func settings(host: String) -> WebPushSettings {
        var settings = WebPushSettings(contact: "mailto:anna@example.org")
        settings.laboratory = [.init(host: host, port: WebServer.port)]
        return settings
    }

    private static func tell(_ subscription: String, _ bench: inout Bench, _ phone: inout TestPhone) throws {
        try bench.command(&phone, "addr", ["k": "6", "v": Base64URL.encode(Array(subscription.utf8))])
        bench.advance(.seconds(3))
    }

    /// What was encrypted for the browser, in order.
    private static func pushes(_ bench: Bench) throws -> [JSON] {
        try bench.history.compactMap { effect in
            guard case .compute(_, .sealPush(let content, _, _, _)) = effect else { return nil }
            return try JSON(parsing: content)
        }
    }

    private static func last(_ bench: Bench) throws -> JSON {
        let all = try pushes(bench)
        return try #require(all.last)
    }

    private static func opened(_ push: JSON, _ phone: TestPhone) throws -> BoxMessage {
        let text = try #require(push["ha2"]?.stringValue)
        return try phone.channel.open(try Base64URL.decode(text), TestPhone.crypto)
    }

    /// With a subscription that is in use.
    private static func subscribed() throws -> (Bench, TestPhone) {
        var (bench, phone) = try paired()
        try subscribe(&phone, at: "192.0.2.9", &bench)
        return (bench, phone)
    }

    /// The browser of a paired phone takes pushes from now on.
    static func subscribe(_ phone: inout TestPhone, at host: String, _ bench: inout Bench) throws {
        try tell(subscription("https://\(host):\(WebServer.port)/push/1"), &bench, &phone)
        let probe = try opened(try last(bench), phone)
        let nonce = try #require(probe.content["nonce"]?.stringValue)
        bench.request(phone, "got", ["n": nonce])
        bench.advance(.seconds(3))
    }

    @Test("an answer names the key, too: a phone may have been paired before there was one")
    func anAnswerNamesTheKeyToo() throws {
        var (bench, phone) = try Self.paired()
        let welcome = try #require(bench.heard(phone).first { $0.kind == .welcome })
        let mark = bench.push.server.pushes.count
        bench.request(phone, "ping")
        let status = try #require(bench.heard(phone, since: mark).last { $0.kind == .status })
        #expect(status.content["vapid"] != nil && status.content["vapid"] == welcome.content["vapid"])
    }

    @Test("the welcome names the key to subscribe with, and only where there is one")
    func theWelcomeNamesTheKeyToSubscribeWith() throws {
        let (bench, phone) = try Self.paired()
        let welcome = try #require(bench.heard(phone).first { $0.kind == .welcome })
        let stored = try #require(KeptPushKey().load())
        let point = try #require(OpenSSLSigner(p256Stored: stored)).publicKey
        #expect(welcome.content["vapid"] == .string(Base64URL.encode(point)))
        let (other, otherPhone) = try Bench.paired()
        let plain = try #require(other.heard(otherPhone).first { $0.kind == .welcome })
        #expect(plain.content["vapid"] == nil)
    }

    @Test("a new subscription is tried with a notice in words and counts once the phone has answered; both ways stay")
    func aNewSubscriptionIsTriedWithANotice() throws {
        var (bench, phone) = try Self.paired()
        bench.advance(.hours(1))
        #expect(try Self.pushes(bench).isEmpty)
        try Self.tell(Self.subscription(), &bench, &phone)
        #expect(bench.lastWord(phone) == "ok")
        let probe = try Self.last(bench)
        #expect(probe["notification"]?["title"]?.stringValue == "Mill: notifications are on")
        #expect(bench.web.requests.first?.line == "POST /push/1 HTTP/1.1")
        var count = try Self.pushes(bench).count
        bench.panel("6011003")
        bench.advance(.seconds(3))
        #expect(try Self.pushes(bench).count == count)
        let sealedProbe = try Self.opened(probe, phone)
        let nonce = try #require(sealedProbe.content["nonce"]?.stringValue)
        bench.request(phone, "got", ["n": nonce])
        bench.advance(.seconds(3))
        let states = try #require(bench.push.book?.phones.first?.addresses.map(\.state))
        #expect(states == [.inUse, .inUse])
        count = try Self.pushes(bench).count
        let mark = bench.push.server.pushes.count
        bench.panel("6011003")
        bench.advance(.seconds(2))
        let more = try Self.pushes(bench).dropFirst(count)
        let push = try #require(more.first)
        #expect(push["notification"]?["title"]?.stringValue?.contains("Kitchen window") == true)
        let sealed = try Self.opened(push, phone)
        #expect(sealed.kind == .event && sealed.content["zn"] == .string("Kitchen window"))
        let byOther = bench.eventsHeard(phone, since: mark).map { $0["seq"] }
        #expect(byOther.contains(sealed.content["seq"]))
    }

    @Test("a push counts as arrived when the app has said so, and is sent again until then")
    func aPushCountsAsArrivedWhenTheAppHasSaidSo() throws {
        var (bench, phone) = try Self.subscribed()
        let count = try Self.pushes(bench).count
        bench.panel("6011003")
        bench.advance(.seconds(20))
        #expect(try Self.pushes(bench).count == count + 1)
        bench.advance(.minutes(2))
        #expect(try Self.pushes(bench).count > count + 1)
        let event = try Self.opened(try Self.last(bench), phone)
        let seq = try #require(event.content["seq"]?.stringValue)
        bench.request(phone, "got", ["log": "00000000", "seq": seq])
        bench.advance(.seconds(5))
        let after = try Self.pushes(bench).count
        bench.advance(.minutes(30))
        #expect(try Self.pushes(bench).count == after)
    }

    @Test("answers and signs of life never come as a push: each would be a notice")
    func answersAndSignsOfLifeNeverComeAsAPush() throws {
        var (bench, phone) = try Self.subscribed()
        let count = try Self.pushes(bench).count
        bench.request(phone, "snapshot")
        bench.request(phone, "sync", ["after": "0"])
        try bench.command(&phone, "arm", ["p": "1"])
        bench.advance(.hours(2))
        let more = try Self.pushes(bench).dropFirst(count).map { try Self.opened($0, phone).kind }
        #expect(more.allSatisfy { $0 == .event })
        #expect(bench.heard(phone).contains { $0.kind == .status && $0.rid == nil })
    }

    @Test("a duress event is an ordinary notice of the same size, for its contacts alone")
    func aDuressEventIsAnOrdinaryNotice() throws {
        var (bench, phone) = try Self.subscribed()
        var count = try Self.pushes(bench).count
        bench.panel("6200000")
        bench.advance(.seconds(3))
        #expect(try Self.pushes(bench).count == count)
        bench.ask(.people(.set(name: "Anna", PersonChange(isDuressContact: true))), as: 90)
        bench.advance(.seconds(3))
        count = try Self.pushes(bench).count
        bench.panel("6200000")
        bench.advance(.seconds(3))
        let more = try Self.pushes(bench).dropFirst(count)
        let push = try #require(more.first)
        #expect(push["notification"]?["title"]?.stringValue == "Mill: notice")
        #expect(!push.text.lowercased().contains("duress"))
        #expect(try Self.opened(push, phone).kind == .event)
        let sizes = bench.history.compactMap { effect -> Int? in
            if case .compute(_, .sealPush(_, _, _, let size)) = effect { size } else { nil }
        }
        #expect(Set(sizes) == [2700])
    }

    @Test("a place that is no push service's, or no subscription, is refused and never written to")
    func aPlaceThatIsNoPushServicesIsRefused() throws {
        var (bench, phone) = try Self.paired()
        for text in [
            Self.subscription("https://192.0.2.9:8443/x"), Self.subscription("https://example.org/x"), "{}", "x",
        ] {
            try Self.tell(text, &bench, &phone)
            #expect(bench.lastWord(phone) == "denied request", "\(text)")
        }
        #expect(bench.web.connections.isEmpty)
        #expect(bench.push.book?.phones.first?.addresses.count == 1)
    }

    @Test("a subscription that is gone is told to the others, and the phone's other way goes on")
    func aSubscriptionThatIsGoneIsTold() throws {
        var (bench, phone) = try Self.subscribed()
        bench.web.machine.status = 410
        bench.panel("6011003")
        bench.advance(.seconds(5))
        #expect(bench.messages(.phoneLost).count == 1)
        #expect(bench.messages(.phoneLost).first?.contains("gets no push any more") == true)
        let count = try Self.pushes(bench).count
        let mark = bench.push.server.pushes.count
        bench.panel("6011003")
        bench.advance(.seconds(5))
        #expect(try Self.pushes(bench).count == count)
        #expect(!bench.eventsHeard(phone, since: mark).isEmpty)
        #expect(try Self.pushState(&bench, phone) == "gone")
        // It subscribes again, at the same place: services err.
        bench.web.machine.status = 201
        try Self.tell(Self.subscription(), &bench, &phone)
        #expect(try Self.opened(try Self.last(bench), phone).kind == .probe)
        #expect(try Self.pushState(&bench, phone) == nil)
        bench.web.machine.status = 410
        bench.advance(.minutes(1))
        #expect(try Self.pushState(&bench, phone) == "gone")
        // While another one is tried it is not told: the app would subscribe for ever.
        bench.web.machine.status = 201
        try Self.tell(Self.subscription("https://192.0.2.9:\(WebServer.port)/push/2"), &bench, &phone)
        #expect(try Self.pushState(&bench, phone) == nil)
    }

    /// What the answer to a phone's question says of its subscription.
    private static func pushState(_ bench: inout Bench, _ phone: TestPhone) throws -> String? {
        bench.request(phone, "snapshot")
        bench.advance(.seconds(3))
        let status = try #require(bench.heard(phone).last { $0.kind == .status })
        return status.content["push"]?.stringValue
    }

    @Test("a newer subscription takes the place of the older one, and of nothing else")
    func aNewerSubscriptionTakesThePlaceOfTheOlderOne() throws {
        var (bench, phone) = try Self.subscribed()
        try Self.tell(
            Self.subscription("https://192.0.2.9:\(WebServer.port)/push/2"), &bench, &phone)
        let probe = try Self.opened(try Self.last(bench), phone)
        let nonce = try #require(probe.content["nonce"]?.stringValue)
        bench.request(phone, "got", ["n": nonce])
        bench.advance(.seconds(3))
        #expect(try Self.pushState(&bench, phone) == nil)
        let addresses = try #require(bench.push.book?.phones.first?.addresses)
        #expect(addresses.filter { $0.state == .inUse }.map(\.kind) == [.fcmToken, .webPush])
        let retiring = addresses.filter { if case .retiring = $0.state { true } else { false } }
        #expect(retiring.map(\.value) == [Self.subscription()])
    }
}
