import AlarmModel
import ApplianceCore
import Uplinks

/// `links`: the links, in the order of the file; the first that works carries everything.
struct LinksSection: SettingsSection {
    // Public name servers of two providers, which listen day and night for encrypted questions.
    var uplinks = UplinkSettings(
        targets: ["9.9.9.9", "1.1.1.1", "8.8.8.8"].compactMap { text in
            IPAddress(text).map { ProbeTarget(host: $0, port: 853) }
        }, probeName: "example.com")
    var modem: ModemSection?

    static let table: [Setting<Self>] = {
        LinkKind.allCases.map { kind in
            .init(kind.rawValue, inner: kind == .modem ? keys(of: kind) : []) { reading, field, links in
                links.add(kind, field, &reading)
            }
        } + [
            .init("probe", probe),
            .init("loss_is_alarm", .flag, \.uplinks.isLossAlarmWhileArmed),
        ]
    }()

    /// `links.probe`: how it is found out whether a link works.
    private static let probe: [Setting<Self>] = [
        .init("targets", .probeTargets, \.uplinks.targets),
        .init("name", .host("a name that every name server knows"), \.uplinks.probeName), .timing(timings),
    ]

    private static let timings: [TimingSetting<Self>] = [
        .init("active_every", \.uplinks.timings.active, upTo: .minutes(1)),
        .init("standby_every", \.uplinks.timings.unmeteredStandby, upTo: .minutes(10)),
        .init("metered_every", \.uplinks.timings.meteredStandby, upTo: .hours(24)),
        .init("suspect_every", \.uplinks.timings.suspect, upTo: .minutes(1)),
        .init("deadline", \.uplinks.timings.probeDeadline, upTo: .seconds(30)),
        .init("hold", \.uplinks.timings.hold, upTo: .hours(1)),
        .init("flap_window", \.uplinks.timings.flapWindow, upTo: .hours(1)),
        .init("patience", \.uplinks.timings.patience, upTo: .hours(1)),
        .init("read_links", \.uplinks.timings.readLinks, upTo: .hours(1)),
    ]

    private static func keys(of kind: LinkKind) -> [String] {
        (kind == .modem ? ModemSection.table.keys : []) + LinkSection.table.keys
    }

    /// One link. A modem with an interface dials by itself, as a network card.
    private mutating func add(_ kind: LinkKind, _ field: Field, _ reading: inout SettingsReading) {
        guard let section = reading.section(field, known: Self.keys(of: kind)) else { return }
        var value = LinkSection()
        reading.read(section, into: &value)
        uplinks.links.append(value.link(kind, section, of: field, &reading))
        guard kind == .modem else { return }
        guard section["interface"] != nil else {
            var dialed = ModemSection()
            reading.read(section, into: &dialed)
            modem = dialed
            return
        }
        for field in section.fields where ModemSection.table.keys.contains(field.key) {
            reading.warning(
                field, "'\(field.path)' is not used: with an 'interface' the modem dials by itself, as a network card",
                expected: "'interface' or '\(field.key)'")
        }
    }

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        guard uplinks.links.isEmpty else { return }
        reading.error(
            section, "'links' names no link",
            expected: "at least one of \(LinkKind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
}

extension ValueKind where Value == [ProbeTarget] {
    fileprivate static var probeTargets: Self {
        let expected = "two or more IP addresses with a port, such as 9.9.9.9:443"
        let endpoints = ValueKind<[Endpoint]>.list(of: .endpoint(expected, usualPort: 443))
        return endpoints.map { $0.map { ProbeTarget(host: $0.address, port: $0.port) } }.checked {
            reading, field, targets in
            if targets.count < 2 {
                reading.warning(
                    field, "with fewer than two targets, one server that is down looks like a link that is down",
                    expected: expected)
            }
            return targets
        }
    }
}
