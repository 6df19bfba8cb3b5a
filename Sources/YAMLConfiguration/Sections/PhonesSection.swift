import AlarmModel
import ApplianceCore

/// `phones`: the push service of the original apps, signs of life, patience.
struct PhonesSection: SettingsSection {
    /// Everything about phones but the account.
    var settings = PhoneSettings()

    static let table: [Setting<Self>] = [
        .init("fcm", service),
        .init("legacy", legacy),
        .init("command_rate", .integer(0...1000), \.settings.commandRate),
        .init("heartbeat", .heartbeat, \.settings.heartbeat),
        .init("test_alarm", .monthly, \.settings.testAlarm),
        .timing(timings),
    ]

    /// `phones.fcm`. With a wrong name nothing more is said of the one that holds without it.
    private static let service: [Setting<Self>] = [
        .init("host", .host("a host name or an IP address, such as push.example.net").or(""), \.settings.host),
        .init("port", .port, \.settings.port),
        .init("ca_file", .authorityFile, \.settings.authorityFile),
    ]

    /// `phones.legacy`
    private static let legacy: [Setting<Self>] = [
        .init("enabled", .legacyApps, \.settings.isLegacyEnabled),
        .init("topic", .legacyTopic, \.settings.tellsLegacyTopic),
    ]

    private static let timings: [TimingSetting<Self>] = [
        .init("ping_after", \.settings.timing.pingAfter, upTo: .hours(1)),
        .init("ping_patience", \.settings.timing.pingPatience, upTo: .minutes(5)),
        .init("setup_deadline", \.settings.timing.setupDeadline, upTo: .minutes(5)),
        .init("ack_patience", \.settings.timing.ackPatience, upTo: .minutes(10)),
        .init("reconnect_minimum", \.settings.timing.reconnectMinimum, upTo: .hours(1)),
        .init("reconnect_maximum", \.settings.timing.reconnectMaximum, upTo: .hours(1)),
        .init("reconnect_urgent", \.settings.timing.reconnectUrgent, upTo: .hours(1)),
        .init("refused_wait", \.settings.timing.refusedWait, upTo: .hours(24)),
        .init("receipt_patience", \.settings.timing.receiptPatience, upTo: .hours(1)),
        // Reference pairing 3: a code on a screen is no secret for longer.
        .init("pairing_life", \.settings.timing.pairingLife, upTo: .minutes(10)),
    ]
}

extension ValueKind where Value == Duration? {
    /// An interval, or 0 for none.
    fileprivate static var heartbeat: Self {
        let expected = "0 for none, or seconds, or a number with s, min or h, from 1 s to 24 h"
        return Self { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            if ["0", "off"].contains(text.lowercased()) { return .some(nil) }
            return ValueKind<Duration>.span(.seconds(1) ... .hours(24)).read(&reading, field).map(Optional.some)
        }
    }
}

extension ValueKind where Value == MonthlyTime? {
    /// A day of the month and a time of day, or 0 for none.
    fileprivate static var monthly: Self {
        let day = ValueKind<MonthlyTime>.dayOfMonth(or: "0 for none, or ")
        return Self { reading, field in
            guard
                let text = reading.text(
                    field, expected: "0 for none, or a day from 1 to 28 and a time, such as '1 11:00'")
            else { return nil }
            return ["0", "off"].contains(text.lowercased()) ? .some(nil) : day.read(&reading, field).map(Optional.some)
        }
    }
}

extension ValueKind where Value == MonthlyTime {
    /// `1 11:00`
    static var dayOfMonth: Self { dayOfMonth() }

    /// - Parameter words: what else may stand there
    fileprivate static func dayOfMonth(or words: String = "") -> Self {
        let expected = "\(words)a day from 1 to 28 and a time, such as '1 11:00'"
        return Self { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            let parts = text.split(separator: " ")
            let time = parts.last?.split(separator: ":").map { $0.utf8.count == 2 ? Int($0) : nil } ?? []
            guard parts.count == 2, let day = Int(parts[0]), (1...28).contains(day), time.count == 2,
                let hour = time[0], let minute = time[1], (0...23).contains(hour), (0...59).contains(minute)
            else {
                return reading.refuse(field, "'\(field.path)' is no day with a time", expected: expected)
            }
            return MonthlyTime(day: day, hour: hour, minute: minute)
        }
    }
}

extension ValueKind where Value == Bool {
    /// Whether the original apps are served.
    fileprivate static var legacyApps: Self {
        .flag.checked { reading, field, isEnabled in
            if isEnabled {
                reading.valueWarning(
                    field,
                    "the original apps are served: everything to these apps is in clear and anybody at the push service "
                        + "can read it, and whoever holds the account can act in their name",
                    expected: "false as soon as every phone is paired (\(Hint.pair))")
            }
            return isEnabled
        }
    }
}

extension ValueKind where Value == Bool? {
    /// Whether the original apps' topic is told.
    fileprivate static var legacyTopic: Self {
        Self { reading, field in
            guard let isTold = ValueKind<Bool>.flag.read(&reading, field) else { return nil }
            if isTold {
                reading.valueWarning(
                    field,
                    "alarms go in clear to a topic of the push account, at which everybody can listen who has the app",
                    expected: "false as soon as every phone is paired (\(Hint.pair))")
            }
            return .some(isTold)
        }
    }
}
