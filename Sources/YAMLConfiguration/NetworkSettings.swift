package import AlarmModel

/// What the owner wrote of the box's network: the section `network`. As it stands here it is what holds without one.
package struct NetworkSettings: Equatable, Sendable {
    /// An address with the length of its network's prefix: `192.168.1.40/24`.
    package struct Address: Equatable, Sendable, CustomStringConvertible {
        package var address: IPAddress
        /// 1 to 30 for IPv4, 1 to 128 for IPv6.
        package var prefix: Int

        package init(address: IPAddress, prefix: Int) {
            self.address = address
            self.prefix = prefix
        }

        package var description: String { "\(address)/\(prefix)" }
    }

    /// How an interface comes to its addresses.
    package struct Addressing: Equatable, Sendable {
        /// nil: asked of the network's DHCP server.
        package var address: Address?
        /// Only beside a fixed address.
        package var gateway: IPAddress?
        /// Instead of those that the network names.
        package var nameServers: [IPAddress] = []

        package init(address: Address? = nil, gateway: IPAddress? = nil, nameServers: [IPAddress] = []) {
            self.address = address
            self.gateway = gateway
            self.nameServers = nameServers
        }
    }

    package struct WiFi: Equatable, Sendable {
        /// Two capital letters (ISO 3166): which channels are allowed.
        package var country: String
        /// 1 to 32 bytes, whatever they are.
        package var name: [UInt8]
        /// 8 to 63 printable characters, or the key itself as 64 hexadecimal digits; nil: an open network.
        package var password: Secret?
        package var addressing = Addressing()

        package init(country: String, name: [UInt8], password: Secret? = nil, addressing: Addressing = Addressing()) {
            self.country = country
            self.name = name
            self.password = password
            self.addressing = addressing
        }
    }

    /// An Ethernet interface for the alarm module alone.
    package struct PanelPort: Equatable, Sendable {
        package var interface: String
        package var address: Address
        /// The only address that is given away there.
        package var module: IPAddress

        package init(interface: String, address: Address, module: IPAddress) {
            self.interface = interface
            self.address = address
            self.module = module
        }
    }

    /// One label of a host name.
    package var hostName = "howalarming"
    /// nil: `eth0` carries nothing, or is the panel port.
    package var ethernet: Addressing? = Addressing()
    package var wifi: WiFi?
    package var panelPort: PanelPort?
    /// Time servers besides those of the system.
    package var timeServers: [String] = []
    /// `dhcp` among `ntp`: those that the network names as well.
    package var takesTimeServers = false

    package init() {}

    /// As they are called on the box, where names do not depend on the bus (`net.ifnames=0`).
    package static let ethernetName = "eth0"
    package static let wifiName = "wlan0"
    package static let panelPortNames = ["eth0", "eth1"]
}

extension NetworkSettings.Address {
    /// nil unless `text` is an address, a slash and the length of a prefix that leaves room for hosts.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let address = IPAddress(parts[0]), let prefix = ConfigurationText.decimal(parts[1]),
            (1...(address.isIPv6 ? 128 : 30)).contains(prefix)
        else { return nil }
        self.init(address: address, prefix: prefix)
    }

    /// Whether the other address lies in the same network.
    func covers(_ other: IPAddress) -> Bool {
        guard other.isIPv6 == address.isIPv6 else { return false }
        return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let bits = min(8, max(0, prefix - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            return pair.0 & mask == pair.1 & mask
        }
    }

    /// The number of an IPv4 address within its network: 0 is the network's own, the highest is broadcast.
    package func hostNumber(of other: IPAddress) -> UInt32 {
        let value = other.bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return value & ~(UInt32.max << UInt32(32 - min(32, prefix)))
    }

    /// Whether the IPv4 address may be a machine's: not the network's own and not broadcast.
    func isHost(_ other: IPAddress) -> Bool {
        let number = hostNumber(of: other)
        return number != 0 && number != ~(UInt32.max << UInt32(32 - min(32, prefix)))
    }
}
