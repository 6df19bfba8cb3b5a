import AlarmModel
import Glibc
import Testing

@testable import Daemon
@testable import Platform

@Suite("A session of a helper process", .serialized)
struct PeerExchangeTests {
    /// Servers of one port on several loopback addresses, made by hand because their kernel buffers have to be small.
    /// Confined to one test.
    private final class Servers {
        enum Manner {
            /// Its queue of connections is full: nobody gets an answer.
            case silent
            /// Words that the server says to every client before it reads.
            case greeting(String)
            /// Pace of a server that reads 4 KiB each so often, and answers once it has this many bytes.
            case slow(Duration, until: Int)
        }

        let loop: EventLoop
        private(set) var port: UInt16 = 0
        private var kept: [AnyObject] = []
        private var sockets: [Descriptor] = []
        private(set) var visits = 0

        init() throws { loop = try EventLoop() }

        func serve(_ address: String, _ manner: Manner) throws {
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let listener = Descriptor(owning: socket(AF_INET, kind, 0))
            var room: Int32 = 8192
            setsockopt(listener.number, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
            let place = Endpoint(address: try #require(IPAddress(address)), port: port)
            try #require(SocketAddress(place).with { bind(listener.number, $0, $1) } == 0)
            var backlog: Int32 = 16
            if case .silent = manner { backlog = 0 }
            try #require(listen(listener.number, backlog) == 0)
            let bound = try SocketAddress(localOf: listener.number)
            port = try #require(bound.endpoint).port
            sockets.append(listener)
            if case .silent = manner {
                for _ in 0..<2 {
                    let caller = Descriptor(owning: socket(AF_INET, kind, 0))
                    _ = bound.with { connect(caller.number, $0, $1) }
                    sockets.append(caller)
                }
                return
            }
            kept.append(
                try loop.watch(listener.number, for: .read) { [weak self] _ in self?.accept(listener, manner) })
        }

        private func accept(_ listener: Descriptor, _ manner: Manner) {
            let number = Glibc.accept(listener.number, nil, nil)
            guard number >= 0, fcntl(number, F_SETFL, O_NONBLOCK) == 0,
                let stream = try? Stream(adopting: Descriptor(owning: number), on: loop)
            else { return }
            visits += 1
            kept.append(stream)
            switch manner {
            case .silent: break
            case .greeting(let words):
                stream.onReceived = { _ in }
                stream.send(Array(words.utf8))
            case .slow(let pause, let wanted):
                var count = 0
                stream.onReceived = { [weak self, weak stream] bytes in
                    count += bytes.count
                    if count >= wanted { stream?.send(Array("done".utf8)) }
                    stream?.pauseReading()
                    _ = self?.loop.setTimer(after: pause) { stream?.resumeReading() }
                }
            }
        }

        /// End of a session with `house.example`, which has all of these addresses; after `done` it is over.
        func exchange(
            with addresses: [String], _ request: [UInt8], total: Duration = .seconds(20), silence: Duration,
            naming delay: Duration = .zero
        ) throws -> String {
            let found = addresses.compactMap { IPAddress($0) }
            var heard = ""
            var end: PeerExchange.End?
            let exchange = PeerExchange(
                "house.example", port, request, .plain, link: .any, .init(total: total, silence: silence), on: loop,
                find: { [loop] _, _, then in _ = loop.setTimer(after: delay) { then(.success(found)) } },
                onBytes: { [loop] bytes in
                    heard += String(decoding: bytes, as: UTF8.self)
                    if heard.hasSuffix("done") { loop.stop() }
                },
                then: { [loop] how in
                    end = how
                    loop.stop()
                })
            let deadline = loop.setTimer(after: .seconds(25)) { [loop] in loop.stop() }
            loop.run()
            loop.cancel(deadline)
            exchange.stop()
            switch end {
            case .closed(let how): return "closed: \(how)"
            case .failed(let why): return "failed: \(why)"
            case .slow(let why): return "slow: \(why)"
            case nil: return heard
            }
        }
    }

    @Test("an address that keeps silent is raced by the next one, however short the patience with a silence is")
    func aSilentAddressIsRaced() throws {
        let servers = try Servers()
        try servers.serve("127.0.0.1", .greeting("done"))
        try servers.serve("127.0.0.2", .silent)
        let begun = SystemClock.bootTime()
        #expect(
            try servers.exchange(with: ["127.0.0.2", "127.0.0.1"], [], silence: .milliseconds(100)) == "done")
        #expect(SystemClock.bootTime() - begun < .seconds(4))
    }

    @Test("a name that is resolved slowly is no silence of the server")
    func aSlowNameIsNoSilence() throws {
        let servers = try Servers()
        try servers.serve("127.0.0.1", .greeting("done"))
        #expect(
            try servers.exchange(
                with: ["127.0.0.1"], [], silence: .milliseconds(200), naming: .milliseconds(700)) == "done")
    }

    @Test("a server that reads slowly gets all of it, beyond the time of a silence and of a small request")
    func aSlowReaderGetsAllOfIt() throws {
        let servers = try Servers()
        let body = [UInt8](repeating: 7, count: 300_000)
        try servers.serve("127.0.0.1", .slow(.milliseconds(20), until: body.count))
        #expect(
            try servers.exchange(with: ["127.0.0.1"], body, total: .milliseconds(500), silence: .milliseconds(400))
                == "done")
    }

    @Test(
        "one that says nothing has failed; one that has spoken is only slow, so that others at it are served",
        arguments: [("", "failed: it fell silent"), ("220 ", "slow: it fell silent")])
    func oneThatHasSpokenIsOnlySlow(greeting: String, end: String) throws {
        let servers = try Servers()
        try servers.serve("127.0.0.1", .greeting(greeting))
        #expect(try servers.exchange(with: ["127.0.0.1"], [1], silence: .milliseconds(200)) == end)
        #expect(servers.visits == 1)
    }
}
