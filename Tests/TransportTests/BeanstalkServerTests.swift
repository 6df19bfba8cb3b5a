import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Testing

@Suite(
    "The bridge through beanstalkd, with greenstalk at the other end",
    .enabled(
        if: Independents.has("/usr/bin/beanstalkd") && Independents.hasPython("greenstalk"), "\(Independents.advice)"))
struct BeanstalkServerTests {
    private typealias Runner = TransportRunner<BeanstalkTransport>

    private func start(_ port: UInt16, on runner: Runner) throws -> ProgramOfOthers {
        let server = try ProgramOfOthers(
            Independents.program("/usr/bin/beanstalkd"), ["-l", "127.0.0.1", "-p", String(port), "-z", "2000"],
            on: runner.loop)
        runner.kept.append(server)
        return server
    }

    private func mount() throws -> (Runner, ProgramOfOthers, UInt16) {
        let port = try freePort()
        var settings = BeanstalkSettings(port: port, commandTubes: ["commands"])
        settings.pace.urgentMaximum = .milliseconds(300)
        let runner = try Runner(BeanstalkTransport(settings: settings, seed: 1))
        let server = try start(port, on: runner)
        runner.setUrgent(true)
        runner.start()
        try runner.waitUntilReady()
        return (runner, server, port)
    }

    /// Runs lines of Python with a client `c` of the queue; what they print.
    private func python(_ lines: String, _ port: UInt16, on runner: Runner) throws -> [String] {
        let script = "import greenstalk, json\nc = greenstalk.Client(('127.0.0.1', \(port)))\n" + lines
        let program = try ProgramOfOthers(Independents.python, ["-c", script], on: runner.loop)
        try runner.wait(for: "the client's end") { _ in program.end != nil }
        #expect(program.end == .exited(0), "\(program.complaints.joined(separator: "\n"))")
        return program.lines
    }

    private func event(_ id: String, tube: String = "alert_email", more: Int = 0) -> Delivery {
        let event = JSON.object([
            "raw": .string("6011001"), "message": .string("alarm. zone = Küche"), "code": .string("601"),
            "type": .string("alarm"), "timestamp": .integer(1_795_228_190),
            "more": more > 0 ? .string(String(repeating: "x", count: more)) : nil,
        ])
        return Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.tube), tube),
            content: .event(event, type: "alarm"), priority: .alarm, timeToLive: 60)
    }

    @Test("events arrive in their tubes as the original's programs read them")
    func eventsArriveInTheirTubesAsTheOriginalsProgramsReadThem() throws {
        let (runner, _, port) = try mount()
        for (id, tube) in [("m1", "alert_email"), ("m2", "cli"), ("m3", "alert_email")] {
            runner.deliver(event(id, tube: tube))
        }
        runner.deliver(event("m4", more: 3000))
        guard case .refused(let refusal) = try runner.waitForEnd(of: MessageID("m4")) else {
            Issue.record("too big for this queue")
            return
        }
        #expect(refusal.reaction == .giveUp)
        runner.deliver(event("m5", tube: "cli"))
        _ = try runner.waitForEnd(of: MessageID("m5"))
        let lines = try python(
            """
            for tube, count in (('alert_email', 2), ('cli', 2)):
                c.watch(tube); c.ignore('default')
                for _ in range(count):
                    job = c.reserve(timeout=5); e = json.loads(job.body); s = c.stats_job(job)
                    print(s['tube'], s['pri'], s['ttr'], e['message'], e['code'], e['type'], e['raw'], e['timestamp'])
                    c.delete(job)
                if tube != 'cli': c.watch('cli'); c.ignore(tube)
            """, port, on: runner)
        let job = "2147483648 120 alarm. zone = Kueche 601 alarm 6011001 1795228190"
        #expect(lines == ["alert_email \(job)", "alert_email \(job)", "cli \(job)", "cli \(job)"])
    }

    @Test("commands come once and are deleted; what nobody can read is buried")
    func commandsComeOnceAndAreDeleted() throws {
        let (runner, _, port) = try mount()
        _ = try python(
            """
            c.use('commands')
            for body in ('arm', '0401987600', 'x' * 1900, json.dumps(dict(code='040', data='19876'))): c.put(body)
            """, port, on: runner)
        let first = try runner.nextInbound()
        #expect(first.body == .text("arm") && first.from == "commands" && first.channel == .beanstalk)
        runner.acknowledge(first)
        let second = try runner.nextInbound()
        #expect(second.body == .text(#"{"code": "040", "data": "19876"}"#) && second.id != first.id)
        // Its connection ends before it is dealt with: it comes again under its name.
        runner.cutConnections()
        try runner.waitUntilReady()
        let again = try runner.nextInbound()
        #expect(again.id == second.id && again.body == second.body)
        runner.acknowledge(again)
        #expect(runner.transport.buriedCount == 2)
        let lines = try python(
            """
            import time
            for _ in range(100):
                s = c.stats_tube('commands')
                if s['cmd-delete'] == 2: break
                time.sleep(0.05)
            print(s['current-jobs-buried'], s['current-jobs-ready'], s['current-jobs-reserved'], s['cmd-delete'])
            """, port, on: runner)
        #expect(lines == ["2 0 0 2"])
        #expect(runner.inbound.count == 3)
        #expect(
            !runner.actions.contains { if case .log(let entry) = $0 { "\(entry)".contains("9876") } else { false } })
    }

    @Test("ten events while the queue is away all arrive within ten seconds of its return")
    func tenEventsWhileTheQueueIsAwayAllArriveWithinTenSeconds() throws {
        let (runner, server, port) = try mount()
        server.terminate()
        try runner.wait(for: "the end is noticed") { $0.transport.health.phase != .ready }
        #expect(!runner.deliver(event("m0")))
        try runner.wait(for: "some attempts") { $0.actions.count { if case .connect = $0 { true } else { false } } > 6 }
        _ = try start(port, on: runner)
        let begin = SystemClock.bootTime()
        try runner.waitUntilReady()
        for number in 0..<10 { #expect(runner.deliver(event("m\(number)"))) }
        try runner.wait(for: "ten") { $0.accepted.count == 10 }
        #expect(SystemClock.bootTime() - begin < .seconds(10))
        let lines = try python("print(c.stats_tube('alert_email')['current-jobs-ready'])", port, on: runner)
        #expect(lines == ["10"])
    }

    @Test("a queue that drains takes nothing and says why")
    func aQueueThatDrainsTakesNothingAndSaysWhy() throws {
        let (runner, server, _) = try mount()
        server.signal(10)
        runner.deliver(event("m1"))
        #expect(try runner.waitForEnd(of: MessageID("m1")) == .returned)
        #expect(runner.problems.last??.description.contains("takes no more jobs") == true)
    }
}
