import AlarmModel
import PanelLink

/// The words of one script line, taken from left to right.
struct ScriptWords {
    struct Word {
        var text: String
        var column: Int
    }

    private var words: [Word] = []
    private var taken = 0
    let line: Int
    private let end: Int

    /// A remark starts with `#` at the start of the line, or with a `#` that stands alone and is followed by something.
    init(_ text: Substring, line: Int) {
        self.line = line
        var column = 1
        var current = Word(text: "", column: 1)
        for character in text + " " {
            if character == " " || character == "\t" || character == "\r" {
                if !current.text.isEmpty { words.append(current) }
                current.text = ""
            } else {
                if current.text.isEmpty { current.column = column }
                current.text.append(character)
            }
            column += 1
        }
        end = (words.last.map { $0.column + $0.text.count } ?? 0) + 1
        if words.first?.text.hasPrefix("#") == true { words = [] }
        if let remark = words.indices.first(where: { words[$0].text == "#" && $0 + 1 < words.count }) {
            words.removeSubrange(remark...)
        }
    }

    var isEmpty: Bool { taken >= words.count }

    var next: String? { isEmpty ? nil : words[taken].text }

    mutating func skip() { taken += 1 }

    /// The next word, in lower case unless told otherwise.
    mutating func word(_ what: String, keepsCase: Bool = false) throws(ScriptError) -> String {
        guard !isEmpty else { throw ScriptError(line: line, column: end, reason: .missing(what)) }
        taken += 1
        let text = words[taken - 1].text
        return keepsCase ? text : text.lowercased()
    }

    /// About the word taken last.
    func error(_ reason: ScriptError.Reason) -> ScriptError {
        ScriptError(line: line, column: taken > 0 ? words[taken - 1].column : 1, reason: reason)
    }

    func finish() throws(ScriptError) {
        guard isEmpty else {
            throw ScriptError(line: line, column: words[taken].column, reason: .unexpected(words[taken].text))
        }
    }

    mutating func number(_ what: String, _ range: ClosedRange<Int>) throws(ScriptError) -> Int {
        let text = try word(what)
        guard let value = Int(text), range.contains(value) else { throw error(.notNumber(text, range)) }
        return value
    }

    mutating func choice<Value>(_ what: String, _ values: KeyValuePairs<String, Value>) throws(ScriptError) -> Value {
        let text = try word(what)
        guard let found = values.first(where: { $0.key == text }) else {
            throw error(.notOneOf(text, values.map(\.key)))
        }
        return found.value
    }

    mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ what: String, _ type: Value.Type
    ) throws(ScriptError) -> Value where Value.RawValue == String {
        let text = try word(what)
        guard let value = Value(rawValue: text) else { throw error(.notOneOf(text, type.allCases.map(\.rawValue))) }
        return value
    }

    mutating func onOff() throws(ScriptError) -> Bool { try choice("on or off", ["on": true, "off": false]) }

    /// True for trouble.
    mutating func health() throws(ScriptError) -> Bool { try choice("ok or trouble", ["ok": false, "trouble": true]) }

    mutating func duration() throws(ScriptError) -> Duration {
        let text = try word("a span of time")
        guard let span = Self.duration(text) else { throw error(.notDuration(text)) }
        return span
    }

    /// `500ms`, `10s`, `0.27s`, `2m`, `1h`, or seconds without a unit; a minus in front; up to a thousand hours.
    static func duration(_ text: String) -> Duration? {
        let isNegative = text.hasPrefix("-")
        let body = text.drop { $0 == "-" }
        let unit = body.drop { $0.isASCII && $0.isNumber || $0 == "." }
        let parts = body.prefix(body.count - unit.count).split(separator: ".", omittingEmptySubsequences: false)
        guard let nanoseconds = Self.unit(String(unit)), let whole = parts.first.flatMap({ Int64($0) }),
            parts.count <= 2
        else { return nil }
        let fraction = parts.count == 2 ? String(parts[1].prefix(9)) : "0"
        // A thousand hours, in whatever unit.
        let longest: Int64 = 3_600_000 * 1_000_000_000
        guard let digits = Int64(fraction), whole >= 0, digits >= 0, whole <= longest / nanoseconds else { return nil }
        var scale: Int64 = 1
        for _ in fraction { scale *= 10 }
        let total = whole * nanoseconds + Int64((Double(digits) / Double(scale) * Double(nanoseconds)).rounded())
        return .nanoseconds(isNegative ? -total : total)
    }

    private static func unit(_ text: String) -> Int64? {
        switch text {
        case "ms": 1_000_000
        case "s", "": 1_000_000_000
        case "m": 60_000_000_000
        case "h": 3_600_000_000_000
        default: nil
        }
    }

    /// `off`, `on` for as long as it is on, or a number.
    mutating func count() throws(ScriptError) -> Int {
        let text = try word("off, on or a number")
        switch text {
        case "off": return 0
        case "on": return .max
        default:
            guard let value = Int(text), (0...1_000_000).contains(value) else {
                throw error(.notNumber(text, 0...1_000_000))
            }
            return value
        }
    }

    /// `2026-10-12T14:30`
    mutating func clock() throws(ScriptError) -> PanelClock {
        let text = try word("a date and time")
        let numbers = text.split { "-t:".contains($0) }.compactMap { Int($0) }
        guard text.count == 16, numbers.count == 5, (2000...2099).contains(numbers[0]) else {
            throw error(.notClock(text))
        }
        let clock = PanelClock(
            hour: numbers[3], minute: numbers[4], month: numbers[1], day: numbers[2], year: numbers[0] - 2000)
        guard PanelClockTime(clock).isValid else { throw error(.notClock(text)) }
        return clock
    }

    mutating func hexadecimal() throws(ScriptError) -> [UInt8] {
        let text = try word("hexadecimal digits")
        guard let bytes = [UInt8](hexadecimal: text) else { throw error(.notBytes(text)) }
        return bytes
    }
}

extension [UInt8] {
    /// nil unless the text is an even number of hexadecimal digits.
    init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }
}
