/// Words in columns: pure functions on text. A character counts as one column.
package enum Text {
    /// Filled with blanks up to `width`; longer text stays as it is.
    package static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// The same, blanks in front.
    package static func rightAligned(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Cut to `width`, with an ellipsis where something is missing.
    package static func fitted(_ text: String, to width: Int) -> String {
        text.count <= width ? text : String(text.prefix(max(0, width - 1))) + "…"
    }

    /// Exactly `width` columns.
    package static func cell(_ text: String, _ width: Int) -> String { padded(fitted(text, to: width), to: width) }

    package static func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Lines of at most `width` columns, broken between words. The first begins with `label`, the others with as many
    /// blanks.
    package static func wrapped(_ text: String, width: Int, label: String = "") -> [String] {
        let indent = String(repeating: " ", count: label.count)
        var lines: [String] = []
        var line = label
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = indent
                isEmpty = true
            }
            line += isEmpty ? word : " " + word
            isEmpty = false
        }
        return isEmpty ? lines : lines + [line]
    }

    /// Names come from files and from the wire: nothing in them may steer a terminal.
    package static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: result.append("?")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    package static func count(_ number: some BinaryInteger, _ word: String) -> String {
        number == 1 ? "1 \(word)" : "\(number) \(word)s"
    }

    /// `3 days 4 h`, `2 h 5 min`, `12 min`, `8 s`
    package static func span(_ span: Duration) -> String {
        let seconds = max(0, span.components.seconds)
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
        if days > 0 { return count(days, "day") + (hours > 0 ? " \(hours) h" : "") }
        if hours > 0 { return "\(hours) h" + (minutes > 0 ? " \(minutes) min" : "") }
        return minutes > 0 ? "\(minutes) min" : "\(seconds) s"
    }

    /// `0.4 ms`, `12.3 ms`, `1500 ms`
    package static func milliseconds(_ span: Duration) -> String {
        let parts = span.components
        let tenths = max(0, parts.seconds) * 10_000 + max(0, parts.attoseconds) / 100_000_000_000_000
        return tenths >= 1_000_0 ? "\(tenths / 10) ms" : "\(tenths / 10).\(tenths % 10) ms"
    }
}

/// Colours of a terminal.
package enum Paint: String, Sendable {
    case red = "31"
    case yellow = "33"
    case green = "32"

    package static func painted(_ text: String, _ paint: Paint?, isOn: Bool) -> String {
        guard isOn, let paint else { return text }
        return "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m"
    }
}
