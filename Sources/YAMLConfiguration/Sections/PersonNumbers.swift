import AlarmModel
import Uplinks

extension [PersonNumber] {
    static var limit: Int { 8 }
    static var expected: String { "names of people with their telephone numbers, such as {Anna: '+431234567'}" }
}

extension ValueKind where Value == [PersonNumber] {
    /// Names of people with their numbers; a number is that of one person.
    ///
    /// - Parameters:
    ///   - words: what comes of it when there are none
    ///   - doubt: what nobody would know of a number that is two people's
    static func people(_ number: ValueKind<String>, empty words: String, doubt: String) -> Self {
        Self { reading, field in
            var people: [PersonNumber] = []
            let entries = reading.named(field)
            for entry in entries {
                guard let name = PersonName(entry.key) else {
                    reading.valueError(
                        entry, "'\(entry.path)' is no name of a person", expected: "a name as in 'people'")
                    continue
                }
                guard let number = number.read(&reading, entry) else { continue }
                if let other = people.first(where: { $0.number == number }) {
                    reading.valueError(
                        entry,
                        "'\(entry.path)' is the same number as '\(field.path).\(other.name)': nobody knows \(doubt)",
                        expected: "a number for one person")
                    continue
                }
                people.append(PersonNumber(name: name.text, number: number))
            }
            if entries.isEmpty, case .mapping = field.value.content {
                reading.valueError(
                    field, "'\(field.path)' is empty, so \(words)", expected: [PersonNumber].expected)
            }
            if people.count > [PersonNumber].limit {
                reading.valueError(
                    field, "there are more than \([PersonNumber].limit) numbers", expected: "those who can help")
                people = Array(people.prefix([PersonNumber].limit))
            }
            return people
        }
    }
}
