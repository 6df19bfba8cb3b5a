import AlarmModel
import PhoneProtocol
import Simulators
import Testing

/// A subscription at the simulated push service of a browser, and who writes to it by hand.
struct WebPushDesk {
    static let key = [4] + [UInt8](repeating: 7, count: 64)
    static let other = [4] + [UInt8](repeating: 8, count: 64)
    var service: WebPushSimulator
    let endpoint: String
    var now = Moment(boot: .zero + .seconds(100), wall: WallTime(milliseconds: 1_795_262_400_000), isWallTrusted: true)
    private(set) var actions: [HTTPServiceAction] = []
    private var connection: UInt64 = 0

    /// A signature is right here when its last byte is 1.
    init() {
        service = WebPushSimulator(settings: WebPushServerSettings { $1.last == 1 && $2 == Self.key }, seed: 1)
        endpoint = service.subscribe(for: Self.key)
    }

    /// Encrypted in form: salt, record size, a key, and what nobody here reads.
    static func body(_ count: Int = 2700, recordSize: UInt16 = 4096, key: UInt8 = 4) -> [UInt8] {
        let size = [0, 0, UInt8(recordSize >> 8), UInt8(recordSize & 255)]
        let head = [UInt8](repeating: 9, count: 16) + size + [65, key] + [UInt8](repeating: 5, count: 64)
        return head + [UInt8](repeating: 0x78, count: max(0, count - head.count))
    }

    func token(
        audience: String = "https://push.test", lasting: Int64 = 43_200, algorithm: String = "ES256",
        contact: String = "mailto:anna@example.org", signature: UInt8 = 1
    ) -> String {
        let header = JSON.object(["typ": .string("JWT"), "alg": .string(algorithm)])
        let claims = JSON.object([
            "aud": .string(audience), "exp": .integer(now.wall.seconds + lasting), "sub": .string(contact),
        ])
        let parts = [header.utf8, claims.utf8, [UInt8](repeating: signature, count: 64)]
        return parts.map { Base64URL.encode($0) }.joined(separator: ".")
    }

    func sender(_ token: String? = nil, key: [UInt8] = WebPushDesk.key) -> String {
        "vapid t=\(token ?? self.token()), k=\(Base64URL.encode(key))"
    }

    /// The head of the answer; empty: there is none.
    mutating func post(
        _ body: [UInt8] = WebPushDesk.body(), to path: String? = nil, _ changed: [String: String?] = [:],
        method: String = "POST"
    ) -> String {
        connection += 1
        let id = ConnectionID(connection)
        var fields: [String: String?] = [
            "TTL": "60", "Content-Encoding": "aes128gcm", "Urgency": "high", "Authorization": sender(),
            "Content-Length": "\(body.count)",
        ]
        fields.merge(changed) { $1 }
        let place = path ?? String(endpoint.dropFirst("https://push.test".count))
        let head = fields.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }.sorted().joined()
        actions = []
        service.accepted(id, at: now, into: &actions)
        service.received(
            id, Array("\(method) \(place) HTTP/1.1\r\nHost: push.test\r\n\(head)\r\n".utf8) + body, at: now,
            into: &actions)
        return said(on: id)
    }

    private func said(on id: ConnectionID) -> String {
        actions.reduce("") { text, action in
            if case .send(id, let bytes) = action { text + String(decoding: bytes, as: UTF8.self) } else { text }
        }
    }

    mutating func perform(_ stimulus: WebPushStimulus) {
        actions = []
        service.perform(stimulus, at: now, into: &actions)
    }

    /// What the clock brings, on the newest connection.
    mutating func wait(_ span: Duration) -> String {
        now = Moment(boot: now.boot + span, wall: now.wall + span, isWallTrusted: true)
        actions = []
        service.timerFired(at: now, into: &actions)
        return said(on: ConnectionID(connection))
    }

    mutating func collected() -> [[UInt8]] { service.collect(endpoint, at: now).map(\.body) }
}

