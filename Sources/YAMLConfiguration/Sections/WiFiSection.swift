import AlarmModel

/// `network.wifi`
struct WiFiSection: SettingsSection {
    var password: Secret?
    private var addressing = AddressingSection()
    private var country: String?
    private var name: [UInt8]?

    static let table: [Setting<Self>] = {
        let countries = "the country where the box is, as two capital letters, such as AT"
        let names = "the name of the wireless network, at most 32 bytes"
        return [
            .init(
                "country",
                .text(countries, otherwise: "is no country") {
                    $0.utf8.count == 2 && $0.utf8.allSatisfy { (65...90).contains($0) }
                }, \.country
            ).required("% has no country, so it is not known which channels are allowed", ": \(countries)"),
            .init("ssid", .networkName(names), \.name).required("% names no network", ": \(names)"),
            .init("password", .wifiPassword, \.password).secret,
        ] + AddressingSection.table.within(\.addressing)
    }()

    /// nil while it lacks its country or name.
    var settings: NetworkSettings.WiFi? {
        guard let country, let name else { return nil }
        return NetworkSettings.WiFi(country: country, name: name, password: password, addressing: addressing.addressing)
    }

    mutating func settle(_ section: Mapping, _ reading: inout SettingsReading) { addressing.settle(section, &reading) }
}

extension ValueKind where Value == [UInt8] {
    fileprivate static func networkName(_ expected: String) -> Self {
        Self { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            if text.utf8.count <= 32 { return Array(text.utf8) }
            return reading.refuse(field, "'\(field.path)' has \(text.utf8.count) bytes", expected: expected)
        }
    }
}

extension ValueKind where Value == Secret {
    fileprivate static var wifiPassword: Self {
        .secret("8 to 63 printable ASCII characters, or 64 hexadecimal digits") { text in
            ConfigurationText.isPrintable(text, 8...63, spaces: true)
                || text.utf8.count == 64 && text.utf8.allSatisfy(ConfigurationText.isHexadecimal)
        }
    }
}
