import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

extension Delivery {
    static func job(
        _ id: String, tube: String = "alert_email", message: String = "alarm. zone = Study",
        priority: PriorityClass = .alarm
    ) -> Delivery {
        let event = JSON.object([
            "raw": .string("6011001"), "message": .string(message), "code": .string("601"), "type": .string("alarm"),
            "timestamp": .integer(1_795_228_190),
        ])
        return Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.tube), tube),
            content: .event(event, type: "alarm"),
            priority: priority, timeToLive: 3600)
    }
}

extension ChannelBench where Channel == BeanstalkTransport {
    convenience init(_ settings: BeanstalkSettings) { self.init(BeanstalkTransport(settings: settings, seed: 1)) }

    /// One answer after the other, as the queue gives them.
    func say(_ text: String, on id: ConnectionID? = nil) {
        var rest = Array(text.utf8)[...]
        while let end = rest.firstIndex(of: 0x0A) {
            let words = String(decoding: rest[..<end].dropLast(), as: UTF8.self).split(separator: " ")
            let hasBody = words.first == "OK" || words.first == "RESERVED"
            let body = hasBody ? words.last.flatMap { Int($0) }.map { $0 + 2 } ?? 0 : 0
            hear(rest.prefix(end + 1 - rest.startIndex + body), on: id)
            rest = rest.dropFirst(end + 1 - rest.startIndex + body)
        }
        if !rest.isEmpty { hear(rest, on: id) }
    }

    func hear(_ bytes: some Sequence<UInt8>, on id: ConnectionID? = nil) {
        channel.received(id ?? ConnectionID(connections), Array(bytes), at: now, into: &actions)
    }

    func table(_ text: String, on id: ConnectionID) { say("OK \(text.utf8.count)\r\n\(text)\r\n", on: id) }

    /// Both connections stand: 1 puts, 2 takes.
    static func ready(_ commands: [String] = ["commands"], log: Int = 0) -> ChannelBench {
        let bench = ChannelBench(BeanstalkSettings(commandTubes: commands))
        bench.start()
        bench.connect(slot: 0)
        bench.say("USING default\r\n")
        guard !commands.isEmpty else { return bench }
        bench.connect(slot: 1)
        bench.table("---\nid: 0a1b\nbinlog-current-index: \(log)\n", on: bench.taker)
        for _ in commands { bench.say("WATCHING 2\r\n", on: bench.taker) }
        bench.say("WATCHING 1\r\n", on: bench.taker)
        return bench
    }

    var putter: ConnectionID { ConnectionID(1) }
    var taker: ConnectionID { ConnectionID(2) }

    func job(_ id: Int, _ body: String, reserves: Int = 1) {
        say("RESERVED \(id) \(body.utf8.count)\r\n\(body)\r\n", on: taker)
        table("---\nid: \(id)\ntube: \"commands\"\nage: 7\nreserves: \(reserves)\n", on: taker)
    }
}

extension [TransportAction] {
    func text(on id: ConnectionID) -> String {
        filter { if case .send(id, _) = $0 { true } else { false } }.text
    }
}

@Suite("The bridge to beanstalkd") struct BeanstalkTests {
    @Test("an event becomes a job in its tube; the tube is chosen only where it changes")
    func anEventBecomesAJobInItsTube() {
        let bench = ChannelBench<BeanstalkTransport>.ready([])
        #expect(bench.channel.health.isHealthy)
        #expect(bench.take().text == "list-tube-used\r\n")
        bench.deliver(.job("m1"))
        bench.say("USING alert_email\r\n")
        bench.say("INSERTED 1\r\n")
        bench.deliver(.job("m2"))
        bench.say("INSERTED 2\r\n")
        let body =
            #"{"raw":"6011001","message":"alarm. zone = Study","code":"601","type":"alarm","timestamp":1795228190}"#
        let put = "put 2147483648 0 120 \(body.utf8.count)\r\n\(body)\r\n"
        #expect(bench.actions.text == "use alert_email\r\n" + put + put)
        #expect(bench.take().orders == ["m1", "m2"].map { .accepted(MessageID($0), canonical: nil) })
        bench.wait(.seconds(60))
        #expect(bench.take().text == "list-tube-used\r\n")
        bench.wait(.seconds(15))
        #expect(bench.actions.lastProblem?.description.contains("did not answer") == true)
        #expect(bench.actions.contains(.notReady))
    }

