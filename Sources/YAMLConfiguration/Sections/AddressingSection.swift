import AlarmModel

/// `network.ethernet`, and what is the same in `network.wifi`: how an interface comes to its addresses.
struct AddressingSection: SettingsSection {
    var addressing = NetworkSettings.Addressing()

    static let table: [Setting<Self>] = [
        .init("address", .addressOrDHCP, \.addressing.address),
        .init("gateway", .ipAddress("the address of your router, such as 192.168.1.1"), \.addressing.gateway),
        .init(
            "dns", .list(of: .ipAddress("IP addresses of name servers, such as [9.9.9.9]")), \.addressing.nameServers),
    ]

    mutating func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        if let field = section["gateway"] { checkGateway(field, in: section, &reading) }
        guard addressing.address != nil, let place = section["address"]?.place else { return }
        if section["gateway"] == nil {
            reading.report(
                .warning, at: place, section.path(of: "gateway"),
                "'\(section.path)' has a fixed address and no gateway, so nothing outside the house is reached by it",
                expected: "'gateway' in '\(section.path)': the address of your router")
        }
        if section["dns"] == nil {
            reading.report(
                .warning, at: place, section.path(of: "dns"),
                "'\(section.path)' has a fixed address and no name servers",
                expected: "'dns' in '\(section.path)', such as [9.9.9.9]")
        }
    }

    private func checkGateway(_ field: Field, in section: Mapping, _ reading: inout SettingsReading) {
        guard let gateway = addressing.gateway else { return }
        guard let own = addressing.address else {
            // An address that is wrong is already reported.
            guard section["address"] == nil || reading.written(section["address"]) == "dhcp" else { return }
            return reading.valueError(
                field, "'\(field.path)' is set, but the address comes by DHCP",
                expected: "no 'gateway', or 'address' with a fixed one")
        }
        guard !own.covers(gateway) || gateway == own.address else { return }
        reading.valueError(
            field,
            gateway == own.address
                ? "the gateway is the box's own address" : "the gateway \(gateway) is not in the network of \(own)",
            expected: "the address of your router, in the same network as \(own)")
    }
}

extension ValueKind where Value == NetworkSettings.Address? {
    /// nil: by DHCP.
    fileprivate static var addressOrDHCP: Self {
        let expected = "dhcp, or an address with its prefix, such as 192.168.1.40/24"
        return Self { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            if text == "dhcp" { return .some(nil) }
            return ValueKind<NetworkSettings.Address>.prefixed(expected).read(&reading, field).map(Optional.some)
        }
    }
}

extension ValueKind where Value == NetworkSettings.Address {
    /// An address of a machine with the prefix of its network.
    static func prefixed(_ expected: String) -> Self {
        Self { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            guard let address = NetworkSettings.Address(text) else {
                let what = IPAddress(text) != nil ? "has no prefix" : "is no address with a prefix"
                return reading.refuse(field, "'\(field.path)' \(what)", expected: expected)
            }
            guard address.address.isIPv6 || address.isHost(address.address) else {
                return reading.refuse(field, "'\(field.path)' is the address of a whole network", expected: expected)
            }
            return address
        }
    }
}
