import AlarmModel
import ApplianceCore
import PhoneLink

extension ConfigurationReading {
    private typealias Timing = (
        key: String, path: WritableKeyPath<PhoneSettings.Timing, Duration>, longest: Duration
    )

    /// Tests and the demo shorten them, so all begin at 10 ms.
    private static var phoneTimings: [Timing] {
        [
            ("ping_after", \.pingAfter, .hours(1)), ("ping_patience", \.pingPatience, .minutes(5)),
            ("setup_deadline", \.setupDeadline, .minutes(5)), ("ack_patience", \.ackPatience, .minutes(10)),
            ("reconnect_minimum", \.reconnectMinimum, .hours(1)), ("reconnect_maximum", \.reconnectMaximum, .hours(1)),
            ("reconnect_urgent", \.reconnectUrgent, .hours(1)), ("refused_wait", \.refusedWait, .hours(24)),
            ("receipt_patience", \.receiptPatience, .hours(1)),
            // Reference pairing 3: a code on a screen is no secret for longer.
            ("pairing_life", \.pairingLife, .minutes(10)),
        ]
    }

    /// `alert_gcm`, as in a HowAlarming file, in the main file or in the secrets file.
    mutating func readAccount(_ section: ConfigurationSection) {
        if let field = section["sender_id"], claim(field.path, called: "'\(field.path)'", by: field) {
            draft.senderID = senderID(field)
        }
        if let field = section["api_key"], claim(field.path, called: "'\(field.path)'", by: field) {
            draft.apiKey = secret(
                field, expected: "the server key of the push service, in printable ASCII without spaces",
                isValid: { $0.utf8.count <= 1024 && $0.utf8.allSatisfy { (33..<127).contains($0) } })
        }
    }

