import AlarmModel
import PanelLink

/// `panel`, the `envisalinkd` of a HowAlarming file, or the `panel` of the secrets file; they may share the work but not
/// set the same thing.
struct PanelSection: SettingsSection {
    var host: String?
    var port: UInt16 = 4025
    var password: Secret?
    /// Everything of the panel but its password and names.
    var settings = PanelSettings(password: Secret(""))

    static var sharedName: String? { "panel" }

    static let table: [Setting<Self>] = legacyKeys + keys

    /// `envisalinkd`
    static let legacyTable: [Setting<Self>] =
        legacyKeys + [.init("zones") { reading, field, _ in reading.readZones(field) }]

    private static let legacyKeys: [Setting<Self>] = [
        .init("host", .host(), \.host),
        .init("port", .port, \.port),
        .init("password", .modulePassword, \.password).secret,
        .init("code_master", .panelCode, \.settings.masterCode).secret,
        .init("code_installer", .panelCode, \.settings.installerCode).secret,
    ]

    private static let keys: [Setting<Self>] = [
        .init("set_clock", .flag, \.settings.setsClock),
        .init("temperatures", .flag, \.settings.asksTemperatures),
        .init("poll_interval", .span(.seconds(1) ... .minutes(5)), \.settings.pollInterval),
        .init("loss_is_alarm", .caseName, \.settings.lossIsAlarm),
        .init("code_on_request", .caseName, \.settings.codeOnRequest),
        .timing(timings),
    ]

    private static let timings: [TimingSetting<Self>] = {
        let wait: ClosedRange<Duration> = .milliseconds(10) ... .hours(24)
        let pause: ClosedRange<Duration> = .zero ... .minutes(1)
        return [
            .init("answer_deadline", \.settings.answerDeadline, upTo: .minutes(1)),
            .init("confirm_deadline", \.settings.confirmDeadline, upTo: .minutes(5)),
            .init("key_spacing", \.settings.keySpacing, in: pause),
            .init("status_cap", \.settings.statusCap, upTo: .minutes(5)),
            .init("reconnect_minimum", \.settings.reconnectMinimum, upTo: .hours(1)),
            .init("reconnect_maximum", \.settings.reconnectMaximum, upTo: .hours(1)),
            .init("slot_held_wait", \.settings.slotHeldWait, in: wait),
            .init("refused_wait", \.settings.refusedWait, in: wait),
            .init("lockout_pause", \.settings.lockoutPause, in: wait),
            .init("settle_delay", \.settings.settleDelay, in: pause),
            .init("login_deadline", \.settings.loginDeadline, upTo: .minutes(5)),
        ]
    }()

    /// What must be there, once all files are read.
    static func check(_ top: Mapping, _ reading: inout SettingsReading) {
        let place = (top["panel"] ?? top["envisalinkd"])?.place ?? top.place
        if reading.place(of: "panel.host") == nil {
            reading.report(
                at: place, "panel.host", "the panel's address is missing",
                expected: "'host' in 'panel', such as 192.168.1.50")
        }
        if reading.place(of: "panel.password") == nil {
            reading.report(
                at: place, "panel.password", "the module's password is missing",
                expected: "'password' in 'panel' or in the secrets file; modules come with 'user'")
        }
    }
}

extension ValueKind where Value == Secret {
    fileprivate static var panelCode: Self { .digits("4 to 6 digits", 4...6) }

    fileprivate static var modulePassword: Self {
        .printable("the password of the module's local web page, in printable ASCII", 1...64, spaces: true).checked {
            reading, field, secret in
            // Reference 1.3: what each model's network interface accepts.
            let length = secret.revealed.utf8.count
            if length > 10 {
                reading.valueWarning(
                    field,
                    "the password has \(length) characters; EVL-3 takes 6 and EVL-4 takes 10 at this interface, "
                        + "and a module may meet a longer one with silence",
                    expected: "6 characters or fewer, set on the module's web page too")
            } else if length > 6 {
                reading.valueWarning(
                    field, "the password has \(length) characters; an EVL-3 compares only 6 and may refuse it",
                    expected: "6 characters or fewer unless the module is an EVL-4")
            }
            return secret
        }
    }
}
