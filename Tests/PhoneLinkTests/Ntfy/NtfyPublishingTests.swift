import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Publishing to a topic server")
struct NtfyPublishingTests {
    private let taken = "{\"id\":\"x\"}"

    @Test("the server is looked at first; then each message under way has a connection of its own")
    func theServerIsLookedAtFirst() {
        let bench = ChannelBench(.testing)
        bench.start()
        #expect(bench.take() == [.connect(DialSlot(0), NtfySettings.testing.origin.dialTarget)])
        #expect(bench.channel.room == .none && bench.channel.health.phase == .connecting)
        bench.connect()
        bench.answer(200, "{}")
        #expect(bench.take().orders == [.ready])
        for (number, priority) in [PriorityClass.info, .state, .fault].enumerated() {
            #expect(bench.deliver(.topic("m\(number)", priority: priority)))
        }
        // The first has the connection of the look, and slot 1 is not for messages.
        #expect(bench.take().dialed == [2, 3])
        #expect(bench.channel.room == TransportRoom(alarm: 1, other: 0) && bench.channel.health.underWay == 3)
        #expect(!bench.deliver(.topic("n", priority: .info)) && bench.deliver(.topic("a")))
        #expect(!bench.deliver(.topic("b")))
        #expect(bench.take().dialed == [4])
        bench.connect(slot: 3)
        bench.answer(200, taken)
        #expect(bench.take().orders == [.accepted(MessageID("m2"), canonical: nil)])
        #expect(bench.deliver(.topic("c")))
        #expect(bench.take().text(on: ConnectionID(2)).hasPrefix("POST / HTTP/1.1\r\n"))
    }

    @Test("each class has its tone on the phone, and each kind of news its picture")
    func eachClassHasItsToneOnThePhone() throws {
        let priorities: [(PriorityClass, Int64)] = [(.alarm, 5), (.fault, 4), (.state, 3), (.info, 2)]
        let subjects: [(NoticeSubject, String)] = [
            (.burglary, "rotating_light"), (.fire, "fire"), (.otherTrouble, "warning"),
            (.powerBack, "white_check_mark"),
            (.armed, "lock"), (.disarmed, "unlock"), (.news, "information_source"),
        ]
        func sent(_ delivery: Delivery) throws -> JSON {
            let bench = ChannelBench<NtfyTransport>.ready()
            bench.deliver(delivery)
            let parts = bench.take().text.split(separator: "\r\n\r\n", maxSplits: 1)
            return try JSON(parsing: String(parts[1]))
        }
        for (priority, number) in priorities {
            var delivery = Delivery.topic("m", priority: priority)
            #expect(try sent(delivery)["priority"]?.integerValue == number)
            delivery.isAnswer = true
            #expect(try sent(delivery)["priority"]?.integerValue == 2)
        }
        for (subject, tag) in subjects {
            let notice = Notice(title: "", text: "", subject: subject, time: WallTime(milliseconds: 0))
            let json = try sent(.topic("m", content: .words(notice)))
            #expect(json["tags"] == .array([.string(tag)]))
            // Good news do not ring.
            #expect(json["priority"]?.integerValue == (subject.isGoodNews ? 3 : 5))
            // A server takes no message without a text.
            #expect(json["message"] == .string(" ") && json["title"] == nil)
        }
    }

    @Test(
        "what can never be written is refused with what to do, and nothing is sent",
        arguments: [
            (Delivery.topic("m", at: "other.test/alerts"), "pair the phone anew"),
            (.topic("m", content: .event(.object([:]), type: "alarm")), "use another channel for this address"),
            (.topic("m", content: .legacy(.object([:]))), "use another channel for this address"),
            (.topic("m", content: .sealed([])), "has 0 bytes; a topic takes 1 to 4096"),
            (
                .topic("m", content: .frame(Array(repeating: 1, count: 3100))), "has 4134 bytes"
            ),
        ])
    func whatCanNeverBeWrittenIsRefusedWithWhatToDo(_ delivery: Delivery, _ words: String) throws {
        let bench = ChannelBench<NtfyTransport>.ready()
        #expect(bench.deliver(delivery))
        let refusal = try #require(bench.actions.lastRefusal)
        #expect(refusal.reaction == .giveUp && refusal.why.contains(words), "\(refusal.why)")
        #expect(bench.take().count == 1 && bench.channel.health.underWay == 0)
    }

