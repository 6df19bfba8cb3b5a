import AlarmModel
import PhoneProtocol
import Simulators
import Testing

/// A Firefox at the simulated push service, and the desk from which is posted.
struct PushBrowserDesk {
    var desk = WebPushDesk()
    private(set) var actions: [HTTPServiceAction] = []

    init() { desk.service.settings.hash = { _ in [1, 2, 3] } }

    static let upgrade = [
        "GET / HTTP/1.1", "Host: push.test", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: push-notification",
        "Sec-WebSocket-Version: 13", "Origin: wss://push.test/",
    ]

    static func request(without field: String? = nil) -> [UInt8] {
        Array(upgrade.filter { field.map($0.hasPrefix) != true }.map { $0 + "\r\n" }.joined().utf8) + [13, 10]
    }

    static func hello(_ name: String = "") -> String {
        #"{"messageType":"hello","uaid":"\#(name)","broadcasts":{},"use_webpush":true}"#
    }

    static func register(_ channel: String = "c1", key: [UInt8] = WebPushDesk.key) -> String {
        #"{"messageType":"register","channelID":"\#(channel)","key":"\#(Base64URL.encode(key))="}"#
    }

    static func acknowledgement(_ version: Int) -> String {
        #"{"messageType":"ack","updates":[{"channelID":"c1","version":"\#(version)","code":100}]}"#
    }

    /// Connections of browsers have numbers from 1000 on.
    mutating func open(_ number: UInt64 = 1000, request: [UInt8] = PushBrowserDesk.request()) {
        step { $0.accepted(ConnectionID(number), at: $1, into: &$2) }
        hear(request, on: number)
    }

    mutating func hear(_ bytes: [UInt8], on number: UInt64 = 1000) {
        step { $0.received(ConnectionID(number), bytes, at: $1, into: &$2) }
    }

    mutating func say(_ text: String, on number: UInt64 = 1000) { hear(ClientFrame.text(text), on: number) }

    mutating func leave(_ number: UInt64 = 1000) { step { $0.closed(ConnectionID(number), at: $1, into: &$2) } }

    mutating func perform(_ stimulus: WebPushStimulus) { step { $0.perform(stimulus, at: $1, into: &$2) } }

    mutating func post(to endpoint: String) -> String {
        let answer = desk.post(to: String(endpoint.dropFirst("https://push.test".count)))
        actions += desk.actions
        return String(answer.dropFirst(9).prefix(3))
    }

    private mutating func step(_ body: (inout WebPushSimulator, Moment, inout [HTTPServiceAction]) -> Void) {
        body(&desk.service, desk.now, &actions)
    }

    /// The bytes that went to a browser, and forgets them.
    mutating func told(on number: UInt64 = 1000) -> [UInt8] {
        let found = actions.flatMap { action -> [UInt8] in
            if case .send(ConnectionID(number), let bytes) = action { bytes } else { [] }
        }
        actions.removeAll { if case .send(ConnectionID(number), _) = $0 { true } else { false } }
        return found
    }

    var hasClosed: Bool { actions.contains { if case .close = $0 { true } else { false } } }

    /// The texts that went to a browser.
    mutating func texts(on number: UInt64 = 1000) -> [JSON] {
        var bytes = told(on: number)
        var texts: [JSON] = []
        while bytes.first == 0x81 {
            let isLong = bytes[1] == 126
            let count = isLong ? Int(bytes[2]) << 8 | Int(bytes[3]) : Int(bytes[1])
            let start = isLong ? 4 : 2
            texts += (try? JSON(parsing: Array(bytes[start..<start + count]))).map { [$0] } ?? []
            bytes.removeFirst(start + count)
        }
        return texts
    }

    /// A browser that has come and subscribed; its endpoint.
    mutating func subscribed() -> String {
        open()
        say(Self.hello())
        say(Self.register())
        _ = told()
        return desk.service.endpoints.last ?? ""
    }
}