@Suite("The simulated push service of a browser")
struct WebPushServiceTests {
    private static func status(_ answer: String) -> String { String(answer.dropFirst(9).prefix(3)) }

    @Test("what keeps to the documents is taken, named, and kept in order for the phone")
    func whatKeepsToTheDocumentsIsTaken() {
        var desk = WebPushDesk()
        let answer = desk.post()
        #expect(answer.hasPrefix("HTTP/1.1 201 Created\r\nLocation: https://push.test/m/1\r\nTTL: 60\r\n"))
        #expect(answer.contains("\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n"))
        _ = desk.post(WebPushDesk.body(300))
        #expect(desk.service.takeArrivals().map(\.address) == [desk.endpoint, desk.endpoint])
        #expect(desk.service.takeArrivals() == [])
        #expect(desk.collected().map(\.count) == [2700, 300])
        #expect(desk.collected() == [])
    }

    static let refused: [(String, [String: String?], [UInt8])] = [
        ("400", ["TTL": nil], WebPushDesk.body()), ("400", ["TTL": "-1"], WebPushDesk.body()),
        ("400", ["TTL": "soon"], WebPushDesk.body()),
        ("400", ["Urgency": "highest"], WebPushDesk.body()), ("400", ["Topic": "a b"], WebPushDesk.body()),
        ("400", ["Topic": String(repeating: "x", count: 33)], WebPushDesk.body()),
        ("400", ["Content-Encoding": nil], WebPushDesk.body()),
        ("400", ["Content-Encoding": "aesgcm"], WebPushDesk.body()),
        ("400", [:], WebPushDesk.body(102)), ("400", [:], WebPushDesk.body(2700, recordSize: 2000)),
        ("400", [:], WebPushDesk.body(2700, key: 2)), ("413", [:], WebPushDesk.body(4097)),
        ("401", ["Authorization": nil], WebPushDesk.body()),
        ("401", ["Authorization": "Bearer x"], WebPushDesk.body()),
        ("401", ["Authorization": "vapid k=\(Base64URL.encode(WebPushDesk.key))"], WebPushDesk.body()),
    ]

    @Test("what does not is refused, and nothing is kept")
    func whatDoesNotIsRefused() {
        for (status, changed, body) in Self.refused {
            var desk = WebPushDesk()
            let answer = desk.post(body, changed)
            #expect(Self.status(answer) == status, "\(changed), \(body.count) bytes: \(answer)")
            #expect(desk.collected().isEmpty && desk.service.refusals.count == 1)
        }
    }

    @Test("a body of 4096 bytes, a TTL of 0 and a topic of one letter are as good as others")
    func aBodyOf4096BytesIsTaken() {
        var desk = WebPushDesk()
        #expect(Self.status(desk.post(WebPushDesk.body(4096), ["TTL": "0", "Topic": "a", "Urgency": nil])) == "201")
        #expect(desk.collected().count == 1)
    }

