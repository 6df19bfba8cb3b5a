import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("FCM: messages from phones by the database")
struct FCMDatabaseTests {
    static let hello = #"{"v":"2","command":"ha2","e":"AAAA","from":"PHONE"}"#

    static func open(_ change: (inout FCMSettings) -> Void = { _ in }) throws -> FCMBench {
        var bench = try FCMBench.ready(hasDatabase: true, change)
        bench.openStream()
        return bench
    }

    @Test("the stream is asked for with the token, bounded, and each child is one message")
    func theStreamIsAskedForWithTheToken() throws {
        var bench = try FCMBench(hasDatabase: true)
        bench.start()
        #expect(bench.dials(FCMBench.stream) == 0)
        bench.signIn()
        bench.connect(FCMBench.stream)
        let request = try #require(bench.requests(FCMBench.stream).first)
        #expect(request.line == "GET /up/box1.json?orderBy=%22%24key%22&limitToFirst=100 HTTP/1.1")
        #expect(request.field("Host") == "house-1.firebaseio.com")
        #expect(request.field("Accept") == "text/event-stream")
        #expect(request.field("Authorization") == "Bearer TOKEN1")
        bench.openStream()
        bench.event("put", #"{"path":"/","data":null}"#)
        bench.event("keep-alive", "null")
        bench.event(
            "put", #"{"path":"/","data":{"k1":\#(Self.hello),"k2":{"command":"ping","registration_token":"R"}}}"#)
        bench.event("put", #"{"path":"/k3","data":{"command":"ping"}}"#)
        bench.event("patch", #"{"path":"/","data":{"k4":\#(Self.hello)}}"#)
        let inbound = bench.actions.compactMap { if case .inbound(let message) = $0 { message } else { nil } }
        #expect(inbound.map(\.id) == ["k1", "k2", "k3", "k4"])
        #expect(inbound.map(\.from) == ["PHONE", "R", "", "PHONE"])
        #expect(inbound.allSatisfy { $0.channel == .fcm && $0.connection == nil })
        #expect(inbound[0].body == .data(try JSON(parsing: Self.hello)))
    }

    @Test("what was dealt with is removed, and not given twice however often the stream tells it")
    func whatWasDealtWithIsRemoved() throws {
        var bench = try Self.open()
        let change = #"{"path":"/","data":{"k1":\#(Self.hello)}}"#
        bench.event("put", change)
        bench.event("put", change)
        guard case .inbound(let message)? = bench.told1 else {
            Issue.record("\(bench.told)")
            return
        }
        bench.transport.acknowledge(message, at: bench.now, into: &bench.actions)
        bench.transport.acknowledge(message, at: bench.now, into: &bench.actions)
        bench.connect(FCMBench.removal)
        let requests = bench.requests(FCMBench.removal)
        #expect(requests.map(\.line) == ["DELETE /up/box1/k1.json?print=silent HTTP/1.1"])
        #expect(requests.first?.field("Authorization") == "Bearer TOKEN1")
        bench.event("put", change)
        bench.answer(FCMBench.removal, 204)
        bench.event("put", #"{"path":"/k1","data":null}"#)
        bench.event("put", change)
        #expect(bench.inboundIDs == ["k1"])
        #expect(bench.requests(FCMBench.removal).count == 2)
        bench.event("put", #"{"path":"/k2","data":\#(Self.hello)}"#)
        #expect(bench.inboundIDs == ["k1", "k2"])
    }

    @Test("a removal that fails is tried again until it is done")
    func aRemovalThatFailsIsTriedAgainUntilItIsDone() throws {
        var bench = try Self.open()
        bench.event("put", #"{"path":"/k1","data":\#(Self.hello)}"#)
        guard case .inbound(let message)? = bench.told1 else { return }
        bench.transport.acknowledge(message, at: bench.now, into: &bench.actions)
        bench.refuse(FCMBench.removal)
        bench.wait(.seconds(1))
        bench.connect(FCMBench.removal)
        bench.answer(FCMBench.removal, 500, "busy")
        bench.wait(.seconds(3))
        bench.lost(FCMBench.removal)
        bench.wait(.seconds(5))
        bench.connect(FCMBench.removal)
        bench.answer(FCMBench.removal, 200, "null")
        let count = bench.requests(FCMBench.removal).count
        #expect(count >= 3)
        bench.wait(.seconds(60))
        #expect(bench.requests(FCMBench.removal).count == count)
    }

    @Test(
        "what is no message is removed and never given",
        arguments: ["1", "\"text\"", "[1,2]", "{\"a\":1}", "{\"a\":{\"b\":\"c\"}}", "{}", "true"])
    func whatIsNoMessageIsRemovedAndNeverGiven(value: String) throws {
        var bench = try Self.open()
        bench.event("put", #"{"path":"/","data":{"odd":\#(value),"k1":\#(Self.hello)}}"#)
        bench.connect(FCMBench.removal)
        #expect(bench.inboundIDs == ["k1"])
        #expect(bench.requests(FCMBench.removal).map(\.line) == ["DELETE /up/box1/odd.json?print=silent HTTP/1.1"])
    }

    @Test("events that make no sense, and keys that would lead elsewhere, change nothing")
    func eventsThatMakeNoSense() throws {
        var bench = try Self.open()
        for data in ["", "null", "7", "{", #"{"path":"/"}"#, #"{"path":7,"data":{}}"#, #"{"path":"x","data":{}}"#] {
            bench.event("put", data)
        }
        bench.event("put", #"{"path":"/","data":{"../x":\#(Self.hello),"a/b":\#(Self.hello),"":\#(Self.hello)}}"#)
        bench.event("put", #"{"path":"/k1/command","data":"disarm"}"#)
        bench.event("unheard", "null")
        #expect(bench.told.isEmpty)
        #expect(bench.dials(FCMBench.removal) == 0)
        #expect(bench.transport.health.isHealthy)
    }

    @Test("a stream that says nothing for 70 s is opened anew; signs of life keep it")
    func aStreamThatSaysNothingFor70SIsOpenedAnew() throws {
        var bench = try Self.open()
        for _ in 0..<5 {
            bench.wait(.seconds(65))
            bench.event("keep-alive", "null")
        }
        #expect(bench.dials(FCMBench.stream) == 0)
        bench.wait(.seconds(75))
        #expect(bench.lastProblem?.description.contains("nothing came for 70 s") == true)
        #expect(bench.lastProblem?.isPassing == true && bench.lastProblem?.isInward == true)
        #expect(bench.transport.health.problem == bench.lastProblem && bench.transport.health.isHealthy)
        #expect(bench.dials(FCMBench.stream) == 1)
        bench.connect(FCMBench.stream)
        bench.openStream()
        #expect(bench.told.last == .problem(nil))
    }

    @Test("a redirect is followed once to a host of the provider's, with the token, and back to the start afterwards")
    func aRedirectIsFollowedOnceToAHostOfTheProviders() throws {
        var bench = try FCMBench.ready(hasDatabase: true)
        bench.answer(
            FCMBench.stream, 307, fields: ["Location: https://s-usc1c-nss-1.firebaseio.com/up/box1.json?ns=house-1"])
        let targets = bench.actions.compactMap { action -> String? in
            if case .connect(FCMBench.stream, let target) = action { target.host } else { nil }
        }
        #expect(targets == ["s-usc1c-nss-1.firebaseio.com"])
        bench.connect(FCMBench.stream)
        #expect(bench.requests(FCMBench.stream).last?.field("Authorization") == "Bearer TOKEN1")
        bench.answer(FCMBench.stream, 307, fields: ["Location: https://other.firebaseio.com/up/box1.json"])
        #expect(bench.lastProblem?.description.contains("in a circle") == true)
    }

    @Test(
        "to any other place nothing goes",
        arguments: [
            "https://evil.example/up/box1.json", "http://s1.firebaseio.com/up/box1.json",
            "https://s1.firebaseio.com:8443/x", "https://evilfirebaseio.com/", "https://firebaseio.com.evil.example/",
            "https://x@s1.firebaseio.com/", "nonsense://", "",
        ])
    func toAnyOtherPlaceNothingGoes(location: String) throws {
        var bench = try FCMBench.ready(hasDatabase: true)
        bench.answer(FCMBench.stream, 307, fields: ["Location: \(location)"])
        #expect(bench.lastProblem?.description.contains("does not follow") == true)
        bench.wait(.seconds(290))
        #expect(bench.dials(FCMBench.stream) == 0)
        #expect(bench.transport.health.phase == .ready)
        #expect(bench.transport.health.isHealthy)
    }

    @Test("a token that the database does not take is renewed once; then it is a matter of rights")
    func aTokenThatTheDatabaseDoesNotTakeIsRenewedOnce() throws {
        var bench = try FCMBench.ready(hasDatabase: true)
        bench.answer(FCMBench.stream, 401, #"{"error":"Unauthorized request."}"#)
        #expect(bench.jobs.count == 1)
        bench.signIn(token: "TOKEN2")
        bench.connect(FCMBench.stream)
        #expect(bench.requests(FCMBench.stream).last?.field("Authorization") == "Bearer TOKEN2")
        bench.answer(FCMBench.stream, 401, #"{"error":"Permission denied"}"#)
        #expect(bench.lastProblem?.description.contains("Permission denied") == true)
        #expect(bench.lastProblem?.isRefusal == true && bench.lastProblem?.isPassing == false)
        #expect(bench.jobs.count == 1)
        #expect(bench.transport.health.phase == .ready)
    }

    @Test("when the token's time is over the stream is opened anew with a new one; over and over, it slows down")
    func whenTheTokensTimeIsOverTheStreamIsOpenedAnewWithANewOne() throws {
        var bench = try Self.open()
        bench.event("auth_revoked", #""credential is no longer valid""#)
        #expect(bench.jobs.count == 1)
        bench.signIn(token: "TOKEN2")
        bench.wait(.seconds(1))
        bench.connect(FCMBench.stream)
        #expect(bench.requests(FCMBench.stream).last?.field("Authorization") == "Bearer TOKEN2")
        var dials = 0
        for round in 0..<50 {
            bench.forget()
            bench.openStream()
            bench.event("auth_revoked", "null")
            bench.signIn(token: "T\(round)")
            bench.wait(.seconds(30))
            dials += bench.dials(FCMBench.stream)
            bench.wait(.seconds(60))
            bench.connect(FCMBench.stream)
        }
        #expect(dials < 45)
    }

    @Test("rules that do not let us read any more are a problem for a person, and slow it down")
    func rulesThatDoNotLetUsReadAnyMoreAreAProblemForAPerson() throws {
        var bench = try Self.open()
        bench.event("cancel", "null")
        #expect(bench.lastProblem?.isRefusal == true)
        #expect(bench.lastProblem?.description.contains("rules") == true)
        bench.wait(.seconds(299))
        #expect(bench.dials(FCMBench.stream) == 0)
        bench.wait(.seconds(2))
        #expect(bench.dials(FCMBench.stream) == 1)
    }

    static func flood(_ count: Int) -> String {
        let children = (0..<count).map { "\"k\($0)\":\(hello)" }.joined(separator: ",")
        return "{\"path\":\"/\",\"data\":{\(children)}}"
    }

    @Test("what has come while nobody was here is given in its order, 25 within a second")
    func whatHasComeWhileNobodyWasHereIsGivenInItsOrder() throws {
        var bench = try Self.open()
        bench.event("put", Self.flood(100))
        #expect(bench.inboundIDs == (0..<25).map { "k\($0)" })
        bench.wait(.milliseconds(999))
        bench.event("put", #"{"path":"/last","data":\#(Self.hello)}"#)
        #expect(bench.inboundIDs.count == 25)
        bench.wait(.milliseconds(1))
        #expect(bench.inboundIDs.count == 50)
        bench.wait(.seconds(3))
        #expect(bench.inboundIDs == (0..<100).map { "k\($0)" } + ["last"])
        bench.event("put", #"{"path":"/later","data":\#(Self.hello)}"#)
        #expect(bench.inboundIDs.last == "later")
    }

    @Test("a flood is bounded; what did not fit comes with a new stream")
    func aFloodIsBounded() throws {
        var bench = try Self.open()
        bench.event("put", Self.flood(400))
        bench.wait(.seconds(10))
        let inbound = bench.actions.compactMap { if case .inbound(let message) = $0 { message } else { nil } }
        #expect(inbound.count == 256)
        for message in inbound { bench.transport.acknowledge(message, at: bench.now, into: &bench.actions) }
        bench.connect(FCMBench.removal)
        for _ in 0..<256 { bench.answer(FCMBench.removal, 204) }
        #expect(bench.dials(FCMBench.stream) == 1)
    }

    @Test("an exchange cut anywhere is read the same")
    func anExchangeCutAnywhereIsReadTheSame() throws {
        let text =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5f\r\nevent: put\ndata: {\"path\":\"/\",\"data\":{\"k1\":{\"command\":\"ping\",\"from\":\"PHONE\"},\"k2\":{\"a\":\"b\"}}}\n\n\r\n"
            + "1f\r\nevent: keep-alive\ndata: null\n\n\r\n"
        var expected: [TransportAction]?
        for cut in 0...text.utf8.count {
            var bench = try FCMBench.ready(hasDatabase: true)
            let bytes = Array(text.utf8)
            let id = try #require(bench.connection(FCMBench.stream))
            for piece in [bytes[..<cut], bytes[cut...]] {
                bench.transport.received(id, Array(piece), at: bench.now, into: &bench.actions)
            }
            let told = bench.told
            #expect(expected == nil || told == expected)
            expected = told
        }
        #expect(expected?.count == 2)
    }
}
