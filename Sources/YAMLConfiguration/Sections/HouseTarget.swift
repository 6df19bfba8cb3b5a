import AlarmModel
import ApplianceCore
import PhoneLink

/// Where the house tells its events, with the place where it was written.
typealias Target<Value> = (value: Value, field: Field)

extension ValueKind {
    static func target<Inner>(_ kind: ValueKind<Inner>) -> Self where Value == Target<Inner> {
        Self { reading, field in kind.read(&reading, field).map { ($0, field) } }
    }

    /// Commands without a person's name: what may be asked for.
    static func verbs(_ known: [HouseVerb]) -> Self where Value == [HouseVerb] {
        .words(known.map { ($0.rawValue, $0) })
    }
}

extension SettingsReading {
    /// Adds a place where the house tells its events, each once.
    @discardableResult mutating func addTarget(
        _ kind: HouseAddress.Kind, _ value: String, _ triggers: [EventType], goesByOwnType: Bool = false,
        called words: String, by field: Field
    ) -> Bool {
        guard claim("house.\(kind.rawValue).\(value)", called: words, by: field) else { return false }
        draft.phones.settings.house.append(
            PhoneSettings.HouseTarget(kind: kind, value: value, triggers: triggers, goesByOwnType: goesByOwnType))
        return true
    }
}
