import AlarmModel
import Testing
import YAMLConfiguration

@testable import Card

@Suite("files for the network") struct NetworkFilesTests {
    private static let head = "# Written by 'howalarming card' at each start.\n"

    private static func text(_ settings: NetworkSettings, _ path: String) -> String? {
        NetworkFiles(settings).files.first { $0.path == path }?.text
    }

    private static func wifi(_ name: String, _ password: String?) -> String? {
        var settings = NetworkSettings()
        settings.wifi = NetworkSettings.WiFi(
            country: "AT", name: Array(name.utf8), password: password.map { Secret($0) })
        return text(settings, NetworkFiles.supplicantPath)
    }

    private static func address(_ text: String, _ prefix: Int) throws -> NetworkSettings.Address {
        NetworkSettings.Address(address: try #require(IPAddress(text)), prefix: prefix)
    }

    @Test("without settings: DHCP on eth0, nothing let in, the usual name")
    func withoutSettingsDHCPOnEth0NothingLetInTheUsualName() {
        let files = NetworkFiles(NetworkSettings()).files
        #expect(files.map(\.path) == [NetworkFiles.ethernetPath, NetworkFiles.firewallPath, NetworkFiles.hostNamePath])
        #expect(files.allSatisfy { $0.mode == 0o644 })
        #expect(files.allSatisfy { NetworkFiles.allPaths.contains($0.path) })
        #expect(
            files[0].text == Self.head + """
                [Match]
                Name=eth0

                [Link]
                RequiredForOnline=no

                [Network]
                DHCP=yes

                [DHCPv4]
                RouteMetric=100
                UseDNS=yes
                UseNTP=no
                UseDomains=no
                UseMTU=no

                [DHCPv6]
                UseDNS=yes
                UseNTP=no
                UseDomains=no

                [IPv6AcceptRA]
                RouteMetric=100
                UseDNS=yes
                UseDomains=no

                """)
        #expect(files[1].text == Self.head + "# No panel port: nothing is let in.\n")
        #expect(files[2].text == "howalarming\n")
    }

    @Test("time servers of the network are taken only if the owner wants them, by cable and without")
    func timeServersOfTheNetworkAreTakenOnlyIfTheOwnerWantsThem() throws {
        var settings = NetworkSettings()
        settings.wifi = NetworkSettings.WiFi(country: "AT", name: Array("net".utf8))
        for (isWanted, line, other) in [(false, "UseNTP=no", "UseNTP=yes"), (true, "UseNTP=yes", "UseNTP=no")] {
            settings.takesTimeServers = isWanted
            for path in [NetworkFiles.ethernetPath, NetworkFiles.wifiPath] {
                let text = try #require(Self.text(settings, path))
                #expect(text.split(separator: "\n").count { $0 == line } == 2 && !text.contains(other), "\(path)")
            }
        }
    }

