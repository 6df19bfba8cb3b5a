import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Simulators
import Testing

/// The channel over FCM against the simulated one, on TLS connections; the signature is judged by a program of others.
@Suite("FCM on sockets", .serialized, .timeLimit(.minutes(15)))
struct FCMOnSocketsTests {
    @Test("an alarm is taken, a phone's message comes back and is removed once it was dealt with")
    func anAlarmIsTakenAPhonesMessageComesBackAndIsRemovedOnce() throws {
        let rig = try FCMRig()
        try rig.runner.waitUntilReady()
        #expect(rig.deliver("m1"))
        #expect(try rig.runner.waitForEnd(of: MessageID("m1")) == .accepted(canonical: nil))
        let message = try #require(rig.google.machine.sent.first?["message"])
        #expect(message["token"] == .string("PHONE"))
        #expect(message["data"]?.text == #"{"v":"2","e":"AQID"}"#)

        try rig.runner.wait(for: "the stream") { _ in !rig.google.truth("streams").isEmpty }
        rig.google.perform(.put(place: "/up/box1", key: "k1", .object(["command": .string("ping")])))
        let inbound = try rig.runner.nextInbound()
        #expect(inbound.id == "k1" && inbound.channel == .fcm)
        #expect(rig.google.truth("nodes").count == 1)
        rig.runner.acknowledge(inbound)
        try rig.runner.wait(for: "the removal") { _ in rig.google.truth("nodes").isEmpty }
        #expect(rig.runner.problems.isEmpty)
        #expect(rig.runner.inbound.count == 1)
    }

    @Test(
        "PyJWT takes what was signed for the token: by the account's key, for this sign-in, for an hour",
        .enabled(if: Independents.hasPython("pyjwt"), Comment(rawValue: Independents.advice)))
    func pyJWTTakesWhatWasSignedForTheToken() throws {
        let rig = try FCMRig()
        try rig.runner.waitUntilReady()
        let assertion = try #require(rig.google.machine.assertions.first)
        let script = """
            import jwt, json, sys
            key = open(sys.argv[2]).read()
            claims = jwt.decode(sys.argv[1], key, algorithms=["RS256"], audience=sys.argv[3])
            head = jwt.get_unverified_header(sys.argv[1])
            assert set(head) == {"alg", "typ", "kid"} and head["kid"] == "kid1", head
            assert set(claims) == {"iss", "scope", "aud", "iat", "exp"} and claims["exp"] - claims["iat"] == 3600, claims
            try:
                jwt.decode(sys.argv[1][:-4] + "AAAA", key, algorithms=["RS256"], audience=sys.argv[3])
                print("a false signature is taken")
            except jwt.InvalidSignatureError:
                print(claims["iss"], claims["scope"])
            """
        let python = try ProgramOfOthers(
            Independents.python,
            ["-c", script, assertion, rig.publicKeyFile, "https://localhost:\(rig.google.port)/token"], on: rig.loop)
        try rig.runner.wait(for: "PyJWT") { _ in python.end != nil && !(python.lines + python.complaints).isEmpty }
        let base = "https://www.googleapis.com/auth/"
        let scopes = ["firebase.messaging", "userinfo.email", "firebase.database"].map { base + $0 }
        let expected = "box@house-1.iam.gserviceaccount.com \(scopes.joined(separator: " "))"
        #expect(python.complaints == [])
        #expect(python.lines == [expected])
    }

    @Test("down while ten alarms happen: ten of ten are taken soon after it is back")
    func downWhileTenAlarmsHappen() throws {
        let rig = try FCMRig()
        try rig.runner.waitUntilReady()
        rig.runner.setUrgent(true)
        rig.google.stop()
        var waiting = (1...10).map { "m\($0)" }
        var isBack = false
        let ids = waiting.map { MessageID($0) }
        _ = rig.loop.setTimer(after: .seconds(2)) {
            isBack = true
            do { try rig.google.startAgain() } catch { Issue.record("\(error)") }
        }
        try rig.runner.wait(for: "ten of ten") { runner in
            // As the core does: what came back is given again.
            waiting = ids.map(\.text).filter { id in
                !runner.isUnderWay(MessageID(id)) && !runner.accepted.contains(MessageID(id))
            }
            for id in waiting where runner.transport.room.alarm > 0 { _ = rig.deliver(id) }
            return isBack && Set(runner.accepted) == Set(ids)
        }
        #expect(rig.runner.accepted.count == 10)
        #expect(rig.google.machine.sent.count >= 10)
        #expect(rig.runner.problems.contains { $0 != nil })
        try rig.runner.wait(for: "all is well") { $0.problems.last == .some(nil) }
    }

    @Test("a stream that is dead without an end is noticed, and messages come by the next one")
    func aStreamThatIsDeadWithoutAnEndIsNoticed() throws {
        let rig = try FCMRig {
            $0.streamPatience = .milliseconds(700)
            $0.setupDeadline = .milliseconds(400)
        }
        try rig.runner.wait(for: "the stream") { _ in !rig.google.truth("streams").isEmpty }
        rig.google.perform(.blackHole(true))
        rig.google.perform(.put(place: "/up/box1", key: "k1", .object(["command": .string("ping")])))
        try rig.runner.wait(for: "a problem with the database") {
            $0.problems.contains { $0?.description.contains("nothing came") == true }
        }
        rig.google.perform(.blackHole(false))
        #expect(try rig.runner.nextInbound().id == "k1")
    }

    @Test("tokens that Google takes back are renewed, for messages and for the stream")
    func tokensThatGoogleTakesBackAreRenewed() throws {
        let rig = try FCMRig()
        try rig.runner.waitUntilReady()
        try rig.runner.wait(for: "the stream") { _ in !rig.google.truth("streams").isEmpty }
        rig.google.perform(.revokeTokens)
        #expect(rig.deliver("m1"))
        #expect(try rig.runner.waitForEnd(of: MessageID("m1")) == .accepted(canonical: nil))
        #expect(rig.google.machine.assertions.count == 2)
        rig.google.perform(.revokeTokens)
        rig.google.perform(.authRevoked)
        rig.google.perform(.closeStreams)
        try rig.runner.wait(for: "another stream") { _ in !rig.google.truth("streams").isEmpty }
        rig.google.perform(.put(place: "/up/box1", key: "k2", .object(["command": .string("ping")])))
        #expect(try rig.runner.nextInbound().id == "k2")
    }

    @Test("a key that was deleted is told in words; the alarm comes back, and goes out once there is a good one")
    func aKeyThatWasDeletedIsToldInWords() throws {
        let rig = try FCMRig()
        try rig.runner.waitUntilReady()
        #expect(rig.runner.transport.health.isHealthy)
        rig.google.perform(
            .tokenError(FCMFaults.Answer(status: 400, code: "invalid_grant", text: "Invalid JWT Signature.")))
        rig.google.perform(.revokeTokens)
        #expect(rig.deliver("m1"))
        try rig.runner.wait(for: "words about the key") {
            $0.problems.contains { $0?.description.contains("key was deleted") == true }
        }
        #expect(rig.runner.ends(of: MessageID("m1")) == [.returned])
        try rig.runner.waitUntilReady()
        #expect(rig.deliver("m1"))
        #expect(try rig.runner.waitForEnd(of: MessageID("m1")) == .accepted(canonical: nil))
    }
}
