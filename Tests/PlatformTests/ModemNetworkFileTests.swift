import AlarmModel
import Platform
import Testing

@Suite("What a modem's interface needs of systemd-networkd")
struct ModemNetworkFileTests {
    @Test("fixed addresses of both families, each with its route")
    func fixedAddressesOfBothFamilies() throws {
        let bearer = ModemBearer(
            interface: "wwan0",
            ipv4: .init(
                method: .fixed, address: IPAddress("10.65.1.2"), prefix: 30, gateway: IPAddress("10.65.1.1"),
                nameServers: [try #require(IPAddress("10.74.210.210"))], mtu: 1430),
            ipv6: .init(method: .fixed, address: IPAddress("2001:db8::2"), prefix: 64))
        #expect(
            ModemNetworkFile.text(for: bearer) == """
                [Match]
                Name=wwan0

                [Link]
                RequiredForOnline=no
                MTUBytes=1430

                [Network]
                DHCP=no
                LinkLocalAddressing=ipv6
                IPv6AcceptRA=no
                Address=10.65.1.2/30
                Address=2001:db8::2/64
                DNS=10.74.210.210

                [Route]
                Gateway=10.65.1.1
                GatewayOnLink=yes
                Metric=2000

                [Route]
                Destination=::/0
                Scope=link
                Metric=2000

                """)
    }

    @Test("DHCP is left to networkd, PPP to whoever made it")
    func dhcpIsLeftToNetworkd() {
        let dhcp = ModemNetworkFile.text(
            for: ModemBearer(interface: "wwan0", ipv4: .init(method: .dhcp), ipv6: .init(method: .fixed)), metric: 7)
        #expect(dhcp.contains("\nDHCP=ipv4\n"))
        #expect(dhcp.contains("\nIPv6AcceptRA=yes\n"))
        #expect(dhcp.contains("\nRouteMetric=7\n"))
        #expect(dhcp.split(separator: "\n").count { $0 == "UseNTP=no" } == 2, "neither DHCP names time servers")
        #expect(!dhcp.contains("Address="))
        let ppp = ModemNetworkFile.text(for: ModemBearer(interface: "ppp0", ipv4: .init(method: .ppp)))
        #expect(ppp == "[Match]\nName=ppp0\n\n[Link]\nRequiredForOnline=no\nUnmanaged=yes\n")
    }
}
