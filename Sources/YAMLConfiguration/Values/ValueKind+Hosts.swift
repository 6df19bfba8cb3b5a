import AlarmModel
import PhoneLink

extension ValueKind where Value == String {
    /// A host name (RFC 1123) or an address. The text is not shown: a URL may carry a password.
    static func host(_ expected: String = "a host name or an IP address, such as 192.168.1.50") -> Self {
        Self { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            if IPAddress(text) != nil || HostName.isValid(text) { return text }
            var what = "'\(field.path)' is neither a host name nor an IP address"
            if text.contains("/") { what += "; it looks like a web address" }
            let halves = text.split(separator: ":", omittingEmptySubsequences: false)
            if halves.count == 2, ConfigurationText.decimal(halves[1]) != nil {
                what += "; the port has a key of its own, 'port'"
            }
            return reading.refuse(field, what, expected: expected)
        }
    }
}

extension ValueKind where Value == IPAddress {
    static func ipAddress(_ expected: String) -> Self {
        Self(expected, otherwise: "holds something that is no IP address") { IPAddress($0) }
    }
}

extension ValueKind where Value == Endpoint {
    /// `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]:443`.
    static func endpoint(_ expected: String, usualPort: UInt16) -> Self {
        Self(expected, otherwise: "holds something that is no IP address") { Endpoint(text: $0, usualPort: usualPort) }
    }
}

extension ValueKind where Value == HTTPURL {
    /// The URL is not shown: it may hold a secret.
    static func url(_ expected: String) -> Self {
        Self { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            do throws(HTTPURLError) {
                return try HTTPURL(text)
            } catch {
                return reading.refuse(field, "'\(field.path)' is no URL: \(error)", expected: expected)
            }
        }
    }
}

/// What a name of a machine tells.
enum HostName {
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        var labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty ?? false { labels.removeLast() }
        // A last label of digits only is a mistyped address, not a name.
        guard let last = labels.last, !last.allSatisfy(ConfigurationText.isDigit) else { return false }
        let hyphen = UInt8(ascii: "-")
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { ConfigurationText.isDigit($0) || ConfigurationText.isLetter($0) || $0 == hyphen }
        }
    }

    /// This machine itself: what goes there is on no network.
    static func isHere(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let address = IPAddress(name) else { return false }
        return address.isIPv6 ? address == IPAddress("::1") : address.bytes.first == 127
    }

    /// This machine, or an address that no packet from the internet reaches.
    static func isNearby(_ host: String) -> Bool {
        if isHere(host) { return true }
        guard let address = IPAddress(host) else { return false }
        switch (address.bytes[0], address.bytes[1]) {
        case (10, _), (192, 168), (169, 254): return !address.isIPv6
        case (172, let second): return !address.isIPv6 && (16...31).contains(second)
        case (0xFC, _), (0xFD, _): return address.isIPv6
        case (0xFE, let second): return address.isIPv6 && second & 0xC0 == 0x80
        default: return false
        }
    }
}
