import AlarmModel
import Glibc
import Platform
import Testing

/// Names that end in `.local`, in a network of the test's own: this end is 10.55.0.1, the neighbour 10.55.0.2.
@Suite("Names that neighbours answer for", .enabled(if: NetworkNamespace.isPossible), .serialized)
struct MulticastQuestionTests {
    private let here: NetworkNamespace
    private let there: NetworkNamespace

    init() throws {
        here = try NetworkNamespace()
        there = try NetworkNamespace()
        try here.run(
            """
            ip link add near type veth peer name far
            ip link set far netns \(there.path)
            ip address add 10.55.0.1/24 dev near
            ip link set near up
            ip route add default dev near
            """)
        try there.run(
            """
            ip address add 10.55.0.2/24 dev far
            ip address add 10.66.0.2/24 dev far
            ip link set far up
            ip route add default dev far
            """)
    }

    /// Answers questions by multicast as its closure says: what it is asked, and whether it answers by another port.
    private final class Neighbour {
        private(set) var questions: [[UInt8]] = []
        private let socket: Int32
        private var watch: Watch?

        struct Answer {
            var bytes: [UInt8]
            var source: [UInt8] = [10, 55, 0, 2]
            var port: UInt16 = 5353
        }

        init(in namespace: NetworkNamespace, on loop: EventLoop, _ answers: @escaping ([UInt8]) -> [Answer]) throws {
            socket = try namespace.inside { try Self.bound([0, 0, 0, 0], 5353) }
            var group = ip_mreqn()
            group.imr_multiaddr.s_addr = Self.number([224, 0, 0, 251])
            group.imr_address.s_addr = Self.number([10, 55, 0, 2])
            let size = socklen_t(MemoryLayout<ip_mreqn>.size)
            try #require(setsockopt(socket, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &group, size) == 0)
            watch = try loop.watch(socket, for: .read) { [unowned self] _ in
                var bytes = [UInt8](repeating: 0, count: 1500)
                var from = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = withUnsafeMutablePointer(to: &from) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(self.socket, &bytes, bytes.count, 0, $0, &length)
                    }
                }
                guard count > 0 else { return }
                questions.append(Array(bytes.prefix(count)))
                for answer in answers(Array(bytes.prefix(count))) {
                    guard let own = try? namespace.inside({ try Self.bound(answer.source, answer.port) }) else {
                        continue
                    }
                    withUnsafeMutablePointer(to: &from) { pointer in
                        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                            _ = sendto(own, answer.bytes, answer.bytes.count, 0, $0, length)
                        }
                    }
                    close(own)
                }
            }
        }

        deinit {
            watch?.cancel()
            close(socket)
        }

        static func number(_ bytes: [UInt8]) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

        private static func bound(_ address: [UInt8], _ port: UInt16) throws -> Int32 {
            let number = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            try #require(number >= 0)
            var isOn: Int32 = 1
            for option in [SO_REUSEADDR, SO_REUSEPORT] { setsockopt(number, SOL_SOCKET, option, &isOn, 4) }
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = port.bigEndian
            place.sin_addr.s_addr = Self.number(address)
            let status = withUnsafePointer(to: &place) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(status == 0)
            return number
        }
    }

    /// The question with these addresses behind it.
    private static func answer(_ question: [UInt8], _ addresses: [[UInt8]]) -> [UInt8] {
        var bytes = question
        bytes[2] = 0x84
        bytes[7] = UInt8(addresses.count)
        for address in addresses { bytes += [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 10, 0, 4] + address }
        return bytes
    }

    private func ask(
        _ name: String = "broker.local", link: Link = .any, within span: Duration = .seconds(2), on loop: EventLoop
    ) throws -> Result<[IPAddress], NameError>? {
        var result: Result<[IPAddress], NameError>?
        let resolver = Resolver(on: loop, within: span)
        let nobody = Endpoint(address: try #require(IPAddress("10.55.0.9")), port: 53)
        resolver.setServers([nobody], for: link)
        try here.inside {
            resolver.resolve(name, link: link) {
                result = $0
                loop.stop()
            }
            let end = loop.setTimer(after: span + .seconds(3)) { loop.stop() }
            loop.run()
            loop.cancel(end)
        }
        return result
    }

    @Test("the neighbour is found, on the link that was asked and on all, whatever the case of its name")
    func theNeighbourIsFound() throws {
        let loop = try EventLoop()
        let neighbour = try Neighbour(in: there, on: loop) { [.init(bytes: Self.answer($0, [[10, 55, 0, 2]]))] }
        let address = try #require(IPAddress("10.55.0.2"))
        #expect(try ask(on: loop) == .success([address]))
        #expect(try ask("Broker.Local", link: .interface("near"), on: loop) == .success([address]))
        let name = Array("\u{6}broker\u{5}local\u{0}".utf8)
        #expect(neighbour.questions.first.map { Array($0[12...].prefix(name.count)) } == name)
    }

    @Test("what is not from port 5353 of the network, not to this question, or no answer counts for nothing")
    func whatIsForgedCountsForNothing() throws {
        let loop = try EventLoop()
        let evil: [UInt8] = [10, 55, 0, 66]
        let neighbour = try Neighbour(in: there, on: loop) { question in
            let good = Self.answer(question, [evil])
            var otherNumber = good
            otherNumber[1] &+= 1
            var otherName = good
            otherName[13] = UInt8(ascii: "x")
            return [
                .init(bytes: good, port: 5354), .init(bytes: good, source: [10, 66, 0, 2]), .init(bytes: otherNumber),
                .init(bytes: otherName), .init(bytes: question), .init(bytes: Array(good.prefix(good.count - 3))),
                .init(bytes: [0xFF, 0, 1]), .init(bytes: []),
            ]
        }
        #expect(throws: NameError.self) { try ask(on: loop)?.get() }
        // It was asked again after a second.
        #expect(neighbour.questions.count == 2)
    }

    @Test("a flood ends the question instead of the daemon's time; the next one is answered")
    func aFloodEndsTheQuestion() throws {
        let loop = try EventLoop()
        var isFlooding = true
        let neighbour = try Neighbour(in: there, on: loop) { question in
            isFlooding
                ? Array(repeating: .init(bytes: [UInt8](repeating: 0xC0, count: 1400)), count: 200)
                : [.init(bytes: Self.answer(question, (1...20).map { [10, 55, 1, $0] }))]
        }
        #expect(throws: NameError.self) { try ask(within: .seconds(3), on: loop)?.get() }
        // Else it would have been asked again after a second.
        #expect(neighbour.questions.count == 1)
        isFlooding = false
        guard case .success(let found)? = try ask(on: loop) else {
            Issue.record("it was not found")
            return
        }
        #expect(found.count == 8)
    }

    @Test("no port is open before the question and after its answer")
    func noPortIsOpenBeforeAndAfter() throws {
        let loop = try EventLoop()
        let neighbour = try Neighbour(in: there, on: loop) { [.init(bytes: Self.answer($0, [[10, 55, 0, 2]]))] }
        func ports() throws -> Int {
            try here.inside {
                String(decoding: try FileReader.read("/proc/thread-self/net/udp", limit: 65_536), as: UTF8.self).split(
                    separator: "\n"
                ).count - 1
            }
        }
        #expect(try ports() == 0)
        _ = try ask(on: loop)
        #expect(neighbour.questions.count == 1)
        #expect(try ports() == 0)
    }
}