    @Test("a sender counts by the subscription's own key, a token for this service, not over and not for days")
    func aSenderCountsByTheSubscriptionsOwnKey() {
        var desk = WebPushDesk()
        let senders = [
            desk.sender(key: WebPushDesk.other), desk.sender(desk.token(audience: "https://push.example")),
            desk.sender(desk.token(lasting: 0)), desk.sender(desk.token(lasting: 86_401)),
            desk.sender(desk.token(algorithm: "none")), desk.sender(desk.token(contact: "tel:1")),
            desk.sender(desk.token(signature: 2)), desk.sender("x.y"),
        ]
        for sender in senders { #expect(Self.status(desk.post([:].merged(sender))) == "403", "\(sender)") }
        #expect(Self.status(desk.post([:].merged(desk.sender(desk.token(lasting: 86_400))))) == "201")
        let anybodys = desk.service.subscribe(for: nil)
        let path = String(anybodys.dropFirst("https://push.test".count))
        #expect(Self.status(desk.post(to: path, ["Authorization": nil])) == "201")
    }

    @Test("a subscription that has ended is 410, one that is not known 404, and what waited is gone")
    func aSubscriptionThatHasEndedIs410() {
        var desk = WebPushDesk()
        _ = desk.post()
        desk.perform(.end(endpoint: desk.endpoint))
        #expect(Self.status(desk.post()) == "410")
        #expect(!desk.service.has(desk.endpoint) && desk.collected() == [])
        desk.perform(.forget(endpoint: desk.endpoint))
        #expect(Self.status(desk.post()) == "404")
        #expect(Self.status(desk.post(to: "/")) == "404")
        let again = desk.service.subscribe(for: WebPushDesk.key)
        #expect(again != desk.endpoint && desk.service.has(again))
        let path = String(again.dropFirst("https://push.test".count))
        #expect(Self.status(desk.post(to: path, method: "GET")) == "405")
    }

    @Test("what has outlived its time is not handed over, and a newer message takes the place of one on its topic")
    func whatHasOutlivedItsTimeIsNotHandedOver() {
        var desk = WebPushDesk()
        _ = desk.post(WebPushDesk.body(200), ["TTL": "10"])
        _ = desk.post(WebPushDesk.body(300), ["TTL": "20", "Topic": "state"])
        _ = desk.post(WebPushDesk.body(400), ["TTL": "20"])
        _ = desk.post(WebPushDesk.body(500), ["TTL": "20", "Topic": "state"])
        _ = desk.wait(.seconds(15))
        #expect(desk.collected().map(\.count) == [400, 500])
        _ = desk.post(WebPushDesk.body(600), ["TTL": "0"])
        _ = desk.wait(.seconds(1))
        #expect(desk.collected() == [])
    }

    @Test("faults come so often and then no more: what it says, what it takes, and what it hands over")
    func faultsComeSoOften() {
        var desk = WebPushDesk()
        desk.perform(.answer(.status(429, retryAfter: 7), times: 2))
        #expect(desk.post().contains("429 Too Many Requests\r\nRetry-After: 7\r\n"))
        #expect(Self.status(desk.post()) == "429")
        #expect(Self.status(desk.post()) == "201")
        #expect(desk.collected().count == 1)
        desk.perform(.answer(.loses, times: 1))
        #expect(Self.status(desk.post()) == "201")
        #expect(desk.collected() == [])
        desk.perform(.answer(.noAnswer, times: 1))
        #expect(desk.post() == "")
        #expect(desk.collected().count == 1)
        desk.perform(.answer(.earlyClose, times: 1))
        #expect(desk.post() == "HTTP/1.1 201 Created")
        #expect(desk.actions.contains { if case .close = $0 { true } else { false } })
        desk.perform(.answer(.garbage, times: 1))
        #expect(!desk.post().hasPrefix("HTTP"))
        desk.perform(.quota(1))
        #expect([desk.post(), desk.post()].map(Self.status) == ["201", "429"])
        desk.perform(.faultsOff)
        #expect(Self.status(desk.post()) == "201")
    }

    @Test("a silent service keeps what it has, a slow one answers later, one that repeats hands over twice")
    func aSilentServiceKeepsWhatItHas() {
        var desk = WebPushDesk()
        desk.perform(.silent(true))
        #expect(Self.status(desk.post()) == "201")
        #expect(desk.collected() == [])
        desk.perform(.silent(false))
        desk.perform(.repeats(1))
        #expect(desk.collected().count == 2)
        desk.perform(.delay(.seconds(4)))
        #expect(desk.post() == "" && desk.service.nextDeadline != nil)
        #expect(Self.status(desk.wait(.seconds(4))) == "201")
        desk.perform(.blackHole(true))
        #expect(desk.post() == "")
        desk.perform(.faultsOff)
        #expect(Self.status(desk.post()) == "201")
    }
}

extension [String: String?] {
    /// From this sender.
    fileprivate func merged(_ sender: String) -> [String: String?] { merging(["Authorization": sender]) { $1 } }
}

extension WebPushDesk {
    fileprivate mutating func post(_ changed: [String: String?]) -> String { post(Self.body(), to: nil, changed) }
}
