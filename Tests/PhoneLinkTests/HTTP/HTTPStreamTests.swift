import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("A stream of a web server")
struct HTTPStreamTests {
    /// A stream, its clock, and what it ordered and told since the last look.
    struct Rig {
        var stream: HTTPStream
        var milliseconds: Int64 = 1_000_000
        var actions: [HTTPStreamAction] = []

        init(_ format: HTTPStream.Format = .jsonLines, settings: HTTPStream.Settings = HTTPStream.Settings()) {
            stream = HTTPStream(
                origin: HTTPClientTests.origin, slot: DialSlot(2), format: format, settings: settings, seed: 5)
        }
        var now: Moment {
            Moment(
                boot: BootTime(nanoseconds: milliseconds * 1_000_000),
                wall: WallTime(milliseconds: 1_795_228_190_000 + milliseconds), isWallTrusted: true)
        }
        mutating func start() { stream.start(at: now, into: &actions) }
        mutating func open(_ target: String = "/t/json", origin: HTTPOrigin? = nil) {
            stream.open(HTTPRequest(.get, target), origin: origin, at: now, into: &actions)
        }
        mutating func connect(_ number: UInt64) {
            stream.connected(ConnectionID(number), slot: DialSlot(2), at: now, into: &actions)
        }
        mutating func hear(_ number: UInt64, _ text: String) {
            stream.received(ConnectionID(number), Array(text.utf8), at: now, into: &actions)
        }
        mutating func close(_ number: UInt64, _ end: ConnectionEnd = .finished) {
            stream.closed(ConnectionID(number), end, at: now, into: &actions)
        }
        /// Until the next deadline: how many milliseconds that took.
        mutating func wait() -> Int64 {
            guard let due = stream.nextDeadline else { return -1 }
            let before = milliseconds
            milliseconds = max(milliseconds, due.nanoseconds / 1_000_000 + 1)
            stream.timerFired(at: now, into: &actions)
            return milliseconds - before
        }
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
                case .wantsRequest: "wants a request"
                case .opened(let head): "opened \(head.status)"
                case .value(let value): value.text
                case .event(let event): "\(event.type) \(event.data) \(event.id)"
                case .skipped: "skipped"
                case .refused(let response):
                    "refused \(response.status) " + String(decoding: response.body, as: UTF8.self)
                case .ended(let end): "ended: \(end)"
                }
            }
        }
        mutating func begin(_ number: UInt64, type: String = "application/x-ndjson") {
            open()
            connect(number)
            hear(number, "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n")
            _ = took()
        }
    }

    @Test("lines come as they are complete, and a new request continues where it left off")
    func linesComeAsTheyAreComplete() {
        var rig = Rig()
        rig.start()
        #expect(rig.took() == ["wants a request"])
        rig.open("/t/json?since=1")
        #expect(rig.took() == ["connect 2 push.example"])
        rig.connect(1)
        #expect(rig.took() == ["send 1 GET /t/json?since=1 HTTP/1.1"])
        rig.hear(1, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n")
        #expect(rig.took() == ["opened 200"])
        rig.hear(1, "3\r\n1}\n\r\n9\r\n{\"a\":2}\n\n\r\n4\r\nhm\r\n\r\n")
        #expect(rig.took() == ["{\"a\":1}", "{\"a\":2}", "skipped"])
        rig.close(1)
        #expect(
            rig.took() == [
                "ended: it answered with 200 and the connection ended before that was complete (closed by the peer)"
            ])
        #expect(rig.wait() <= 1001)
        #expect(rig.took() == ["wants a request"])
        rig.open("/t/json?since=2")
        rig.connect(2)
        #expect(rig.took() == ["connect 2 push.example", "send 2 GET /t/json?since=2 HTTP/1.1"])
    }

    @Test("silence and a server that never begins are noticed")
    func silenceAndAServerThatNeverBeginsAreNoticed() {
        var rig = Rig()
        rig.start()
        rig.begin(1)
        rig.milliseconds += 70_000
        rig.hear(1, "1\r\n\n\r\n")
        #expect(rig.wait() == 75_001)
        #expect(rig.took() == ["close 1", "ended: nothing came for 75 s, not even a sign of life"])
        _ = rig.wait()
        rig.open()
        rig.connect(2)
        _ = rig.took()
        rig.milliseconds += 5000
        rig.hear(2, "HTTP/1.1 200 OK\r\n")
        #expect(rig.wait() == 10_001)
        #expect(rig.took() == ["close 2", "ended: it did not answer in time"])
        _ = rig.wait()
        rig.open()
        _ = rig.took()
        #expect(rig.wait() == 60_001)
        #expect(
            rig.took() == [
                "cancel 2",
                "ended: the attempt to connect was not answered; check the network and host and port",
            ])
    }

    @Test("an answer that is no stream is given whole, and what only a person can change is asked for rarely")
    func anAnswerThatIsNoStreamIsGivenWhole() {
        for (answer, told, isRare) in [
            ("403 Forbidden\r\nContent-Length: 2\r\n\r\nno", "refused 403 no", true),
            ("302 Found\r\nLocation: https://x.example/\r\nContent-Length: 0\r\n\r\n", "refused 302 ", true),
            ("503 Busy\r\nContent-Length: 0\r\n\r\n", "refused 503 ", false),
            ("200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<a>", "refused 200 <a>", true),
        ] {
            var rig = Rig()
            rig.start()
            rig.open()
            rig.connect(1)
            _ = rig.took()
            rig.hear(1, "HTTP/1.1 " + answer)
            #expect(rig.took() == ["close 1", told])
            let wait = rig.wait()
            #expect(isRare ? wait == 300_001 : wait <= 1001, "\(answer): \(wait)")
            #expect(rig.took() == ["wants a request"])
        }
    }

    @Test("a refusal that does not end is cut, in size and in time")
    func aRefusalThatDoesNotEndIsCut() {
        var rig = Rig()
        rig.start()
        rig.open()
        rig.connect(1)
        rig.hear(1, "HTTP/1.1 500 Oops\r\n\r\n" + String(repeating: "x", count: 20_000))
        #expect(rig.took().last == "refused 500 " + String(repeating: "x", count: 16_384))
        _ = rig.wait()
        rig.open()
        rig.connect(2)
        rig.hear(2, "HTTP/1.1 429 Slow\r\nRetry-After: 100\r\n\r\nwait")
        _ = rig.took()
        #expect(rig.wait() == 15_001)
        #expect(rig.took() == ["close 2", "refused 429 wait"])
        #expect(rig.wait() == 100_001)
    }

    @Test("a server's word on when to come back and its last id are remembered")
    func aServersWordOnWhenToComeBackAndItsLastIdAreRemembered() {
        var rig = Rig(.serverSentEvents)
        rig.start()
        rig.begin(1, type: "text/event-stream; charset=utf-8")
        let text = "retry: 30000\nid: 7\nevent: put\ndata: {}\n\n: alive\n\n"
        rig.hear(1, String(text.utf8.count, radix: 16) + "\r\n" + text + "\r\n")
        #expect(rig.took() == ["put {} 7"])
        rig.hear(1, "0\r\n\r\n")
        #expect(rig.took() == ["close 1", "ended: the server ended the stream"])
        #expect(rig.wait() == 30_001)
        #expect(rig.stream.lastEventID == "7")
    }

    @Test("attempts come ever more slowly up to a minute, within 5 s while it is urgent, at once in a new network")
    func attemptsComeEverMoreSlowlyUpToAMinute() {
        var rig = Rig()
        rig.start()
        var longest: Int64 = 0
        for _ in 0..<40 {
            rig.open()
            rig.stream.connectFailed(
                .dial(.unreachable(.refused)), slot: DialSlot(2), at: rig.now, into: &rig.actions)
            longest = max(longest, rig.wait())
        }
        #expect((30_000...60_001).contains(longest))
        rig.stream.setUrgent(true, at: rig.now)
        for _ in 0..<10 {
            rig.open()
            rig.stream.connectFailed(
                .dial(.unreachable(.refused)), slot: DialSlot(2), at: rig.now, into: &rig.actions)
            #expect(rig.wait() <= 5001)
        }
        rig.open()
        rig.stream.connectFailed(.dial(.unreachable(.refused)), slot: DialSlot(2), at: rig.now, into: &rig.actions)
        _ = rig.took()
        rig.stream.networkChanged(at: rig.now, into: &rig.actions)
        #expect(rig.took() == ["wants a request"])
        rig.begin(4)
        rig.stream.networkChanged(at: rig.now, into: &rig.actions)
        #expect(rig.took() == ["close 4", "ended: the network changed", "wants a request"])
    }

    @Test("another network makes an attempt anew; an answer that breaks the rules ends it with the rule")
    func anotherNetworkMakesAnAttemptAnew() {
        var rig = Rig()
        rig.start()
        rig.open()
        _ = rig.took()
        rig.stream.networkChanged(at: rig.now, into: &rig.actions)
        #expect(rig.took() == ["cancel 2", "connect 2 push.example"])
        rig.connect(1)
        rig.hear(1, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
        #expect(
            rig.took() == [
                "send 1 GET /t/json HTTP/1.1", "opened 200", "close 1", "ended: the answer has a malformed chunk",
            ])
    }

    @Test("the owner may take its time with a request, name another server, begin anew and stop")
    func theOwnerMayTakeItsTimeWithARequest() {
        var rig = Rig()
        rig.start()
        _ = rig.took()
        #expect(rig.stream.nextDeadline == nil)
        rig.open("/x", origin: HTTPOrigin(host: "other.example", port: 8443, security: .tls(authorityFile: nil)))
        #expect(rig.took() == ["connect 2 other.example"])
        rig.connect(1)
        rig.hear(1, "HTTP/1.1 200 OK\r\n\r\n")
        _ = rig.took()
        rig.stream.restart(at: rig.now, into: &rig.actions)
        #expect(rig.took() == ["close 1", "ended: it was begun anew here", "wants a request"])
        rig.open("no slash")
        #expect(rig.took().first?.hasPrefix("ended: the path begins without a slash") == true)
        rig.stream.stop(at: rig.now, into: &rig.actions)
        #expect(rig.took() == [])
        #expect(rig.stream.nextDeadline == nil)
        rig.connect(3)
        #expect(rig.took() == ["close 3"])
    }
}
