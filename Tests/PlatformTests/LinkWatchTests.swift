import AlarmModel
import Glibc
import Platform
import Testing

@Suite(.enabled(if: NetworkNamespace.isPossible, "network namespaces are root's"))
struct LinkWatchTests {
    @Test("absent interfaces are facts, in the order of the question; one that is added later is told")
    func absentInterfacesAreFacts() throws {
        try inHouse { house in
            house.watch.watch(["wwan0", "eth0"])
            try house.wait { _ in true }
            #expect(house.facts.map(\.interface) == ["wwan0", "eth0"])
            #expect(house.facts.allSatisfy { !$0.isPresent && !$0.hasCarrier && $0.addresses.isEmpty })
            try house.ip("ip link add eth0 type veth peer name far0; ip link set far0 up; ip link set eth0 up")
            try house.ip("ip addr add 192.0.2.7/24 dev eth0")
            try house.wait { $0[1].hasCarrier && !$0[1].addresses.isEmpty }
            #expect(house.facts[1].addresses.map(\.description) == ["192.0.2.7"])
            #expect(!house.facts[0].isPresent)
        }
    }

    @Test("carrier lost and found at the other end of the cable is told, and so is an interface that is switched off")
    func carrierLostAndFoundAtTheOtherEndOfTheCableIsTold() throws {
        try inHouse { house in
            try house.cable()
            house.watch.watch(["eth0"])
            try house.wait { $0[0].hasCarrier }
            try house.ip("ip link set far0 down")
            try house.wait { !$0[0].hasCarrier }
            #expect(house.facts[0].isPresent)
            try house.ip("ip link set far0 up")
            try house.wait { $0[0].hasCarrier }
            try house.ip("ip link set eth0 down")
            try house.wait { !$0[0].hasCarrier }
        }
    }

    @Test("addresses that come, go and are replaced are told")
    func addressesThatCome() throws {
        try inHouse { house in
            try house.cable()
            house.watch.watch(["eth0"])
            try house.ip("ip addr add 192.0.2.7/24 dev eth0")
            try house.wait { $0[0].addresses.map(\.description) == ["192.0.2.7"] }
            try house.ip("ip addr del 192.0.2.7/24 dev eth0; ip addr add 192.0.2.99/24 dev eth0")
            try house.wait { $0[0].addresses.map(\.description) == ["192.0.2.99"] }
            try house.ip("ip addr flush dev eth0")
            try house.wait { $0[0].addresses.isEmpty }
        }
    }

    @Test("an IPv6 prefix that is replaced: the address counts after its check, and no more once it is deprecated")
    func anIPv6PrefixThatIsReplaced() throws {
        try inHouse { house in
            try house.cable()
            try house.ip("ip addr add 2001:db8:1::7/64 dev eth0")
            house.watch.watch(["eth0"])
            try house.wait { $0[0].addresses.map(\.description) == ["2001:db8:1::7"] }
            try house.ip(
                """
                ip addr change 2001:db8:1::7/64 dev eth0 preferred_lft 0 valid_lft 3600
                ip addr add 2001:db8:2::7/64 dev eth0
                """)
            try house.wait { $0[0].addresses.map(\.description) == ["2001:db8:2::7"] }
            #expect(house.toldWithoutCheckedAddress)
        }
    }

    @Test("an interface that was deleted and made anew is told, even when it looks the same")
    func anInterfaceThatWasDeletedAndMadeAnewIsTold() throws {
        try inHouse { house in
            try house.cable()
            house.watch.watch(["eth0"])
            try house.wait { $0[0].hasCarrier }
            let count = house.count
            // In one go, so that the loop sees the end only.
            try house.ip("ip link del eth0")
            try house.cable()
            try house.wait { house.count > count && $0[0].hasCarrier }
        }
    }

    @Test("what happens within one round is told once, and an idle machine tells nothing")
    func whatHappensWithinOneRoundIsToldOnce() throws {
        try inHouse { house in
            try house.cable()
            house.watch.watch(["eth0"])
            try house.wait { $0[0].hasCarrier }
            let count = house.count
            try house.ip("for n in 1 2 3 4 5 6 7 8 9; do ip addr add 192.0.2.$n/24 dev eth0; done")
            try house.wait { $0[0].addresses.count == 9 }
            #expect(house.count == count + 1)
            // Longer than the second look.
            _ = house.loop.runBounded(.milliseconds(2300))
            #expect(house.count == count + 1)
            #expect(house.watch.failure == nil)
        }
    }

    @Test("when the kernel had to drop messages, the picture is right all the same")
    func whenTheKernelHadToDropMessages() throws {
        try inHouse { house in
            try house.cable()
            house.watch.watch(["eth0"])
            try house.wait { $0[0].hasCarrier }
            try house.ip(
                """
                for n in $(seq 1 60); do echo link set far0 down; echo link set far0 up; done > /tmp/batch.$$
                for n in 1 2 3 4 5 6; do ip -batch /tmp/batch.$$; done
                rm /tmp/batch.$$
                ip addr add 192.0.2.7/24 dev eth0
                """)
            try house.wait { $0[0].hasCarrier && $0[0].addresses.count == 1 }
            try house.ip("ip link set far0 down")
            try house.wait { !$0[0].hasCarrier }
        }
    }

