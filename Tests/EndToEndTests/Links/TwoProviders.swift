import Foundation
import Glibc
import Platform

/// A box with two links, a provider behind each, and behind both the internet: four network namespaces.
///
///     box eth0  10.1.0.2 ─── 10.1.0.1 first provider  203.0.113.2 ─── internet 198.51.100.x
///     box wwan0 10.2.0.2 ─── 10.2.0.1 second provider 203.0.113.6 ───┘
///
/// The providers hide their customers behind their own addresses, as is usual. The default route over eth0 is
/// preferred.
final class TwoProviders {
    enum HouseLink: Int, CaseIterable, Sendable {
        case first = 1
        case second = 2
        var interface: String { self == .first ? "eth0" : "wwan0" }
        var address: String { "10.\(rawValue).0.2" }
    }

    /// How a channel fails.
    enum Fault: CaseIterable, Sendable {
        /// The provider's end of the cable is switched off.
        case carrier
        /// The provider passes nothing on; what is sent is lost without a word.
        case blackHole
        /// Connections open and are secured, and then nothing of them passes any more.
        case swallows
        /// The provider passes on everything but questions to name servers.
        case names
    }

    static let pushName = "fcm-xmpp.googleapis.com"
    static let pushAddress = "198.51.100.9"
    static let nameServer = "198.51.100.53"
    static let probeTargets = ["198.51.100.11:443", "198.51.100.12:443"]

    let directory: TestDirectory
    let box: NetworkNamespace
    let internet: NetworkNamespace
    private let providers: [NetworkNamespace]
    private let servers: Program
    /// Others that end with it.
    var companions: [Program] = []

    /// `attached`: the channels that the box has from the start.
    init(in directory: TestDirectory, attached: [HouseLink] = HouseLink.allCases) throws {
        self.directory = directory
        box = try NetworkNamespace(in: directory)
        internet = try NetworkNamespace(in: directory)
        let providers = try HouseLink.allCases.map { _ in try NetworkNamespace(in: directory) }
        self.providers = providers
        // As systemd sets them; with the strict check of return paths only the preferred channel would hear answers.
        try box.run(
            """
            cd /proc/sys/net/ipv4/conf
            for kind in all default; do echo 2 > $kind/rp_filter; echo 1 > $kind/promote_secondaries; done
            """)
        try internet.run(
            """
            echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet
            for host in 9 11 12 53; do ip addr add 198.51.100.$host/32 dev lo; done
            """)
        for houseLink in HouseLink.allCases {
            let net = (houseLink.rawValue - 1) * 4
            try internet.run(
                """
                ip link add to\(houseLink.rawValue) type veth peer name wan
                ip link set wan netns \(providers[houseLink.rawValue - 1].path)
                ip addr add 203.0.113.\(net + 1)/30 dev to\(houseLink.rawValue)
                ip link set to\(houseLink.rawValue) up
                """)
            try providers[houseLink.rawValue - 1].run(
                """
                ip addr add 203.0.113.\(net + 2)/30 dev wan
                ip link set wan up
                ip route add default via 203.0.113.\(net + 1)
                echo 1 > /proc/sys/net/ipv4/ip_forward
                nft add table ip home
                nft 'add chain ip home leave { type nat hook postrouting priority 100; }'
                nft add rule ip home leave oifname wan masquerade
                echo 1 > /proc/sys/net/netfilter/nf_conntrack_acct
                nft add table ip fault
                nft 'add chain ip fault pass { type filter hook forward priority 0; }'
                """)
        }
        servers = try internet.inside {
            try Program(
                "internet", ["python3", "-c", Self.server, Self.nameServer, Self.pushName, Self.pushAddress],
                in: directory, executable: "/usr/bin/env")
        }
        for houseLink in attached { try attach(houseLink) }
        _ = try servers.waitForLine(containing: "ready")
    }

    private func provider(_ houseLink: HouseLink) -> NetworkNamespace { providers[houseLink.rawValue - 1] }

    // MARK: What happens

    /// The cable is put in, and the network gives an address.
    func attach(_ houseLink: HouseLink) throws {
        try box.run("ip link add \(houseLink.interface) type veth peer name lan\(houseLink.rawValue)")
        try box.run("ip link set lan\(houseLink.rawValue) netns \(provider(houseLink).path) name lan")
        try provider(houseLink).run("ip link set lan up; ip addr add 10.\(houseLink.rawValue).0.1/24 dev lan")
        try box.run("ip link set \(houseLink.interface) up")
        try address(houseLink, network: 0, host: 2)
    }

    /// The interface is taken out.
    func detach(_ houseLink: HouseLink) throws { try box.run("ip link del \(houseLink.interface)") }

    func cut(_ houseLink: HouseLink, _ fault: Fault) throws {
        let rule = "nft add rule ip fault pass"
        switch fault {
        case .carrier: try provider(houseLink).run("ip link set lan down")
        case .blackHole: try provider(houseLink).run("\(rule) counter drop")
        case .swallows: try provider(houseLink).run("\(rule) 'ct original bytes > 1500' drop")
        case .names: try provider(houseLink).run("\(rule) udp dport 53 drop; \(rule) tcp dport 53 drop")
        }
    }

