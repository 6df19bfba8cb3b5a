/// What people call a person, a phone or an account: 1…32 bytes without control characters and without blanks at an end.
package struct PersonName: Equatable, Sendable {
    package let text: String

    package init?(_ text: String) {
        let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 32 && !(0x7F...0x9F).contains($0.value) }
        guard (1...Person.nameLimit).contains(text.utf8.count), isPlain, text.first != " ", text.last != " " else {
            return nil
        }
        self.text = text
    }
}

/// A registration token of the push service: 8…4096 printable characters of ASCII without blanks.
package struct RegistrationToken: Equatable, Sendable {
    package let text: String

    package init?(_ text: String) {
        guard (8...4096).contains(text.utf8.count), text.utf8.allSatisfy({ (33...126).contains($0) }) else {
            return nil
        }
        self.text = text
    }
}

/// The six digits that a phone shows when it is paired. Blanks and hyphens between them are passed over.
package struct PairingDigits: Equatable, Sendable {
    package let code: Secret

    package init?(_ text: String) {
        let digits = text.filter { $0 != " " && $0 != "-" }
        guard digits.utf8.count == 6, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        code = Secret(digits)
    }
}

extension PriorityClass {
    /// Nobody is kept from alarms by a slip.
    package static func withAlarm(_ chosen: [PriorityClass]) -> [PriorityClass] {
        chosen.contains(.alarm) ? chosen : [.alarm] + chosen
    }
}
