import AlarmModel

extension ConfigurationReading {
    /// The text of a field as it was written; a problem if there is none.
    mutating func text(_ field: ConfigurationSection.Field, expected: String) -> String? {
        guard case .scalar(let text, _) = field.value.content else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' holds \(Self.kind(field.value))",
                expected: expected)
            return nil
        }
        guard !field.value.isNull, !text.isEmpty else {
            report(
                at: place(ofValue: field), field.path,
                "'\(field.path)' is empty (a '#' after a space begins a comment)",
                expected: expected)
            return nil
        }
        return text
    }

    /// A name for people: at most 64 characters, none of them a control character.
    mutating func name(_ field: ConfigurationSection.Field) -> String? {
        guard let text = text(field, expected: "a name") else { return nil }
        guard text.unicodeScalars.count <= 64 else {
            report(
                at: place(ofValue: field), field.path,
                "the name has \(text.unicodeScalars.count) characters", expected: "at most 64")
            return nil
        }
        guard !text.unicodeScalars.contains(where: Self.isControl) else {
            report(
                at: place(ofValue: field), field.path, "the name holds a control character",
                expected: "letters, digits, spaces and signs on one line")
            return nil
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            report(at: place(ofValue: field), field.path, "the name holds only spaces", expected: "a name")
            return nil
        }
        return text
    }

    mutating func integer(_ field: ConfigurationSection.Field, in range: ClosedRange<Int>) -> Int? {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let text = text(field, expected: expected) else { return nil }
        guard let number = Self.decimal(text), range.contains(number) else {
            reportValue(field, text, expected: expected)
            return nil
        }
        return number
    }

    mutating func flag(_ field: ConfigurationSection.Field) -> Bool? {
        guard let text = text(field, expected: "true or false") else { return nil }
        switch text.lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default:
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is neither true nor false",
                expected: "true or false")
            return nil
        }
    }

    /// Seconds, with decimals, or a number with one of the units ms, s, min, h.
    mutating func duration(_ field: ConfigurationSection.Field, in range: ClosedRange<Duration>) -> Duration? {
        let expected =
            "seconds, or a number with ms, s, min or h, from \(Self.words(range.lowerBound)) to "
            + Self.words(range.upperBound)
        guard let text = text(field, expected: expected) else { return nil }
        guard let span = Self.span(text), range.contains(span) else {
            reportValue(field, text, expected: expected)
            return nil
        }
        return span
    }

    /// A secret of printable ASCII. Problems say how long it is, never what it is.
    mutating func secret(
        _ field: ConfigurationSection.Field, expected: String, isValid: (String) -> Bool
    ) -> Secret? {
        holdsSecret = true
        guard let text = text(field, expected: expected) else { return nil }
        guard isValid(text) else {
            report(
                at: place(ofValue: field), field.path,
                "'\(field.path)' holds \(text.unicodeScalars.count) characters that cannot be it", expected: expected)
            return nil
        }
        return Secret(text)
    }

    /// The value is shown only if it looks like a number; what was pasted into the wrong line may be a secret.
    private mutating func reportValue(_ field: ConfigurationSection.Field, _ text: String, expected: String) {
        let looksNumeric =
            text.utf8.count <= 12
            && text.utf8.first.map { Self.isDigit($0) || $0 == UInt8(ascii: "-") } ?? false
            && text.utf8.allSatisfy { Self.isDigit($0) || "-.smih".utf8.contains($0) }
        let words = looksNumeric ? "'\(field.path)' is \(text)" : "'\(field.path)' holds \(Self.kind(field.value))"
        report(at: place(ofValue: field), field.path, words, expected: expected)
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// Decimal digits only, whatever zeros they begin with: `010` is ten. nil above nine digits.
    package static func decimal(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        let digits = text.utf8.drop { $0 == UInt8(ascii: "0") }
        guard digits.count <= 9 else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    static func span(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ decimal(String($0)) }), parts.count <= 2 else { return nil }
        var millionths = 0
        if parts.count == 2 {
            guard (1...6).contains(parts[1].count), let digits = decimal(String(parts[1])) else { return nil }
            millionths = (parts[1].count..<6).reduce(digits) { value, _ in value * 10 }
        }
        let unit: Duration
        switch text.dropFirst(number.count).drop(while: { $0 == " " }) {
        case "ms": unit = .milliseconds(1)
        case "", "s": unit = .seconds(1)
        case "min": unit = .minutes(1)
        case "h": unit = .hours(1)
        default: return nil
        }
        return unit * whole + unit * millionths / 1_000_000
    }

    static func words(_ span: Duration) -> String {
        let milliseconds = span.milliseconds
        if milliseconds % 3_600_000 == 0, milliseconds > 0 { return "\(milliseconds / 3_600_000) h" }
        if milliseconds % 60_000 == 0, milliseconds > 0 { return "\(milliseconds / 60_000) min" }
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