    /// Everything is as before.
    func mend(_ houseLink: HouseLink) throws {
        try provider(houseLink).run("nft flush chain ip fault pass; ip link set lan up")
    }

    /// What DHCP does when the lease is not renewed: the old address goes and another one comes, perhaps of another
    /// network, perhaps (`overlapping`) before the old one goes.
    func renumber(_ houseLink: HouseLink, network: Int = 0, host: Int, overlapping: Bool = false) throws {
        if network != 0 { try provider(houseLink).run("ip addr add 10.\(houseLink.rawValue).\(network).1/24 dev lan") }
        if overlapping {
            try address(houseLink, network: network, host: host)
            try box.run("ip addr del \(houseLink.address)/24 dev \(houseLink.interface)")
        } else {
            try box.run("ip addr flush dev \(houseLink.interface)")
            try address(houseLink, network: network, host: host)
        }
    }

    private func address(_ houseLink: HouseLink, network: Int, host: Int) throws {
        let prefix = "10.\(houseLink.rawValue).\(network)"
        try box.run(
            """
            ip addr add \(prefix).\(host)/24 dev \(houseLink.interface)
            ip route replace default via \(prefix).1 dev \(houseLink.interface) metric \(houseLink.rawValue * 100)
            """)
        try tell(houseLink, nameServers: [Self.nameServer])
    }

    /// What systemd-networkd writes down; the box finds it in `state`.
    private func tell(_ houseLink: HouseLink, nameServers: [String]) throws {
        try FileManager.default.createDirectory(atPath: "\(state)/links", withIntermediateDirectories: true)
        let index = try box.inside { if_nametoindex(houseLink.interface) }
        _ = try directory.write("netif/links/\(index)", "DNS=\(nameServers.joined(separator: " "))\n")
    }

    /// In place of /run/systemd/netif.
    var state: String { "\(directory.path)/netif" }

    /// Connections to the push service's address reach a simulator on loopback; others may be forwarded after it.
    func forward(port: UInt16) throws {
        try internet.run(
            """
            nft add table ip entry
            nft 'add chain ip entry arrive { type nat hook prerouting priority -100; }'
            nft add rule ip entry arrive ip daddr \(Self.pushAddress) tcp dport \(port) dnat to 127.0.0.1:\(port)
            """)
    }

    // MARK: What can be seen

    /// Bytes in both directions on the box's interface.
    func traffic(of houseLink: HouseLink) throws -> UInt64 {
        let table = try read("/proc/thread-self/net/dev")
        let line = table.split(separator: "\n").first { $0.contains("\(houseLink.interface):") }
        let numbers = line?.split(separator: ":").last?.split(separator: " ").compactMap { UInt64($0) } ?? []
        guard numbers.count > 8 else { throw HarnessError("no counters of \(houseLink.interface) in \(table)") }
        return numbers[0] + numbers[8]
    }

    /// The box's addresses of established connections to a port. By `ss`, because /proc/net/tcp, which is read in
    /// pieces, may leave some out.
    func connections(to port: UInt16) throws -> [String] {
        let words = ["-Htn", "state", "established", "dport = :\(port)"]
        let result = try box.inside { try Program.run(words, in: directory, executable: "/usr/bin/ss") }
        // Two queues, our end (ADDRESS%INTERFACE:PORT), the other end.
        return result.lines.compactMap { line in
            let words = line.split(separator: " ")
            return words.count < 4 ? nil : String(words[2].prefix { $0 != "%" && $0 != ":" })
        }
    }

    /// As the kernel shows it.
    func connectionTable() throws -> String { try read("/proc/thread-self/net/tcp") }

    private func read(_ table: String) throws -> String {
        String(decoding: try box.inside { try FileReader.read(table, limit: 1 << 20) }, as: UTF8.self)
    }

    /// A name server, which knows the push service and `probe.test`, and two hosts that accept connections.
    private static let server = """
        import selectors, socket, struct, sys
        place, name, address = sys.argv[1:]
        known = {name: address, 'probe.test': '198.51.100.11'}
        def answer(query):
            words, at = [], 12
            while query[at]:
                words.append(query[at + 1:at + 1 + query[at]].decode().lower())
                at += 1 + query[at]
            question = query[12:at + 5]
            kind = struct.unpack('>H', query[at + 1:at + 3])[0]
            found = known.get('.'.join(words))
            records = b''
            if found and kind == 1:
                records = b'\\xc0\\x0c' + struct.pack('>HHIH', 1, 1, 30, 4) + socket.inet_aton(found)
            head = struct.pack('>HHHH', 0x8180 if found else 0x8183, 1, 1 if records else 0, 0)
            return query[:2] + head + b'\\0\\0' + question + records
        every = selectors.DefaultSelector()
        names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        names.bind((place, 53))
        every.register(names, selectors.EVENT_READ)
        for host in ('198.51.100.11', '198.51.100.12'):
            server = socket.create_server((host, 443), backlog=64)
            every.register(server, selectors.EVENT_READ)
        print('ready', flush=True)
        while True:
            for key, _ in every.select():
                try:
                    if key.fileobj is names:
                        query, peer = names.recvfrom(4096)
                        names.sendto(answer(query), peer)
                    else:
                        key.fileobj.accept()[0].close()
                except (OSError, IndexError, struct.error, UnicodeDecodeError):
                    pass
        """
}
