import AlarmModel
import Glibc
import Platform
import Testing

/// Two channels to the same far end: what a socket that is bound to one of them does.
@Suite(.enabled(if: NetworkNamespace.isPossible, "network namespaces are root's"))
struct BoundSocketTests {
    @Test("a connection goes through the interface that it is bound to, whatever the routes prefer")
    func aConnectionGoesThroughTheInterfaceThatItIsBoundTo() throws {
        try inHouse { house in
            try house.expect("10.1.0.2", through: .any)
            try house.expect("10.1.0.2", through: .interface("eth0"))
            try house.expect("10.2.0.2", through: .interface("eth1"))
        }
    }

    @Test("after the interface got another address, a new connection comes from that one")
    func afterTheInterfaceGotAnotherAddress() throws {
        try inHouse { house in
            try house.expect("10.2.0.2", through: .interface("eth1"))
            try house.near.run(
                """
                ip addr flush dev eth1; ip addr add 10.2.0.77/24 dev eth1
                ip route add default via 10.2.0.1 dev eth1 metric 200
                """)
            try house.expect("10.2.0.77", through: .interface("eth1"))
        }
    }

    @Test("through an interface without address, without carrier or without itself nothing goes by another way")
    func throughAnInterfaceWithoutAddress() throws {
        try inHouse { house in
            try house.expect(nil, through: .interface("wwan0"))
            try house.near.run("ip addr flush dev eth1")
            try house.expect(nil, through: .interface("eth1"))
            try house.near.run("ip link set eth0 down")
            try house.expect(nil, through: .interface("eth0"))
        }
    }

    private func inHouse(_ body: (TwoChannels) throws -> Void) throws {
        let house = try TwoChannels()
        try house.near.inside { try body(house) }
    }
}

/// Two namespaces with two cables between them; the far end has one address that both ways lead to.
private final class TwoChannels {
    let near: NetworkNamespace
    private let far: NetworkNamespace
    private let listener: Int32
    private let loop: EventLoop

    init() throws {
        near = try NetworkNamespace()
        far = try NetworkNamespace()
        loop = try EventLoop()
        for number in 1...2 {
            try near.run(
                """
                ip link add eth\(number - 1) type veth peer name cable\(number)
                ip link set cable\(number) netns \(far.path)
                ip link set eth\(number - 1) up; ip addr add 10.\(number).0.2/24 dev eth\(number - 1)
                """)
            try far.run("ip link set cable\(number) up; ip addr add 10.\(number).0.1/24 dev cable\(number)")
            try near.run("ip route add default via 10.\(number).0.1 metric \(number * 100)")
        }
        try far.run("ip addr add 198.51.100.9/32 dev lo")
        listener = try far.inside {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(5228).bigEndian
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, 16) }
            }
            try #require(bound == 0 && listen(listener, 8) == 0)
            return listener
        }
    }

    deinit { close(listener) }

    func expect(_ source: String?, through link: Link, _ place: SourceLocation = #_sourceLocation) throws {
        // A first packet may be lost while the cable comes up; it is repeated after a second.
        let seen = try self.source(through: link, within: source == nil ? .seconds(1) : .seconds(8))
        #expect(seen == source, sourceLocation: place)
    }

    /// The address from which the far end saw the connection come; nil when there was none in time.
    private func source(through link: Link, within span: Duration) throws -> String? {
        let target = Endpoint(address: try #require(IPAddress("198.51.100.9")), port: 5228)
        var isConnected = false
        var stream: Stream?
        let attempt = Connector(on: loop).open(target, link: link, within: span) { result in
            stream = try? result.get()
            isConnected = stream != nil
            self.loop.stop()
        }
        try #require(loop.runBounded())
        attempt.cancel()
        stream?.reset()
        guard isConnected else { return nil }
        var peer = sockaddr_in()
        var length = socklen_t(16)
        let accepted = withUnsafeMutablePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(listener, $0, &length) }
        }
        try #require(accepted >= 0)
        close(accepted)
        return IPAddress(bytes: withUnsafeBytes(of: peer.sin_addr) { Array($0) })?.description
    }
}