    @Test("no program is given what would end it: ASCII on one line, all five keys, never in 'default'")
    func noProgramIsGivenWhatWouldEndIt() throws {
        let bench = ChannelBench<BeanstalkTransport>.ready([])
        _ = bench.take()
        bench.deliver(.job("m1", message: "Küche\r\nBcc: x 😀\u{2028}"))
        bench.say("USING alert_email\r\n")
        let text = bench.take().text
        let lines = text.split(separator: "\r\n")
        #expect(lines.count == 3 && text.utf8.allSatisfy { $0 < 0x80 })
        #expect(try JSON(parsing: String(lines[2]))["message"] == .string("Kueche  Bcc: x ? "))
        bench.say("INSERTED 1\r\n")

        var poor = Delivery.job("m2")
        poor.content = .event(.object(["code": .string("601")]), type: "alarm")
        bench.deliver(poor)
        #expect(bench.actions.lastRefusal?.reaction == .giveUp)
        for tube in ["default", "", "-x", "a b", "x\r\ndelete 1", String(repeating: "t", count: 201)] {
            _ = bench.take()
            bench.deliver(.job("m3", tube: tube))
            #expect(bench.actions.lastRefusal?.reaction == .dropAddress, "\(tube)")
            #expect(bench.actions.text.isEmpty)
        }
        _ = bench.take()
        var long = Delivery.job("m4", tube: "cli")
        if case .event(.object(var members), _) = long.content {
            members.append(.init(key: "more", value: .string(String(repeating: "ü", count: 20_000))))
            long.content = .event(.object(members), type: "alarm")
        }
        bench.deliver(long)
        #expect(bench.actions.lastRefusal?.reaction == .giveUp)
        #expect(bench.channel.health.underWay == 0)
    }

    @Test("what the queue says decides what becomes of a job")
    func whatTheQueueSaysDecidesWhatBecomesOfAJob() {
        let refusals: [(String, PushReaction)] = [
            ("JOB_TOO_BIG", .giveUp), ("BURIED 7", .retry(first: .seconds(60), attempts: 10)), ("BAD_FORMAT", .giveUp),
        ]
        for (words, reaction) in refusals {
            let bench = ChannelBench<BeanstalkTransport>.ready([])
            bench.deliver(.job("m1"))
            bench.say("USING alert_email\r\n\(words)\r\n")
            #expect(bench.actions.lastRefusal?.reaction == reaction, "\(words)")
        }
        for (words, told) in [
            ("DRAINING", "takes no more jobs"), ("OUT_OF_MEMORY", "no memory left"), ("INTERNAL_ERROR", "of its own"),
            ("HTTP/1.1 400", "not beanstalkd"), ("TIMED_OUT", "does not fit"),
        ] {
            let bench = ChannelBench<BeanstalkTransport>.ready([])
            bench.deliver(.job("m1"))
            bench.deliver(.job("m2"))
            bench.say("USING alert_email\r\n\(words)\r\n")
            #expect(bench.actions.contains(.returned([MessageID("m1"), MessageID("m2")])), "\(words)")
            #expect(bench.actions.lastProblem?.description.contains(told) == true, "\(words)")
            #expect(bench.channel.room == .none)
        }
    }

    @Test("a queue that drains is asked ever more rarely, and well again with a job that it takes, not with a greeting")
    func aQueueThatDrainsIsAskedEverMoreRarely() {
        let bench = ChannelBench<BeanstalkTransport>.ready([])
        func drain() {
            bench.deliver(.job("m1"))
            bench.say("USING alert_email\r\nDRAINING\r\n")
        }
        func problems() -> [TransportAction] {
            bench.actions.filter { if case .problem = $0 { true } else { false } }
        }
        drain()
        var longest = Duration.zero
        for _ in 0..<12 {
            let pause = bench.waitForTimer() ?? .zero
            longest = max(longest, pause)
            bench.connect()
            bench.say("USING default\r\n")
            #expect(bench.channel.health.phase == .ready && bench.channel.health.problem != nil)
            drain()
        }
        #expect(longest > .seconds(5) && longest <= .seconds(60))
        #expect(problems().count == 1)
        _ = bench.waitForTimer()
        bench.connect()
        bench.say("USING default\r\n")
        bench.deliver(.job("m1"))
        bench.say("USING alert_email\r\nINSERTED 1\r\n")
        #expect(problems().last == TransportAction.problem(nil) && problems().count == 2)
        #expect(bench.channel.health.isHealthy)
    }

    @Test("a queue that has no memory for those who wait for jobs is asked ever more rarely, too")
    func aQueueThatHasNoMemoryForThoseWhoWaitForJobsIsAskedEverMore() {
        let bench = ChannelBench<BeanstalkTransport>.ready()
        bench.say("OUT_OF_MEMORY\r\n", on: bench.taker)
        var longest = Duration.zero
        for _ in 0..<12 {
            _ = bench.take()
            let begin = bench.now.boot
            while bench.actions.connects == 0 {
                _ = bench.waitForTimer()
                // The other lane is asked for a sign of life meanwhile.
                guard !bench.actions.text(on: bench.putter).isEmpty else { continue }
                bench.say("USING default\r\n", on: bench.putter)
                if bench.actions.connects == 0 { _ = bench.take() }
            }
            longest = max(longest, bench.now.boot - begin)
            let id = bench.connect(slot: 1)
            bench.table("id: 0a1b\nbinlog-current-index: 0\n", on: id)
            bench.say("WATCHING 2\r\nWATCHING 1\r\n", on: id)
            #expect(bench.channel.health.problem?.description.contains("no memory") == true)
            bench.say("OUT_OF_MEMORY\r\n", on: id)
        }
        #expect(longest > .seconds(5))
    }

