import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink

/// `reminders`: what people are reminded of, and what is armed by the schedule.
struct RemindersSection: SettingsSection {
    private var notArmed: NotArmedSection?
    private var doorOpen: DoorOpenSection?
    private var bypassed: DailyTime?
    private var maintenance: Duration?
    private var vacation: [ReminderSettings.Days] = []
    private var autoArm: AutoArmSection?
    private var nobodyHome: Duration?
    private var history: HistorySection?
    /// Of the mail server.
    private var authorities: String?

    static let table: [Setting<Self>] = [
        short("not_armed", \.notArmed, .timeOfDay, \.at),
        short("door_open", \.doorOpen, .longEnough, \.after),
        .init("bypassed", .timeOfDay, \.bypassed),
        .init("maintenance", .maintenance, \.maintenance),
        .init("vacation", .list(of: .days), \.vacation),
        .init("auto_arm", \.autoArm),
        .init("nobody_home", .longEnough, \.nobodyHome),
        short("history", \.history, .recipients, \.recipients),
    ]

    /// A section, or its first value alone.
    private static func short<Inner: SettingsSection, Value: Sendable>(
        _ key: String, _ path: Path<Self, Inner?>, _ kind: ValueKind<Value>, _ first: Path<Inner, Value?>
    ) -> Setting<Self> {
        .init(key, inner: Inner.table.keys) { reading, field, section in
            var inner = Inner()
            if case .mapping = field.value.content {
                if reading.read(field, into: &inner) { section[keyPath: path] = inner }
            } else if let value = kind.read(&reading, field) {
                inner[keyPath: first] = value
                section[keyPath: path] = inner
            }
        }
    }

    var settings: ReminderSettings {
        ReminderSettings(
            notArmed: notArmed.flatMap { section in
                section.at.map { .init(at: $0, mode: section.mode, partitions: section.partitions) }
            },
            leftOpen: doorOpen.flatMap { section in section.after.map { .init(after: $0, zones: section.zones) } },
            bypassed: bypassed, maintenance: maintenance, vacation: vacation,
            autoArm: autoArm.flatMap { section in
                section.at.map {
                    .init(at: $0, mode: section.mode, warning: section.warning, partitions: section.partitions)
                }
            }, nobodyHome: nobodyHome, history: history?.settings(authorities))
    }

    /// Whether there are such partitions and zones, and such a topic: known once all sections are read.
    static func check(_ top: Mapping, _ reading: inout SettingsReading) {
        checkPresence(top, &reading)
        checkHistory(top, &reading)
        guard let field = top["reminders"], let section = reading.draft.reminders else { return }
        let known =
            reading.draft.partitions.isEmpty
            ? reading.draft.panel.settings.partitions : reading.draft.partitions.map(\.number).sorted()
        for partition in (section.notArmed?.partitions ?? []) + (section.autoArm?.partitions ?? [])
        where !known.contains(partition) {
            reading.error(
                field, "'reminders' names partition \(partition), which is not listed in 'partitions'",
                expected: "one of \(known.map { String($0) }.joined(separator: ", "))")
        }
        guard let doors = section.doorOpen else { return }
        let zones = reading.draft.zones
        for zone in doors.zones ?? [] where !zones.contains(where: { $0.number == zone }) {
            reading.error(
                field, "'reminders.door_open' names zone \(zone), which is not listed in 'zones'",
                expected: "zones that are listed there")
        }
        if doors.zones == nil, !zones.contains(where: \.isDoor) {
            reading.warning(
                field, "'reminders.door_open' watches no zone: none is called a door",
                expected: "'device_class: door' (or garage_door) in 'zones', or 'zones' in 'reminders.door_open'")
        }
    }
}

extension RemindersSection {
    /// The topic says who is at home; the reminder wants to know it.
    private static func checkPresence(_ top: Mapping, _ reading: inout SettingsReading) {
        let reminder = place(of: "nobody_home", in: top["reminders"])
        let topic = place(of: "presence_topic", in: top["mqtt"])
        if let reminder, topic == nil {
            reading.report(
                at: reminder, "reminders.nobody_home",
                "'reminders.nobody_home' is set, and nobody tells the box who is at home",
                expected: "'presence_topic' in 'mqtt': the topic where home or not_home is published")
        } else if let topic, reminder == nil {
            reading.report(
                .warning, at: topic, "mqtt.presence_topic",
                "'mqtt.presence_topic' serves nothing: nobody is reminded of it",
                expected: "'nobody_home' in 'reminders', such as 15min")
        }
    }

