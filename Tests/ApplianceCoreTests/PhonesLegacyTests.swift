import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

/// The original apps (docs/messages.md B.4, B.5, B.8).
@Suite("Original apps")
struct PhonesLegacyTests {
    static let token = "token-of-the-old-app"

    static func data(_ command: String, token: String = token) -> JSON {
        .object([
            "registration_token": .string(token), "command": .string(command), "timestamp": .string("1511000.123"),
        ])
    }

    private static func house(
        _ verbs: [LegacyPhone.Verb] = LegacyPhone.allowedByDefault, isEnabled: Bool = true
    ) -> Bench {
        var bench = Bench.withPush { $0.isLegacyEnabled = isEnabled }
        bench.ask(.phones(.approve(token: token, verbs)), as: 60)
        bench.advance(.seconds(10))
        bench.forget()
        return bench
    }

    private static func statuses(_ bench: Bench, since mark: Int = 0) -> [PushServer.Push] {
        bench.push.server.pushes.dropFirst(mark).filter { $0.data["raw"]?.stringValue == "HOWALARMING" }
    }

    @Test("an event and a status are byte for byte those of the original server")
    func anEventAndAStatusAreByteForByteThoseOfTheOriginalServer() throws {
        var bench = Self.house()
        bench.panel("6011003")
        let event = try #require(bench.push.server.pushes.last)
        let row = try #require(bench.stored.last { $0.event.code == "601" }?.event)
        let time = row.time.seconds
        let expected =
            "{\"priority\":\"high\",\"time_to_live\":3600,\"data\":{\"code\":\"601\",\"raw\":\"6011003\","
            + "\"type\":\"alarm\",\"message\":\"\(row.message)\",\"timestamp\":\"\(time)\"},"
            + "\"notification\":{\"badge\":\"0\",\"sound\":\"default\",\"title\":\"HowAlarming Event alarm\","
            + "\"body\":\"\(row.message)\"},\"to\":\"\(Self.token)\",\"message_id\":\"\(event.id)\"}"
        #expect(event.json.text == expected)
        bench.inbound(from: Self.token, Self.data("ping"))
        let status = try #require(bench.push.server.pushes.last)
        let now = bench.now.wall.seconds
        let answer =
            "{\"priority\":\"high\",\"time_to_live\":0,\"data\":{\"code\":\"HOWALARMING\",\"raw\":\"HOWALARMING\","
            + "\"message\":\"HOWALARMING\",\"type\":\"disarmed\",\"timestamp\":\"\(now)\"},\"notification\":{},"
            + "\"to\":\"\(Self.token)\",\"message_id\":\"\(status.id)\"}"
        #expect(status.json.text == answer)
    }

    @Test("the topic of the app for Android gets what that app reads, by data alone, and may ask for nothing")
    func theTopicOfTheAppForAndroid() throws {
        var bench = Bench.withPush {
            $0.isLegacyEnabled = true
            $0.tellsLegacyTopic = true
        }
        bench.advance(.seconds(10))
        bench.panel("6011003")
        let row = try #require(bench.stored.last { $0.event.code == "601" }?.event)
        let event = try #require(bench.push.server.pushes.last { $0.to == LegacyPhone.topic })
        let expected =
            "{\"priority\":\"high\",\"time_to_live\":3600,\"data\":{\"code\":\"601\",\"raw\":\"6011003\","
            + "\"type\":\"alarm\",\"message\":\"\(row.message)\"},\"to\":\"/topics/newclient\","
            + "\"message_id\":\"\(event.id)\"}"
        #expect(event.json.text == expected)

        // The configuration has it; nobody at the box lets it do more, or takes it out until the next start.
        bench.ask(.phones(.approve(token: LegacyPhone.topic, [.disarm])), as: 60)
        bench.ask(.phones(.disapprove(token: LegacyPhone.topic)), as: 61)
        bench.inbound(from: LegacyPhone.topic, Self.data("arm", token: LegacyPhone.topic))
        #expect(bench.push.book?.legacyPhones.map(\.allowed) == [[]] && bench.panelOrders.isEmpty)

        var configuration = bench.configuration
        configuration.phones.tellsLegacyTopic = nil
        bench.feed(.reload(.configuration(configuration)))
        let told = bench.push.server.pushes.count
        bench.panel("6021003")
        #expect(bench.push.book?.legacyPhones == [] && bench.push.server.pushes.count == told)
    }

