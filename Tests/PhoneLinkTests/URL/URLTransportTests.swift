import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("URLs that are told about events")
struct URLTransportTests {
    static let event = JSON.object([
        "type": .string("alarm"), "code": .string("601"), "raw": .string("6011001"),
        "message": .string("alarm. zone = Study PIR"), "timestamp": .integer(1_795_228_190),
    ])

    /// A transport, its clock, and what it ordered and told since the last look.
    struct Rig {
        var transport: URLTransport
        var seconds: Int64 = 1000
        var actions: [TransportAction] = []

        init(_ targets: [URLTarget]) {
            transport = URLTransport(settings: URLSettings(targets: targets), seed: 1)
            transport.start(at: now, into: &actions)
        }
        var now: Moment {
            Moment(
                boot: BootTime(nanoseconds: seconds * 1_000_000_000),
                wall: WallTime(milliseconds: 1_795_228_190_000 + (seconds - 1000) * 1000), isWallTrusted: true)
        }
        @discardableResult
        mutating func deliver(
            _ message: String, to text: String, content: DeliveryContent = .event(event, type: "alarm"),
            priority: PriorityClass = .alarm
        ) -> Bool {
            let delivery = Delivery(
                message: MessageID(message), address: DeliveryAddress(.house(.url), text), content: content,
                priority: priority, timeToLive: 3600)
            return transport.deliver(delivery, at: now, into: &actions)
        }
        mutating func connect(_ slot: Int, _ number: UInt64) {
            transport.connected(ConnectionID(number), slot: DialSlot(slot), at: now, into: &actions)
        }
        mutating func hear(_ number: UInt64, _ text: String) {
            transport.received(ConnectionID(number), Array(text.utf8), at: now, into: &actions)
        }
        mutating func answer(_ number: UInt64, _ status: String, _ fields: String = "") {
            hear(number, "HTTP/1.1 \(status)\r\n\(fields)Content-Length: 0\r\n\r\n")
        }
        mutating func wait(_ span: Int64) {
            seconds += span
            transport.timerFired(at: now, into: &actions)
        }
        mutating func took() -> [TransportAction] {
            defer { actions = [] }
            return actions
        }
        /// What was sent as text, without the rest.
        mutating func sent() -> [String] {
            took().compactMap { action in
                guard case .send(_, let bytes) = action else { return nil }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        mutating func refusals() -> [Refusal] {
            took().compactMap { action in
                guard case .refused(_, let refusal) = action else { return nil }
                return refusal
            }
        }
    }

    static func post(_ text: String, secret: Secret? = nil) throws -> URLTarget {
        try URLTarget(text, method: .post, secret: secret)
    }

    @Test("the original's form is a GET of the URL with the type behind it")
    func theOriginalsFormIsAGETOfTheURLWithTheTypeBehindIt() throws {
        var rig = Rig([try URLTarget("http://hook.example/notify?event=", method: .get)])
        #expect(rig.took() == [.ready])
        rig.deliver("m-1", to: "http://hook.example/notify?event=")
        let plain = DialTarget(host: "hook.example", port: 80, security: .plain)
        #expect(rig.took() == [.connect(DialSlot(0), plain)])
        rig.connect(0, 1)
        let expected =
            "GET /notify?event=alarm HTTP/1.1\r\nHost: hook.example\r\nIdempotency-Key: m-1\r\n"
            + "X-HowAlarming-Timestamp: 1795228190\r\nUser-Agent: HowAlarming\r\nAccept-Encoding: identity\r\n\r\n"
        #expect(rig.sent() == [expected])
        rig.answer(1, "200 OK")
        #expect(rig.took() == [.accepted(MessageID("m-1"), canonical: nil)])
        #expect(rig.transport.health.lastAccepted == rig.now.wall)
    }

    @Test("our form is the event in a POST, signed together with the time")
    func ourFormIsTheEventInAPOST() throws {
        var rig = Rig([
            try URLTarget("https://hook.example/a", method: .post, secret: Secret("key"), authorityFile: "/ca.pem")
        ])
        _ = rig.took()
        rig.deliver("m-1", to: "https://hook.example/a")
        let covered = Array(("1795228190." + Self.event.text).utf8)
        #expect(
            rig.took() == [.compute(TransportJobID(1), .hmacSHA256(key: Secret("key"), message: covered))])
        let signature = [UInt8](repeating: 0xAB, count: 32)
        rig.transport.computed(TransportJobID(1), .bytes(signature), at: rig.now, into: &rig.actions)
        let target = DialTarget(host: "hook.example", port: 443, security: .tls(authorityFile: "/ca.pem"))
        #expect(rig.took() == [.connect(DialSlot(0), target)])
        rig.connect(0, 1)
        let request = rig.sent().first ?? ""
        #expect(request.hasPrefix("POST /a HTTP/1.1\r\nHost: hook.example\r\nContent-Type: application/json\r\n"))
        #expect(request.contains("\r\nIdempotency-Key: m-1\r\nX-HowAlarming-Timestamp: 1795228190\r\n"))
        let digits = String(repeating: "ab", count: 32)
        #expect(request.contains("\r\nX-HowAlarming-Signature: sha256=\(digits)\r\n"))
        #expect(request.hasSuffix("\r\n\r\n" + Self.event.text))
        #expect(!request.contains("key\r\n"))
    }

