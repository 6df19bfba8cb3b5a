/// What a text that came in says, and whose number it came from. A sender's number can be forged.
package enum TextAnswer {
    /// What means that the alarm was seen.
    private static let words = ["ok", "seen", "gesehen"]
    /// The shorter of two numbers must have so many digits to be the other's end.
    private static let leastDigits = 8

    /// In any case, with spaces around and one full stop or exclamation mark behind it.
    package static func isSeen(_ text: String) -> Bool {
        var letters = text.filter { !$0.isWhitespace }.lowercased()
        if letters.last == "." || letters.last == "!" { letters.removeLast() }
        return words.contains(letters)
    }

    /// The one of these numbers from which the text came. A network may tell a sender without his country; one that could be
    /// two of them is none.
    package static func number(of sender: String, among numbers: [String]) -> String? {
        guard let sender = digits(sender) else { return nil }
        var equal: String?
        var similar: [String] = []
        for number in numbers {
            guard let digits = digits(number) else { continue }
            if digits == sender { equal = number }
            let (short, long) = digits.count < sender.count ? (digits, sender) : (sender, digits)
            if short.count >= leastDigits, long.hasSuffix(short) { similar.append(number) }
        }
        return equal ?? (similar.count == 1 ? similar.first : nil)
    }

    /// Without what stands before the country's code or before the area's; nil: no telephone number, such as a name.
    private static func digits(_ number: String) -> String? {
        var digits = ""
        for letter in number {
            switch letter {
            case "0"..."9": digits.append(letter)
            case "+", " ", "-", "/", "(", ")", ".": continue
            default: return nil
            }
        }
        if digits.hasPrefix("00"), !number.hasPrefix("+") {
            digits.removeFirst(2)
        } else if digits.hasPrefix("0"), !number.hasPrefix("+") {
            digits.removeFirst()
        }
        return digits.isEmpty ? nil : digits
    }
}
