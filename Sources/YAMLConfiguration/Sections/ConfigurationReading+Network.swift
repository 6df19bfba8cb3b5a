import AlarmModel

/// `network`: the box's own addresses, the house's Wi-Fi, and the port that is the panel's alone.
extension ConfigurationReading {
    mutating func readNetwork(_ section: ConfigurationSection) {
        var network = NetworkSettings()
        if let field = section["hostname"], let name = machineName(field) { network.hostName = name }
        if let field = section["ethernet"],
            let part = self.section(
                field.value, path: field.path, place: field.place, known: ConfigurationKeys.addressing)
        {
            network.ethernet = readAddressing(part)
        }
        if let field = section["wifi"] { _ = claim(field.path, called: "'\(field.path)'", by: field) }
        if let field = section["wifi"],
            let part = self.section(field.value, path: field.path, place: field.place, known: ConfigurationKeys.wifi)
        {
            network.wifi = readWiFi(part)
        }
        if let field = section["panel_port"],
            let part = self.section(
                field.value, path: field.path, place: field.place, known: ConfigurationKeys.panelPort)
        {
            network.panelPort = readPanelPort(part, besides: section["ethernet"], network)
            if network.panelPort?.interface == NetworkSettings.ethernetName { network.ethernet = nil }
        }
        if let field = section["ntp"] {
            let expected =
                "host names or addresses of time servers, such as [pool.ntp.org]; 'dhcp' also takes those of your router"
            for server in values(field).compactMap({ host($0, expected: expected) }) {
                if server == "dhcp" {
                    network.takesTimeServers = true
                } else {
                    network.timeServers.append(server)
                }
            }
        }
        draft.network = network
    }

