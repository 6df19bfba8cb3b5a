import AlarmModel
import PhoneLink
import Testing

@Suite("Logging in to the push server")
struct LoginTests {
    static let header =
        "<stream:stream to=\"gcm.googleapis.com\" version=\"1.0\" xmlns=\"jabber:client\" "
        + "xmlns:stream=\"http://etherx.jabber.org/streams\">"

    @Test("the recorded exchange is made byte for byte")
    func theRecordedExchangeIsMadeByteForByte() {
        var bench = Bench()
        bench.start()
        #expect(bench.take() == [.connecting])
        bench.connect()
        #expect(bench.take().sent() == [Self.header])
        bench.say(Server.header)
        #expect(bench.take().isEmpty)
        bench.say(Server.mechanisms)
        let auth =
            "<auth xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\" mechanism=\"PLAIN\">"
            + "ADEyMzQ1Njc4OTAxMkBnY20uZ29vZ2xlYXBpcy5jb20AQUl6YVRFU1RLRVk=</auth>"
        #expect(bench.take().sent() == [auth])
        bench.say(Server.success)
        #expect(bench.take().sent() == [Self.header])
        bench.say(Server.header + Server.features)
        let bind = "<iq id=\"b1\" type=\"set\"><bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"/></iq>"
        #expect(bench.take().sent() == [bind])
        bench.say(Server.bound)
        let session = "<iq id=\"s1\" type=\"set\"><session xmlns=\"urn:ietf:params:xml:ns:xmpp-session\"/></iq>"
        #expect(bench.take().sent() == [session])
        bench.say(Server.session)
        #expect(bench.take().withoutLogs == [.ready])
        #expect(bench.link.health.phase == .ready)
    }

    @Test("a session is not asked for where the server does not want one")
    func aSessionIsNotAskedForWhereTheServerDoesNotWantOne() {
        for session in ["", "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'><optional/></session>"] {
            var bench = Bench()
            bench.start()
            let id = bench.connect()
            bench.say(Server.header + Server.mechanisms, on: id)
            bench.say(Server.success, on: id)
            bench.say(
                "<?xml version='1.0'?>" + Server.header
                    + "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>\(session)</stream:features>",
                on: id)
            _ = bench.take()
            bench.say(Server.bound, on: id)
            #expect(bench.take().withoutLogs == [.ready])
        }
    }

    @Test("neither presence nor a roster query is ever sent")
    func neitherPresenceNorARosterQueryIsEverSent() {
        var bench = Bench()
        bench.start()
        bench.logIn()
        bench.wait(.minutes(1))
        let text = bench.take().joined.1
        #expect(!text.contains("<presence") && !text.contains("roster"))
    }

    @Test("a refused account is tried again after 5 minutes, doubling to an hour, and the words name the likely causes")
    func aRefusedAccountIsTriedAgainAfter5Minutes() {
        var bench = Bench()
        bench.start()
        var waits: [Duration] = []
        for _ in 0..<6 {
            let id = bench.connect()
            bench.say(Server.header + Server.mechanisms, on: id)
            bench.say(Server.failure("not-authorized") + Server.end, on: id)
            waits.append(bench.waitForTimer() ?? .zero)
        }
        #expect(waits == [.minutes(5), .minutes(10), .minutes(20), .minutes(40), .minutes(60), .minutes(60)])
        let words = bench.link.health.problem.map { "\($0)" } ?? ""
        for part in ["sender_id", "Cloud Messaging server key", "browser API key", "2024"] {
            #expect(words.contains(part), "\(words)")
        }
    }

    @Test("a login that failed for the moment is no refusal")
    func aLoginThatFailedForTheMomentIsNoRefusal() {
        var bench = Bench()
        bench.start()
        let id = bench.connect()
        bench.say(Server.header + Server.mechanisms, on: id)
        bench.say(Server.failure("temporary-auth-failure", "later"), on: id)
        #expect(bench.take().problems == [.loginFailed])
        let wait = bench.waitForTimer() ?? .hours(9)
        #expect(wait <= .seconds(1))
    }

    @Test("a server without PLAIN is not given the key")
    func aServerWithoutPLAINIsNotGivenTheKey() {
        var bench = Bench()
        bench.start()
        bench.connect()
        _ = bench.take()
        bench.say(Server.header + Server.mechanisms.replacing("PLAIN", with: "X-OTHER"))
        let actions = bench.take()
        #expect(actions.sent() == [Server.end])
        #expect(actions.problems == [.noLogin])
        #expect(bench.link.health.problem?.description.contains("X-OAUTH2, X-GOOGLE-TOKEN, X-OTHER") == true)
    }

    @Test("a server that speaks no TLS or no XMPP, or nothing at all, is told apart from a refusal")
    func aServerThatSpeaksNoTLSOrNoXMPP() {
        let failures: [(ConnectFailure, String)] = [
            (.dial(.unreachable(.timedOut)), "firewall"), (.dial(.unreachable(.refused)), "port 5235"),
            (.dial(.unresolved(.notFound)), "name"), (.tls(.wrongHost), "another host"),
            (.dial(.unreachable(.tls(.unknownAuthority))), "ca_file"),
        ]
        for (failure, words) in failures {
            var bench = Bench()
            bench.start()
            bench.link.connectFailed(failure, slot: DialSlot(0), at: bench.now, into: &bench.actions)
            let text = bench.link.health.problem.map { "\($0)" } ?? ""
            #expect(text.contains(words), "\(text)")
            #expect(!text.contains("api_key"), "\(text)")
        }
    }

    @Test("a login that does not end within 15 seconds is given up")
    func aLoginThatDoesNotEndWithin15SecondsIsGivenUp() {
        for steps in 0..<Server.login.count {
            var bench = Bench()
            bench.start()
            bench.connect()
            for piece in Server.login.prefix(steps) { bench.say(piece) }
            _ = bench.take()
            bench.wait(.milliseconds(14_999))
            #expect(bench.take().isEmpty)
            bench.wait(.milliseconds(1))
            let actions = bench.take()
            #expect(actions.contains(.close(ConnectionID(1))), "\(steps)")
            #expect(actions.problems == [.setupStalled], "\(steps)")
        }
    }

    @Test("an attempt that is never answered is given up, and a late answer closed")
    func anAttemptThatIsNeverAnsweredIsGivenUp() {
        var bench = Bench()
        bench.start()
        _ = bench.take()
        bench.wait(.seconds(90))
        let actions = bench.take()
        #expect(actions.steps == [.cancelling] && actions.problems == [.noAnswer])
        bench.connect()
        #expect(bench.take() == [.close(ConnectionID(1))])
    }

    @Test("the key is in no log line, problem or refusal, even if the server repeats it")
    func theKeyIsInNoLogLine() {
        let key = "AIzaVerySecretKey"
        var bench = Bench(key: key)
        bench.start()
        let first = bench.connect()
        bench.say(Server.header + Server.mechanisms, on: first)
        bench.say(Server.failure("not-authorized", "no such key \(key)"), on: first)
        bench.wait(.minutes(5))
        let second = bench.logIn()
        bench.push("m1")
        bench.say(Server.nack("m1", "INVALID_JSON").replacing("why", with: key), on: second)
        let told = bench.take().filter { action in
            if case .send = action { return false }
            return true
        }
        #expect(told.contains(.refusal(MessageID("m1"), .invalidJSON, text: "****")))
        #expect(!String(describing: told).contains(key))
        #expect(!String(describing: bench.link.health).contains(key))
    }
}