@Suite("Firefox at the simulated push service")
struct PushBrowserTests {
    @Test("it says hello, subscribes, gets what is posted, and acknowledges it; all as its maker's service does")
    func itGetsWhatIsPosted() throws {
        var browser = PushBrowserDesk()
        browser.open()
        let head = String(decoding: browser.told(), as: UTF8.self)
        #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"))
        #expect(head.contains("Sec-WebSocket-Accept: AQID\r\nSec-WebSocket-Protocol: push-notification\r\n"))
        browser.say(PushBrowserDesk.hello())
        let hello = try #require(browser.texts().first)
        #expect(hello["messageType"] == .string("hello") && hello["status"] == .integer(200))
        #expect(hello["use_webpush"] == .bool(true) && hello["uaid"]?.stringValue?.isEmpty == false)
        browser.say(PushBrowserDesk.register())
        let registered = try #require(browser.texts().first)
        let endpoint = try #require(registered["pushEndpoint"]?.stringValue)
        #expect(registered["channelID"] == .string("c1") && browser.desk.service.has(endpoint))
        #expect(browser.post(to: endpoint) == "201")
        let told = browser.texts()
        #expect(
            told == [
                PushServiceMessage.notification(channel: "c1", version: 1, body: WebPushDesk.body()).json
            ])
        #expect(told[0]["data"] == .string(Base64URL.encode(WebPushDesk.body())))
        #expect(browser.desk.service.records.map(\.acknowledged) == [nil])
        browser.say(PushBrowserDesk.acknowledgement(1))
        #expect(browser.desk.service.records.map(\.acknowledged) == [browser.desk.now.boot])
        browser.say("{}")
        #expect(browser.texts() == [.object([])])
    }

    @Test("what is not acknowledged comes again after the next hello, what is does not; an older connection ends")
    func whatIsNotAcknowledgedComesAgain() throws {
        var browser = PushBrowserDesk()
        browser.open()
        browser.say(PushBrowserDesk.hello("fox"))
        browser.say(PushBrowserDesk.register())
        let endpoint = try #require(browser.desk.service.endpoints.last)
        _ = browser.post(to: endpoint)
        browser.say(PushBrowserDesk.acknowledgement(1))
        _ = browser.post(to: endpoint)
        browser.leave()
        _ = browser.post(to: endpoint)
        browser.open(1001)
        browser.say(PushBrowserDesk.hello("fox"), on: 1001)
        #expect(!browser.told(on: 1001).isEmpty)
        browser.open(1002)
        #expect(!browser.hasClosed)
        browser.say(PushBrowserDesk.hello("fox"), on: 1002)
        #expect(browser.hasClosed)
        browser.open(1003)
        _ = browser.told(on: 1003)
        browser.say(PushBrowserDesk.hello("fox"), on: 1003)
        #expect(browser.texts(on: 1003).compactMap { $0["version"]?.stringValue } == ["2", "3"])
        browser.open(1004)
        _ = browser.told(on: 1004)
        browser.say(PushBrowserDesk.hello("another"), on: 1004)
        #expect(browser.texts(on: 1004).count == 1, "others get nothing of it")
    }

    @Test(
        "a subscription that it gives up is 410, one that it makes twice is the same, and its key is held against posts"
    )
    func aSubscriptionThatItGivesUpIs410() throws {
        var browser = PushBrowserDesk()
        let endpoint = browser.subscribed()
        browser.say(PushBrowserDesk.register())
        #expect(browser.desk.service.endpoints.filter { $0 == endpoint }.count == 1)
        #expect(browser.desk.service.endpoints.last == endpoint)
        browser.say(PushBrowserDesk.register("c2", key: WebPushDesk.other))
        let other = try #require(browser.desk.service.endpoints.last)
        #expect(other != endpoint && browser.post(to: other) == "403")
        browser.say(#"{"messageType":"unregister","channelID":"c1","code":200}"#)
        #expect(browser.post(to: endpoint) == "410")
        browser.say(PushBrowserDesk.register())
        #expect(browser.desk.service.endpoints.last != endpoint)
    }

    @Test("what is no message of its protocol, and a subscription before hello, end the connection")
    func whatIsNoMessageEndsTheConnection() {
        let wrong = [
            "[]", "no JSON", #"{"messageType":7}"#, #"{"messageType":"register","key":"AAAA"}"#,
            #"{"messageType":"register","channelID":"c1","key":"AAAA"}"#, PushBrowserDesk.register(),
        ]
        for text in wrong {
            var browser = PushBrowserDesk()
            browser.open()
            browser.say(text)
            #expect(browser.hasClosed, "\(text)")
        }
        var browser = PushBrowserDesk()
        browser.open()
        browser.say(#"{"messageType":"broadcast_subscribe","broadcasts":{}}"#)
        #expect(!browser.hasClosed)
        browser.hear([0x81, 0x01, 0x61])
        #expect(browser.told().suffix(4) == [0x88, 2, 3, 234] && browser.hasClosed)
    }

    @Test("the conversation is the same wherever its bytes are split, the request among them")
    func theConversationIsTheSameWhereverItIsSplit() {
        let bytes =
            PushBrowserDesk.request() + ClientFrame.text(PushBrowserDesk.hello("fox"))
            + ClientFrame.text(PushBrowserDesk.register()) + ClientFrame.bytes(9, [5])
        var whole = PushBrowserDesk()
        whole.open(request: bytes)
        let expected = whole.told()
        #expect(expected.suffix(3) == [0x8A, 1, 5])
        for place in bytes.indices {
            var browser = PushBrowserDesk()
            browser.open(request: Array(bytes[..<place]))
            browser.hear(Array(bytes[place...]))
            #expect(browser.told() == expected, "split at \(place)")
        }
    }

    @Test("a request that is none for a WebSocket gets no WebSocket; without the hash no browser is served")
    func aRequestThatIsNoneGetsNoWebSocket() {
        for field in ["Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"] {
            var browser = PushBrowserDesk()
            browser.open(request: PushBrowserDesk.request(without: field))
            #expect(browser.told().starts(with: Array("HTTP/1.1 404".utf8)), "\(field)")
        }
        var browser = PushBrowserDesk()
        browser.desk.service.settings.hash = nil
        browser.open()
        #expect(browser.told().starts(with: Array("HTTP/1.1 404".utf8)))
    }

    @Test("a silent service hands over when it speaks again, one that repeats hands over twice, verbs say which")
    func verbsSayWhatTheServiceDoes() throws {
        var browser = PushBrowserDesk()
        let endpoint = browser.subscribed()
        func stimuli(_ line: String, _ browser: PushBrowserDesk) throws -> [WebPushStimulus] {
            try WebPushScript.parse(line, endpoints: browser.desk.service.endpoints)
        }
        for stimulus in try stimuli("silent on", browser) { browser.perform(stimulus) }
        #expect(browser.post(to: endpoint) == "201")
        #expect(browser.texts().isEmpty)
        for stimulus in try stimuli("silent off", browser) { browser.perform(stimulus) }
        #expect(browser.texts().count == 1)
        for stimulus in try stimuli("repeats 1", browser) { browser.perform(stimulus) }
        _ = browser.post(to: endpoint)
        #expect(browser.texts().count == 2)
        for stimulus in try stimuli("status 503", browser) { browser.perform(stimulus) }
        #expect(browser.post(to: endpoint) == "503" && browser.post(to: endpoint) == "201")
        for stimulus in try stimuli("end", browser) { browser.perform(stimulus) }
        #expect(browser.post(to: endpoint) == "410" && browser.desk.service.endpoints.isEmpty)
        #expect(browser.desk.service.truth["pushes"]?.arrayValue?.count == 3)
        #expect(try stimuli("close-all", browser) == [.closeAll] && stimuli("faults off", browser) == [.faultsOff])
        #expect(throws: ScriptError.self) { try stimuli("explode", browser) }
        #expect(throws: ScriptError.self) { try stimuli("end now", browser) }
    }
}
