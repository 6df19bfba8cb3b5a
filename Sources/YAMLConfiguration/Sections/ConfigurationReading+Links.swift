import AlarmModel
import ApplianceCore
import Uplinks

/// `links`: the ways to the internet, in the order of the file; the first that works carries everything.
extension ConfigurationReading {
    private static var probeTimings: [WayTiming<UplinkSettings>] {
        [
            .init("active_every", \.timings.active, upTo: .minutes(1)),
            .init("standby_every", \.timings.unmeteredStandby, upTo: .minutes(10)),
            .init("metered_every", \.timings.meteredStandby, upTo: .hours(24)),
            .init("suspect_every", \.timings.suspect, upTo: .minutes(1)),
            .init("deadline", \.timings.probeDeadline, upTo: .seconds(30)),
            .init("hold", \.timings.hold, upTo: .hours(1)),
            .init("flap_window", \.timings.flapWindow, upTo: .hours(1)),
            .init("patience", \.timings.patience, upTo: .hours(1)),
            .init("read_links", \.timings.readLinks, upTo: .hours(1)),
        ]
    }

    private static let usualTargets = ["9.9.9.9", "1.1.1.1", "8.8.8.8"].compactMap { text in
        IPAddress(text).map { ProbeTarget(host: $0, port: 853) }
    }

    mutating func readLinks(_ section: ConfigurationSection) {
        // Public name servers of two providers, which listen day and night for encrypted questions.
        var uplinks = UplinkSettings(targets: Self.usualTargets, probeName: "example.com")
        for field in section.fields {
            guard let kind = LinkKind(rawValue: field.key) else { continue }
            guard
                let part = self.section(
                    field.value, path: field.path, place: field.place,
                    known: kind == .modem ? ConfigurationKeys.modem : ConfigurationKeys.link)
            else { continue }
            uplinks.links.append(readLink(part, kind, of: field))
            if kind == .modem { readModem(part) }
        }
        if let field = section["probe"],
            let probe = self.section(
                field.value, path: field.path, place: field.place, known: ConfigurationKeys.probe)
        {
            readProbe(probe, into: &uplinks)
        }
        if let field = section["loss_is_alarm"], let isAlarm = flag(field) { uplinks.isLossAlarmWhileArmed = isAlarm }
        guard !uplinks.links.isEmpty else {
            report(
                at: section.place, section.path, "'links' names no link",
                expected: "at least one of \(LinkKind.allCases.map(\.rawValue).joined(separator: ", "))")
            return
        }
        draft.uplinks = uplinks
    }

    private mutating func readLink(
        _ section: ConfigurationSection, _ kind: LinkKind, of home: ConfigurationSection.Field
    ) -> LinkSettings {
        var interface: String?
        if let field = section["interface"] {
            // With a wrong one the rest is read all the same, so that everything is told in one go.
            interface = interfaceName(field)
        } else if kind != .modem {
            interface = kind == .wifi ? "wlan0" : "eth0"
        }
        if let interface {
            _ = claim(
                "links.interface.\(interface)", called: "the interface \(interface)", by: section["interface"] ?? home)
        }
        var link = LinkSettings(name: kind.rawValue, kind: kind, interface: interface)
        link.isMetered = section["metered"].flatMap { flag($0) } ?? (kind == .modem)
        let policies = StandbyPolicy.allCases.map { (word: $0.rawValue, value: $0) }
        if let field = section["standby"], let policy = choice(field, policies) { link.standby = policy }
        if let field = section["budget"], let bytes = byteCount(field) { link.budget = bytes }
        if let field = section["name_servers"] {
            link.nameServers = values(field).compactMap { value in
                addressAndPort(value, usualPort: 53, expected: "IP addresses of name servers, such as 9.9.9.9")
            }
        }
        return link
    }

    private mutating func readModem(_ section: ConfigurationSection) {
        guard section["interface"] == nil else {
            for key in ["apn", "pin", "user", "password", "roaming", "ip"] {
                guard let field = section[key] else { continue }
                report(
                    .warning, at: field.place, field.path,
                    "'\(field.path)' is not used: with an 'interface' the modem dials by itself, as a network card",
                    expected: "'interface' or '\(key)'")
            }
            return
        }
        var modem = ModemSettings(subscription: ModemSubscription(apn: ""))
        let apn = "the name of the provider's access point, such as internet"
        if let field = section["apn"] {
            modem.subscription.apn = text(field, expected: apn) ?? ""
        } else {
            missing("apn", in: section, "'links.modem' has no access point", expected: "'apn' in 'links.modem': \(apn)")
        }
        if let field = section["pin"], claimed(field) { modem.pin = simPIN(field) }
        let printable = "up to 64 characters of printable ASCII"
        if let field = section["user"] { modem.subscription.user = text(field, expected: printable) }
        if let field = section["password"], claimed(field) { modem.subscription.password = modemPassword(field) }
        if let field = section["roaming"], let isAllowed = flag(field) { modem.subscription.allowsRoaming = isAllowed }
        let types = ModemSubscription.IPType.allCases.map { (word: $0.rawValue, value: $0) }
        if let field = section["ip"], let type = choice(field, types) { modem.subscription.ipType = type }
        draft.modem = modem
    }