    /// Not shown when it is wrong: it may be the key in the wrong line.
    private mutating func senderID(_ field: ConfigurationSection.Field) -> String? {
        let expected = "the project number of the push service: digits only, such as 100200300"
        guard let text = text(field, expected: expected) else { return nil }
        guard text.utf8.count <= 20, text.utf8.allSatisfy(Self.isDigit) else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' holds \(Self.kind(field.value))",
                expected: expected)
            return nil
        }
        return text
    }

    mutating func readPhones(_ section: ConfigurationSection) {
        for field in section.fields {
            switch field.key {
            case "fcm":
                _ = claim(field.path, called: "'\(field.path)'", by: field)
                readSection(field, ConfigurationKeys.fcm) { $0.readPushService($1) }
            case "legacy": readSection(field, ConfigurationKeys.legacy) { $0.readLegacy($1) }
            case "command_rate": if let rate = integer(field, in: 0...1000) { draft.phones.commandRate = rate }
            case "heartbeat": readHeartbeat(field)
            case "timing": readSection(field, ConfigurationKeys.phonesTiming) { $0.readPhoneTiming($1) }
            default: continue  // reported as unknown
            }
        }
    }

    /// An interval, or 0 for none.
    private mutating func readHeartbeat(_ field: ConfigurationSection.Field) {
        let expected = "0 for none, or seconds, or a number with s, min or h, from 1 s to 24 h"
        guard let text = text(field, expected: expected) else { return }
        if ["0", "off"].contains(text.lowercased()) {
            draft.phones.heartbeat = nil
        } else if let span = duration(field, in: .seconds(1) ... .hours(24)) {
            draft.phones.heartbeat = span
        }
    }

    private mutating func readPushService(_ section: ConfigurationSection) {
        if let field = section["host"] {
            _ = claim(field.path, called: "'\(field.path)'", by: field)
            // A name that is wrong is an error; nothing more is said of the one that holds without it.
            draft.phones.host = host(field, expected: "a host name or an IP address, such as push.example.net") ?? ""
        }
        if let field = section["port"], let port = integer(field, in: 1...65535) {
            draft.phones.port = UInt16(clamping: port)
        }
        if let path = authorityFile(section["ca_file"]) { draft.phones.authorityFile = path }
    }

    private mutating func readLegacy(_ section: ConfigurationSection) {
        guard let field = section["enabled"], let isEnabled = flag(field) else { return }
        draft.phones.isLegacyEnabled = isEnabled
        guard isEnabled else { return }
        _ = claim(field.path, called: "'\(field.path)'", by: field)
        report(
            .warning, at: place(ofValue: field), field.path,
            "the original apps are served: everything to these apps is in clear and anybody at the push service can "
                + "read it, and whoever holds the account can act in their name",
            expected: "false as soon as every phone is paired ('howalarming phones pair')")
    }

    private mutating func readPhoneTiming(_ section: ConfigurationSection) {
        for timing in Self.phoneTimings {
            guard let field = section[timing.key],
                let span = duration(field, in: .milliseconds(10)...timing.longest)
            else { continue }
            draft.phones.timing[keyPath: timing.path] = span
        }
        let (shortest, longest) = (draft.phones.timing.reconnectMinimum, draft.phones.timing.reconnectMaximum)
        guard shortest > longest else { return }
        let place = section["reconnect_minimum"] ?? section["reconnect_maximum"]
        report(
            at: place?.place ?? section.place, section.path(of: "reconnect_minimum"),
            "the shortest wait before a reconnect, \(Self.words(shortest)), is above the longest, "
                + Self.words(longest), expected: "reconnect_minimum up to reconnect_maximum")
    }

    /// What only all files together tell.
    mutating func checkPhones() {
        let account = place(of: "alert_gcm.sender_id")
        let key = place(of: "alert_gcm.api_key")
        switch (account, key) {
        case (let account?, nil):
            report(
                at: account, "alert_gcm.api_key", "'alert_gcm' has a sender_id and no api_key",
                expected: "'api_key' in 'alert_gcm' or in the secrets file, or neither of the two")
        case (nil, let key?):
            report(
                at: key, "alert_gcm.sender_id", "'alert_gcm' has an api_key and no sender_id",
                expected: "'sender_id' in 'alert_gcm', or neither of the two")
        case (let account?, .some): warnOfHostedService(at: account)
        case (nil, nil):
            let wish = place(of: "phones.fcm").map { ("phones.fcm", $0) }
            guard let (path, place) = wish ?? place(of: "phones.legacy.enabled").map({ ("phones.legacy", $0) }) else {
                return
            }
            warnOfNoAccount(path, at: place)
        }
    }

    private mutating func warnOfNoAccount(_ path: String, at place: ConfigurationPlace) {
        let others = draft.phones.ways.map(\.kind)
        // The original apps have tokens of the same service, and its newer interface takes them, too.
        if path == "phones.legacy", others.contains(.fcm) { return warnOfAskingOnly(path, at: place) }
        let what = others.isEmpty ? "nothing is pushed to phones" : "no phone is served that way"
        report(
            .warning, at: place, path, "'\(path)' is set and there is no account, so \(what)",
            expected: "'alert_gcm' with 'sender_id' and 'api_key'" + (others.isEmpty ? "" : ", or no '\(path)'"))
    }

    private mutating func warnOfAskingOnly(_ path: String, at place: ConfigurationPlace) {
        report(
            .warning, at: place, path,
            "by 'fcm_v1' the original apps are told what happens and may ask how it is; what else they want is refused, "
                + "because the database may keep it for hours",
            expected: "'alert_gcm' with 'sender_id' and 'api_key' if they are to arm or disarm")
    }

    private mutating func warnOfHostedService(at account: ConfigurationPlace) {
        guard draft.senderID != nil, draft.apiKey != nil, PushServiceText.isGoogle(draft.phones.host) else { return }
        report(
            .warning, at: place(of: "phones.fcm.host") ?? account, "phones.fcm.host", PushServiceText.ended,
            expected: "'host' in 'phones.fcm': a server that speaks the same protocol")
    }
}

/// What is to be said about the push service that the original apps were made for.
package enum PushServiceText {
    /// Reference fcm-xmpp, its first section.
    package static let ended =
        "Google ended its hosted XMPP service in 2024, so nothing can be expected to answer there"

    package static func isGoogle(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return name == "googleapis.com" || name.hasSuffix(".googleapis.com")
    }
}
