import AlarmModel
import PhoneLink
import Testing

@Suite("Mail goes out") struct MailTransportTests {
    @Test("the login is tried at the start; messages follow each other on one connection, which then is closed")
    func theLoginIsTriedAtTheStart() {
        let bench = ChannelBench(.plain())
        bench.start()
        #expect(bench.channel.health.phase == .connecting && bench.channel.room == .none)
        bench.connect()
        #expect(bench.channel.health.phase == .loggingIn)
        bench.say(MailServer.greeting)
        bench.say(MailServer.hello)
        #expect(bench.channel.health == TransportHealth(phase: .ready))
        #expect(bench.take().text == "EHLO [127.0.0.1]\r\n")

        #expect(bench.deliver(.mail("m1", priority: .info)))
        #expect(bench.deliver(.mail("m2", priority: .info)))
        #expect(bench.deliver(.mail("m3", to: "bob@example.test")))
        bench.sayAll(MailServer.takes)
        bench.sayAll(MailServer.takes)
        bench.sayAll(MailServer.takes)
        let actions = bench.take()
        #expect(
            actions.orders == ["m1", "m3", "m2"].map { .accepted(MessageID($0), canonical: nil) },
            "an alarm passes what waits")
        let commands = actions.text.split(separator: "\r\n").filter { $0.hasPrefix("MAIL") || $0.hasPrefix("RCPT") }
        #expect(commands.count == 6)
        #expect(commands[0].hasPrefix("MAIL FROM:<box@house.test> SIZE="))
        #expect(commands[3] == "RCPT TO:<bob@example.test>")
        #expect(bench.channel.health.lastAccepted == bench.now.wall)