    @Test("a signature that does not come is tried again later, as is one that is none")
    func aSignatureThatDoesNotComeIsTriedAgainLater() throws {
        for answer in [TransportAnswer.failed("no"), .bytes([1])] {
            var rig = Rig([try Self.post("https://a.example/", secret: Secret("key"))])
            rig.deliver("m-1", to: "https://a.example/")
            rig.transport.computed(TransportJobID(1), answer, at: rig.now, into: &rig.actions)
            #expect(rig.refusals().map(\.reaction) == [.retry(first: .seconds(1), attempts: nil)])
        }
        var rig = Rig([try Self.post("https://a.example/", secret: Secret("key"))])
        rig.deliver("m-1", to: "https://a.example/")
        rig.wait(15)
        #expect(rig.refusals().map(\.reaction) == [.retry(first: .seconds(1), attempts: nil)])
        #expect(rig.transport.nextDeadline == nil)
        rig.transport.computed(
            TransportJobID(1), .bytes([UInt8](repeating: 0, count: 32)), at: rig.now, into: &rig.actions)
        #expect(rig.took() == [])
    }

    static let soon = PushReaction.retry(first: .seconds(1), attempts: nil)
    static let few = PushReaction.retry(first: .seconds(5), attempts: 5)

    @Test(
        "every answer has its consequence",
        arguments: [
            ("301 Moved", few, false), ("307 Temporary", few, false), ("400 Bad", few, false),
            ("401 Who", few, false), ("403 No", few, false), ("404 Where", few, false), ("405 How", few, false),
            ("410 Gone", .giveUp, false), ("413 Big", .giveUp, false), ("418 Teapot", few, false),
            ("408 Late", soon, true), ("425 Early", soon, true), ("429 Slow", soon, true),
            ("500 Oops", soon, true), ("503 Busy", soon, true), ("599 Odd", soon, true),
        ])
    func everyAnswerHasItsConsequence(status: String, reaction: PushReaction, passes: Bool) throws {
        var rig = Rig([try Self.post("https://a.example/very/secret")])
        rig.deliver("m-1", to: "https://a.example/very/secret")
        rig.connect(0, 1)
        _ = rig.took()
        rig.answer(1, status, "Location: https://evil.example/\r\n")
        let problem = rig.transport.health.problem
        let actions = rig.took()
        let why = "https://a.example answered \(status.prefix(3)): "
        #expect(problem?.isPassing == passes && problem?.isRefusal == !passes)
        #expect(problem?.description.hasPrefix(why) == true)
        guard case .refused(MessageID("m-1"), let refusal)? = actions.first else {
            Issue.record("it was refused: \(actions)")
            return
        }
        #expect(refusal.reaction == reaction)
        #expect(!refusal.why.contains("very"))
        #expect(actions.dropFirst() == [.problem(problem)])
        rig.deliver("m-2", to: "https://a.example/very/secret")
        _ = rig.took()
        rig.answer(1, "204 Nothing")
        #expect(rig.took() == [.accepted(MessageID("m-2"), canonical: nil), .problem(nil)])
    }

    @Test("how long a server asks to be left alone is passed on")
    func howLongAServerAsksToBeLeftAloneIsPassedOn() throws {
        var rig = Rig([try Self.post("https://a.example/")])
        rig.deliver("m-1", to: "https://a.example/")
        rig.connect(0, 1)
        rig.answer(1, "503 Busy", "Retry-After: 120\r\n")
        #expect(rig.refusals().map(\.after) == [.seconds(120)])
    }

    @Test("an answer of success counts, however its rest is wrong")
    func anAnswerOfSuccessCounts() throws {
        for rest in ["Content-Length: 9999999\r\n\r\n", "Content-Encoding: br\r\n\r\n", "Content-Length: 5\r\n\r\nab"] {
            var rig = Rig([try Self.post("https://a.example/")])
            rig.deliver("m-1", to: "https://a.example/")
            rig.connect(0, 1)
            rig.hear(1, "HTTP/1.1 200 OK\r\n" + rest)
            rig.wait(15)
            #expect(rig.took().contains(.accepted(MessageID("m-1"), canonical: nil)))
        }
    }