    @Test("a reading has the traffic up to now; a change that it finds is told afterwards")
    func aReadingHasTheTrafficUpToNow() throws {
        try inHouse { house in
            try house.cable()
            try house.ip("ip addr add 192.0.2.7/24 dev eth0")
            house.watch.watch(["eth0", "wwan0"])
            try house.wait { $0[0].hasCarrier }
            let before = house.watch.read()
            try house.ip("ip neigh add 192.0.2.1 lladdr 02:00:00:00:00:01 dev eth0")
            let datagram = try #require(IPAddress("192.0.2.1"))
            try send(bytes: 1000, to: datagram)
            let after = house.watch.read()
            #expect(after[0].traffic >= before[0].traffic + 1000)
            #expect(after[0].traffic < before[0].traffic + 5000)
            let count = house.count
            try house.ip("ip addr add 192.0.2.8/24 dev eth0")
            #expect(house.watch.read()[0].addresses.count == 2)
            #expect(house.count == count)
            try house.wait { $0[0].addresses.count == 2 }
        }
    }

    @Test("name servers that the network service writes down a moment after the address are told")
    func nameServersThatTheNetworkServiceWritesDownAMoment() throws {
        try inHouse { house in
            // Otherwise its own address, checked a moment later, would make the watch look again.
            try house.ip("echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6")
            try house.cable()
            house.watch.watch(["eth0"])
            try house.wait { $0[0].hasCarrier }
            try house.ip("ip addr add 192.0.2.7/24 dev eth0")
            try house.wait { $0[0].addresses.count == 1 }
            #expect(house.facts[0].nameServers == [])
            try house.state.write("links/\(if_nametoindex("eth0"))", "DNS=192.0.2.1\n")
            try house.wait { $0[0].nameServers.map(\.description) == ["192.0.2.1"] }
        }
    }

    @Test("a cancelled watch tells nothing more")
    func aCancelledWatchTellsNothingMore() throws {
        try inHouse { house in
            try house.cable()
            house.watch.watch(["eth0"])
            house.watch.cancel()
            try house.ip("ip addr add 192.0.2.7/24 dev eth0")
            _ = house.loop.runBounded(.milliseconds(200))
            #expect(house.count == 0)
        }
    }

    private func inHouse(_ body: (House) throws -> Void) throws {
        let namespace = try NetworkNamespace()
        try namespace.inside { try body(try House(namespace)) }
    }

    private func send(bytes count: Int, to address: IPAddress) throws {
        let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(socket) }
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = UInt16(9).bigEndian
        withUnsafeMutableBytes(of: &target.sin_addr) { $0.copyBytes(from: address.bytes) }
        let payload = [UInt8](repeating: 0, count: count)
        let sent = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(socket, payload, count, 0, $0, 16) }
        }
        try #require(sent == count)
    }
}

/// A watched namespace.
private final class House {
    let loop: EventLoop
    let state: StateDirectory
    private(set) var watch: LinkWatch
    private(set) var facts: [LinkFacts] = []
    private(set) var count = 0
    private(set) var toldWithoutCheckedAddress = false
    private let namespace: NetworkNamespace

    init(_ namespace: NetworkNamespace) throws {
        self.namespace = namespace
        let loop = try EventLoop()
        let state = try StateDirectory()
        self.loop = loop
        self.state = state
        weak var house: House?
        let told: ([LinkFacts]) -> Void = { facts in house?.told(facts) }
        watch = try LinkWatch(on: loop, stateDirectory: state.path, onChange: told)
        house = self
    }

    deinit { watch.cancel() }

    func cable() throws {
        try ip("ip link add eth0 type veth peer name far0; ip link set far0 up; ip link set eth0 up")
    }

    func ip(_ script: String) throws { try namespace.run(script) }

    /// Runs the loop until the facts are so.
    func wait(for condition: ([LinkFacts]) -> Bool, _ place: SourceLocation = #_sourceLocation) throws {
        try withoutActuallyEscaping(condition) { condition in
            awaited = condition
            defer { awaited = nil }
            if !facts.isEmpty, condition(facts) { return }
            let isReached = loop.runBounded(.seconds(8))
            try #require(isReached, "told last: \(facts)", sourceLocation: place)
        }
    }

    private var awaited: (([LinkFacts]) -> Bool)?

    private func told(_ facts: [LinkFacts]) {
        self.facts = facts
        count += 1
        if facts.contains(where: { $0.hasCarrier && $0.addresses.isEmpty }) { toldWithoutCheckedAddress = true }
        if awaited?(facts) == true { loop.stop() }
    }
}
