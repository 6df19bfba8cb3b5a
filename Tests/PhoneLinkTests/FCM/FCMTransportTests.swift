import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("FCM: messages to phones")
struct FCMTransportTests {
    private static let taken = #"{"name":"projects/house-1/messages/1"}"#

    @Test("a message is posted with the token and accepted with the answer; the connection is kept")
    func aMessageIsPostedWithTheTokenAndAcceptedWithTheAnswer() throws {
        var bench = try FCMBench.ready()
        bench.deliver("m1")
        bench.expectTaken(true)
        bench.connect(FCMBench.messages)
        let request = try #require(bench.requests(FCMBench.messages).first)
        #expect(request.line == "POST /v1/projects/house-1/messages:send HTTP/1.1")
        #expect(request.field("Host") == "fcm.googleapis.com")
        #expect(request.field("Authorization") == "Bearer TOKEN1")
        #expect(request.json["message"]?["token"] == .string("PHONE"))
        bench.answer(FCMBench.messages, 200, Self.taken)
        #expect(bench.told == [.accepted(MessageID("m1"), canonical: nil)])
        bench.deliver("m2")
        bench.expectTaken(true)
        #expect(bench.requests(FCMBench.messages).count == 2)
        #expect(bench.dials(FCMBench.messages) == 1)
        #expect(bench.transport.health.underWay == 1)
    }

    @Test("nothing is taken before the token; places are kept for alarms, which go first")
    func nothingIsTakenBeforeTheToken() throws {
        var bench = try FCMBench()
        bench.start()
        bench.deliver("m")
        bench.expectTaken(false)
        bench = try FCMBench.ready {
            $0.window = 4
            $0.reservedForAlarms = 1
        }
        #expect(bench.transport.room == TransportRoom(alarm: 4, other: 3))
        for id in ["a", "b", "c"] {
            bench.deliver(id, priority: .info)
            bench.expectTaken(true)
        }
        bench.deliver("d", priority: .info)
        bench.expectTaken(false)
        bench.deliver("e", priority: .alarm)
        bench.expectTaken(true)
        bench.deliver("f", priority: .alarm)
        bench.expectTaken(false)
        bench.connect(FCMBench.messages)
        for _ in 0..<4 { bench.answer(FCMBench.messages, 200, Self.taken) }
        let order = bench.told.compactMap { if case .accepted(let id, _) = $0 { id.text } else { nil } }
        #expect(order == ["e", "a", "b", "c"])
    }

    @Test("a token that is not taken is renewed once and the message sent again; a second refusal is a fault")
    func aTokenThatIsNotTakenIsRenewedOnceAndTheMessageSentAgain() throws {
        var bench = try FCMBench.ready()
        bench.deliver("m1")
        bench.connect(FCMBench.messages)
        bench.answer(FCMBench.messages, 401, FCMErrorTests.body(401, "UNAUTHENTICATED"))
        #expect(bench.told == [.notReady])
        #expect(bench.jobs.count == 1)
        bench.signIn(token: "TOKEN2")
        #expect(bench.told == [.notReady, .ready])
        #expect(bench.requests(FCMBench.messages).last?.field("Authorization") == "Bearer TOKEN2")
        bench.answer(FCMBench.messages, 401, FCMErrorTests.body(401, "UNAUTHENTICATED"))
        #expect(bench.returned == ["m1"])
        #expect(bench.lastProblem?.isRefusal == true)
        #expect(bench.transport.health.phase != .ready)
        bench.signIn(token: "TOKEN3")
        #expect(bench.transport.health.phase == .waiting)
        bench.wait(.seconds(301))
        #expect(bench.transport.health.phase == .ready)
        bench.deliver("m1")
        bench.connect(FCMBench.messages)
        bench.answer(FCMBench.messages, 200, Self.taken)
        #expect(bench.told.suffix(2) == [.accepted(MessageID("m1"), canonical: nil), .problem(nil)])
    }

    @Test("a token that is refused while the next attempt to sign in has time gives its message back")
    func aTokenThatIsRefusedWhileTheNextAttemptToSignInHasTimeGives() throws {
        var bench = try FCMBench.ready()
        bench.wait(.seconds(2881))
        bench.sign(.failed("the private key cannot be read"))
        bench.deliver("m1")
        bench.expectTaken(true)
        bench.connect(FCMBench.messages)
        bench.answer(FCMBench.messages, 401, FCMErrorTests.body(401, "UNAUTHENTICATED"))
        #expect(bench.returned == ["m1"])
        #expect(bench.transport.health.underWay == 0 && bench.transport.room == .none)
        bench.wait(.seconds(301))
        bench.signIn(token: "TOKEN2")
        bench.deliver("m1")
        bench.expectTaken(true)
    }

