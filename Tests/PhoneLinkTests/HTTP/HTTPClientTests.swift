import AlarmModel
import PhoneLink
import Testing

@Suite("A client of one web server")
struct HTTPClientTests {
    static let origin = HTTPOrigin(host: "push.example", port: 443, security: .tls(authorityFile: nil))
    static let get = HTTPRequest(.get, "/a")
    static let post = HTTPRequest(.post, "/b", body: Array("{}".utf8))
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    /// A client, its clock, and what it ordered and told since the last look.
    struct Rig {
        var client: HTTPClient
        var seconds: Int64 = 1000
        var actions: [HTTPAction] = []

        init(_ settings: HTTPClientSettings = HTTPClientSettings()) {
            client = HTTPClient(origin: HTTPClientTests.origin, slot: DialSlot(3), settings: settings)
        }

        var now: Moment {
            Moment(
                boot: BootTime(nanoseconds: seconds * 1_000_000_000),
                wall: WallTime(milliseconds: 1_795_228_190_000 + seconds * 1000), isWallTrusted: true)
        }
        mutating func ask(
            _ request: HTTPRequest, _ id: UInt64, deadline: Duration? = nil, isUrgent: Bool = false,
            mayRepeat: Bool? = nil
        ) {
            client.request(
                request, id: HTTPRequestID(id), deadline: deadline, isUrgent: isUrgent, mayRepeat: mayRepeat, at: now,
                into: &actions)
        }
        mutating func connect(_ number: UInt64) {
            client.connected(ConnectionID(number), slot: DialSlot(3), at: now, into: &actions)
        }
        mutating func hear(_ number: UInt64, _ text: String) {
            client.received(ConnectionID(number), Array(text.utf8), at: now, into: &actions)
        }
        mutating func close(_ number: UInt64, _ end: ConnectionEnd = .finished) {
            client.closed(ConnectionID(number), end, at: now, into: &actions)
        }
        mutating func wait(_ span: Int64) {
            seconds += span
            client.timerFired(at: now, into: &actions)
        }
        /// In short words; what was ordered and told is forgotten.
        mutating func took() -> [String] {
            defer { actions = [] }
            return actions.map { action in
                switch action {
                case .transport(.connect(let slot, let target)): "connect \(slot.number) \(target.host)"
                case .transport(.cancelConnect(let slot)): "cancel \(slot.number)"
                case .transport(.send(let id, let bytes)):
                    "send \(id.number) " + String(decoding: bytes.prefix { $0 != 0x0D }, as: UTF8.self)
                case .transport(.close(let id)): "close \(id.number)"
                case .transport(let other): "other \(other)"
                case .answered(let id, let response):
                    "answered \(id.number) \(response.status) " + String(decoding: response.body, as: UTF8.self)
                case .failed(let id, let failure): "failed \(id.number) \(failure.cause)"
                }
            }
        }
    }

    @Test("requests go one at a time over one connection, urgent ones first")
    func requestsGoOneAtATimeOverOneConnection() {
        var rig = Rig()
        rig.ask(Self.get, 1)
        rig.ask(Self.get, 2)
        rig.ask(Self.post, 3, isUrgent: true)
        rig.ask(Self.get, 4, isUrgent: true)
        #expect(rig.took() == ["connect 3 push.example"])
        rig.connect(7)
        #expect(rig.took() == ["send 7 POST /b HTTP/1.1"])
        rig.hear(7, Self.ok)
        #expect(rig.took() == ["answered 3 200 hi", "send 7 GET /a HTTP/1.1"])
        rig.hear(7, Self.ok)
        #expect(rig.took() == ["answered 4 200 hi", "send 7 GET /a HTTP/1.1"])
        rig.hear(7, Self.ok)
        rig.hear(7, Self.ok)
        #expect(rig.took() == ["answered 1 200 hi", "send 7 GET /a HTTP/1.1", "answered 2 200 hi"])
        #expect(rig.client.nextDeadline == BootTime(nanoseconds: 1050 * 1_000_000_000))
        rig.wait(50)
        #expect(rig.took() == ["close 7"])
        #expect(rig.client.nextDeadline == nil)
    }

