import AlarmModel
import Glibc
import Platform
import Testing

@Suite struct LinkNameServerTests {
    @Test("the servers of a link's state file are read in their order, without what makes them unusable here")
    func theServersOfALinksStateFileAreReadInTheirOrder() {
        let text = """
            # This is private data. Do not parse.
            ADMIN_STATE=configured
            DNS=192.0.2.53 fe80::1%3 [2001:db8::53]:53#dns.test 198.51.100.1:853 198.51.100.2:53 [2001:db8::1]:5353 \
            192.0.2.53 nonsense [ ]:53 #x
            DNS=10.0.0.1
            """
        let servers = LinkNameServers.servers(inStateFile: text)?.map(\.description)
        #expect(servers == ["192.0.2.53", "fe80::1", "2001:db8::53", "198.51.100.2"])
        #expect(LinkNameServers.servers(inStateFile: "DNS=") == [])
        let many = (1...200).map { "10.0.0.\($0)" }
        let asked = LinkNameServers.servers(inStateFile: "DNS=\(many.joined(separator: " "))")
        #expect(asked?.map(\.description) == Array(many.prefix(8)))
        #expect(LinkNameServers.servers(inStateFile: "NTP=10.0.0.1") == nil)
    }

    @Test("the lease counts only where the link's file does not say; without files there are none")
    func theLeaseCountsOnlyWhereTheLinksFileDoesNotSay() throws {
        let directory = try StateDirectory()
        let servers = LinkNameServers(directory: directory.path)
        #expect(servers.of(index: 4) == [])
        try directory.write("leases/4", "ADDRESS=10.0.0.9\nDNS=10.0.0.1\n")
        #expect(servers.of(index: 4).map(\.description) == ["10.0.0.1"])
        try directory.write("links/4", "OPER_STATE=routable\n")
        #expect(servers.of(index: 4).map(\.description) == ["10.0.0.1"])
        try directory.write("links/4", "OPER_STATE=routable\nDNS=\n")
        #expect(servers.of(index: 4) == [])
        #expect(servers.of(index: 5) == [])
    }
}

/// A substitute for the directory of systemd-networkd, gone when the test is over.
final class StateDirectory {
    private let directory: TemporaryDirectory
    var path: String { directory.path }

    init() throws {
        directory = try TemporaryDirectory()
        for kind in ["links", "leases"] { try #require(mkdir("\(directory.path)/\(kind)", 0o700) == 0) }
    }

    deinit {
        for kind in ["links", "leases"] {
            for index in 1...30 { unlink("\(path)/\(kind)/\(index)") }
        }
    }

    /// As networkd does it: whole or not at all.
    func write(_ name: String, _ text: String) throws {
        let file = try #require(fopen("\(path)/new", "w"))
        fputs(text, file)
        fclose(file)
        try #require(rename("\(path)/new", "\(path)/\(name)") == 0)
    }
}