    @Test("a fixed address with its gateway and name servers")
    func aFixedAddressWithItsGatewayAndNameServers() throws {
        var settings = NetworkSettings()
        settings.ethernet = NetworkSettings.Addressing(
            address: try Self.address("192.168.1.40", 24), gateway: IPAddress("192.168.1.1"),
            nameServers: ["9.9.9.9", "2620:fe::fe"].compactMap { IPAddress($0) })
        #expect(
            Self.text(settings, NetworkFiles.ethernetPath) == Self.head + """
                [Match]
                Name=eth0

                [Link]
                RequiredForOnline=no

                [Network]
                DHCP=no
                DNS=9.9.9.9
                DNS=2620:fe::fe

                [Address]
                Address=192.168.1.40/24

                [Route]
                Gateway=192.168.1.1
                Metric=100

                [DHCPv6]
                UseDNS=no
                UseNTP=no
                UseDomains=no

                [IPv6AcceptRA]
                RouteMetric=100
                UseDNS=no
                UseDomains=no

                """)
    }

    @Test("the panel port has one address to give away, and no way to anywhere")
    func thePanelPortHasOneAddressToGiveAway() throws {
        var settings = NetworkSettings()
        settings.panelPort = NetworkSettings.PanelPort(
            interface: "eth1", address: try Self.address("172.20.0.1", 16),
            module: try #require(IPAddress("172.20.1.2")))
        #expect(
            Self.text(settings, NetworkFiles.panelPortPath) == Self.head + """
                [Match]
                Name=eth1

                [Link]
                RequiredForOnline=no

                [Network]
                DHCP=no
                DHCPServer=yes
                IPv4Forwarding=no
                IPv6Forwarding=no
                IPv6AcceptRA=no
                LinkLocalAddressing=no
                LLMNR=no
                MulticastDNS=no
                LLDP=no
                EmitLLDP=no
                ConfigureWithoutCarrier=yes

                [Address]
                Address=172.20.0.1/16

                [DHCPServer]
                PoolOffset=258
                PoolSize=1
                DefaultLeaseTimeSec=10min
                MaxLeaseTimeSec=10min
                EmitDNS=no
                EmitNTP=no
                EmitRouter=no
                EmitTimezone=no

                """)
        #expect(
            Self.text(settings, NetworkFiles.firewallPath) == Self.head + """
                # The alarm module asks for its address.
                add rule inet howalarming input iifname "eth1" meta nfproto ipv4 udp sport 68 udp dport 67 accept

                """)
    }

    @Test("Wi-Fi comes after Ethernet, and only root reads its password")
    func wiFiComesAfterEthernet() throws {
        var settings = NetworkSettings()
        settings.hostName = "alarmbox"
        settings.timeServers = ["pool.ntp.org", "192.168.1.1"]
        settings.wifi = NetworkSettings.WiFi(country: "AT", name: Array("IEEE".utf8), password: Secret("password"))
        let files = NetworkFiles(settings).files
        let secret = try #require(files.first { $0.path == NetworkFiles.supplicantPath })
        #expect(secret.mode == 0o600)
        // The key is that of IEEE 802.11i, H.4.3.
        #expect(
            secret.text == Self.head + """
                update_config=0
                country=AT

                network={
                    ssid=49454545
                    scan_ssid=1
                    key_mgmt=WPA-PSK WPA-PSK-SHA256 SAE
                    psk=f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e
                    sae_password=70617373776f7264
                    ieee80211w=1
                }

                """)
        let network = try #require(Self.text(settings, NetworkFiles.wifiPath))
        #expect(network.contains("Name=wlan0\n"))
        #expect(network.contains("RouteMetric=200\n"))
        #expect(!network.contains("RouteMetric=100\n"))
        #expect(network.contains("IgnoreCarrierLoss=3s\n"))
        #expect(Self.text(settings, NetworkFiles.timePath) == Self.head + "[Time]\nNTP=pool.ntp.org 192.168.1.1\n")
        #expect(Self.text(settings, NetworkFiles.hostNamePath) == "alarmbox\n")
        #expect(files.allSatisfy { NetworkFiles.allPaths.contains($0.path) })
    }

    @Test("a key of 64 digits is the key itself; a network without a password is open")
    func aKeyOf64DigitsIsTheKeyItself() {
        let key = String(repeating: "0aF9", count: 16)
        #expect(
            Self.wifi("a", key) == Self.head + """
                update_config=0
                country=AT

                network={
                    ssid=61
                    scan_ssid=1
                    key_mgmt=WPA-PSK WPA-PSK-SHA256
                    psk=\(key)
                    ieee80211w=1
                }

                """)
        #expect(Self.wifi("a", nil)?.contains("    key_mgmt=NONE\n}\n") ?? false)
    }

    @Test(
        "no character of a name or a password makes a line or an end",
        arguments: [
            "\"\n}\nnetwork={\nssid=", "a\"b#c{}$(reboot)", "#%&\\\"''`;|", "\u{0}\r\n\t\u{7F}", "\"\"\"\"\"\"\"\"",
            "ctrl_interface=/x", "psk=\\\"", "é\u{2028}é\u{2029}x",
        ])
    func noCharacterOfANameOrAPasswordMakesALineOrAnEnd(_ text: String) throws {
        let file = try #require(Self.wifi(text, text + "12345678"))
        let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
        let keys = lines.map { $0.drop { $0 == " " }.prefix { $0 != "=" && $0 != "#" } }
        #expect(
            keys == [
                "", "update_config", "country", "", "network", "ssid", "scan_ssid", "key_mgmt", "psk", "sae_password",
                "ieee80211w",
                "}", "",
            ], "\(file)")
        let name = try #require(lines.first { $0.hasPrefix("    ssid=") }).dropFirst(9)
        #expect(name.allSatisfy { $0.isHexDigit && $0.isASCII })
        #expect(name.count == text.utf8.count * 2)
        let password = try #require(lines.first { $0.hasPrefix("    sae_password=") }).dropFirst(17)
        #expect(password.allSatisfy { $0.isHexDigit && $0.isASCII })
        #expect(password.count == (text.utf8.count + 8) * 2)
    }
}