    @Test("a request that a server's closing crossed goes out once more, if that is harmless")
    func aRequestThatAServersClosingCrossedGoesOutOnceMore() {
        var rig = Rig()
        rig.ask(Self.get, 1)
        rig.connect(1)
        rig.hear(1, Self.ok)
        rig.ask(Self.get, 2)
        _ = rig.took()
        rig.close(1, .reset)
        #expect(rig.took() == ["connect 3 push.example"])
        rig.connect(2)
        #expect(rig.took() == ["send 2 GET /a HTTP/1.1"])
        rig.close(2)
        #expect(rig.took() == ["failed 2 closed(closed by the peer)"])

        rig.ask(Self.get, 3)
        rig.connect(3)
        rig.hear(3, Self.ok)
        rig.ask(Self.post, 4)
        _ = rig.took()
        rig.close(3)
        #expect(rig.took() == ["failed 4 closed(closed by the peer)"])
        rig.ask(Self.post, 5)
        rig.connect(5)
        rig.hear(5, Self.ok)
        rig.ask(Self.post, 6, mayRepeat: true)
        _ = rig.took()
        rig.close(5)
        #expect(rig.took() == ["connect 3 push.example"])
    }

    @Test("an answer that has begun is not asked for again")
    func anAnswerThatHasBegunIsNotAskedForAgain() {
        var rig = Rig()
        rig.ask(Self.get, 1)
        rig.connect(1)
        rig.hear(1, Self.ok)
        rig.ask(Self.get, 2)
        rig.hear(1, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nha")
        _ = rig.took()
        rig.actions = []
        rig.close(1, .reset)
        guard case .failed(_, let failure) = rig.actions.first else {
            Issue.record("it failed")
            return
        }
        #expect(failure == HTTPFailure(.closed(.reset), status: 200, mayHaveArrived: true))
        #expect(rig.actions.count == 1)
    }

    @Test("a server that does not answer costs its request the deadline and the others nothing")
    func aServerThatDoesNotAnswerCostsItsRequestTheDeadline() {
        var rig = Rig()
        rig.ask(Self.get, 1)
        rig.ask(Self.get, 2, deadline: .seconds(5))
        rig.wait(10)
        rig.connect(1)
        _ = rig.took()
        rig.wait(14)
        #expect(rig.took().isEmpty)
        rig.wait(1)
        #expect(rig.took() == ["close 1", "failed 1 unanswered", "connect 3 push.example"])
        rig.connect(2)
        rig.hear(2, "HTTP/1.1 200 OK\r\n")
        rig.wait(5)
        #expect(rig.took() == ["send 2 GET /a HTTP/1.1", "close 2", "failed 2 unanswered"])
    }

    @Test("what fails to connect fails everything that waits, each with its reason")
    func whatFailsToConnectFailsEverythingThatWaits() {
        var rig = Rig()
        rig.ask(Self.get, 1)
        rig.ask(Self.get, 2)
        let failure = ConnectFailure.tls(.wrongHost)
        rig.client.connectFailed(failure, slot: DialSlot(4), at: rig.now, into: &rig.actions)
        #expect(rig.took() == ["connect 3 push.example"])
        rig.client.connectFailed(failure, slot: DialSlot(3), at: rig.now, into: &rig.actions)
        #expect(
            rig.actions == [
                .failed(HTTPRequestID(1), HTTPFailure(.connect(failure))),
                .failed(HTTPRequestID(2), HTTPFailure(.connect(failure))),
            ])
        rig.actions = []
        rig.ask(Self.get, 3)
        rig.wait(60)
        #expect(rig.took() == ["connect 3 push.example", "cancel 3", "failed 3 connectStalled"])
        rig.connect(9)
        #expect(rig.took() == ["close 9"])
    }

    @Test(
        "a connection that the server ends, or on which it says too much, is not used again",
        arguments: [
            "HTTP/1.1 200 OK\r\nConnection: keep-alive, Close\r\nContent-Length: 2\r\n\r\nhi",
            "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n",
        ])
    func aConnectionThatTheServerEnds(answer: String) {
        var rig = Rig()
        rig.ask(Self.get, 1)
        rig.connect(1)
        _ = rig.took()
        rig.hear(1, answer)
        #expect(rig.took() == ["close 1", "answered 1 200 hi"])
        rig.ask(Self.get, 2)
        #expect(rig.took() == ["connect 3 push.example"])
    }

