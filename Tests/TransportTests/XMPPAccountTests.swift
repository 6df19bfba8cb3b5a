import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Testing

/// The account against Prosody, with slixmpp as the phone.
@Suite("XMPP account and Prosody", .serialized, .enabled(if: ProsodyServer.isThere, "\(Independents.advice)"))
struct XMPPAccountTests {
    private static func runner(
        _ server: ProsodyServer, isDirect: Bool, _ change: (inout XMPPSettings) -> Void = { _ in }
    ) throws -> TransportRunner<XMPPTransport> {
        let account = try #require(XMPPAddress("box@\(ProsodyServer.domain)"))
        var settings = XMPPSettings(account: account, password: Secret("pass of box"))
        settings.host = "localhost"
        settings.port = isDirect ? server.directTLSPort : server.startTLSPort
        settings.isDirectTLS = isDirect
        settings.caFile = server.authority.file
        settings.pace.maximum = .milliseconds(500)
        change(&settings)
        let runner = try TransportRunner(XMPPTransport(settings: settings, seed: 1))
        runner.compute = { [unowned runner] job in
            guard case .channelBinding(let id) = job else { return TransportComputation.answer(to: job) }
            let binding = (runner.streams[id] as? SecureStream)?.channelBinding
            return binding.map { .bytes($0) } ?? .failed("no TLS 1.3")
        }
        return runner
    }

    private func deliver(_ id: String, _ runner: TransportRunner<XMPPTransport>, to: String = "anna@house.test") {
        let notice = Notice(title: "ALARM", text: id, subject: .otherAlarm, time: WallTime(milliseconds: 0))
        let taken = runner.deliver(
            Delivery(
                message: MessageID(id), address: DeliveryAddress(.phone(.xmpp), to), content: .words(notice),
                priority: .alarm, timeToLive: 3600, wantsReceipt: true))
        #expect(taken)
    }

    @Test(
        "it logs in by TLS at once and by STARTTLS, alarms arrive with receipts, commands come in",
        arguments: [true, false])
    func itLogsInByTLSAtOnceAndBySTARTTLS(_ isDirect: Bool) throws {
        let server = try ProsodyServer()
        let runner = try Self.runner(server, isDirect: isDirect)
        try server.start(on: runner)
        runner.step { $0.listen(to: ["anna@house.test"], at: $1, into: &$2) }
        runner.start()
        do { try runner.waitUntilReady() } catch { throw WaitedInVain(description: "\(error)\n\(server.log)") }
        let sent = runner.sentText
        #expect(sent.contains("SCRAM-SHA-256") && !sent.contains("PLAIN") && sent.contains("<enable"))

        let phone = try server.phone(["status", "disarm 123456"], on: runner)
        let first = try runner.nextInbound()
        #expect(first.from == "anna@house.test" && first.body == .text("status") && first.id == "w0")
        #expect(try runner.nextInbound().body == .text("disarm 123456"))
        runner.acknowledge(first)
        try runner.wait(for: "the receipt at the phone") { _ in phone.lines.contains("receipt w0") }
        try runner.wait(for: "the subscription") { _ in phone.lines.contains { $0.hasPrefix("subscribed") } }
        runner.houseChanged(HousePicture(state: PanelState(link: .up), names: SiteNames(), partitions: [1]))
        try runner.wait(for: "the status at the phone; \(phone.complaints)") { _ in
            phone.lines.contains { $0.hasPrefix("presence box@house.test") && $0.hasSuffix("watching") }
        }

        deliver("m-1", runner)
        #expect(try runner.waitForEnd(of: MessageID("m-1")) == .accepted(canonical: nil))
        try runner.wait(for: .received(MessageID("m-1")))
        #expect(phone.lines.contains("message m-1 'ALARM\\nm-1'"))

        deliver("m-2", runner, to: "nobody@house.test")
        guard case .refused(let refusal) = try runner.waitForEnd(of: MessageID("m-2")) else {
            Issue.record("nobody got a message")
            return
        }
        #expect(refusal.reaction == .retry(first: .minutes(1), attempts: 5))

        // Another server, where nobody answers: ours takes the message first.
        deliver("m-4", runner, to: "anna@127.0.0.1")
        #expect(try runner.waitForEnd(of: MessageID("m-4")) == .accepted(canonical: nil))
        try runner.wait(for: "the message that comes back; \(server.log)") { runner in
            runner.actions.contains { action in
                guard case .refused(MessageID("m-4"), let refusal) = action else { return false }
                return refusal.reaction == .retry(first: .minutes(1), attempts: 5)
            }
        }

        // The line is cut in the middle of messages: the session goes on, each arrives once.
        for number in 10..<20 { deliver("m-\(number)", runner) }
        runner.cutConnections()
        try runner.waitUntilReady()
        for number in 10..<20 {
            #expect(try runner.waitForEnd(of: MessageID("m-\(number)")) == .accepted(canonical: nil))
        }
        try runner.wait(for: "all alarms at the phone") { _ in
            (10..<20).allSatisfy { number in phone.lines.contains { $0.hasPrefix("message m-\(number) ") } }
        }
        #expect(runner.sentText.contains("<resume "))
        for number in 10..<20 {
            let count = phone.lines.count { $0.hasPrefix("message m-\(number) ") }
            #expect(count == 1, "m-\(number)")
        }

        // Prosody dies and comes back without the session.
        server.stop()
        try runner.wait(for: "the loss") { $0.transport.health.phase != .ready }
        try server.start(on: runner)
        try runner.waitUntilReady()
        deliver("m-3", runner)
        #expect(try runner.waitForEnd(of: MessageID("m-3")) == .accepted(canonical: nil))
        runner.stop()
    }

    @Test("a wrong password, an unknown authority and another name in the certificate are told apart")
    func aWrongPasswordAnUnknownAuthorityAndAnotherName() throws {
        let server = try ProsodyServer()
        let wrong = try Self.runner(server, isDirect: false) { $0.password = Secret("pass of eve") }
        try server.start(on: wrong)
        wrong.start()
        let refused = try #require(try wrong.nextProblem())
        #expect(refused.description.contains("check the address and its password") && refused.isRefusal)
        #expect(!refused.description.contains("eve"))
        let cases: [(isDirect: Bool, change: (inout XMPPSettings) -> Void, words: String)] = [
            (false, { $0.caFile = nil }, "authority"), (true, { $0.caFile = nil }, "authority"),
            (false, { $0.certifiedName = "other.test" }, "for another host"),
            // Prosody has no certificate for that name and says so itself.
            (true, { $0.certifiedName = "other.test" }, "unrecognized name"),
        ]
        for (isDirect, change, words) in cases {
            let runner = try Self.runner(server, isDirect: isDirect, change)
            runner.start()
            let problem = try #require(try runner.nextProblem())
            #expect(problem.description.contains(words), "\(problem)")
            #expect(!runner.sentText.contains("<auth"))
        }
    }
}

extension TransportRunner {
    /// Everything that was ordered to be sent.
    var sentText: String {
        actions.reduce(into: "") { text, action in
            if case .send(_, let bytes) = action { text += String(decoding: bytes, as: UTF8.self) }
        }
    }
}
