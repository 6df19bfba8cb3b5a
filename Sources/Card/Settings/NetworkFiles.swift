import AlarmModel
import Platform
import YAMLConfiguration

/// The machine's network as files for those who care for it: systemd-networkd, wpa_supplicant, systemd-timesyncd,
/// nftables. A pure function of the settings.
///
/// Guarantees: no character of a value becomes more than a value, because names and keys are written as hexadecimal
/// digits, and everything else is of letters, digits and dots.
struct NetworkFiles: Equatable, Sendable {
    struct File: Equatable, Sendable {
        /// Below the directory that is `/run` on the device.
        var path: String
        var text: String
        /// Permission bits.
        var mode: UInt32
    }

    var files: [File]

    /// Everything that settings may come to: what is not among `files` has to go.
    static let allPaths = [
        ethernetPath, wifiPath, panelPortPath, timePath, supplicantPath, firewallPath, hostNamePath,
    ]

    static let ethernetPath = "systemd/network/20-howalarming-ethernet.network"
    static let wifiPath = "systemd/network/20-howalarming-wifi.network"
    static let panelPortPath = "systemd/network/20-howalarming-panel.network"
    static let timePath = "systemd/timesyncd.conf.d/50-howalarming.conf"
    /// A directory of our own: nobody else reads what is in it without being told.
    static let supplicantPath = "howalarming-network/wpa_supplicant-wlan0.conf"
    static let firewallPath = "howalarming-network/panel-port.nft"
    static let hostNamePath = "howalarming-network/hostname"

    /// Lower is taken first. The modem comes after both.
    static let ethernetMetric = 100
    static let wifiMetric = 200

    private static let head = "# Written by 'howalarming card' at each start.\n"

    init(_ settings: NetworkSettings) {
        files = []
        if let ethernet = settings.ethernet {
            let text = Self.network(
                NetworkSettings.ethernetName, ethernet, metric: Self.ethernetMetric, isWireless: false,
                takesTimeServers: settings.takesTimeServers)
            add(Self.ethernetPath, text)
        }
        if let wifi = settings.wifi {
            let text = Self.network(
                NetworkSettings.wifiName, wifi.addressing, metric: Self.wifiMetric, isWireless: true,
                takesTimeServers: settings.takesTimeServers)
            add(Self.wifiPath, text)
            add(Self.supplicantPath, Self.supplicant(wifi), mode: 0o600)
        }
        if let port = settings.panelPort { add(Self.panelPortPath, Self.panelPort(port)) }
        if !settings.timeServers.isEmpty {
            add(Self.timePath, Self.head + "[Time]\nNTP=\(settings.timeServers.joined(separator: " "))\n")
        }
        add(Self.firewallPath, Self.firewall(settings.panelPort))
        files.append(File(path: Self.hostNamePath, text: settings.hostName + "\n", mode: 0o644))
    }

    private mutating func add(_ path: String, _ text: String, mode: UInt32 = 0o644) {
        files.append(File(path: path, text: text, mode: mode))
    }

    /// systemd.network(5). Whoever answers DHCP names no time servers unless the owner wants it: a forged time ends TLS.
    private static func network(
        _ name: String, _ addressing: NetworkSettings.Addressing, metric: Int, isWireless: Bool, takesTimeServers: Bool
    ) -> String {
        let takesTime = takesTimeServers ? "yes" : "no"
        let servers = addressing.nameServers.map { "DNS=\($0)\n" }.joined()
        let takesServers = addressing.nameServers.isEmpty ? "yes" : "no"
        var text = head + "[Match]\nName=\(name)\n\n"
        // The rest of the box works without this interface: no start waits for it.
        text += "[Link]\nRequiredForOnline=no\n\n[Network]\n"
        if let address = addressing.address {
            text += "DHCP=no\n" + servers
            if isWireless { text += "IgnoreCarrierLoss=3s\n" }
            text += "\n[Address]\nAddress=\(address)\n"
            if let gateway = addressing.gateway { text += "\n[Route]\nGateway=\(gateway)\nMetric=\(metric)\n" }
        } else {
            text += "DHCP=yes\n" + servers
            if isWireless { text += "IgnoreCarrierLoss=3s\n" }
            text += "\n[DHCPv4]\nRouteMetric=\(metric)\nUseDNS=\(takesServers)\nUseNTP=\(takesTime)\n"
            text += "UseDomains=no\nUseMTU=no\n"
        }
        // Also beside a fixed address: a router's advertisement may ask for DHCPv6.
        text += "\n[DHCPv6]\nUseDNS=\(takesServers)\nUseNTP=\(takesTime)\nUseDomains=no\n"
        return text + "\n[IPv6AcceptRA]\nRouteMetric=\(metric)\nUseDNS=\(takesServers)\nUseDomains=no\n"
    }

    /// The box's own address, one address for the module, and no way from there to anywhere.
    private static func panelPort(_ port: NetworkSettings.PanelPort) -> String {
        """
        \(head)[Match]
        Name=\(port.interface)

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
        Address=\(port.address)

        [DHCPServer]
        PoolOffset=\(port.address.hostNumber(of: port.module))
        PoolSize=1
        DefaultLeaseTimeSec=10min
        MaxLeaseTimeSec=10min
        EmitDNS=no
        EmitNTP=no
        EmitRouter=no
        EmitTimezone=no

        """
    }

    /// wpa_supplicant.conf(5): names and passwords without quotes are hexadecimal. In quotes, some characters of a password
    /// would end it or begin a comment.
    private static func supplicant(_ wifi: NetworkSettings.WiFi) -> String {
        var text = head + "update_config=0\ncountry=\(wifi.country)\n\nnetwork={\n"
        text += "    ssid=\(hexadecimal(wifi.name))\n    scan_ssid=1\n"
        if let password = wifi.password?.revealed {
            let bytes = Array(password.utf8)
            if bytes.count == 64, bytes.allSatisfy(ConfigurationText.isHexadecimal) {
                text += "    key_mgmt=WPA-PSK WPA-PSK-SHA256\n    psk=\(password)\n"
            } else {
                // WPA2 takes the key, WPA3 the password itself.
                text += "    key_mgmt=WPA-PSK WPA-PSK-SHA256 SAE\n"
                if let key = WirelessKey.derived(from: bytes, network: wifi.name) {
                    text += "    psk=\(hexadecimal(key))\n"
                }
                text += "    sae_password=\(hexadecimal(bytes))\n"
            }
            text += "    ieee80211w=1\n"
        } else {
            text += "    key_mgmt=NONE\n"
        }
        return text + "}\n"
    }

    /// For an `include` within the chain of what comes in.
    private static func firewall(_ port: NetworkSettings.PanelPort?) -> String {
        guard let port else { return head + "# No panel port: nothing is let in.\n" }
        return head + "# The alarm module asks for its address.\n"
            + "add rule inet howalarming input iifname \"\(port.interface)\" meta nfproto ipv4 udp sport 68 udp dport 67 accept\n"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
    }
}
