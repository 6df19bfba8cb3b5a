import AlarmModel
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

/// The channel and a simulated server, with the network between them.
@Suite struct NtfyTransportTests {
    @Test("an alarm goes out with its buttons, and a press of one comes back as its body")
    func anAlarmGoesOutWithItsButtons() {
        let bench = TopicBench()
        bench.start(listeningTo: ["commands"])
        #expect(bench.told.contains(.ready) && bench.channel.isListening && bench.channel.health.isHealthy)
        let button = Notice.Button(label: "Seen", body: Secret("HA2BAAAAAAAAAAAAAAAAAAAAAA"))
        #expect(bench.deliver(.words("b-1", text: "Kitchen \"window\"\nopen", buttons: [button])))
        #expect(bench.accepted == ["b-1"])
        let message = bench.server.truth.messages.first
        #expect(message?.title == "Alarm" && message?.message == "Kitchen \"window\"\nopen" && message?.priority == 5)
        #expect(message?.tags == ["rotating_light"] && message?.buttons == ["Seen"] && message?.sequence == "b-1")
        bench.perform(.press(topic: "alerts", button: 1))
        #expect(bench.inbound.map(\.body) == [.text("HA2BAAAAAAAAAAAAAAAAAAAAAA")])
        #expect(bench.inbound.first?.from == "topics.test/commands" && bench.inbound.first?.channel == .ntfy)
        #expect(bench.inbound.first?.age == .zero)
    }

    @Test("sealed bytes are a text that says nothing, and a pairing frame is silent")
    func sealedBytesAreATextThatSaysNothing() throws {
        let bench = TopicBench()
        bench.start()
        var delivery = Delivery.words("s-1")
        delivery.content = .sealed([1, 2, 250])
        #expect(bench.deliver(delivery))
        delivery.message = MessageID("f-1")
        delivery.content = .frame([9])
        #expect(bench.deliver(delivery))
        let messages = bench.server.truth.messages
        #expect(messages.map(\.message) == [Base64URL.encode([1, 2, 250]), Base64URL.encode([9])])
        #expect(messages.map(\.title) == ["HowAlarming: new message", "HowAlarming: new message"])
        #expect(messages.map(\.priority) == [5, 2])
    }

    @Test("each class has its priority, an answer makes no sound", arguments: PriorityClass.allCases)
    func eachClassHasItsPriority(_ priority: PriorityClass) {
        let bench = TopicBench()
        bench.start()
        #expect(bench.deliver(.words("p", priority: priority)))
        var answer = Delivery.words("a", priority: priority)
        answer.isAnswer = true
        #expect(bench.deliver(answer))
        let wanted: [PriorityClass: Int] = [.alarm: 5, .fault: 4, .state: 3, .info: 2]
        #expect(bench.server.truth.messages.map(\.priority) == [wanted[priority] ?? 0, 2])
    }

    @Test("down 20 s while 10 alarms happen: all are given back or wait, and arrive within 10 s after it is back")
    func down20SWhile10AlarmsHappen() {
        let bench = TopicBench()
        bench.start(listeningTo: ["commands"])
        bench.perform(.refuseConnect(true))
        bench.perform(.resetAll)
        bench.step { channel, now, _ in channel.setUrgent(true, at: now) }
        var waiting = (0..<10).map { "m-\($0)" }
        func post(_ bench: TopicBench) {
            while let id = waiting.first, bench.deliver(.words(id)) { waiting.removeFirst() }
            waiting += bench.returned
            bench.told.removeAll { if case .returned = $0 { true } else { false } }
        }
        for _ in 0..<20 {
            post(bench)
            bench.pass(.seconds(1))
        }
        #expect(bench.server.truth.messages.isEmpty && !bench.channel.health.isHealthy)
        bench.perform(.refuseConnect(false))
        for _ in 0..<10 {
            post(bench)
            bench.pass(.seconds(1))
        }
        #expect(bench.accepted.sorted() == (0..<10).map { "m-\($0)" })
        #expect(bench.channel.health.isHealthy && bench.channel.isListening)
    }

    @Test("a server that died without an end is noticed by a message within 20 s, by the stream within 75 s")
    func aServerThatDiedWithoutAnEndIsNoticedByAMessageWithin20S() {
        let bench = TopicBench()
        bench.start(listeningTo: ["commands"])
        #expect(bench.deliver(.words("before")))
        bench.perform(.blackHole(true))
        #expect(bench.deliver(.words("m")))
        bench.pass(.seconds(21))
        #expect(bench.returned == ["m"] && bench.problem.contains("did not answer in time"))
        #expect(bench.told.contains(.notReady))
        bench.pass(.seconds(55))
        #expect(!bench.channel.isListening)
        bench.perform(.blackHole(false))
        bench.pass(.seconds(62))
        #expect(bench.channel.isListening && bench.channel.health.isHealthy)
        #expect(bench.deliver(.words("m")))
        #expect(bench.accepted == ["before", "m"])
    }

