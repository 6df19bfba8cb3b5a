import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("FCM: signing in")
struct FCMSignInTests {
    @Test("what is signed names account, rights, audience and an hour; the form carries it with the signature")
    func whatIsSignedNamesAccount() throws {
        var bench = try FCMBench(hasDatabase: true)
        bench.start()
        guard case .signRS256(let key, let message)? = bench.jobs.first?.1 else {
            Issue.record("nothing to sign")
            return
        }
        #expect(key.revealed.contains("SECRETKEY"))
        let text = String(decoding: message, as: UTF8.self)
        let parts = try text.split(separator: ".").map { try JSON(parsing: try Base64URL.decode(String($0))) }
        #expect(parts[0].text == #"{"alg":"RS256","typ":"JWT","kid":"kid1"}"#)
        let scope =
            "https://www.googleapis.com/auth/firebase.messaging https://www.googleapis.com/auth/userinfo.email "
            + "https://www.googleapis.com/auth/firebase.database"
        let claims = JSON.object([
            "iss": .string("box@house-1.iam.gserviceaccount.com"), "scope": .string(scope),
            "aud": .string("https://oauth2.example.com/token"), "iat": .integer(1_700_000_000),
            "exp": .integer(1_700_003_600),
        ])
        #expect(parts[1] == claims)
        #expect(bench.transport.health.phase == .loggingIn)
        bench.sign(.bytes([0xFB, 0xFF]))
        bench.connect(FCMBench.signIn)
        let request = try #require(bench.requests(FCMBench.signIn).first)
        #expect(request.line == "POST /token HTTP/1.1")
        #expect(request.field("Host") == "oauth2.example.com")
        #expect(request.field("Content-Type") == "application/x-www-form-urlencoded")
        let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        #expect(request.body == "\(grant)\(text).-_8")
        #expect(bench.transport.room == .none)
        bench.answer(FCMBench.signIn, 200, #"{"access_token":"T","expires_in":3599,"token_type":"Bearer"}"#)
        #expect(bench.transport.health.phase == .ready)
        #expect(bench.told == [.ready])
    }

    @Test("a token is renewed at 80 % of its time, without a gap; a failure then is told only when it has ended")
    func aTokenIsRenewedAt80OfItsTime() throws {
        var bench = try FCMBench.ready()
        bench.wait(.seconds(2879))
        #expect(bench.jobs.isEmpty)
        bench.wait(.seconds(2))
        #expect(bench.jobs.count == 1)
        #expect(bench.transport.health.isHealthy)
        bench.sign()
        bench.connect(FCMBench.signIn)
        bench.answer(FCMBench.signIn, 503)
        #expect(bench.told.isEmpty)
        #expect(bench.transport.health.isHealthy)
        bench.wait(.seconds(5))
        for _ in 0..<1000 where bench.transport.health.phase == .ready {
            bench.sign()
            bench.connect(FCMBench.signIn)
            bench.answer(FCMBench.signIn, 503)
            bench.wait(.seconds(10))
        }
        #expect(bench.told.first == .notReady)
        #expect(bench.lastProblem?.description.contains("503") == true)
        for _ in 0..<20 where bench.transport.health.phase != .ready {
            bench.wait(.seconds(5))
            bench.signIn(token: "TOKEN2")
        }
        #expect(bench.told.suffix(2) == [.ready, .problem(nil)])
    }

    private func problem(
        _ status: Int, _ body: String, fields: [String] = [], isTrusted: Bool = true
    ) throws -> TransportProblem {
        var bench = try FCMBench()
        bench.now.isWallTrusted = isTrusted
        bench.start()
        bench.sign()
        bench.connect(FCMBench.signIn)
        bench.answer(FCMBench.signIn, status, body, fields: fields)
        return try #require(bench.lastProblem)
    }

    @Test("a wrong clock, a deleted key, a deleted account and a busy service are told apart")
    func aWrongClockADeletedKeyADeletedAccountAndABusyService() throws {
        func grant(_ text: String) -> String { #"{"error":"invalid_grant","error_description":"\#(text)"}"# }
        let timeframe = "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe."
        let far = ["Date: Tue, 14 Nov 2023 10:13:20 GMT"]
        let near = ["Date: Tue, 14 Nov 2023 22:13:20 GMT"]
        let cases: [(TransportProblem, String, isRefusal: Bool)] = [
            (try problem(400, grant(timeframe)), "clock is wrong (it says 2023-11-14 22:13 UTC)", false),
            (try problem(400, grant("x"), fields: far), "Google's says 2023-11-14 10:13 UTC", false),
            (try problem(400, grant("x"), isTrusted: false), "clock is wrong", false),
            (try problem(400, grant("Invalid JWT Signature."), fields: near), "key was deleted", true),
            (
                try problem(400, grant("Invalid grant: account not found"), fields: near), "account: it was deleted",
                true
            ),
            (try problem(400, grant("x")), "it says: invalid_grant, x", true),
            (try problem(401, #"{"error":"unauthorized_client","error_description":"no"}"#), "rights", true),
            (try problem(503, "busy"), "503", false), (try problem(200, "<html>"), "proxy", false),
            (try problem(302, "", fields: ["Location: https://evil.example/"]), "status 302", false),
        ]
        for (problem, word, isRefusal) in cases {
            #expect(problem.description.contains(word), "\(problem)")
            #expect(problem.isRefusal == isRefusal && problem.isPassing != isRefusal, "\(problem)")
            #expect(!problem.description.contains("SECRETKEY"))
        }
    }

    @Test("a key that cannot sign, a missing signature and a place out of reach are problems; each is tried again")
    func aKeyThatCannotSign() throws {
        var bench = try FCMBench()
        bench.start()
        bench.sign(.failed("the private key cannot be read"))
        #expect(bench.lastProblem?.isRefusal == true)
        #expect(bench.lastProblem?.description.contains("cannot be read") == true)
        bench.wait(.seconds(299))
        #expect(bench.jobs.count == 1)
        bench.wait(.seconds(2))
        #expect(bench.jobs.count == 2)
        bench.wait(.seconds(31))
        #expect(bench.lastProblem?.description.contains("did not finish its signature") == true)
        bench.wait(.seconds(2))
        #expect(bench.jobs.count == 3)
        bench.sign()
        bench.refuse(FCMBench.signIn)
        #expect(bench.lastProblem?.description.contains("oauth2.example.com") == true)
        #expect(bench.lastProblem?.description.contains("refused") == true)
        bench.wait(.seconds(4))
        #expect(bench.jobs.count == 4)
    }

    @Test("while an alarm waits, sign-in is tried every 5 s at the latest")
    func whileAnAlarmWaits() throws {
        var bench = try FCMBench()
        bench.start()
        for _ in 0..<8 {
            bench.sign()
            bench.refuse(FCMBench.signIn)
            bench.wait(.seconds(60))
        }
        bench.transport.setUrgent(true, at: bench.now)
        for _ in 0..<8 {
            let count = bench.jobs.count
            bench.sign()
            bench.refuse(FCMBench.signIn)
            bench.wait(.seconds(5))
            #expect(bench.jobs.count == count + 1)
        }
    }
}
