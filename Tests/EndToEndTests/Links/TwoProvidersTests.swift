import AlarmModel
import Foundation
import Platform
import Testing

/// The test's own network works and fails as it says; what is built on it would prove nothing otherwise.
@Suite(
    "two providers made of network namespaces", .enabled(if: NetworkNamespace.isPossible, "namespaces are root's"),
    .timeLimit(.minutes(15)))
struct TwoProvidersTests {
    @Test("both ways carry connections and names, each by itself; each fault stops what it should and nothing else")
    func bothWaysCarryConnectionsAndNames() throws {
        let network = try TwoProviders(in: TestDirectory())
        try network.expect(connects: [true, true], names: [true, true])
        for houseLink in TwoProviders.HouseLink.allCases {
            let other: (Bool) -> [Bool] = { houseLink == .first ? [$0, true] : [true, $0] }
            try network.cut(houseLink, .blackHole)
            try network.expect(connects: other(false), names: other(false))
            #expect(try network.hasCarrier(houseLink), "a black hole does not show")
            try network.mend(houseLink)
            try network.cut(houseLink, .names)
            try network.expect(connects: other(true), names: other(false))
            try network.mend(houseLink)
            try network.cut(houseLink, .carrier)
            #expect(try !network.hasCarrier(houseLink))
            try network.expect(connects: other(false), names: other(false))
            try network.mend(houseLink)
            try network.expect(connects: [true, true], names: [true, true])
        }
    }

    @Test("a connection that stood falls silent in a black hole, and goes on afterwards")
    func aConnectionThatStoodFallsSilentInABlackHole() throws {
        let network = try TwoProviders(in: TestDirectory())
        let port = try network.serve()
        try network.box.inside {
            let loop = try EventLoop()
            let stream = try #require(try network.open(.first, port: port, on: loop))
            #expect(try network.connections(to: port) == ["10.1.0.2"])
            #expect(try echo(stream, on: loop))
            try network.cut(.first, .blackHole)
            #expect(try !echo(stream, on: loop))
            try network.mend(.first)
            // TCP repeats by itself.
            let isBack = try (0..<10).contains { _ in try echo(stream, on: loop) }
            #expect(isBack)
            stream.reset()
        }
    }

    @Test("renumbered and put in later: new connections come from the current address")
    func renumberedAndPutInLater() throws {
        let network = try TwoProviders(in: TestDirectory(), attached: [.second])
        try network.expect(connects: [false, true], names: [false, true])
        try network.attach(.first)
        try network.expect(connects: [true, true], names: [true, true])
        let port = try network.serve()
        for (net, host) in [(0, 77), (7, 5)] {
            try network.renumber(.first, network: net, host: host)
            try network.box.inside {
                let loop = try EventLoop()
                let stream = try #require(try network.open(.first, port: port, on: loop))
                #expect(try network.connections(to: port) == ["10.1.\(net).\(host)"])
                stream.reset()
            }
        }
        let before = try network.traffic(of: .second)
        try network.expect(connects: [true, true], names: [true, true])
        let spent = try network.traffic(of: .second) - before
        #expect(spent > 300 && spent < 5000, "\(spent) bytes for a connection and a question")
    }

    /// Whether what is sent comes back within a second.
    private func echo(_ stream: Platform.Stream, on loop: EventLoop) throws -> Bool {
        var isBack = false
        stream.onReceived = { _ in
            isBack = true
            loop.stop()
        }
        stream.send([1])
        loop.run(atMost: .seconds(1))
        return isBack
    }
}

extension EventLoop {
    fileprivate func run(atMost span: Duration) {
        let timer = setTimer(after: span) { self.stop() }
        run()
        cancel(timer)
    }
}

extension TwoProviders {
    /// What the box can do through each of its channels, in their order.
    fileprivate func expect(
        connects: [Bool], names: [Bool], _ place: Testing.SourceLocation = #_sourceLocation
    ) throws {
        try box.inside {
            let loop = try EventLoop()
            for (houseLink, (connects, resolves)) in zip(HouseLink.allCases, zip(connects, names)) {
                // While a neighbour is looked for anew, the kernel may refuse a first attempt.
                var stream: Platform.Stream?
                for _ in 0..<(connects ? 5 : 1) where stream == nil {
                    stream = try open(houseLink, port: 443, host: "198.51.100.11", within: connects ? 8 : 1, on: loop)
                }
                #expect((stream != nil) == connects, "connections through \(houseLink)", sourceLocation: place)
                stream?.reset()
                let answer = try address(through: houseLink, within: resolves ? 8 : 1, on: loop)
                #expect(answer == (resolves ? Self.pushAddress : nil), "names by \(houseLink)", sourceLocation: place)
            }
        }
    }

    fileprivate func open(
        _ houseLink: HouseLink, port: UInt16, host: String = TwoProviders.pushAddress, within seconds: Int = 8,
        on loop: EventLoop
    ) throws -> Platform.Stream? {
        let endpoint = Endpoint(address: try #require(IPAddress(host)), port: port)
        var stream: Platform.Stream?
        let attempt = Connector(on: loop).open(
            endpoint, link: .interface(houseLink.interface), within: .seconds(seconds)
        ) { result in
            stream = try? result.get()
            loop.stop()
        }
        loop.run(atMost: .seconds(seconds + 1))
        attempt.cancel()
        return stream
    }

    private func address(through houseLink: HouseLink, within seconds: Int, on loop: EventLoop) throws -> String? {
        let resolver = Resolver(on: loop, within: .seconds(seconds))
        let link = Link.interface(houseLink.interface)
        resolver.setServers([Endpoint(address: try #require(IPAddress(Self.nameServer)), port: 0)], for: link)
        var found: String?
        resolver.resolve(Self.pushName, link: link) { result in
            found = try? result.get().first?.description
            loop.stop()
        }
        loop.run(atMost: .seconds(seconds + 1))
        return found
    }

    fileprivate func hasCarrier(_ houseLink: HouseLink) throws -> Bool {
        try box.inside {
            let loop = try EventLoop()
            let watch = try LinkWatch(on: loop) { _ in }
            defer { watch.cancel() }
            watch.watch([houseLink.interface])
            return watch.read().first?.hasCarrier == true
        }
    }

    /// An echo server in the internet, reached by the push service's address.
    fileprivate func serve() throws -> UInt16 {
        let server = """
            import socketserver
            class Echo(socketserver.BaseRequestHandler):
                def handle(self):
                    while True:
                        data = self.request.recv(1000)
                        if not data: return
                        self.request.sendall(data)
            server = socketserver.ThreadingTCPServer(('127.0.0.1', 7007), Echo)
            print('ready', flush=True)
            server.serve_forever()
            """
        let program = try internet.inside {
            try Program("echo", ["python3", "-c", server], in: directory, executable: "/usr/bin/env")
        }
        _ = try program.waitForLine(containing: "ready")
        companions.append(program)
        try forward(port: 7007)
        return 7007
    }
}
