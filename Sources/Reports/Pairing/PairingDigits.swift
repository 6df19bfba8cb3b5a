package import AlarmModel

/// The six digits that a phone shows when it is paired.
package enum PairingDigits {
    /// Blanks and hyphens between them are passed over.
    package static func code(_ text: String) -> Secret? {
        let digits = text.filter { $0 != " " && $0 != "-" }
        guard digits.utf8.count == 6, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Secret(digits)
    }
}
