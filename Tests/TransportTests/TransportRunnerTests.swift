import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Testing

@Suite struct TransportRunnerTests {
    private func delivery(_ id: String) -> Delivery {
        Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.tube), "t"), content: .sealed([1]),
            priority: .alarm,
            timeToLive: 60)
    }

    private func check(_ runner: TransportRunner<EchoTransport>) throws {
        runner.compute = { _ in .bytes([1, 2, 3, 4]) }
        runner.start()
        try runner.waitUntilReady()
        #expect(runner.deliver(delivery("m1")))
        #expect(try runner.waitForEnd(of: MessageID("m1")) == .accepted(canonical: nil))
        #expect(try runner.nextInbound().id == "hello")
        #expect(try runner.nextInbound().id == "again")
        try runner.wait(for: "the timer and the computation") {
            $0.transport.ticks == 1 && $0.transport.answer == .bytes([1, 2, 3, 4])
        }
    }

    private func echo(_ connection: ScriptedPeer.Connection, _ text: String) {
        connection.send(text + "hello\nagain\n")
    }

    @Test("a channel is mounted on a plain connection, and loses it")
    func aChannelIsMountedOnAPlainConnection() throws {
        let loop = try EventLoop()
        let peer = try ScriptedPeer(on: loop, onReceived: echo)
        let target = DialTarget(host: "echo.test", port: peer.port, security: .plain)
        let runner = try TransportRunner(EchoTransport(target: target), on: loop)
        runner.hosts["echo.test"] = localhost
        try check(runner)
        runner.isBlackHoled = true
        #expect(runner.deliver(delivery("m2")))
        peer.connections[0].close()
        try runner.wait(for: "the peer's end") { _ in peer.connections[0].end != nil }
        #expect(runner.isUnderWay(MessageID("m2")))
        runner.isBlackHoled = false
        runner.cutConnections()
        #expect(try runner.waitForEnd(of: MessageID("m2")) == .returned)
        #expect(try runner.nextProblem()?.description == "connection reset by the peer")
    }

    @Test("a channel is mounted on TLS at once, on TLS after an upgrade, and on a socket in the file system")
    func aChannelIsMountedOnTLSAtOnce() throws {
        let authority = try TestAuthority()
        let loop = try EventLoop()
        let tls = try ScriptedPeer(on: loop, as: try authority.identity(["echo.test"]), onReceived: echo)
        var target = DialTarget(host: "127.0.0.1", port: tls.port, security: .tls(authorityFile: authority.file))
        target.certifiedName = "echo.test"
        try check(try TransportRunner(EchoTransport(target: target), on: loop))

        let identity = try authority.identity(["echo.test"])
        let later = try ScriptedPeer(on: loop, onConnected: { $0.startTLS(as: identity) }, onReceived: echo)
        let plain = DialTarget(host: "localhost", port: later.port, security: .plain)
        try check(
            try TransportRunner(
                EchoTransport(target: plain, upgradesAs: "echo.test", authorityFile: authority.file), on: loop))

        let place = (directory: authority.directory.path, name: "socket")
        let local = try ScriptedPeer(on: loop, localSocket: place, onReceived: echo)
        var path = DialTarget(host: "\(place.directory)/socket", port: 0, security: .plain)
        path.isLocalSocket = true
        try check(try TransportRunner(EchoTransport(target: path), on: loop))
        #expect(local.connections.count == 1)
    }

    @Test("why no connection came about is told apart")
    func whyNoConnectionCameAboutIsToldApart() throws {
        let authority = try TestAuthority()
        let loop = try EventLoop()
        let other = try ScriptedPeer(on: loop, as: try authority.identity(["other.test"]))
        let tls = DialTarget(host: "localhost", port: other.port, security: .tls(authorityFile: authority.file))
        let cases: [(DialTarget, String)] = [
            (tls, "for another host"),
            (DialTarget(host: "nowhere.test", port: 1, security: .plain), "does not exist"),
            (DialTarget(host: "127.0.0.1", port: try freePort(), security: .plain), "connection refused"),
        ]
        for (target, words) in cases {
            let runner = try TransportRunner(EchoTransport(target: target), on: loop)
            runner.start()
            let problem = try runner.nextProblem()
            #expect(problem?.description.contains(words) == true, "\(String(describing: problem))")
        }
    }

    @Test("what does not happen is an error that says what happened instead")
    func whatDoesNotHappenIsAnErrorThatSaysWhatHappenedInstead() throws {
        let runner = try TransportRunner(
            EchoTransport(target: DialTarget(host: "127.0.0.1", port: try freePort(), security: .plain)))
        runner.start()
        var text = ""
        do { try runner.waitUntilReady(within: .milliseconds(300)) } catch { text = "\(error)" }
        #expect(text.contains("connection refused"))
    }
}
