import AlarmModel

/// `network`: the box's own addresses, the house's Wi-Fi, and the port that is the panel's alone.
struct NetworkSection: SettingsSection {
    var settings = NetworkSettings()
    private var ethernet = AddressingSection()
    private var wifi: WiFiSection?
    private var panelPort: PanelPortSection?
    private var timeServers: [String] = []

    static let table: [Setting<Self>] = {
        let servers =
            "host names or addresses of time servers, such as [pool.ntp.org]; 'dhcp' also takes those of your router"
        return [
            .init("hostname", .machineName, \.settings.hostName),
            .init("ethernet", \.ethernet),
            .init("wifi", \.wifi),
            .init("panel_port", \.panelPort),
            .init("ntp", .list(of: .host(servers)), \.timeServers),
        ]
    }()

    mutating func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        settings.ethernet = ethernet.addressing
        settings.wifi = wifi?.settings
        settings.panelPort = panelPort?.settings(besides: section["ethernet"], settings, &reading)
        if settings.panelPort?.interface == NetworkSettings.ethernetName { settings.ethernet = nil }
        settings.takesTimeServers = timeServers.contains("dhcp")
        settings.timeServers = timeServers.filter { $0 != "dhcp" }
    }

    /// What only all files together tell.
    static func check(_ top: Mapping, _ reading: inout SettingsReading) {
        guard let place = top["network"]?.place else { return }
        let network = reading.draft.network.settings
        if let wifi = network.wifi, wifi.password == nil, reading.place(of: "network.wifi.password") == nil {
            reading.report(
                .warning, at: place, "network.wifi.password",
                "the wireless network has no password, so everybody near the house can be in it",
                expected: "'password' in 'network.wifi'")
        }
        if let port = network.panelPort, let host = reading.draft.panel.host, IPAddress(host) != port.module,
            let field = reading.place(of: "panel.host")
        {
            reading.report(
                .warning, at: field, "panel.host",
                "'panel.host' is not the address that the module gets at the panel port, \(port.module)",
                expected: "\(port.module)")
        }
    }
}

extension ValueKind where Value == String {
    fileprivate static var machineName: Self {
        .text("a name of up to 63 letters, digits and hyphens, such as alarmbox", otherwise: "is no name for a machine")
        { HostName.isValid($0) && !$0.contains(".") }
    }
}