    @Test("a service that answers the topic with a token of its own makes nobody an original app")
    func aServiceThatAnswersTheTopicWithAToken() {
        var bench = Bench.withPush {
            $0.isLegacyEnabled = true
            $0.tellsLegacyTopic = true
        }
        bench.ask(.phones(.approve(token: Self.token, [.ping])), as: 60)
        bench.push.server.rename(LegacyPhone.topic, to: "token-of-a-stranger")
        bench.advance(.minutes(2))
        bench.panel("6011003")
        bench.push.server.rename(LegacyPhone.topic, to: Self.token)
        bench.advance(.minutes(2))
        bench.panel("6021003")
        #expect(bench.push.book?.legacyPhones.map(\.token).sorted() == [LegacyPhone.topic, Self.token])
        #expect(!bench.push.server.pushes.contains { $0.to == "token-of-a-stranger" })
    }

    @Test("off by default: nobody is heard and nobody is told")
    func offByDefaultNobodyIsHeardAndNobodyIsTold() {
        var bench = Self.house(isEnabled: false)
        let rows = bench.stored.count
        bench.inbound(from: Self.token, Self.data("ping"))
        bench.inbound(from: Self.token, Self.data("arm"))
        bench.inbound(from: "somebody-elses-token", Self.data("ping", token: "somebody-elses-token"))
        bench.panel("6011003")
        bench.advance(.minutes(1))
        #expect(bench.push.server.pushes.isEmpty && bench.panelOrders.isEmpty)
        #expect(bench.stored.count == rows + 1)
        #expect(bench.push.server.acknowledged.count == 3)
    }

    @Test("a service that names another token at each answer has one a minute written down")
    func aServiceThatNamesAnotherTokenAtEachAnswer() {
        var bench = Self.house()
        var last = Self.token
        let before = bench.push.server.pushes.count
        for number in 1...15 {
            let next = "another-token-\(number)"
            bench.push.server.rename(last, to: next)
            last = next
            bench.panel(number % 2 == 0 ? "6011003" : "6021003")
            bench.advance(.seconds(3))
        }
        let told = Set(bench.push.server.pushes.dropFirst(before).map(\.to)).subtracting([Self.token])
        #expect((1...2).contains(told.count), "\(told)")
    }

    @Test("a token that is not approved waits for that, and is told of once; a claimed token counts for nothing")
    func aTokenThatIsNotApprovedWaitsForThat() throws {
        var bench = Self.house()
        bench.inbound(from: "a-new-token", Self.data("arm", token: "a-new-token"))
        bench.inbound(from: "a-new-token", Self.data("ping", token: "a-new-token"))
        bench.inbound(from: "a-new-token", Self.data("arm"))
        bench.inbound(from: Self.token, Self.data("arm", token: "a-new-token"))
        bench.advance(.seconds(1))
        #expect(bench.push.server.pushes.isEmpty && bench.panelOrders.isEmpty)
        #expect(try bench.status()?.phones?.pendingTokens == ["a-new-token"])
        #expect(bench.stored.count { $0.event.message.contains("wants to be let in") } == 1)
        bench.ask(.phones(.approve(token: "a-new-token", [.ping])), as: 61)
        bench.inbound(from: "a-new-token", Self.data("ping", token: "a-new-token"))
        #expect(Self.statuses(bench).count == 1)
        #expect(try bench.status()?.phones?.pendingTokens == [])
    }