    private mutating func machineName(_ field: ConfigurationSection.Field) -> String? {
        let expected = "a name of up to 63 letters, digits and hyphens, such as alarmbox"
        guard let text = text(field, expected: expected) else { return nil }
        guard Self.isHostName(text), !text.contains(".") else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is no name for a machine", expected: expected)
            return nil
        }
        return text
    }

    private mutating func readAddressing(_ section: ConfigurationSection) -> NetworkSettings.Addressing {
        var addressing = NetworkSettings.Addressing()
        if let field = section["address"] {
            let expected = "dhcp, or an address with its prefix, such as 192.168.1.40/24"
            if let text = text(field, expected: expected), text != "dhcp" {
                addressing.address = address(text, field, expected: expected)
            }
        }
        if let field = section["gateway"] { addressing.gateway = gateway(field, of: addressing, in: section) }
        if let field = section["dns"] {
            let expected = "IP addresses of name servers, such as [9.9.9.9]"
            addressing.nameServers = values(field).compactMap { ipAddress($0, expected: expected) }
        }
        guard addressing.address != nil, let place = section["address"]?.place else { return addressing }
        if section["gateway"] == nil {
            report(
                .warning, at: place, section.path(of: "gateway"),
                "'\(section.path)' has a fixed address and no gateway, so nothing outside the house is reached by it",
                expected: "'gateway' in '\(section.path)': the address of your router")
        }
        if section["dns"] == nil {
            report(
                .warning, at: place, section.path(of: "dns"),
                "'\(section.path)' has a fixed address and no name servers",
                expected: "'dns' in '\(section.path)', such as [9.9.9.9]")
        }
        return addressing
    }

    private mutating func gateway(
        _ field: ConfigurationSection.Field, of addressing: NetworkSettings.Addressing, in section: ConfigurationSection
    ) -> IPAddress? {
        guard let gateway = ipAddress(field, expected: "the address of your router, such as 192.168.1.1") else {
            return nil
        }
        guard let own = addressing.address else {
            // An address that is wrong is already reported.
            if section["address"].map({ $0.value.content }) != nil, addressIsWritten(section) { return gateway }
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is set, but the address comes by DHCP",
                expected: "no 'gateway', or 'address' with a fixed one")
            return nil
        }
        guard own.covers(gateway), gateway != own.address else {
            report(
                at: place(ofValue: field), field.path,
                gateway == own.address
                    ? "the gateway is the box's own address" : "the gateway \(gateway) is not in the network of \(own)",
                expected: "the address of your router, in the same network as \(own)")
            return nil
        }
        return gateway
    }

    private func addressIsWritten(_ section: ConfigurationSection) -> Bool {
        guard case .scalar(let text, _)? = section["address"]?.value.content else { return true }
        return text != "dhcp"
    }

    private mutating func readWiFi(_ section: ConfigurationSection) -> NetworkSettings.WiFi? {
        let addressing = readAddressing(section)
        var country: String?
        let countries = "the country where the box is, as two capital letters, such as AT"
        if let field = section["country"], let text = text(field, expected: countries) {
            if text.utf8.count == 2, text.utf8.allSatisfy({ (65...90).contains($0) }) {
                country = text
            } else {
                report(at: place(ofValue: field), field.path, "'\(field.path)' is no country", expected: countries)
            }
        } else if section["country"] == nil {
            missing(
                "country", in: section,
                "'\(section.path)' has no country, so it is not known which channels are allowed",
                expected: "'country' in '\(section.path)': \(countries)")
        }
        var name: [UInt8]?
        let names = "the name of the wireless network, at most 32 bytes"
        if let field = section["ssid"], let text = text(field, expected: names) {
            if text.utf8.count <= 32 {
                name = Array(text.utf8)
            } else {
                report(
                    at: place(ofValue: field), field.path, "'\(field.path)' has \(text.utf8.count) bytes",
                    expected: names)
            }
        } else if section["ssid"] == nil {
            missing(
                "ssid", in: section, "'\(section.path)' names no network",
                expected: "'ssid' in '\(section.path)': \(names)")
        }
        let password = section["password"].flatMap { field -> Secret? in
            claim(field.path, called: "'\(field.path)'", by: field) ? wifiPassword(field) : nil
        }
        guard let country, let name else { return nil }
        return NetworkSettings.WiFi(country: country, name: name, password: password, addressing: addressing)
    }

    mutating func wifiPassword(_ field: ConfigurationSection.Field) -> Secret? {
        secret(field, expected: "8 to 63 printable ASCII characters, or 64 hexadecimal digits") { text in
            let isKey = text.utf8.count == 64 && text.utf8.allSatisfy(Self.isHexadecimal)
            return isKey || (8...63).contains(text.utf8.count) && text.utf8.allSatisfy { (32..<127).contains($0) }
        }
    }

    /// `network` of the secrets file: the password of the wireless network.
    mutating func readNetworkSecrets(_ field: ConfigurationSection.Field) {
        guard let wifi = inner("wifi", of: field, known: ConfigurationKeys.wifiSecrets) else { return }
        for field in wifi.fields where claim(field.path, called: "'\(field.path)'", by: field) {
            let password = wifiPassword(field)
            guard draft.network.wifi != nil else {
                // A section that is wrong is already reported.
                if place(of: "network.wifi") == nil { reportUnused(field, home: "network.wifi") }
                continue
            }
            draft.network.wifi?.password = password
        }
    }

    package static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (97...102).contains(byte | 0x20) }

    private mutating func readPanelPort(
        _ section: ConfigurationSection, besides ethernet: ConfigurationSection.Field?, _ network: NetworkSettings
    ) -> NetworkSettings.PanelPort? {
        var interface: String? = "eth1"
        if let field = section["interface"] {
            interface = choice(field, NetworkSettings.panelPortNames.map { ($0, $0) })
            if interface == NetworkSettings.ethernetName, let ethernet {
                report(
                    at: field.place, field.path, "'\(field.path)' is the interface of 'network.ethernet'",
                    expected: "a second interface, or no 'ethernet' (line \(ethernet.place.mark.line)) beside 'wifi'")
                interface = nil
            }
        }
        let own = panelAddress(section, network)
        let module = "the address for the alarm module, in the same network"
        guard let field = section["module"] else {
            missing(
                "module", in: section, "'\(section.path)' has no address for the module",
                expected: "'module' in '\(section.path)': \(module), such as 192.168.77.2")
            return nil
        }
        guard let address = ipAddress(field, expected: module), let own, let interface else { return nil }
        guard own.covers(address), own.isHost(address), address != own.address else {
            let what = address == own.address ? "is the box's own address there" : "is no machine's address in \(own)"
            report(at: place(ofValue: field), field.path, "'\(field.path)' \(what)", expected: module)
            return nil
        }
        return NetworkSettings.PanelPort(interface: interface, address: own, module: address)
    }

    private mutating func panelAddress(
        _ section: ConfigurationSection, _ network: NetworkSettings
    ) -> NetworkSettings.Address? {
        let expected = "an IPv4 address of a network that is used nowhere else, such as 192.168.77.1/24"
        guard let field = section["address"] else {
            missing(
                "address", in: section, "'\(section.path)' has no address",
                expected: "'address' in '\(section.path)': \(expected)")
            return nil
        }
        guard let text = text(field, expected: expected), let own = address(text, field, expected: expected) else {
            return nil
        }
        guard !own.address.isIPv6 else {
            report(at: place(ofValue: field), field.path, "alarm modules speak IPv4 only", expected: expected)
            return nil
        }
        let others = [network.ethernet?.address, network.wifi?.addressing.address].compactMap { $0 }
        if let other = others.first(where: { $0.covers(own.address) || own.covers($0.address) }) {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is in the same network as \(other)",
                expected: expected)
            return nil
        }
        return own
    }

    private mutating func address(
        _ text: String, _ field: ConfigurationSection.Field, expected: String
    ) -> NetworkSettings.Address? {
        guard let address = NetworkSettings.Address(text) else {
            let what = IPAddress(text) != nil ? "has no prefix" : "is no address with a prefix"
            report(at: place(ofValue: field), field.path, "'\(field.path)' \(what)", expected: expected)
            return nil
        }
        guard address.address.isIPv6 || address.isHost(address.address) else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is the address of a whole network",
                expected: expected)
            return nil
        }
        return address
    }

    private mutating func ipAddress(_ field: ConfigurationSection.Field, expected: String) -> IPAddress? {
        guard let text = text(field, expected: expected) else { return nil }
        if let address = IPAddress(text) { return address }
        report(
            at: place(ofValue: field), field.path, "'\(field.path)' holds something that is no IP address",
            expected: expected)
        return nil
    }

    /// What only all files together tell.
    mutating func checkNetwork(_ top: ConfigurationSection) {
        guard let place = top["network"]?.place else { return }
        if let wifi = draft.network.wifi, wifi.password == nil, self.place(of: "network.wifi.password") == nil {
            report(
                .warning, at: place, "network.wifi.password",
                "the wireless network has no password, so everybody near the house can be in it",
                expected: "'password' in 'network.wifi'")
        }
        if let port = draft.network.panelPort, let host = draft.host, IPAddress(host) != port.module,
            let field = self.place(of: "panel.host")
        {
            report(
                .warning, at: field, "panel.host",
                "'panel.host' is not the address that the module gets at the panel port, \(port.module)",
                expected: "\(port.module)")
        }
    }
}