    private mutating func claimed(_ field: ConfigurationSection.Field) -> Bool {
        claim(field.path, called: "'\(field.path)'", by: field)
    }

    private mutating func simPIN(_ field: ConfigurationSection.Field) -> Secret? {
        secret(field, expected: "the SIM card's PIN: 4 to 8 digits") {
            (4...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isDigit)
        }
    }

    private mutating func modemPassword(_ field: ConfigurationSection.Field) -> Secret? {
        secret(field, expected: "up to 64 characters of printable ASCII") {
            $0.utf8.count <= 64 && $0.utf8.allSatisfy { (32..<127).contains($0) }
        }
    }

    /// `links` of the secrets file: what the modem asks for.
    mutating func readLinkSecrets(_ field: ConfigurationSection.Field) {
        guard let modem = inner("modem", of: field, known: ConfigurationKeys.modemSecrets) else { return }
        for field in modem.fields where claimed(field) {
            guard var settings = draft.modem else {
                reportUnused(field, home: "links.modem")
                continue
            }
            switch field.key {
            case "pin": settings.pin = simPIN(field)
            case "password": settings.subscription.password = modemPassword(field)
            default: continue  // reported as unknown
            }
            draft.modem = settings
        }
    }

    private mutating func readProbe(_ section: ConfigurationSection, into uplinks: inout UplinkSettings) {
        if let field = section["targets"] {
            let expected = "two or more IP addresses with a port, such as 9.9.9.9:443"
            uplinks.targets = values(field).compactMap { value in
                addressAndPort(value, usualPort: 443, expected: expected).map {
                    ProbeTarget(host: $0.address, port: $0.port)
                }
            }
            if uplinks.targets.count < 2 {
                report(
                    .warning, at: field.place, field.path,
                    "with fewer than two targets, one server that is down looks like a link that is down",
                    expected: expected)
            }
        }
        if let field = section["name"], let name = host(field, expected: "a name that every name server knows") {
            uplinks.probeName = name
        }
        readTiming(section, into: &uplinks, Self.probeTimings)
    }

    /// `sms`: the last resort for alarms.
    mutating func readTexts(_ section: ConfigurationSection) {
        var texts = TextAlarmSettings(numbers: [])
        let expected = "telephone numbers with their country, such as '+431234567'"
        if let field = section["numbers"] {
            if case .sequence(let nodes) = field.value.content, nodes.isEmpty {
                report(
                    at: place(ofValue: field), field.path,
                    "'\(field.path)' is an empty list, so nobody would get a text",
                    expected: expected)
            }
            texts.numbers = values(field).compactMap { value in
                guard let number = text(value, expected: expected) else { return nil }
                guard number.hasPrefix("+"), (6...15).contains(number.utf8.count - 1),
                    number.utf8.dropFirst().allSatisfy(Self.isDigit)
                else {
                    report(at: place(ofValue: value), value.path, "that is no telephone number", expected: expected)
                    return nil
                }
                return number
            }
        }
        if texts.numbers.isEmpty, section["numbers"] == nil {
            missing("numbers", in: section, "'sms' has no numbers", expected: "'numbers' in 'sms': \(expected)")
        }
        if let field = section["after"], let span = duration(field, in: .seconds(1) ... .hours(1)) {
            texts.patience = span
        }
        draft.texts = texts
    }

    /// Texts need a modem that we drive: known once all sections are read.
    mutating func checkTexts(_ field: ConfigurationSection.Field?) {
        guard let field, draft.texts != nil, draft.modem == nil else { return }
        report(
            .warning, at: field.place, field.path,
            "no text message can leave: 'sms' needs a modem that this box dials by itself",
            expected: "'modem' in 'links', with 'apn' and without 'interface'")
    }

    /// Linux: at most 15 bytes, no slash, no space.
    private mutating func interfaceName(_ field: ConfigurationSection.Field) -> String? {
        let expected = "the name of a network interface, such as eth0"
        guard let name = text(field, expected: expected) else { return nil }
        let isName =
            name.utf8.count <= 15 && name != "." && name != ".."
            && name.utf8.allSatisfy { (33..<127).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
        guard isName else {
            report(at: place(ofValue: field), field.path, "'\(field.path)' is no interface", expected: expected)
            return nil
        }
        return name
    }

    /// `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]:443`.
    private mutating func addressAndPort(
        _ field: ConfigurationSection.Field, usualPort: UInt16, expected: String
    ) -> Endpoint? {
        guard let text = text(field, expected: expected) else { return nil }
        if let endpoint = Endpoint(text: text, usualPort: usualPort) { return endpoint }
        report(
            at: place(ofValue: field), field.path, "'\(field.path)' holds something that is no IP address",
            expected: expected)
        return nil
    }

    /// A number of bytes with a unit, per month.
    private mutating func byteCount(_ field: ConfigurationSection.Field) -> UInt64? {
        let expected = "a number with kB, MB or GB for a month, such as 500MB"
        guard let text = text(field, expected: expected) else { return nil }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units: [(word: String, factor: UInt64)] = [("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000)]
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Self.decimal(String(digits)), number > 0, number <= 1_000_000,
            let factor = units.first(where: { $0.word == unit })?.factor
        else {
            report(at: place(ofValue: field), field.path, "'\(field.path)' is no amount of data", expected: expected)
            return nil
        }
        return UInt64(number) * factor
    }
}
