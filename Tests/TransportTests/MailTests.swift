import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Testing

@Suite("Mail through aiosmtpd", .enabled(if: Independents.hasPython("aiosmtpd"), "\(Independents.advice)"))
struct MailTests {
    private func mail(_ id: String, to: String = "ann@example.test") -> Delivery {
        Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.mail), to),
            content: .words(
                Notice(
                    title: "Alarm: Küche", text: "Einbruch in der Küche.\n.\nEnde\n", subject: .otherAlarm,
                    time: WallTime(milliseconds: 1_795_262_400_000))),
            priority: .alarm, timeToLive: 3600)
    }

    private func runner(
        _ security: MailSettings.Security, password: String = "s3cret-word", host: String = "localhost",
        authority: TestAuthority
    ) throws -> TransportRunner<MailTransport> {
        let isPlain = security == .plain
        var settings = MailSettings(
            host: host, port: 1, security: security, from: "box@house.test", user: isPlain ? nil : "box",
            password: isPlain ? nil : Secret(password), caFile: authority.file)
        settings.pace.urgentMaximum = .milliseconds(500)
        return try TransportRunner(MailTransport(settings: settings, seed: 1))
    }

    /// The same with the port, which is known only once the server runs.
    private func mount(
        _ security: MailSettings.Security, password: String = "s3cret-word", host: String = "localhost"
    ) throws -> (TransportRunner<MailTransport>, MailServerProcess, TestAuthority) {
        let authority = try TestAuthority()
        let first = try runner(security, password: password, host: host, authority: authority)
        let files = security == .plain ? nil : try authority.files()
        let server = try MailServerProcess(
            security.rawValue.lowercased(), files: files, in: authority.directory, on: first)
        var settings = first.transport.settings
        settings.port = server.port
        let runner = try TransportRunner(MailTransport(settings: settings, seed: 1), on: first.loop)
        runner.hosts["other.test"] = localhost
        runner.kept = [server.program, authority.directory]
        return (runner, server, authority)
    }

    @Test("a message arrives as it was written", arguments: MailSettings.Security.allCases)
    func aMessageArrivesAsItWasWritten(_ security: MailSettings.Security) throws {
        let (runner, server, _) = try mount(security)
        runner.start()
        try runner.waitUntilReady()
        runner.deliver(mail("m1"))
        #expect(try runner.waitForEnd(of: MessageID("m1")) == .accepted(canonical: nil))
        try runner.wait(for: "the message") { _ in server.messages.count == 1 }
        #expect(
            server.messages.first
                == .object([
                    "sender": .string("box@house.test"), "to": .array([.string("ann@example.test")]),
                    "id": .string("<m1@house.test>"), "subject": .string("Alarm: Küche"),
                    "body": .string("Einbruch in der Küche.\n.\nEnde\n"), "tls": .bool(security != .plain),
                    "automatic": .string("auto-generated"), "defects": .integer(0),
                ]))
        runner.deliver(mail("m2", to: "nobody@example.test"))
        runner.deliver(mail("m3", to: "later@example.test"))
        guard case .refused(let nobody) = try runner.waitForEnd(of: MessageID("m2")),
            case .refused(let later) = try runner.waitForEnd(of: MessageID("m3"))
        else {
            Issue.record("both are refused")
            return
        }
        #expect(nobody == Refusal(.dropAddress, why: "the mail server says: 550 5.1.1 no such mailbox"))
        #expect(later.reaction == .retry(first: .seconds(30), attempts: nil))
        runner.deliver(mail("m4"))
        #expect(try runner.waitForEnd(of: MessageID("m4")) == .accepted(canonical: nil))
    }

    @Test("a wrong password, another host's certificate and a server without encryption are told apart")
    func aWrongPasswordAnotherHostsCertificateAndAServer() throws {
        let (wrong, _, _) = try mount(.tls, password: "another-word")
        wrong.start()
        #expect(try wrong.nextProblem()?.description.contains("does not accept user and password") == true)
        let (other, _, _) = try mount(.startTLS, host: "other.test")
        other.start()
        #expect(try other.nextProblem()?.description.contains("for another host") == true)

        let (plain, server, _) = try mount(.plain)
        var settings = plain.transport.settings
        settings.security = .startTLS
        settings.port = server.port
        let unencrypted = try TransportRunner(MailTransport(settings: settings, seed: 1), on: plain.loop)
        unencrypted.start()
        #expect(try unencrypted.nextProblem()?.description.contains("offers no encryption") == true)
    }

    @Test("ten alarms while the server is away all arrive within ten seconds of its return")
    func tenAlarmsWhileTheServerIsAwayAllArriveWithinTenSeconds() throws {
        let (runner, first, authority) = try mount(.startTLS)
        runner.start()
        try runner.waitUntilReady()
        first.program.terminate()
        try runner.wait(for: "the server's end") { _ in first.program.end != nil }
        var waiting = (0..<10).map { mail("m\($0)") }
        runner.setUrgent(true)
        runner.deliver(waiting.removeFirst())
        #expect(try runner.waitForEnd(of: MessageID("m0")) == .returned)
        waiting.insert(mail("m0"), at: 0)
        let server = try MailServerProcess(
            "starttls", port: first.port, files: try authority.files(), in: authority.directory, on: runner)
        let start = SystemClock.bootTime()
        try runner.waitUntilReady()
        for delivery in waiting { #expect(runner.deliver(delivery)) }
        try runner.wait(for: "ten messages") { _ in server.messages.count == 10 }
        #expect(SystemClock.bootTime() - start < .seconds(10))
        #expect(server.messages.compactMap { $0["id"]?.stringValue } == (0..<10).map { "<m\($0)@house.test>" })
    }
}
