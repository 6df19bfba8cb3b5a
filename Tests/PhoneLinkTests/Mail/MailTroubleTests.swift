import AlarmModel
import PhoneLink
import Testing

@Suite("Trouble with the mail server") struct MailTroubleTests {
    /// Connected, and the server has said all this.
    private func heard(_ settings: MailSettings, _ replies: String...) -> ChannelBench<MailTransport> {
        let bench = ChannelBench(settings)
        bench.start()
        bench.connect()
        _ = bench.take()
        bench.sayAll(replies)
        return bench
    }

    @Test("mail that leaves the box unencrypted is warned of, mail to the box itself is not")
    func mailThatLeavesTheBoxUnencryptedIsWarnedOf() {
        for (host, isWarned) in [("mail.test", true), ("127.0.0.1", false), ("localhost", false), ("::1", false)] {
            let bench = ChannelBench(.plain { $0.host = host })
            bench.start()
            #expect(bench.actions.logWords.contains { $0.contains("unencrypted") } == isWarned, "\(host)")
            #expect(bench.actions.connects == 1)
        }
    }

    @Test("an attempt that nobody answers is given up with words, and what comes of it too late is closed")
    func anAttemptThatNobodyAnswersIsGivenUpWithWords() throws {
        let bench = ChannelBench(.plain())
        bench.start()
        _ = bench.take()
        #expect(bench.waitForTimer() == .seconds(90))
        let problem = try #require(bench.actions.lastProblem)
        #expect(problem.description.contains("cannot be reached: no answer; check host and port"))
        #expect(bench.take().orders == [.cancelConnect(DialSlot(0)), .problem(problem)])
        let late = bench.connect()
        #expect(bench.take() == [.close(late)])
    }

    @Test("a server that greets late gets the time that it needs, up to 5 min")
    func aServerThatGreetsLateGetsTheTimeThatItNeeds() throws {
        let bench = ChannelBench(.login())
        bench.start()
        let first = bench.connect()
        // 40 s for each answer: another connection is tried meanwhile, and given up when the first one speaks.
        for reply in [MailServer.greeting, MailServer.helloLogin, "235 welcome\r\n"] {
            bench.wait(.seconds(40))
            bench.say(reply, on: first)
            #expect(bench.actions.orders.contains(.cancelConnect(DialSlot(0))))
        }
        let actions = bench.take()
        #expect(actions.contains(.ready) && !actions.contains(.close(first)))
    }

    @Test("a connection by which nothing comes keeps no other one from being made; the first that works is used")
    func aConnectionByWhichNothingComesKeepsNoOtherOneFromBeingMade() throws {
        let bench = ChannelBench(.plain())
        bench.start()
        let silent = bench.connect()
        #expect(bench.waitForTimer() == .seconds(15))
        #expect(bench.channel.health.problem?.description.contains("did not finish its greeting") == true)
        #expect(!bench.take().contains(.close(silent)))
        while bench.actions.connects == 0 { _ = bench.waitForTimer() }
        bench.connect()
        bench.sayAll([MailServer.greeting, MailServer.hello])
        #expect(bench.take().orders.suffix(3) == [.close(silent), .problem(nil), .ready])
        // The closed connection counts no more.
        bench.say(MailServer.greeting, on: silent)
        #expect(bench.take().isEmpty)
    }

    @Test("of a server that says nothing at all one connection waits 5 min, and each that is tried beside it 15 s")
    func ofAServerThatSaysNothingAtAllOneConnectionWaits() throws {
        let bench = ChannelBench(.plain())
        bench.start()
        let begin = bench.now.boot
        let first = bench.connect()
        var closed: [ConnectionID: Duration] = [:]
        for _ in 0..<40 {
            _ = bench.waitForTimer()
            let actions = bench.take()
            for case .close(let id) in actions { closed[id] = bench.now.boot - begin }
            if actions.connects > 0 { bench.connect() }
        }
        #expect(closed[first] == .minutes(5))
        #expect(closed.count > 3 && closed.values.max().map { $0 > .minutes(5) } == true)
    }

    @Test("another network is tried at once, and an idle connection is not trusted there")
    func anotherNetworkIsTriedAtOnce() {
        let bench = ChannelBench(.plain())
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().isEmpty)
        bench.start()
        bench.refuse()
        _ = bench.take()
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().connects == 1 && bench.channel.health.phase == .connecting)
        bench.connect()
        bench.sayAll([MailServer.greeting, MailServer.hello])
        bench.deliver(.mail("m1"))
        _ = bench.take()
        // A message is under way: its connection tells by itself.
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().isEmpty)
        bench.sayAll(MailServer.takes)
        _ = bench.take()
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.actions.text == "QUIT\r\n" && bench.take().orders == [.close(ConnectionID(1))])
        #expect(bench.channel.health.isHealthy)
        // A refusal waits for its time.
        let refused = heard(.login(), MailServer.greeting, MailServer.helloLogin, "535 no\r\n")
        _ = refused.take()
        refused.channel.networkChanged(at: refused.now, into: &refused.actions)
        #expect(refused.take().isEmpty)
    }

    @Test(
        "a login that comes to nothing says why, and whether a person must act",
        arguments: [
            ("250-x\r\n250 AUTH CRAM-MD5\r\n", "", "offers no login that we know (PLAIN, LOGIN)", true),
            ("250 x\r\n", "", "offers no login that we know", true),
            (MailServer.helloLogin, "504 5.5.4 not this one\r\n", "whether it wants an app password", true),
            (MailServer.helloLogin, "454 4.7.0 later\r\n", "could not check the login (454 4.7.0 later)", false),
            (MailServer.helloLogin, "220 what?\r\n", "answered the login with '220 what?'", false),
        ])
    func aLoginThatComesToNothingSaysWhy(hello: String, answer: String, words: String, isRefusal: Bool) throws {
        let bench = heard(.login(), MailServer.greeting, hello, answer)
        let problem = try #require(bench.actions.lastProblem)
        #expect(problem.description.contains(words) && problem.isRefusal == isRefusal, "\(problem)")
        #expect(bench.take().orders == [.close(ConnectionID(1)), .problem(problem)])
    }

    @Test("a server that cannot encrypt now is asked again soon, one that never does is a matter for a person")
    func aServerThatCannotEncryptNowIsAskedAgainSoon() {
        for (answer, isRefusal) in [("454 4.7.0 not now\r\n", false), ("502 5.5.1 what?\r\n", true)] {
            let bench = heard(.login(.startTLS), MailServer.greeting, MailServer.helloTLS, answer)
            #expect(bench.actions.lastProblem?.isRefusal == isRefusal && !bench.actions.text.contains("AUTH"))
            #expect(bench.channel.health.phase == .waiting)
        }
    }

    @Test("an encryption that fails is told with its reason, and a certificate that stays wrong has time")
    func anEncryptionThatFailsIsToldWithItsReason() throws {
        for (failure, isRefusal) in [(TLSFailure.wrongHost, true), (.certificateExpired, false), (.cutOff, false)] {
            let bench = heard(.login(.startTLS), MailServer.greeting, MailServer.helloTLS, "220 go\r\n")
            bench.lose(.tls(failure))
            let problem = try #require(bench.actions.lastProblem)
            #expect(problem.description == "mail server: no encrypted connection: \(failure)")
            #expect(problem.isRefusal == isRefusal)
        }
    }
}