    @Test("one that stalls holds up no other, and its alarms go before the rest")
    func oneThatStallsHoldsUpNoOther() throws {
        var rig = Rig([try Self.post("https://a.example/"), try Self.post("https://b.example/")])
        rig.deliver("a-1", to: "https://a.example/", priority: .info)
        rig.deliver("a-2", to: "https://a.example/", priority: .info)
        rig.deliver("a-3", to: "https://a.example/")
        rig.deliver("b-1", to: "https://b.example/")
        rig.connect(0, 1)
        rig.connect(1, 2)
        #expect(rig.sent().count == 2)
        rig.answer(2, "200 OK")
        #expect(rig.took() == [.accepted(MessageID("b-1"), canonical: nil)])
        for number in 4...20 { rig.deliver("a-\(number)", to: "https://a.example/") }
        #expect(rig.refusals().count == 12)
        #expect(rig.transport.room.alarm > 0)
        rig.deliver("b-2", to: "https://b.example/")
        rig.answer(2, "200 OK")
        #expect(rig.took().last == .accepted(MessageID("b-2"), canonical: nil))
        rig.wait(15)
        let refused = rig.took().compactMap { action -> String? in
            guard case .refused(let message, _) = action else { return nil }
            return message.text
        }
        #expect(refused == ["a-3"])
    }

    @Test(
        "what fails below HTTP is tried again, and what a person must change is told",
        arguments: [
            (ConnectFailure.dial(.unresolved(.notFound)), false), (.dial(.unreachable(.refused)), false),
            (.tls(.wrongHost), true), (.dial(.unreachable(.tls(.certificateExpired))), true),
        ])
    func whatFailsBelowHTTPIsTriedAgain(failure: ConnectFailure, isRefusal: Bool) throws {
        var rig = Rig([try Self.post("https://a.example/")])
        rig.deliver("m-1", to: "https://a.example/")
        rig.transport.connectFailed(failure, slot: DialSlot(0), at: rig.now, into: &rig.actions)
        #expect(rig.refusals().map(\.reaction) == [Self.soon])
        #expect(rig.transport.health.problem?.isRefusal == isRefusal)
        #expect(rig.transport.health.problem?.isPassing == !isRefusal)
    }

    @Test("what is not for a URL, or for none of these, is given up with words")
    func whatIsNotForAURL() throws {
        var rig = Rig([try Self.post("https://a.example/")])
        rig.deliver("m-1", to: "https://gone.example/")
        rig.deliver("m-2", to: "https://a.example/", content: .sealed([1]))
        #expect(rig.refusals().map(\.reaction) == [.giveUp, .giveUp])
    }

    @Test("stopping gives everything back once and hangs up")
    func stoppingGivesEverythingBackOnceAndHangsUp() throws {
        var rig = Rig([
            try Self.post("https://a.example/", secret: Secret("key")), try Self.post("https://b.example/"),
        ])
        rig.deliver("m-1", to: "https://a.example/")
        rig.deliver("m-2", to: "https://b.example/")
        rig.deliver("m-3", to: "https://b.example/")
        rig.connect(1, 7)
        _ = rig.took()
        rig.transport.stop(at: rig.now, into: &rig.actions)
        #expect(
            rig.took() == [
                .close(ConnectionID(7)), .notReady, .returned([MessageID("m-1"), MessageID("m-2"), MessageID("m-3")]),
            ])
        rig.transport.computed(
            TransportJobID(1), .bytes([UInt8](repeating: 0, count: 32)), at: rig.now, into: &rig.actions)
        #expect(rig.took() == [])
        let wasTaken = rig.deliver("m-4", to: "https://b.example/")
        #expect(!wasTaken)
        #expect(rig.transport.health.phase == .stopped)
        #expect(rig.transport.nextDeadline == nil)
    }

    @Test("a connection lost between two events costs no event")
    func aConnectionLostBetweenTwoEventsCostsNoEvent() throws {
        var rig = Rig([try Self.post("https://a.example/")])
        rig.deliver("m-1", to: "https://a.example/")
        rig.connect(0, 1)
        rig.answer(1, "200 OK")
        rig.deliver("m-2", to: "https://a.example/")
        _ = rig.took()
        rig.transport.closed(ConnectionID(1), .reset, at: rig.now, into: &rig.actions)
        rig.connect(0, 2)
        #expect(rig.sent().count == 1)
        rig.answer(2, "200 OK")
        #expect(rig.took() == [.accepted(MessageID("m-2"), canonical: nil)])
    }
}
