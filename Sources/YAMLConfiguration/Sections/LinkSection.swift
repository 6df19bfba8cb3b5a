import AlarmModel
import Uplinks

/// `links.ethernet`, `links.wifi`, and what is the same in `links.modem`.
struct LinkSection: SettingsSection {
    var interface: String?
    var isMetered: Bool?
    var standby = StandbyPolicy.hot
    var budget: UInt64?
    var nameServers: [Endpoint] = []

    static let table: [Setting<Self>] = [
        .init("interface", .interface, \.interface),
        .init("metered", .flag, \.isMetered),
        .init("standby", .caseName, \.standby),
        .init("budget", .byteCount, \.budget),
        .init(
            "name_servers", .list(of: .endpoint("IP addresses of name servers, such as 9.9.9.9", usualPort: 53)),
            \.nameServers),
    ]

    /// With a wrong interface the rest is read all the same, so that everything is told in one go.
    func link(_ kind: LinkKind, _ section: Mapping, of home: Field, _ reading: inout SettingsReading) -> LinkSettings {
        let isNamed = section["interface"] != nil
        let interface = isNamed || kind == .modem ? interface : kind == .wifi ? "wlan0" : "eth0"
        if let interface {
            _ = reading.claim(
                "links.interface.\(interface)", called: "the interface \(interface)", by: section["interface"] ?? home)
        }
        return LinkSettings(
            name: kind.rawValue, kind: kind, interface: interface, isMetered: isMetered ?? (kind == .modem),
            standby: standby, budget: budget, nameServers: nameServers)
    }
}

extension ValueKind where Value == String {
    /// Linux: at most 15 bytes, no slash, no space.
    fileprivate static var interface: Self {
        .text("the name of a network interface, such as eth0", otherwise: "is no interface") { name in
            ConfigurationText.isPrintable(name, 1...15) && name != "." && name != ".."
                && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }
        }
    }
}

extension ValueKind where Value == UInt64 {
    /// A number of bytes with a unit, per month.
    fileprivate static var byteCount: Self {
        Self("a number with kB, MB or GB for a month, such as 500MB", otherwise: "is no amount of data") { text in
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            let factors: [Substring: UInt64] = ["kB": 1000, "MB": 1_000_000, "GB": 1_000_000_000]
            guard let number = ConfigurationText.decimal(digits), (1...1_000_000).contains(number),
                let factor = factors[text.dropFirst(digits.count).drop { $0 == " " }]
            else { return nil }
            return UInt64(number) * factor
        }
    }
}
