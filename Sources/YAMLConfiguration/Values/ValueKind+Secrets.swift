import AlarmModel

extension ValueKind where Value == Secret {
    /// Problems say how long it is, never what it is.
    static func secret(_ expected: String, _ isValid: @escaping @Sendable (String) -> Bool) -> Self {
        Self { reading, field in
            reading.holdsSecret = true
            guard let text = reading.text(field, expected: expected) else { return nil }
            if isValid(text) { return Secret(text) }
            let count = text.unicodeScalars.count
            return reading.refuse(
                field, "'\(field.path)' holds \(count) characters that cannot be it", expected: expected)
        }
    }

    static func digits(_ expected: String, _ lengths: ClosedRange<Int>) -> Self {
        .secret(expected) { ConfigurationText.isDigits($0, lengths) }
    }

    static func printable(_ expected: String, _ lengths: ClosedRange<Int>, spaces: Bool = false) -> Self {
        .secret(expected) { ConfigurationText.isPrintable($0, lengths, spaces: spaces) }
    }

    static var password: Self {
        .secret("a password of at most 512 characters on one line") {
            $0.unicodeScalars.count <= 512 && !ConfigurationText.hasControl($0)
        }
    }
}
