import AlarmModel
import Glibc
import Platform
import Testing

@Suite struct ResolverTests {
    @Test("a name is answered with its addresses, IPv6 first")
    func aNameIsAnsweredWithItsAddresses() throws {
        let loop = try EventLoop()
        let server = try TinyNameServer(on: loop)
        server.records = [("panel.test", [127, 0, 0, 9]), ("panel.test", [UInt8](repeating: 1, count: 16))]
        let result = try resolve("panel.test", server, on: loop)
        #expect(result?.map { $0.map(\.description) } == .success(["101:101:101:101:101:101:101:101", "127.0.0.9"]))
    }

    @Test("a name that does not exist is told apart from servers that fail or keep silent")
    func aNameThatDoesNotExistIsToldApartFromServersThatFailOrKeep() throws {
        let loop = try EventLoop()
        let server = try TinyNameServer(on: loop)
        server.records = [("other.test", [127, 0, 0, 9])]
        #expect(try resolve("panel.test", server, on: loop) == .failure(NameError(.notFound)))
        server.manner = .failing
        #expect(try resolve("panel.test", server, on: loop) == .failure(NameError(.serverFailed)))
        server.manner = .silent
        let start = SystemClock.bootTime()
        #expect(
            try resolve("panel.test", server, on: loop, within: .milliseconds(300)) == .failure(NameError(.timedOut)))
        #expect(SystemClock.bootTime() - start < .seconds(2))
    }

    @Test("a server that is silent about IPv6 does not cost the IPv4 address")
    func aServerThatIsSilentAboutIPv6DoesNotCostTheIPv4Address() throws {
        let loop = try EventLoop()
        let server = try TinyNameServer(on: loop)
        server.records = [("panel.test", [127, 0, 0, 9])]
        server.manner = .silentAboutIPv6
        let start = SystemClock.bootTime()
        let address = try #require(IPAddress("127.0.0.9"))
        #expect(try resolve("panel.test", server, on: loop) == .success([address]))
        #expect(SystemClock.bootTime() - start < .seconds(1))
    }

    @Test("an address is its own answer, /etc/hosts is honoured, nonsense is no name")
    func anAddressIsItsOwnAnswer() throws {
        let loop = try EventLoop()
        let server = try TinyNameServer(on: loop)
        let address = try #require(IPAddress("192.0.2.7"))
        #expect(try resolve("192.0.2.7", server, on: loop) == .success([address]))
        let local = try resolve("localhost", server, on: loop)
        #expect((try local?.get())?.contains(localhost) == true)
        #expect(server.questionCount == 0)
        #expect(try resolve("", server, on: loop) == .failure(NameError(.notFound)))
        #expect(try resolve("a b", server, on: loop) == .failure(NameError(.notFound)))
        #expect(try resolve(String(repeating: "a", count: 300), server, on: loop) == .failure(NameError(.notFound)))
    }

    @Test("a link that is not there asks nobody; the loopback interface does")
    func aLinkThatIsNotThereAsksNobody() throws {
        let loop = try EventLoop()
        let server = try TinyNameServer(on: loop)
        server.records = [("panel.test", [127, 0, 0, 9])]
        let lost = try resolve("panel.test", server, on: loop, link: .interface("nowhere0"), within: .seconds(1))
        #expect((try? lost?.get()) == nil)
        #expect(server.questionCount == 0)
        let found = try resolve("panel.test", server, on: loop, link: .interface("lo"))
        let address = try #require(IPAddress("127.0.0.9"))
        #expect(found == .success([address]))
    }

    @Test("an empty list of servers is no server, and a resolver without questions leaves the loop asleep")
    func anEmptyListOfServersIsNoServer() throws {
        let loop = try EventLoop()
        let resolver = Resolver(on: loop)
        resolver.setServers([], for: .any)
        var result: Result<[IPAddress], NameError>?
        resolver.resolve("panel.test") {
            result = $0
            loop.stop()
        }
        #expect(loop.runBounded())
        #expect(result == .failure(NameError(.noServers)))

        let server = try TinyNameServer(on: loop)
        server.records = [("panel.test", [127, 0, 0, 9])]
        _ = try resolve("panel.test", server, on: loop)
        var before: UInt64 = 0
        loop.setTimer(after: .milliseconds(50)) { before = loop.wakeUps }
        loop.setTimer(after: .milliseconds(2000)) { loop.stop() }
        #expect(loop.runBounded())
        #expect(loop.wakeUps - before == 1)
    }

    private func resolve(
        _ name: String, _ server: TinyNameServer, on loop: EventLoop, link: Link = .any,
        within span: Duration = .seconds(5)
    ) throws -> Result<[IPAddress], NameError>? {
        let resolver = Resolver(on: loop, within: span)
        resolver.setServers([Endpoint(address: localhost, port: server.port)], for: link)
        var result: Result<[IPAddress], NameError>?
        resolver.resolve(name, link: link) {
            #expect(result == nil)
            result = $0
            loop.stop()
        }
        #expect(result == nil)
        #expect(loop.runBounded())
        return result
    }
}

/// A name server for a handful of names, on the loop of the test.
final class TinyNameServer {
    enum Manner { case truthful, failing, silent, silentAboutIPv6 }

    var manner = Manner.truthful
    var records: [(name: String, address: [UInt8])] = []
    private(set) var questionCount = 0
    private(set) var port: UInt16 = 0
    private let descriptor: Int32
    private var watch: Watch?

    init(on loop: EventLoop) throws {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                _ = getsockname(descriptor, $0, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        watch = try loop.watch(descriptor, for: .read) { [weak self] _ in self?.answer() }
    }

    deinit {
        watch?.cancel()
        close(descriptor)
    }

    private func answer() {
        var buffer = [UInt8](repeating: 0, count: 512)
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
            }
        }
        guard count > 12, let reply = reply(to: Array(buffer[..<count])) else { return }
        withUnsafePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, reply, reply.count, 0, $0, length)
            }
        }
    }

    private func reply(to query: [UInt8]) -> [UInt8]? {
        questionCount += 1
        var labels: [String] = []
        var index = 12
        while index < query.count, query[index] != 0 {
            labels.append(String(decoding: query[(index + 1)...(index + Int(query[index]))], as: UTF8.self))
            index += Int(query[index]) + 1
        }
        let isIPv6 = query[index + 2] == 28
        if manner == .silent || (manner == .silentAboutIPv6 && isIPv6) { return nil }
        let known = records.filter { $0.name == labels.joined(separator: ".") }
        let matching = manner == .failing ? [] : known.filter { ($0.address.count == 16) == isIPv6 }
        let code: UInt8 = manner == .failing ? 2 : known.isEmpty ? 3 : 0
        var reply = Array(query[..<2]) + [0x81, 0x80 | code, 0, 1, 0, UInt8(matching.count), 0, 0, 0, 0]
        reply += query[12..<(index + 5)]
        for record in matching {
            reply += [0xC0, 12, 0, isIPv6 ? 28 : 1, 0, 1, 0, 0, 0, 60, 0, UInt8(record.address.count)]
            reply += record.address
        }
        return reply
    }
}
