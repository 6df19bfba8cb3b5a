import AlarmModel
import ApplianceCore
import Uplinks

/// `sms`: the last resort for alarms.
struct SMSSection: SettingsSection {
    var texts = TextAlarmSettings(numbers: [])

    private static var expected: String { "telephone numbers with their country, such as '+431234567'" }

    static let table: [Setting<Self>] = [
        .init("numbers", .recipients(expected), \.recipients).required("% has no numbers", ": \(expected)"),
        .init("after", .span(.seconds(1) ... .hours(1)), \.texts.patience),
        .init("unless", .unless, \.texts.unless),
    ]

    private var recipients: Recipients {
        get { Recipients(numbers: texts.numbers, people: texts.people) }
        set { (texts.numbers, texts.people) = (newValue.numbers, newValue.people) }
    }

    /// Texts need a modem that we drive: known once all sections are read.
    static func check(_ field: Field?, _ reading: inout SettingsReading) {
        guard let field, reading.draft.sms != nil, reading.draft.links?.modem == nil else { return }
        reading.warning(
            field, "no text message can leave: 'sms' needs a modem that this box dials by itself",
            expected: "'modem' in 'links', with 'apn' and without 'interface'")
    }
}

extension ValueKind where Value == TextAlarmSettings.Unless {
    /// Setting of what makes a text or a call needless.
    static var unless: Self { .word([("confirmed", .confirmed), ("taken", .taken), ("seen", .seen)]) }
}

/// Who gets texts; nil: whose the numbers are is not said.
private struct Recipients: Sendable {
    var numbers: [String]
    var people: [PersonNumber]?
}

extension ValueKind where Value == Recipients {
    /// Numbers, or names of people with their numbers.
    fileprivate static func recipients(_ expected: String) -> Self {
        let number = ValueKind<String>.phoneNumber(expected)
        let words = "nobody would get a text"
        let list = ValueKind<[String]>.someList(of: number, expected, empty: ", so \(words)")
        let people = ValueKind<[PersonNumber]>.people(number, empty: words, doubt: "who answered")
        return Self { reading, field in
            if case .mapping = field.value.content {
                return people.read(&reading, field).map { Recipients(numbers: $0.map(\.number), people: $0) }
            }
            return list.read(&reading, field).map { Recipients(numbers: $0) }
        }
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