        bench.wait(.seconds(30))
        #expect(bench.actions.text == "QUIT\r\n")
        #expect(bench.take().orders == [.close(ConnectionID(1))])
        #expect(bench.channel.health.isHealthy)
        bench.deliver(.mail("m4"))
        #expect(bench.take().connects == 1)
    }

    @Test("after hours without a message the login is tried again")
    func afterHoursWithoutAMessageTheLoginIsTriedAgain() {
        let bench = ChannelBench<MailTransport>.ready()
        bench.wait(.hours(5))
        #expect(bench.take().connects == 0)
        bench.wait(.hours(1))
        #expect(bench.take().connects == 1)
        #expect(bench.channel.health.isHealthy)
        bench.refuse()
        #expect(!bench.channel.health.isHealthy && bench.actions.contains(.notReady))
    }

    @Test("TLS first, then the password; a server that encrypts nothing never sees it")
    func tlsFirstThenThePasswordAServerThatEncryptsNothingNeverSees() {
        let bench = ChannelBench(.login(.startTLS))
        bench.start()
        #expect(
            bench.take().orders
                == [
                    .connect(DialSlot(0), DialTarget(host: "mail.test", port: 587, security: .plain)),
                    .problem(nil),
                ].dropLast())
        bench.connect()
        bench.say(MailServer.greeting)
        bench.say(MailServer.helloTLS)
        bench.say("220 go ahead\r\n")
        #expect(bench.take().orders == [.upgrade(ConnectionID(1), serverName: "mail.test", authorityFile: nil)])
        bench.secure()
        bench.say(MailServer.helloLogin)
        #expect(bench.take().text == "EHLO [127.0.0.1]\r\nAUTH PLAIN AGJveABzM2NyZXQtd29yZA==\r\n")
        bench.say("235 2.7.0 welcome\r\n")
        #expect(bench.take().orders == [.ready])

        let other = ChannelBench(.login(.startTLS))
        other.start()
        other.connect()
        other.say(MailServer.greeting)
        other.say(MailServer.helloLogin)
        #expect(other.actions.text == "EHLO [127.0.0.1]\r\n")
        #expect(other.actions.lastProblem?.description.contains("STARTTLS") == true)
        #expect(other.actions.lastProblem?.isRefusal == true)
    }

    @Test("bytes that were slipped in before the encryption are not believed")
    func bytesThatWereSlippedInBeforeTheEncryptionAreNotBelieved() {
        for words in ["220 go\r\n235 welcome\r\n", "220 go\r\n2"] {
            let bench = ChannelBench(.login(.startTLS))
            bench.start()
            bench.connect()
            bench.sayAll([MailServer.greeting, MailServer.helloTLS])
            bench.say(words)
            #expect(bench.actions.lastProblem?.description.contains("before the encryption") == true)
            #expect(bench.actions.orders.contains(.close(ConnectionID(1))))
        }
    }

    @Test("LOGIN where PLAIN is not offered; a wrong password has a remedy and is not repeated to anybody")
    func loginWherePLAINIsNotOffered() {
        let bench = ChannelBench(.login())
        bench.start()
        bench.connect()
        bench.sayAll([MailServer.greeting, "250-x\r\n250 AUTH LOGIN CRAM-MD5\r\n", "334 VXNlcm5hbWU6\r\n"])
        bench.say("334 UGFzc3dvcmQ6\r\n")
        #expect(bench.actions.text.hasSuffix("AUTH LOGIN\r\nYm94\r\nczNjcmV0LXdvcmQ=\r\n"))
        bench.say("535 5.7.8 'czNjcmV0LXdvcmQ=' and 's3cret-word' are wrong\r\n")
        let problem = bench.actions.lastProblem
        #expect(problem?.isRefusal == true)
        #expect(problem?.description.contains("'****' and '****' are wrong") == true)
        #expect(bench.channel.room == .none && bench.channel.health.phase == .waiting)
        _ = bench.take()
        #expect(bench.waitForTimer() == .minutes(5))
        bench.refuse(.tls(.unknownAuthority))
        #expect(bench.waitForTimer() == .minutes(10))
        bench.channel.setUrgent(true, at: bench.now)
        bench.refuse(.tls(.unknownAuthority))
        bench.channel.setUrgent(false, at: bench.now)
        bench.channel.setUrgent(true, at: bench.now)
        #expect(bench.waitForTimer() == .seconds(5))
    }

    @Test("a password without encryption, and a sender that is none, are never tried")
    func aPasswordWithoutEncryption() {
        var settings = MailSettings.plain()
        settings.user = "box"
        settings.password = Secret("s3cret-word")
        let bench = ChannelBench(settings)
        bench.start()
        bench.wait(.hours(10))
        #expect(bench.actions.connects == 0)
        #expect(bench.actions.lastProblem?.description.contains("never sent unencrypted") == true)
        let odd = ChannelBench(.plain { $0.from = "box@house\r\nRCPT TO:<x@y>" })
        odd.start()
        #expect(odd.actions.connects == 0)
        #expect(odd.actions.lastProblem?.description.contains("is no mail address") == true)
    }

    @Test("what the server says about a message decides what becomes of it, and the next one goes on")
    func whatTheServerSaysAboutAMessageDecidesWhatBecomesOfIt() {
        let again = PushReaction.retry(first: .seconds(30), attempts: nil)
        // Perhaps the account, perhaps this recipient's rules: somebody has to look.
        let held = PushReaction.hold(.minutes(5))
        let cases: [(step: Int, reply: String, PushReaction)] = [
            (0, "451 4.3.0 later", again), (0, "552 too big", .giveUp),
            (1, "450 4.2.1 greylisted", again), (1, "550 5.1.1 nobody", .dropAddress), (1, "550 nobody", .dropAddress),
            (1, "550 5.2.1 disabled", .dropAddress), (1, "553 5.1.8 no such sender", held),
            (1, "550 5.1.7 not your address", held), (1, "550 5.7.1 we do not like you", held),
            (1, "554 relay access denied", held), (1, "550 5.4.1 no way there", held),
            (1, "552 5.2.2 full", .retry(first: .minutes(5), attempts: 20)),
            (2, "554 no valid recipients", .giveUp), (3, "451 later", again), (3, "554 5.7.1 spam", .giveUp),
        ]
        for (step, reply, reaction) in cases {
            let bench = ChannelBench<MailTransport>.ready()
            bench.deliver(.mail("m1"))
            bench.deliver(.mail("m2"))
            bench.sayAll(Array(MailServer.takes.prefix(step)))
            bench.say(reply + "\r\n")
            #expect(bench.actions.lastRefusal?.reaction == reaction, "\(reply)")
            #expect(bench.actions.lastRefusal?.why == "the mail server says: \(reply)")
            #expect(bench.actions.lastRefusal?.needsPerson == (reaction == held), "\(reply)")
            if step < 3 { bench.say("250 reset\r\n") }
            bench.sayAll(MailServer.takes)
            #expect(bench.actions.contains(.accepted(MessageID("m2"), canonical: nil)), "\(reply)")
            #expect(bench.channel.health == TransportHealth(phase: .ready, lastAccepted: bench.now.wall))
        }
    }

    @Test("what is wrong with the account gives everything back and waits for a person")
    func whatIsWrongWithTheAccountGivesEverythingBackAndWaits() {
        for (reply, words) in [
            ("550 5.7.60 not your address", "own address"), ("530 5.7.0 authentication required", "user and password"),
        ] {
            let bench = ChannelBench<MailTransport>.ready()
            bench.deliver(.mail("m1"))
            bench.deliver(.mail("m2"))
            bench.say(reply + "\r\n")
            #expect(bench.actions.lastProblem?.description.contains(words) == true)
            #expect(bench.actions.lastProblem?.isRefusal == true)
            #expect(
                bench.actions.orders.prefix(3) == [
                    .close(ConnectionID(1)), .notReady, .returned([MessageID("m1"), MessageID("m2")]),
                ])
        }
    }

    @Test("what is wrong with the account ends with a message that is taken, not with the next login")
    func whatIsWrongWithTheAccountEndsWithAMessageThatIsTaken() {
        let bench = ChannelBench<MailTransport>.ready()
        bench.deliver(.mail("m1"))
        bench.say("550 5.7.60 not your address\r\n")
        let problem = bench.actions.lastProblem
        for minutes in [5, 10, 20] {
            _ = bench.take()
            let pause = bench.waitForTimer()
            #expect(pause == .minutes(minutes))
            bench.connect()
            bench.sayAll([MailServer.greeting, MailServer.hello])
            #expect(bench.channel.health.phase == .ready && bench.channel.health.problem == problem)
            bench.deliver(.mail("m1"))
            bench.say("550 5.7.60 not your address\r\n")
            #expect(bench.actions.contains(.ready) && bench.actions.contains(.notReady))
            #expect(!bench.actions.contains { if case .problem = $0 { true } else { false } })
        }
        _ = bench.waitForTimer()
        bench.connect()
        bench.sayAll([MailServer.greeting, MailServer.hello])
        bench.deliver(.mail("m1"))
        bench.sayAll(MailServer.takes)
        #expect(bench.actions.contains(.problem(nil)))
        #expect(bench.channel.health == TransportHealth(phase: .ready, lastAccepted: bench.now.wall))
    }

    @Test("421, a lost connection and silence give everything back; attempts go on for ever")
    func with421ALostConnectionAndSilenceGiveEverythingBackAttemptsGo() {
        for trouble in 0..<3 {
            let bench = ChannelBench<MailTransport>.ready()
            bench.deliver(.mail("m1"))
            bench.say(MailServer.takes[0])
            switch trouble {
            case 0: bench.say("421 4.3.2 going down\r\n")
            case 1: bench.lose(.reset)
            default:
                bench.wait(.seconds(59))
                #expect(!bench.actions.contains(.notReady))
                bench.wait(.seconds(1))
            }
            #expect(bench.actions.contains(.returned([MessageID("m1")])))
            for _ in 0..<30 {
                guard let span = bench.waitForTimer() else { break }
                #expect(span <= .seconds(60))
                bench.refuse()
            }
            #expect(bench.take().connects == 30)
            while case .waiting = bench.channel.health.phase { _ = bench.waitForTimer() }
            bench.connect()
            bench.sayAll([MailServer.greeting, MailServer.hello])
            #expect(bench.channel.health.isHealthy)
        }
    }

    @Test("an idle connection may end in any way without a word to anybody")
    func anIdleConnectionMayEndInAnyWayWithoutAWordToAnybody() {
        for trouble in 0..<2 {
            let bench = ChannelBench<MailTransport>.ready()
            if trouble == 0 { bench.lose() } else { bench.say("421 timeout\r\n") }
            #expect(bench.channel.health.isHealthy)
            #expect(bench.actions.lastProblem == nil && !bench.actions.contains(.notReady))
        }
    }

    @Test("a server that takes long over a message gets more time with each try")
    func aServerThatTakesLongOverAMessageGetsMoreTimeWithEachTry() {
        let bench = ChannelBench<MailTransport>.ready()
        var patience: [Int64] = []
        for _ in 0..<6 {
            bench.deliver(.mail("m1"))
            bench.sayAll(Array(MailServer.takes.prefix(3)))
            patience.append((bench.waitForTimer() ?? .zero).milliseconds / 1000)
            _ = bench.waitForTimer()
            bench.connect()
            bench.sayAll([MailServer.greeting, MailServer.hello])
        }
        #expect(patience == [60, 120, 240, 480, 600, 600])
    }

    @Test("what no mail can be is refused at once; the window keeps places for alarms")
    func whatNoMailCanBeIsRefusedAtOnce() {
        let bench = ChannelBench<MailTransport>.ready {
            $0.window = 3; $0.reservedForAlarms = 1
        }
        bench.deliver(.mail("m1", to: "a@b.test>\r\nDATA"))
        #expect(bench.actions.lastRefusal?.reaction == .dropAddress)
        var sealed = Delivery.mail("m2")
        sealed.content = .sealed([1, 2])
        bench.deliver(sealed)
        #expect(bench.actions.lastRefusal?.reaction == .giveUp)
        #expect(bench.actions.text.isEmpty)
        #expect(bench.deliver(.mail("i1", priority: .info)) && bench.deliver(.mail("i2", priority: .info)))
        #expect(!bench.deliver(.mail("i3", priority: .info)))
        #expect(bench.deliver(.mail("a1")) && !bench.deliver(.mail("a2")))
        bench.stop()
        #expect(bench.actions.contains(.returned([MessageID("i1"), MessageID("i2"), MessageID("a1")])))
        #expect(bench.channel.health.phase == .stopped && bench.channel.nextDeadline == nil)
    }
}
