import AlarmModel

/// `network.panel_port`: an Ethernet port for the alarm module alone.
struct PanelPortSection: SettingsSection {
    private var interface: String? = "eth1"
    private var address: NetworkSettings.Address?
    private var module: IPAddress?
    private var section: Mapping?

    private static let addressExpected =
        "an IPv4 address of a network that is used nowhere else, such as 192.168.77.1/24"
    private static let moduleExpected = "the address for the alarm module, in the same network"

    static let table: [Setting<Self>] = [
        .init("interface", .word(NetworkSettings.panelPortNames.map { ($0, $0) }), \.interface),
        .init("address", .panelAddress(addressExpected), \.address).required(
            "% has no address", ": \(addressExpected)"),
        .init("module", .ipAddress(moduleExpected), \.module).required(
            "% has no address for the module", ": \(moduleExpected), such as 192.168.77.2"),
    ]

    mutating func settle(_ section: Mapping, _ reading: inout SettingsReading) { self.section = section }

    /// What holds of the port beside the other interfaces, which are known last; nil with a problem.
    func settings(
        besides ethernet: Field?, _ network: NetworkSettings, _ reading: inout SettingsReading
    ) -> NetworkSettings.PanelPort? {
        var interface = interface
        if let field = section?["interface"], interface == NetworkSettings.ethernetName, let ethernet {
            reading.error(
                field, "'\(field.path)' is the interface of 'network.ethernet'",
                expected: "a second interface, or no 'ethernet' (line \(ethernet.place.mark.line)) beside 'wifi'")
            interface = nil
        }
        guard let own = address, let field = section?["address"] else { return nil }
        let others = [network.ethernet?.address, network.wifi?.addressing.address].compactMap { $0 }
        if let other = others.first(where: { $0.covers(own.address) || own.covers($0.address) }) {
            return reading.refuse(
                field, "'\(field.path)' is in the same network as \(other)", expected: Self.addressExpected)
        }
        guard let module, let field = section?["module"], let interface else { return nil }
        guard own.covers(module), own.isHost(module), module != own.address else {
            let what = module == own.address ? "is the box's own address there" : "is no machine's address in \(own)"
            return reading.refuse(field, "'\(field.path)' \(what)", expected: Self.moduleExpected)
        }
        return NetworkSettings.PanelPort(interface: interface, address: own, module: module)
    }
}

extension ValueKind where Value == NetworkSettings.Address {
    fileprivate static func panelAddress(_ expected: String) -> Self {
        .prefixed(expected).checked { reading, field, own in
            own.address.isIPv6 ? reading.refuse(field, "alarm modules speak IPv4 only", expected: expected) : own
        }
    }
}