    @Test("buttons that are longer than a server takes are not sent without them: the message is refused")
    func buttonsThatAreLongerThanAServerTakesAreNotSentWithoutThem() {
        let bench = ChannelBench<NtfyTransport>.ready()
        let button = Notice.Button(label: "Seen", body: Secret(String(repeating: "\"", count: 2000)))
        let notice = Notice(
            title: "t", text: "x", subject: .otherAlarm, time: WallTime(milliseconds: 0),
            buttons: [button, button, button])
        var delivery = Delivery.topic("m", content: .words(notice))
        delivery.address.commandTopic = "t.test/commands"
        bench.deliver(delivery)
        #expect(bench.actions.lastRefusal?.why.contains("buttons alone are longer than the 8000 bytes") == true)
    }

    @Test("a server that cannot be reached is looked at for ever, urgently while an alarm waits")
    func aServerThatCannotBeReachedIsLookedAtForEver() throws {
        let bench = ChannelBench(.testing)
        bench.start()
        for _ in 0..<20 {
            _ = bench.take()
            bench.refuse()
            #expect(bench.channel.health.problem?.description.contains("(connection refused)") == true)
            #expect(bench.channel.health.problem?.isRefusal == false)
            #expect(try #require(bench.waitForTimer()) <= .seconds(60))
            #expect(bench.take().dialed == [0])
        }
        bench.refuse()
        while try #require(bench.channel.nextDeadline) <= bench.now.boot + .seconds(5) {
            _ = bench.waitForTimer()
            bench.refuse()
        }
        bench.channel.setUrgent(true, at: bench.now)
        #expect(bench.waitForTimer() == .seconds(5))
        bench.refuse()
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.channel.health.phase == .connecting)
    }

    @Test("what only a person can change is tried once more when an alarm comes, and not for another network")
    func whatOnlyAPersonCanChangeIsTriedOnceMoreWhenAnAlarmComes() {
        let bench = ChannelBench(.testing)
        bench.start()
        bench.connect()
        bench.answer(401)
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.channel.health.phase == .waiting)
        bench.channel.setUrgent(true, at: bench.now)
        #expect(bench.waitForTimer() == .seconds(5))
    }

    @Test("a server that asks for a pause gets it, a minute at most")
    func aServerThatAsksForAPauseGetsIt() {
        for (asked, wait) in [(30, Duration.seconds(30)), (300, .seconds(60))] {
            var settings = NtfySettings.testing
            settings.idleTime = .hours(1)
            let bench = ChannelBench(settings)
            bench.start()
            bench.connect()
            bench.answer(503, fields: ["Retry-After: \(asked)"])
            #expect(bench.waitForTimer() == wait)
        }
    }

    @Test("an address that cannot even be asked is a matter for a person")
    func anAddressThatCannotEvenBeAskedIsAMatterForAPerson() {
        let bench = ChannelBench(NtfySettings(host: "t.test", pathPrefix: "/a b"))
        bench.start()
        #expect(bench.actions.connects == 0 && bench.actions.lastProblem?.isRefusal == true)
        #expect(bench.waitForTimer() == .minutes(5))
    }

    @Test("connections that fail one after the other are one end; one that works all the same is the end of the end")
    func connectionsThatFailOneAfterTheOtherAreOneEnd() {
        let bench = ChannelBench<NtfyTransport>.ready()
        for id in ["a", "b", "c"] { bench.deliver(.topic(id)) }
        _ = bench.take()
        bench.refuse(slot: 2)
        #expect(bench.take().orders.prefix(2) == [.returned([MessageID("b")]), .notReady])
        let due = bench.channel.nextDeadline
        bench.refuse(slot: 3)
        #expect(bench.take().orders == [.returned([MessageID("c")])] && bench.channel.nextDeadline == due)
        #expect(bench.channel.health.phase == .waiting && bench.channel.health.underWay == 1)
        bench.answer(200, taken)
        #expect(bench.take().orders == [.accepted(MessageID("a"), canonical: nil), .ready, .problem(nil)])
    }

    @Test("stopping gives back what is under way; what comes late is closed or not heard")
    func stoppingGivesBackWhatIsUnderWay() {
        let bench = ChannelBench<NtfyTransport>.listening(to: ["commands"])
        bench.deliver(.topic("a"))
        bench.deliver(.topic("b"))
        _ = bench.take()
        bench.stop()
        #expect(
            bench.take() == [
                .notReady, .close(ConnectionID(2)), .close(ConnectionID(1)), .cancelConnect(DialSlot(2)),
                .returned([MessageID("a"), MessageID("b")]),
            ])
        #expect(bench.channel.nextDeadline == nil && bench.channel.health == TransportHealth(phase: .stopped))
        let late = bench.connect(slot: 2)
        bench.lose(.finished, ConnectionID(1))
        bench.refuse(slot: 7)
        bench.connect(slot: 7)
        #expect(bench.take() == [.close(late)])
        bench.start()
        #expect(bench.take().dialed == [0, 1])
    }
}
