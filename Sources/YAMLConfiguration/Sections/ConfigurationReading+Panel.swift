import AlarmModel
import PanelLink

extension ConfigurationReading {
    private typealias Timing = (
        key: String, path: WritableKeyPath<PanelSettings, Duration>, range: ClosedRange<Duration>
    )

    private static var timings: [Timing] {
        let wait: ClosedRange<Duration> = .milliseconds(10) ... .hours(24)
        let pause: ClosedRange<Duration> = .zero ... .minutes(1)
        return [
            ("answer_deadline", \.answerDeadline, .milliseconds(10) ... .minutes(1)),
            ("confirm_deadline", \.confirmDeadline, .milliseconds(10) ... .minutes(5)),
            ("key_spacing", \.keySpacing, pause), ("status_cap", \.statusCap, .milliseconds(10) ... .minutes(5)),
            ("reconnect_minimum", \.reconnectMinimum, .milliseconds(10) ... .hours(1)),
            ("reconnect_maximum", \.reconnectMaximum, .milliseconds(10) ... .hours(1)),
            ("slot_held_wait", \.slotHeldWait, wait), ("refused_wait", \.refusedWait, wait),
            ("lockout_pause", \.lockoutPause, wait), ("settle_delay", \.settleDelay, pause),
            ("login_deadline", \.loginDeadline, .milliseconds(10) ... .minutes(5)),
        ]
    }

    /// `panel`, the `envisalinkd` of a HowAlarming file, or the `panel` of the secrets file; they may share the work
    /// but not set the same thing.
    mutating func readPanel(_ section: ConfigurationSection) {
        for field in section.fields {
            switch field.key {
            case "host": if claimed(field), let host = host(field) { draft.host = host }
            case "port":
                if claimed(field), let port = integer(field, in: 1...65535) { draft.port = UInt16(clamping: port) }
            case "password": if claimed(field), let password = modulePassword(field) { draft.password = password }
            case "code_master": if claimed(field), let code = code(field) { draft.panel.masterCode = code }
            case "code_installer": if claimed(field), let code = code(field) { draft.panel.installerCode = code }
            case "set_clock": if let flag = flag(field) { draft.panel.setsClock = flag }
            case "poll_interval":
                if let span = duration(field, in: .seconds(1) ... .minutes(5)) { draft.panel.pollInterval = span }
            case "timing": readTiming(field)
            case "zones": readZones(field)
            default: continue  // reported as unknown
            }
        }
    }

    private mutating func claimed(_ field: ConfigurationSection.Field) -> Bool {
        claim("panel.\(field.key)", called: "'panel.\(field.key)'", by: field)
    }

    private mutating func readTiming(_ field: ConfigurationSection.Field) {
        guard
            let section = section(field.value, path: field.path, place: field.place, known: ConfigurationKeys.timing)
        else { return }
        for timing in Self.timings {
            guard let field = section[timing.key], let span = duration(field, in: timing.range) else { continue }
            draft.panel[keyPath: timing.path] = span
        }
        guard draft.panel.reconnectMinimum > draft.panel.reconnectMaximum else { return }
        let place = section["reconnect_minimum"] ?? section["reconnect_maximum"]
        report(
            at: place?.place ?? section.place, section.path(of: "reconnect_minimum"),
            "the shortest wait before a reconnect, \(Self.words(draft.panel.reconnectMinimum)), is above the longest, "
                + Self.words(draft.panel.reconnectMaximum),
            expected: "reconnect_minimum up to reconnect_maximum")
    }

    private mutating func modulePassword(_ field: ConfigurationSection.Field) -> Secret? {
        let expected = "the password of the module's local web page, in printable ASCII"
        guard
            let secret = secret(
                field, expected: expected,
                isValid: { $0.utf8.count <= 64 && $0.utf8.allSatisfy { (32..<127).contains($0) } })
        else { return nil }
        // Reference 1.3: what each model's network interface accepts.
        let length = secret.revealed.utf8.count
        if length > 10 {
            report(
                .warning, at: place(ofValue: field), field.path,
                "the password has \(length) characters; EVL-3 takes 6 and EVL-4 takes 10 at this interface, "
                    + "and a module may meet a longer one with silence",
                expected: "6 characters or fewer, set on the module's web page too")
        } else if length > 6 {
            report(
                .warning, at: place(ofValue: field), field.path,
                "the password has \(length) characters; an EVL-3 compares only 6 and may refuse it",
                expected: "6 characters or fewer unless the module is an EVL-4")
        }
        return secret
    }

    private mutating func code(_ field: ConfigurationSection.Field) -> Secret? {
        secret(field, expected: "4 to 6 digits") {
            (4...6).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isDigit)
        }
    }

    /// A host name (RFC 1123) or an address. The value is not shown: a URL may carry a password.
    mutating func host(
        _ field: ConfigurationSection.Field, expected: String = "a host name or an IP address, such as 192.168.1.50"
    ) -> String? {
        guard let text = text(field, expected: expected) else { return nil }
        if IPAddress(text) != nil || Self.isHostName(text) { return text }
        var what = "'\(field.path)' is neither a host name nor an IP address"
        if text.contains("/") { what += "; it looks like a web address" }
        let halves = text.split(separator: ":", omittingEmptySubsequences: false)
        if halves.count == 2, Self.decimal(String(halves[1])) != nil {
            what += "; the port has a key of its own, 'port'"
        }
        report(at: place(ofValue: field), field.path, what, expected: expected)
        return nil
    }

    static func isHostName(_ text: String) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        var labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty ?? false { labels.removeLast() }
        // A last label of digits only is a mistyped address, not a name.
        guard let last = labels.last, !last.allSatisfy(isDigit) else { return false }
        return labels.allSatisfy { label in
            let hyphen = UInt8(ascii: "-")
            return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { isDigit($0) || (97...122).contains($0 | 0x20) || $0 == hyphen }
        }
    }
}