    @Test("a message that was carried out and not answered goes out again under the same name for the app")
    func aMessageThatWasCarriedOutAndNotAnsweredGoesOutAgainUnder() {
        let bench = TopicBench()
        bench.start()
        bench.perform(.answer(.earlyClose, times: 1, .publish))
        #expect(bench.deliver(.words("m")))
        #expect(bench.returned == ["m"])
        bench.pass(.seconds(2))
        #expect(bench.deliver(.words("m")))
        #expect(bench.accepted == ["m"])
    }

    @Test(
        "refusals are told apart, each with what to do",
        arguments: [
            (
                NtfyFaults.Answer.status(403, retryAfter: nil, code: 40301), PushReaction.hold(.minutes(5)),
                "write access"
            ),
            (.status(408, retryAfter: nil, code: nil), .retry(first: .seconds(1), attempts: nil), "we try again"),
            (.status(421, retryAfter: nil, code: nil), .retry(first: .seconds(1), attempts: nil), "we try again"),
            (.status(425, retryAfter: nil, code: nil), .retry(first: .seconds(1), attempts: nil), "we try again"),
            (.status(413, retryAfter: nil, code: 41303), .giveUp, "too long"),
            (.status(429, retryAfter: 90, code: 42908), .hold(.seconds(90)), "server of your own"),
            (.status(429, retryAfter: nil, code: 42901), .hold(.seconds(10)), "too many requests"),
            (.status(507, retryAfter: nil, code: 50701), .hold(.minutes(5)), "free space"),
            (.status(503, retryAfter: 7, code: nil), .retry(first: .seconds(1), attempts: nil), "we try again"),
            (.status(400, retryAfter: nil, code: 40017), .giveUp, "report"),
        ])
    func refusalsAreToldApart(_ answer: NtfyFaults.Answer, _ reaction: PushReaction, _ words: String) {
        let bench = TopicBench()
        bench.start()
        bench.perform(.answer(answer, times: 1, .publish))
        #expect(bench.deliver(.words("m")))
        #expect(bench.refusals.map(\.reaction) == [reaction])
        #expect(bench.refusals.first?.why.contains(words) == true, "\(bench.refusals)")
        #expect(bench.refusals.first?.needsPerson == (words == "write access"))
        #expect(bench.accepted.isEmpty && bench.returned.isEmpty)
        bench.pass(.minutes(6))
        #expect(bench.deliver(.words("n")))
        #expect(bench.accepted == ["n"] && bench.channel.health.isHealthy, "\(bench.problem)")
    }

    @Test(
        "answers that lie, and troubles that pass, give the message back and say what it may be",
        arguments: [
            (NtfyFaults.Answer.page, "login"), (.wrongJSON, "not a topic server"), (.huge, "longer than"),
            (.earlyClose, "before that was complete"), (.garbage, "does not speak HTTP"),
            (.redirect("https://elsewhere.test/x"), "https://elsewhere.test/x"),
            (.status(401, retryAfter: nil, code: 40101), "new token"),
            (.status(404, retryAfter: nil, code: 40401), "nothing to publish to"),
            (.status(405, retryAfter: nil, code: nil), "nothing to publish to"),
        ])
    func answersThatLieAndTroublesThatPassGiveTheMessageBackAndSay(_ answer: NtfyFaults.Answer, _ words: String) {
        let bench = TopicBench()
        bench.start()
        bench.perform(.answer(answer, times: 1, .publish))
        #expect(bench.deliver(.words("m")))
        #expect(bench.returned == ["m"])
        #expect(bench.problem.contains(words), "\(bench.problem)")
        #expect(bench.channel.health.phase == .waiting && bench.channel.room == .none)
        bench.pass(.minutes(6))
        // The server answers again; whether it takes messages shows when there is one.
        #expect(bench.channel.health.phase == .ready && bench.problem.contains(words))
        #expect(bench.deliver(.words("m")))
        #expect(bench.accepted == ["m"])
        #expect(bench.channel.health.isHealthy, "\(bench.problem)")
    }