    @Test("a token that ends before the timer has fired makes the channel not ready with the next message")
    func aTokenThatEndsBeforeTheTimerHasFiredMakesTheChannel() throws {
        var bench = try FCMBench.ready()
        bench.now.boot = bench.now.boot + .seconds(3600)
        bench.now.wall = bench.now.wall + .seconds(3600)
        #expect(bench.transport.room.alarm > 0)
        bench.deliver("m1")
        bench.expectTaken(false)
        #expect(bench.told == [.notReady] && bench.jobs.count == 1)
        #expect(bench.transport.room == .none)
        bench.deliver("m1")
        bench.expectTaken(false)
        #expect(bench.told == [.notReady])
        bench.signIn(token: "TOKEN2")
        bench.deliver("m1")
        bench.expectTaken(true)
    }

    @Test("refusals carry their reaction; only those of the account are a problem of the way")
    func refusalsCarryTheirReaction() throws {
        let body = FCMErrorTests.body
        let cases: [(Int, String, [String], PushReaction, isProblem: Bool)] = [
            (404, body(404, "NOT_FOUND", "UNREGISTERED", "x", nil), [], .dropAddress, false),
            (403, body(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", "x", nil), [], .serviceFault, false),
            (403, body(403, "PERMISSION_DENIED", nil, "x", nil), [], .serviceFault, true),
            (400, body(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "x", nil), [], .giveUp, false),
            (503, "", ["Retry-After: 9"], .retry(first: .seconds(9), attempts: nil), false),
            (503, "", ["Retry-After: 999999"], .retry(first: .hours(1), attempts: nil), false),
            (
                429, body(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", "device", nil), ["Retry-After: 120"],
                .hold(.seconds(120)), false
            ),
        ]
        for (status, text, fields, reaction, isProblem) in cases {
            var bench = try FCMBench.ready()
            bench.deliver("m1")
            bench.connect(FCMBench.messages)
            bench.answer(FCMBench.messages, status, text, fields: fields)
            #expect(bench.refusals.map(\.reaction) == [reaction])
            #expect((bench.lastProblem != nil) == isProblem)
            #expect(bench.transport.health.phase == .ready)
        }
    }

    @Test("when the project's quota is used up, everything comes back until the service says")
    func whenTheProjectsQuotaIsUsedUp() throws {
        var bench = try FCMBench.ready()
        bench.deliver("m1")
        bench.deliver("m2")
        bench.connect(FCMBench.messages)
        bench.answer(FCMBench.messages, 429, "", fields: ["Retry-After: 30"])
        #expect(bench.returned == ["m1", "m2"])
        #expect(bench.told.contains(.notReady))
        bench.wait(.seconds(29))
        bench.deliver("m1")
        bench.expectTaken(false)
        bench.wait(.seconds(2))
        bench.deliver("m1")
        bench.expectTaken(true)
    }

    @Test("while an alarm waits, no answer of FCM or of its sign-in is a pause of more than a minute")
    func whileAnAlarmWaitsNoAnswerOfFCMIsAPauseOfMoreThanAMinute() throws {
        for isUrgent in [true, false] {
            var bench = try FCMBench.ready()
            bench.transport.setUrgent(isUrgent, at: bench.now)
            bench.deliver("m1")
            bench.connect(FCMBench.messages)
            bench.answer(FCMBench.messages, 429, "", fields: ["Retry-After: 86400"])
            bench.wait(.seconds(61))
            bench.deliver("m1")
            bench.expectTaken(isUrgent)
            var login = try FCMBench()
            login.start()
            login.transport.setUrgent(isUrgent, at: login.now)
            login.sign()
            login.connect(FCMBench.signIn)
            login.answer(FCMBench.signIn, 503, "", fields: ["Retry-After: 86400"])
            login.forget()
            login.wait(.seconds(61))
            #expect(login.jobs.isEmpty == !isUrgent, "it signs anew")
        }
        var bench = try FCMBench.ready()
        bench.deliver("m1")
        bench.connect(FCMBench.messages)
        bench.answer(FCMBench.messages, 503, "", fields: ["Retry-After: 86400"])
        #expect(bench.refusals.map(\.after) == [.hours(1)], "the outbox shortens it for alarms")
    }

    @Test(
        "out of reach, silent, cut off, lying: everything comes back once, and FCM is asked for a sign of life",
        arguments: ["refuse", "silence", "reset", "lie", "huge"])
    func outOfReachSilentCutOffLyingEverythingComesBackOnceAndFCM(how: String) throws {
        var bench = try FCMBench.ready()
        bench.deliver("m1")
        bench.deliver("m2")
        if how == "refuse" { bench.refuse(FCMBench.messages) } else { bench.connect(FCMBench.messages) }
        switch how {
        case "silence": bench.wait(.seconds(20))
        case "reset": bench.lost(FCMBench.messages)
        case "lie": bench.say(FCMBench.messages, "SSH-2.0-OpenSSH\r\n")
        case "huge": bench.say(FCMBench.messages, "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")
        default: break
        }
        #expect(bench.returned == ["m1", "m2"])
        let problem = try #require(bench.lastProblem)
        #expect(problem.description.hasPrefix("FCM (fcm.googleapis.com): "))
        #expect(!problem.isRefusal && problem.isPassing && !problem.isInward)
        // The second message's attempt is not left behind: the next one would be a second at the same time.
        #expect(!bench.isDialingAgain(FCMBench.messages))
        bench.deliver("m1")
        bench.expectTaken(false)
        bench.forget()
        bench.wait(.seconds(1))
        #expect(bench.dials(FCMBench.messages) == 1)
        bench.connect(FCMBench.messages)
        #expect(bench.requests(FCMBench.messages).map(\.line) == ["GET / HTTP/1.1"])
        bench.answer(FCMBench.messages, 404, "not here")
        #expect(bench.told == [.ready, .problem(nil)])
        bench.deliver("m1")
        bench.expectTaken(true)
    }

    @Test("who does not prove to be FCM is told at once, a quota that was used up when it lasts")
    func whoDoesNotProveToBeFCMIsToldAtOnce() throws {
        for (failure, isPassing) in [(TLSFailure.wrongHost, false), (.cutOff, true), (.stalled, true)] {
            var bench = try FCMBench.ready()
            bench.deliver("m1")
            bench.transport.connectFailed(
                .tls(failure), slot: FCMBench.messages, at: bench.now, into: &bench.actions)
            #expect(bench.lastProblem?.isPassing == isPassing, "\(failure)")
        }
        var bench = try FCMBench.ready()
        bench.deliver("m1")
        bench.connect(FCMBench.messages)
        bench.answer(FCMBench.messages, 429, "", fields: ["Retry-After: 30"])
        #expect(bench.lastProblem?.isPassing == true)
    }

    @Test("attempts go on for ever, at the latest after 5 s while an alarm waits")
    func attemptsGoOnForEver() throws {
        var bench = try FCMBench.ready()
        bench.transport.setUrgent(true, at: bench.now)
        bench.deliver("m1")
        bench.refuse(FCMBench.messages)
        for round in 1...100 {
            bench.wait(.seconds(5))
            #expect(bench.dials(FCMBench.messages) == round + 1)
            bench.refuse(FCMBench.messages)
        }
        #expect(bench.returned == ["m1"])
    }

    @Test("a change of the network tries at once")
    func aChangeOfTheNetworkTriesAtOnce() throws {
        var bench = try FCMBench.ready()
        for _ in 0..<10 {
            bench.deliver("m1")
            bench.refuse(FCMBench.messages)
            bench.wait(.seconds(60))
        }
        bench.refuse(FCMBench.messages)
        let count = bench.dials(FCMBench.messages)
        bench.transport.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.dials(FCMBench.messages) == count + 1)
    }

    @Test("stopping gives back what is under way and closes everything; a late answer means nothing")
    func stoppingGivesBackWhatIsUnderWayAndClosesEverything() throws {
        var bench = try FCMBench.ready(hasDatabase: true)
        bench.openStream()
        bench.deliver("m1")
        bench.connect(FCMBench.messages)
        let ids = [FCMBench.messages, FCMBench.stream].compactMap { bench.connection($0) }
        bench.transport.stop(at: bench.now, into: &bench.actions)
        let closed = bench.actions.compactMap { if case .close(let id) = $0 { id } else { nil } }
        #expect(ids.allSatisfy(closed.contains))
        #expect(bench.told == [.returned([MessageID("m1")]), .notReady])
        #expect(bench.transport.nextDeadline == nil)
        #expect(bench.transport.health.phase == .stopped)
        for id in ids {
            bench.transport.received(id, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), at: bench.now, into: &bench.actions)
        }
        #expect(bench.told.count == 2)
        bench.start()
        #expect(bench.transport.health.phase == .ready)
    }

    @Test("words are refused, not carried; nothing secret is told")
    func wordsAreRefusedNotCarriedNothingSecretIsTold() throws {
        var bench = try FCMBench.ready()
        let notice = Notice(title: "t", text: "t", subject: .otherAlarm, time: WallTime(milliseconds: 0))
        bench.deliver("m1", .words(notice))
        bench.expectTaken(true)
        #expect(bench.refusals.map(\.reaction) == [.giveUp])
        bench.deliver("m2")
        bench.connect(FCMBench.messages)
        bench.lost(FCMBench.messages)
        let shown = bench.actions.filter { if case .send = $0 { false } else { true } }
        #expect(!"\(shown)".contains("TOKEN1") && !"\(shown)".contains("SECRETKEY"))
        let state = try JSON.encoding(bench.transport).text
        #expect(!state.contains("TOKEN1") && !state.contains("SECRETKEY"))
    }
}