    /// It goes by mail, from a process that cannot read the daemon's files.
    private static func checkHistory(_ top: Mapping, _ reading: inout SettingsReading) {
        guard let field = top["reminders"], let place = place(of: "history", in: field),
            reading.draft.reminders?.history?.recipients != nil
        else { return }
        guard let server = reading.draft.phones.settings.mailServer else {
            return reading.report(
                at: place, "reminders.history", "the history is to be mailed, and there is no 'alert_email'",
                expected: "a section 'alert_email', or no 'history' in 'reminders'")
        }
        guard let path = server.caFile,
            let file = reading.file(
                path, of: field, called: "the certificates of 'alert_email.ca_file'", expected: "a PEM file")
        else { return }
        reading.draft.reminders?.authorities = String(
            decoding: file.bytes.prefix(FetchRequest.longestAuthorities), as: UTF8.self)
    }

    private static func place(of key: String, in field: Field?) -> ConfigurationPlace? {
        guard let field, case .mapping(let entries) = field.value.content else { return nil }
        return entries.first { $0.key == key }.map { ConfigurationPlace(file: field.place.file, mark: $0.keyMark) }
    }
}

/// `reminders.not_armed`
private struct NotArmedSection: SettingsSection {
    var at: DailyTime?
    var mode = PanelCommand.ArmRequest.stay
    var partitions: [Int]?

    static let table: [Setting<Self>] = [
        .init("at", .timeOfDay, \.at).required("% has no time", ": a time of day, such as 23:00"),
        .init("mode", .armMode, \.mode),
        .init("partitions", .numbers(1...8), \.partitions),
    ]
}

/// `reminders.door_open`
private struct DoorOpenSection: SettingsSection {
    var after: Duration?
    var zones: [Int]?

    static let table: [Setting<Self>] = [
        .init("after", .longEnough, \.after).required("% has no span", ": a span of time, such as 15min"),
        .init("zones", .numbers(1...64), \.zones),
    ]
}

/// `reminders.auto_arm`
private struct AutoArmSection: SettingsSection {
    var at: DailyTime?
    var mode = PanelCommand.ArmRequest.stay
    var warning = Duration.minutes(10)
    var partitions: [Int]?

    static let table: [Setting<Self>] = [
        .init("at", .timeOfDay, \.at).required("% has no time", ": a time of day, such as 23:30"),
        .init("mode", .armMode, \.mode),
        .init("warning", .span(.minutes(2) ... .hours(2)), \.warning),
        .init("partitions", .numbers(1...8), \.partitions),
    ]
}

/// `reminders.history`
private struct HistorySection: SettingsSection {
    var recipients: [String]?
    var at = MonthlyTime(day: 1, hour: 7, minute: 0)
    var socket: String?

    static let table: [Setting<Self>] = [
        .init("to", .recipients, \.recipients).required("% has no to", ": a mail address or a list of them"),
        .init("on", .dayOfMonth, \.at),
        .init("socket", .socket(of: "howalarming-history.socket"), \.socket),
    ]

    func settings(_ authorities: String?) -> ReminderSettings.History? {
        guard let recipients else { return nil }
        var settings = ReminderSettings.History(at: at, recipients: recipients)
        settings.authorities = authorities
        if let socket { settings.socket = socket }
        return settings
    }
}

extension ValueKind where Value == [String] {
    fileprivate static var recipients: Self { .someList(of: .mailAddress, "a mail address or a list of them") }
}

extension ValueKind where Value == DailyTime {
    /// `23:00`
    fileprivate static var timeOfDay: Self {
        Self("a time of day, such as 23:00", otherwise: "is no time of day") { text in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { part in
                (1...2).contains(part.utf8.count) ? ConfigurationText.decimal(part) : nil
            }
            guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0...23).contains(hour),
                (0...59).contains(minute)
            else { return nil }
            return DailyTime(hour: hour, minute: minute)
        }
    }
}

extension ValueKind where Value == Duration {
    fileprivate static var longEnough: Self { .span(.minutes(1) ... .hours(24)) }
    fileprivate static var maintenance: Self { .span(.minutes(10) ... .hours(72)) }
}

extension ValueKind where Value == PanelCommand.ArmRequest {
    fileprivate static var armMode: Self { .word([("stay", .stay), ("away", .away)]) }
}

extension ValueKind where Value == [Int] {
    fileprivate static func numbers(_ range: ClosedRange<Int>) -> Self {
        .someList(of: .integer(range), "numbers from \(range.lowerBound) to \(range.upperBound)")
    }
}

extension ValueKind where Value == ReminderSettings.Days {
    /// `2026-12-24`, or `2026-12-24 to 2027-01-02`.
    fileprivate static var days: Self {
        Self("a day, such as 2026-12-24, or two, such as 2026-12-24 to 2027-01-02", otherwise: "names no days") {
            text in
            let parts = text.split(separator: " ")
            guard parts.count == 1 || parts.count == 3 && parts[1] == "to", let first = day(parts[0]),
                let last = day(parts[parts.count - 1]), first <= last
            else { return nil }
            return ReminderSettings.Days(first: first, last: last)
        }
    }

    private static func day(_ text: Substring) -> CalendarDay? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { ConfigurationText.decimal($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else { return nil }
        return CalendarDay(year: year, month: month, day: day)
    }
}