    @Test("a command is told once, kept alive while it is dealt with, and deleted then")
    func aCommandIsToldOnce() {
        let bench = ChannelBench<BeanstalkTransport>.ready(["commands", "more"])
        #expect(
            bench.take().text(on: bench.taker)
                == "stats\r\nwatch commands\r\nwatch more\r\nignore default\r\nreserve-with-timeout 30\r\n")
        bench.say("TIMED_OUT\r\n", on: bench.taker)
        bench.job(5, "arm")
        var message = InboundMessage(
            channel: .beanstalk, connection: bench.taker, from: "commands", id: "0a1b-5", body: .text("arm"))
        message.age = .seconds(7)
        #expect(bench.actions.orders == [.inbound(message)])
        #expect(bench.take().text == "reserve-with-timeout 30\r\nstats-job 5\r\n")
        bench.wait(.seconds(20))
        #expect(bench.take().text == "touch 5\r\n")
        bench.channel.acknowledge(message, at: bench.now, into: &bench.actions)
        #expect(bench.take().text == "")
        bench.say("TOUCHED\r\n", on: bench.taker)
        bench.say("DELETED\r\n", on: bench.taker)
        #expect(bench.take().text == "delete 5\r\nreserve-with-timeout 30\r\n")
    }

    @Test("a job that was dealt with and comes again is deleted without a word")
    func aJobThatWasDealtWithAndComesAgainIsDeletedWithoutAWord() {
        let bench = ChannelBench<BeanstalkTransport>.ready()
        bench.job(5, "arm")
        guard case .inbound(let message)? = bench.take().orders.last else {
            Issue.record("a command")
            return
        }
        bench.lose(.reset, bench.taker)
        bench.channel.acknowledge(message, at: bench.now, into: &bench.actions)
        while case .some = bench.actions.lastProblem, bench.actions.connects == 0 { _ = bench.waitForTimer() }
        let id = bench.connect(slot: 1)
        bench.table("id: 0a1b\nbinlog-current-index: 0\n", on: id)
        bench.say("WATCHING 2\r\nWATCHING 1\r\nRESERVED 5 3\r\narm\r\n", on: id)
        bench.table("tube: commands\nreserves: 2\n", on: id)
        #expect(bench.actions.text(on: id).hasSuffix("stats-job 5\r\ndelete 5\r\n"))
        #expect(!bench.actions.contains { if case .inbound = $0 { true } else { false } })
    }

    @Test(
        "with a log on disk an empty queue counts anew: a job that is younger than its namesake's end is another one",
        arguments: [(3, 1, true), (70, 1, false), (3, 2, false)])
    func withALogOnDiskAnEmptyQueueCountsAnew(age: Int, reserves: Int, isAnother: Bool) {
        let bench = ChannelBench<BeanstalkTransport>.ready(log: 5)
        bench.job(7, "arm")
        guard case .inbound(let first)? = bench.take().orders.last else {
            Issue.record("a command")
            return
        }
        #expect(first.id == "7")
        bench.channel.acknowledge(first, at: bench.now, into: &bench.actions)
        // Whether it was deleted is not known.
        bench.lose(.reset, bench.taker)
        while bench.actions.connects == 0 { _ = bench.waitForTimer() }
        let id = bench.connect(slot: 1)
        bench.table("id: 0a1b\nbinlog-current-index: 5\n", on: id)
        bench.say("WATCHING 2\r\nWATCHING 1\r\n", on: id)
        for _ in 0..<2 {
            bench.wait(.seconds(25))
            bench.say("TIMED_OUT\r\n", on: id)
        }
        _ = bench.take()
        bench.say("RESERVED 7 3\r\narm\r\n", on: id)
        bench.table("tube: commands\nage: \(age)\nreserves: \(reserves)\n", on: id)
        let isTold = bench.actions.contains { if case .inbound = $0 { true } else { false } }
        #expect(isTold == isAnother)
        #expect(bench.actions.text(on: id).hasSuffix("delete 7\r\n") != isAnother)
    }

    @Test("a job that was reserved before counts as a second older: the last run may have carried it out")
    func aJobThatWasReservedBeforeCountsAsASecondOlder() {
        let ages = [1, 2].map { reserves -> Duration? in
            let bench = ChannelBench<BeanstalkTransport>.ready()
            bench.job(5, "arm", reserves: reserves)
            guard case .inbound(let message)? = bench.take().orders.last else { return nil }
            return message.age
        }
        #expect(ages == [.seconds(7), .seconds(8)])
    }

    @Test("jobs that nobody can read, that are too long or come too often are buried and counted")
    func jobsThatNobodyCanRead() {
        let bench = ChannelBench<BeanstalkTransport>.ready()
        _ = bench.take()
        let jobs: [(String, Int)] = [
            ("{\"code\":", 1), ("0401987600", 1), (String(repeating: "x", count: 100_000), 1), ("arm", 11),
        ]
        for (number, (body, reserves)) in jobs.enumerated() {
            bench.job(number, body, reserves: reserves)
            bench.say("BURIED\r\n", on: bench.taker)
            #expect(bench.channel.buriedCount == number + 1)
            bench.now.boot = bench.now.boot + .minutes(1)
        }
        #expect(bench.actions.orders == [])
        #expect(bench.actions.text.split(separator: "\r\n").filter { $0.hasPrefix("bury") }.count == 4)
        let logs = bench.actions.filter { if case .log = $0 { true } else { false } }
        #expect(logs.count == 4 && !"\(logs)".contains("9876"))
    }

    @Test("a command that nobody answers is given back")
    func aCommandThatNobodyAnswersIsGivenBack() {
        let bench = ChannelBench<BeanstalkTransport>.ready()
        bench.job(5, "arm")
        _ = bench.take()
        for _ in 0..<6 {
            bench.wait(.seconds(20))
            bench.say("TOUCHED\r\n", on: bench.taker)
        }
        #expect(bench.take().text(on: bench.taker).hasSuffix("touch 5\r\nrelease 5 1024 60\r\n"))
    }

    @Test("a tube of commands that cannot be is told, and events still go out")
    func aTubeOfCommandsThatCannotBeIsTold() {
        let bench = ChannelBench(BeanstalkSettings(commandTubes: ["bad tube"]))
        bench.start()
        #expect(bench.actions.lastProblem?.description.contains("'bad tube'") == true)
        #expect(bench.actions.connects == 1)
        bench.connect()
        bench.say("USING default\r\n")
        #expect(bench.channel.room.alarm > 0)
    }

    @Test("a recorded exchange cut anywhere, or in single bytes, has the same effects")
    func aRecordedExchangeCutAnywhere() {
        let pieces: [(Bool, String)] = [
            (false, "OK 37\r\n---\nid: 0a1b\nbinlog-current-index: 0\n\r\n"), (false, "WATCHING 2\r\n"),
            (false, "WATCHING 1\r\n"), (true, "USING default\r\n"), (true, "USING alert_email\r\n"),
            (true, "INSERTED 1\r\n"), (true, "JOB_TOO_BIG\r\n"), (false, "TIMED_OUT\r\n"),
            (false, "RESERVED 5 6\r\na\r\nrm\n\r\n"), (false, "OK 16\r\ntube: \"commands\"\r\n"),
            (false, "BURIED\r\n"), (true, "INSERTED 2\r\n"), (false, "RESERVED 9 3\r\narm\r\n"),
            (false, "NOT_FOUND\r\n"),
        ]
        func play(_ pieces: [(Bool, [UInt8])]) -> [TransportAction] {
            let bench = ChannelBench(BeanstalkSettings(commandTubes: ["commands"]))
            bench.start()
            bench.connect(slot: 0)
            bench.connect(slot: 1)
            var isDelivered = false
            for (isPut, bytes) in pieces {
                bench.channel.received(
                    isPut ? bench.putter : bench.taker, bytes, at: bench.now, into: &bench.actions)
                if !isDelivered, bench.channel.room.alarm > 0 {
                    isDelivered = true
                    for number in 1...3 { bench.deliver(.job("m\(number)")) }
                }
            }
            return bench.actions
        }
        let whole = play(pieces.flatMap { isPut, text in text.utf8.map { (isPut, [$0]) } })
        #expect(whole.contains(.accepted(MessageID("m3"), canonical: nil)))
        #expect(whole.text.contains("bury 5 1024\r\n"))
        #expect(whole.lastProblem == nil)
        for (number, (isPut, text)) in pieces.enumerated() {
            let bytes = Array(text.utf8)
            for place in 1..<bytes.count {
                var cut = pieces.map { ($0, Array($1.utf8)) }
                cut.replaceSubrange(
                    number...number, with: [(isPut, Array(bytes[..<place])), (isPut, Array(bytes[place...]))])
                #expect(play(cut) == whole, "\(number), \(place)")
            }
        }
    }
}