    @Test("made-up tokens are one event an hour, and keep no approved app from being heard")
    func madeUpTokensAreOneEventAnHour() {
        var bench = Self.house()
        for number in 0..<500 {
            let token = "made-up-token-\(number)"
            bench.inbound(from: token, Self.data("ping", token: token))
            bench.advance(.seconds(9))
        }
        #expect(bench.events(.phones).count { $0.message.contains("wants to be let in") } == 2)
        let mark = bench.push.server.pushes.count
        bench.inbound(from: Self.token, Self.data("ping"))
        #expect(Self.statuses(bench, since: mark).count == 1)
    }

    @Test("an app is shut out by the beginning of its token that lists show; a shorter one names nobody")
    func anAppIsShutOutByTheBeginningOfItsToken() {
        var bench = Bench.withPush { $0.isLegacyEnabled = true }
        let token = "fV1x-token-of-an-original-app"
        bench.ask(.phones(.approve(token: token, [.ping])), as: 60)
        #expect(bench.push.book?.legacyPhones.map(\.token) == [token])
        bench.ask(.phones(.disapprove(token: String(token.prefix(11)))), as: 61)
        bench.ask(.phones(.disapprove(token: "")), as: 62)
        #expect(bench.push.book?.legacyPhones.count == 1)
        bench.ask(.phones(.disapprove(token: String(token.prefix(12)))), as: 63)
        #expect(bench.push.book?.legacyPhones.isEmpty == true)
    }

    @Test("an approved app that floods is answered 30 times a minute at most")
    func anApprovedAppThatFloods() {
        var bench = Self.house()
        let mark = bench.push.server.pushes.count
        for number in 0..<600 {
            bench.inbound(from: Self.token, Self.data("ping"), id: "flood-\(number)")
            bench.advance(.milliseconds(100))
        }
        let answers = Self.statuses(bench, since: mark).count
        #expect(answers >= 30 && answers <= 41)
    }

    @Test("only the verbs that were allowed are carried out; disarm and panic need more than the default")
    func onlyTheVerbsThatWereAllowedAreCarriedOut() {
        var bench = Self.house()
        for verb in ["disarm", "fire", "medical", "police", "explode"] {
            bench.inbound(from: Self.token, Self.data(verb))
            bench.settle()
        }
        #expect(bench.panelOrders.isEmpty)
        bench.inbound(from: Self.token, Self.data("arm"))
        bench.settle()
        #expect(bench.panelOrders == ["0301"])
        var open = Self.house([.ping, .disarm])
        open.panel("6561", "65210")
        open.forget()
        open.inbound(from: Self.token, Self.data("disarm"))
        open.settle()
        #expect(open.panelOrders.count == 1)
    }

    @Test("the same message twice is one command, also after a reconnection")
    func theSameMessageTwiceIsOneCommand() {
        var bench = Self.house()
        bench.inbound(from: Self.token, Self.data("arm"), id: "x1")
        bench.inbound(from: Self.token, Self.data("arm"), id: "x1")
        bench.settle()
        bench.panel("6561", "6551")
        for input in bench.push.server.end(gracefully: true) { bench.feed(input) }
        bench.advance(.seconds(20))
        bench.inbound(from: Self.token, Self.data("arm"), id: "x1")
        bench.settle()
        #expect(bench.panelOrders == ["0301"])
        #expect(bench.push.server.acknowledged.count >= 2)
    }

    @Test("commands of the first five seconds after an outage are dropped: they may be hours old")
    func commandsOfTheFirstFiveSecondsAfterAnOutageAreDropped() {
        var bench = Self.house()
        bench.push.server.isUp = false
        for input in bench.push.server.end(gracefully: false) { bench.feed(input) }
        bench.advance(.seconds(30))
        bench.push.server.isUp = true
        let logins = bench.push.server.logins
        while bench.push.server.logins == logins { bench.advance(.milliseconds(100)) }
        bench.inbound(from: Self.token, Self.data("arm"))
        bench.inbound(from: Self.token, Self.data("ping"))
        bench.settle()
        #expect(bench.panelOrders.isEmpty)
        #expect(Self.statuses(bench).count == 2, "each is answered, or its button stays dead")
        bench.advance(.seconds(5))
        bench.inbound(from: Self.token, Self.data("arm"))
        bench.settle()
        #expect(bench.panelOrders == ["0301"])
    }

