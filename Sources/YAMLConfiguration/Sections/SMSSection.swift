import AlarmModel
import ApplianceCore
import Uplinks

/// `sms`: the last resort for alarms.
struct SMSSection: SettingsSection {
    var texts = TextAlarmSettings(numbers: [])

    private static var expected: String { "telephone numbers with their country, such as '+431234567'" }

    static let table: [Setting<Self>] = [
        .init(
            "numbers", .someList(of: .phoneNumber(expected), expected, empty: ", so nobody would get a text"),
            \.texts.numbers
        ).required("% has no numbers", ": \(expected)"),
        .init("after", .span(.seconds(1) ... .hours(1)), \.texts.patience),
        .init("unless", .word([("confirmed", .confirmed), ("taken", .taken)]), \.texts.unless),
    ]

    /// Texts need a modem that we drive: known once all sections are read.
    static func check(_ field: Field?, _ reading: inout SettingsReading) {
        guard let field, reading.draft.sms != nil, reading.draft.links?.modem == nil else { return }
        reading.warning(
            field, "no text message can leave: 'sms' needs a modem that this box dials by itself",
            expected: "'modem' in 'links', with 'apn' and without 'interface'")
    }
}

extension ValueKind where Value == String {
    fileprivate static func phoneNumber(_ expected: String) -> Self {
        Self { reading, field in
            guard let number = reading.text(field, expected: expected) else { return nil }
            if number.hasPrefix("+"), ConfigurationText.isDigits(number.dropFirst(), 6...15) { return number }
            return reading.refuse(field, "that is no telephone number", expected: expected)
        }
    }
}
