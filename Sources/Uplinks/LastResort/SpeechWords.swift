/// What is said around alarms in a telephone call, in one language.
package struct SpeechWords: Codable, Equatable, Sendable {
    /// `and % more`, with the number in the place of the sign.
    package var more: String
    /// What to press, behind them; empty where no key counts.
    package var ending: String

    package init(more: String, ending: String) {
        self.more = more
        self.ending = ending
    }

    /// Alarms that are named; more would take longer than people listen.
    package static let namedLimit = 3
    /// Letters of a name or an alarm.
    package static let longest = 200

    /// One text for some alarms, of which the first are named and the rest counted.
    package func compose(title: String, alarms: [String]) -> String {
        let named = alarms.filter { !$0.isEmpty }.prefix(Self.namedLimit)
        let rest = alarms.count - named.count
        let counted = rest > 0 ? [more.counting(rest)] : []
        let parts = [title] + named + counted + [ending]
        return parts.map { Self.plain($0) }.filter { !$0.isEmpty }.map { $0 + "." }.joined(separator: " ")
    }

    /// Without any sign that means something in JSON, XML, a form or a template, so that no name changes a request; on one
    /// line, and without a full stop at its end.
    package static func plain(_ text: String) -> String {
        var plain = ""
        for letter in text.prefix(longest) {
            let isKept =
                letter.isLetter || letter.isNumber
                || letter.unicodeScalars.allSatisfy { ".,:;-()!?/".unicodeScalars.contains($0) }
            if isKept { plain.append(letter) } else if plain.last != " ", !plain.isEmpty { plain.append(" ") }
        }
        while let last = plain.last, last == " " || last == "." { plain.removeLast() }
        return plain
    }
}

extension String {
    /// With the number in the place of its `%`.
    func counting(_ number: Int) -> String {
        split(separator: "%", omittingEmptySubsequences: false).joined(separator: "\(number)")
    }
}