    @Test("an answer until the connection's end is whole only when that is orderly")
    func anAnswerUntilTheConnectionsEndIsWholeOnlyWhenThatIsOrderly() {
        for (end, told) in [
            (ConnectionEnd.finished, "answered 1 200 hi"),
            (.reset, "failed 1 closed(connection reset by the peer)"),
        ] {
            var rig = Rig()
            rig.ask(Self.get, 1)
            rig.connect(1)
            rig.hear(1, "HTTP/1.1 200 OK\r\n\r\nhi")
            _ = rig.took()
            rig.close(1, end)
            #expect(rig.took() == [told])
        }
    }

    @Test("a goodbye on an idle connection is an answer to nobody")
    func aGoodbyeOnAnIdleConnectionIsAnAnswerToNobody() {
        var rig = Rig()
        rig.ask(Self.get, 1)
        rig.connect(1)
        rig.hear(1, Self.ok)
        _ = rig.took()
        rig.hear(1, "HTTP/1.1 408 Request Timeout\r\n\r\n")
        #expect(rig.took() == ["close 1"])
    }

    @Test("a lie of the server fails its request and no other")
    func aLieOfTheServerFailsItsRequestAndNoOther() {
        var rig = Rig()
        rig.ask(Self.get, 1)
        rig.ask(Self.get, 2)
        rig.connect(1)
        _ = rig.took()
        rig.hear(1, "SSH-2.0-OpenSSH_9.2\r\n")
        #expect(rig.took() == ["close 1", "failed 1 malformed(\(HTTPError.notHTTP))", "connect 3 push.example"])
    }

    @Test("the queue is bounded, and a request that is none is not sent")
    func theQueueIsBounded() {
        var settings = HTTPClientSettings()
        settings.queueLimit = 2
        var rig = Rig(settings)
        rig.ask(HTTPRequest(.get, "/a\r\nX: y"), 0)
        rig.ask(Self.get, 1)
        rig.ask(Self.get, 2)
        rig.ask(Self.get, 3)
        #expect(
            rig.took() == [
                "failed 0 notARequest(\(HTTPRequestError.target))", "connect 3 push.example", "failed 3 noRoom",
            ])
        rig.connect(1)
        #expect(rig.client.room == 0)
    }

    @Test("a changed network gives up what is idle, and uses nothing old for a new request")
    func aChangedNetworkGivesUpWhatIsIdle() {
        var rig = Rig()
        rig.ask(Self.get, 1)
        _ = rig.took()
        rig.client.networkChanged(at: rig.now, into: &rig.actions)
        #expect(rig.took() == ["cancel 3", "connect 3 push.example"])
        rig.connect(1)
        rig.client.networkChanged(at: rig.now, into: &rig.actions)
        rig.hear(1, Self.ok)
        #expect(rig.took() == ["send 1 GET /a HTTP/1.1", "close 1", "answered 1 200 hi"])
        rig.ask(Self.get, 2)
        rig.connect(2)
        rig.hear(2, Self.ok)
        _ = rig.took()
        rig.client.networkChanged(at: rig.now, into: &rig.actions)
        #expect(rig.took() == ["close 2"])
    }

    @Test("stopping and cancelling end what they should, once")
    func stoppingAndCancellingEndWhatTheyShould() {
        var rig = Rig()
        rig.ask(Self.get, 1)
        rig.client.cancel(HTTPRequestID(1), at: rig.now, into: &rig.actions)
        #expect(rig.took() == ["connect 3 push.example", "cancel 3"])
        rig.ask(Self.get, 2)
        rig.ask(Self.get, 3)
        rig.ask(Self.get, 4)
        rig.connect(1)
        _ = rig.took()
        rig.client.cancel(HTTPRequestID(2), at: rig.now, into: &rig.actions)
        #expect(rig.took() == ["close 1", "connect 3 push.example"])
        rig.connect(2)
        _ = rig.took()
        rig.client.stop(at: rig.now, into: &rig.actions)
        #expect(rig.took() == ["close 2", "failed 3 stopped", "failed 4 stopped"])
        #expect(rig.client.nextDeadline == nil)
    }
}