    @Test("a trouble with each message is told once, and its end with the first that is taken")
    func aTroubleWithEachMessageIsToldOnce() {
        let bench = TopicBench()
        bench.start()
        bench.perform(.answer(.status(404, retryAfter: nil, code: 40401), times: 3, .publish))
        func problems() -> [TransportAction] {
            bench.told.filter { if case .problem = $0 { true } else { false } }
        }
        for _ in 0..<3 {
            #expect(bench.deliver(.words("m")))
            bench.pass(.minutes(2))
        }
        #expect(bench.returned == ["m", "m", "m"])
        #expect(problems().count == 1)
        #expect(bench.deliver(.words("m")))
        #expect(problems().count == 2 && problems().last == TransportAction.problem(nil))
    }

    @Test("a topic that is closed to the box is no trouble of the channel: others are open")
    func aTopicThatIsClosedToTheBoxIsNoTroubleOfTheChannel() {
        let bench = TopicBench()
        bench.start()
        bench.perform(.answer(.status(403, retryAfter: nil, code: 40301), times: 1, .publish))
        #expect(bench.deliver(.words("m")))
        #expect(bench.refusals.count == 1 && bench.channel.health.isHealthy)
        #expect(bench.deliver(.words("n", topic: "topics.test/other")))
        #expect(!bench.told.contains { if case .problem = $0 { true } else { false } })
    }

    @Test("credentials go with everything; wrong ones are one problem with a remedy, and never shown")
    func credentialsGoWithEverything() {
        var settings = NtfySettings(host: "topics.test")
        settings.access = .token(Secret("tk_right"))
        let bench = TopicBench(settings)
        bench.server.settings.everybodyMay = false
        bench.server.settings.accounts = [
            NtfyServerSettings.Account(
                token: Secret("tk_right"),
                grants: [
                    NtfyServerSettings.Grant("alerts", mayRead: false, mayWrite: true),
                    NtfyServerSettings.Grant("commands", mayRead: true, mayWrite: false),
                ]),
            NtfyServerSettings.Account(
                token: Secret("tk_phone"),
                grants: [NtfyServerSettings.Grant("commands", mayRead: false, mayWrite: true)]),
        ]
        bench.start(listeningTo: ["commands"])
        let button = Notice.Button(label: "Seen", body: Secret("HA2BX"))
        #expect(bench.deliver(.words("m", buttons: [button], commandToken: Secret("tk_phone"))))
        bench.perform(.press(topic: "alerts", button: 1))
        #expect(bench.accepted == ["m"] && bench.inbound.map(\.body) == [.text("HA2BX")])

        settings.access = .token(Secret("tk_wrong"))
        let other = TopicBench(settings)
        other.server.settings = bench.server.settings
        other.start(listeningTo: ["commands"])
        #expect(other.problem.contains("make a new token") && other.channel.health.problem?.isRefusal == true)
        #expect(!"\(other.told)".contains("tk_wrong") && !"\(other.channel.health)".contains("tk_wrong"))
        #expect(other.channel.health.phase == .waiting)
    }

    @Test("four at a time, the last place is an alarm's; what is on another server or not words is refused")
    func fourAtATimeTheLastPlaceIsAnAlarmsWhatIsOnAnotherServer() {
        let bench = TopicBench()
        bench.start()
        bench.perform(.delay(.seconds(3)))
        #expect(bench.channel.room == TransportRoom(alarm: 4, other: 3))
        for id in ["a", "b", "c"] { #expect(bench.deliver(.words(id, priority: .info))) }
        #expect(!bench.deliver(.words("d", priority: .info)) && bench.deliver(.words("alarm")))
        #expect(!bench.deliver(.words("alarm 2")))
        bench.pass(.seconds(4))
        #expect(bench.accepted == ["a", "b", "c", "alarm"])
        #expect(bench.deliver(.words("e", topic: "elsewhere.test/alerts")))
        var event = Delivery.words("f")
        event.content = .event(.object([]), type: "alarm")
        #expect(bench.deliver(event))
        #expect(bench.refusals.map(\.reaction) == [.giveUp, .giveUp])
    }

    @Test("what was stopped is given back, and nothing happens afterwards")
    func whatWasStoppedIsGivenBack() {
        let bench = TopicBench()
        bench.start(listeningTo: ["commands"])
        bench.perform(.delay(.seconds(3)))
        #expect(bench.deliver(.words("m")))
        bench.step { $0.stop(at: $1, into: &$2) }
        #expect(bench.returned == ["m"] && bench.told.last != .ready)
        #expect(
            bench.channel.nextDeadline == nil && bench.channel.health.phase == .stopped
                && bench.server.truth.connections == 0)
    }
}
