import AlarmModel

extension ValueKind where Value == String {
    /// A name for people: at most 64 characters, none of them a control character.
    static var name: Self {
        .text("a name").checked { reading, field, text in
            let count = text.unicodeScalars.count
            if count > 64 { return reading.refuse(field, "the name has \(count) characters", expected: "at most 64") }
            if ConfigurationText.hasControl(text) {
                return reading.refuse(
                    field, "the name holds a control character",
                    expected: "letters, digits, spaces and signs on one line")
            }
            if text.allSatisfy(\.isWhitespace) {
                return reading.refuse(field, "the name holds only spaces", expected: "a name")
            }
            return text
        }
    }
}

extension ValueKind where Value == Bool {
    static var flag: Self {
        Self("true or false", otherwise: "is neither true nor false") { text in
            switch text.lowercased() {
            case "true", "yes", "on": true
            case "false", "no", "off": false
            default: nil
            }
        }
    }
}

extension ValueKind where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        .measure("a whole number from \(range.lowerBound) to \(range.upperBound)", in: range) {
            ConfigurationText.decimal($0)
        }
    }
}

extension ValueKind where Value == UInt16 {
    static var port: Self { ValueKind<Int>.integer(1...65535).map { UInt16(clamping: $0) } }
}

extension ValueKind where Value == Duration {
    static func span(_ range: ClosedRange<Duration>) -> Self {
        let (shortest, longest) = (ConfigurationText.words(range.lowerBound), ConfigurationText.words(range.upperBound))
        return .measure("seconds, or a number with ms, s, min or h, from \(shortest) to \(longest)", in: range) {
            ConfigurationText.span($0)
        }
    }
}

extension ValueKind where Value: Comparable {
    /// A number. It is shown only if it looks like one; what was pasted into the wrong line may be a secret.
    fileprivate static func measure(
        _ expected: String, in range: ClosedRange<Value>, _ parse: @escaping @Sendable (String) -> Value?
    ) -> Self {
        Self { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            if let value = parse(text), range.contains(value) { return value }
            let looksNumeric =
                text.utf8.count <= 12
                && text.utf8.first.map { ConfigurationText.isDigit($0) || $0 == UInt8(ascii: "-") } ?? false
                && text.utf8.allSatisfy { ConfigurationText.isDigit($0) || "-.smih".utf8.contains($0) }
            let words = looksNumeric ? "is \(text)" : "holds \(field.value.kind)"
            return reading.refuse(field, "'\(field.path)' \(words)", expected: expected)
        }
    }
}