    @Test("an order that comes before the connection is ready is as old as the time without one")
    func anOrderThatComesBeforeTheConnectionIsReadyIsAsOldAsTheTime() {
        for isOutage in [true, false] {
            var bench = Self.house()
            bench.push.server.early = (Self.token, "early", Self.data("arm"))
            bench.push.server.isUp = !isOutage
            let logins = bench.push.server.logins
            for input in bench.push.server.end(gracefully: false) { bench.feed(input) }
            if isOutage { bench.advance(.seconds(30)) }
            bench.push.server.isUp = true
            while bench.push.server.logins == logins { bench.advance(.milliseconds(100)) }
            bench.settle()
            #expect(bench.push.server.acknowledged.contains("early"))
            #expect(bench.panelOrders == (isOutage ? [] : ["0301"]))
        }
    }

    @Test("after a command a status always comes, also when it failed: the app's button waits for it")
    func afterACommandAStatusAlwaysComes() {
        var bench = Self.house()
        bench.panel("6511", "609003")
        bench.advance(.seconds(10))
        var mark = bench.push.server.pushes.count
        bench.inbound(from: Self.token, Self.data("arm"))
        bench.advance(.seconds(1))
        #expect(bench.panelOrders.isEmpty)
        #expect(Self.statuses(bench, since: mark).count == 1)
        bench.disk = .fails(Bench.broken)
        bench.panel("610003", "6501")
        mark = bench.push.server.pushes.count
        bench.inbound(from: Self.token, Self.data("arm"))
        bench.advance(.seconds(3))
        #expect(bench.panelOrders.isEmpty)
        #expect(Self.statuses(bench, since: mark).count == 1)
    }

    @Test("nothing is carried out before its id is on the disk")
    func nothingIsCarriedOutBeforeItsIdIsOnTheDisk() {
        var bench = Self.house()
        bench.disk = .silent
        let acknowledged = bench.push.server.acknowledged.count
        bench.inbound(from: Self.token, Self.data("arm"))
        bench.advance(.seconds(1))
        #expect(bench.panelOrders.isEmpty && bench.push.server.acknowledged.count == acknowledged)
    }

    @Test("the token of a paired phone is no original app, and nothing in clear ever goes there")
    func theTokenOfAPairedPhoneIsNoOriginalApp() throws {
        var bench = Bench.withPush { $0.isLegacyEnabled = true }
        bench.ask(.phones(.approve(token: "token-of-anna", [.ping, .arm, .disarm])), as: 60)
        let phone = try bench.pair()
        bench.advance(.minutes(1))
        let mark = bench.push.server.pushes.count
        bench.forget()
        for verb in ["ping", "arm", "disarm"] {
            bench.inbound(from: phone.token, Self.data(verb, token: phone.token))
            bench.settle()
        }
        bench.ask(.phones(.approve(token: phone.token, [.ping, .arm])), as: 62)
        guard case .error? = bench.answers(62).last else {
            Issue.record("a paired phone was approved as an original app")
            return
        }
        bench.panel("6011003", "6561")
        bench.advance(.seconds(20))
        #expect(bench.panelOrders.isEmpty)
        #expect(bench.push.book?.legacyPhones == [])
        let pushes = bench.push.server.pushes.dropFirst(mark)
        #expect(pushes.count >= 2 && pushes.allSatisfy(\.isSealed))
    }

    @Test("an old app whose token is gone is not tried again")
    func anOldAppWhoseTokenIsGoneIsNotTriedAgain() {
        var bench = Self.house()
        bench.push.server.unregistered = [Self.token]
        bench.panel("6011003")
        bench.advance(.seconds(5))
        let mark = bench.push.server.pushes.count
        bench.panel("6011003")
        bench.advance(.minutes(1))
        #expect(bench.push.server.pushes.count == mark)
        #expect(bench.events(.phoneLost).count == 1)
    }
}
