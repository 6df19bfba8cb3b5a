import AlarmModel

/// What the texts of a configuration are made of, and how they are shown.
package enum ConfigurationText {
    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    package static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (97...102).contains(byte | 0x20) }

    static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

    static func isDigits(_ text: some StringProtocol, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(text.utf8.count) && text.utf8.allSatisfy(isDigit)
    }

    /// Printable ASCII of such a length.
    static func isPrintable(_ text: String, _ lengths: ClosedRange<Int>, spaces: Bool = false) -> Bool {
        lengths.contains(text.utf8.count) && text.utf8.allSatisfy { ((spaces ? 32 : 33)..<127).contains($0) }
    }

    /// Control characters, line separators, and marks that turn the direction of writing.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    static func hasControl(_ text: String) -> Bool { text.unicodeScalars.contains(where: isControl) }

    /// A key as it can be shown: cut to 40 characters, nothing that moves a terminal's cursor.
    static func printable(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(40) { shown.unicodeScalars.append(isControl(scalar) ? "?" : scalar) }
        return text.unicodeScalars.count > 40 ? shown + "…" : shown
    }

    /// Decimal digits only, whatever zeros they begin with: `010` is ten. nil above nine digits.
    package static func decimal(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        let digits = text.utf8.drop { $0 == UInt8(ascii: "0") }
        guard digits.count <= 9 else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Seconds, with decimals, or a number with one of the units ms, s, min, h.
    static func span(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ decimal($0) }), parts.count <= 2 else { return nil }
        var millionths = 0
        if parts.count == 2 {
            guard (1...6).contains(parts[1].count), let digits = decimal(parts[1]) else { return nil }
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
