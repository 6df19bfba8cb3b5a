import AlarmModel
import PhoneLink

/// Which names and addresses are in the house, so that they are never looked for by another link.
package enum HouseName {
    private static let domains = ["local", "lan", "home", "internal", "localhost", "home.arpa"]

    package static func isInHouse(_ host: String) -> Bool {
        if let address = IPAddress(host) { return isPrivate(address) }
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return !name.contains(".") || domains.contains { name.hasSuffix("." + $0) }
    }

    /// This machine, private (RFC 1918, RFC 4193) and link-local addresses.
    static func isPrivate(_ address: IPAddress) -> Bool {
        let bytes = address.bytes
        if address.isIPv6 {
            let isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
            return isLoopback || bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
        }
        switch (bytes[0], bytes[1]) {
        case (127, _), (10, _), (192, 168), (169, 254): return true
        case (172, let second): return (16...31).contains(second)
        case _: return false
        }
    }
}

extension ChannelKind {
    /// What this channel leads to is in the house.
    var isInHouse: Bool {
        switch self {
        case .mqtt, .program, .beanstalk: true
        case .ntfy, .fcm, .ccs, .xmpp, .mail, .url, .webPush, .receiver: false
        }
    }
}
