/// What stands around alarms in a text message, in one language. Makes texts of 160 letters of the alphabet of text messages
/// (3GPP TS 23.038, 6.2.1), so that each is one message everywhere.
package struct TextWords: Codable, Equatable, Sendable {
    /// The whole of an alarm whose words are not kept.
    package var alarm: String
    /// Before several: `% ALARMS`, with the number in the place of the sign.
    package var alarms: String
    /// Behind those that are named: `+% more`.
    package var more: String
    /// Ends a text that has room for it: how it is answered; may be empty.
    package var hint: String

    package init(alarm: String = "ALARM", alarms: String = "% ALARMS", more: String = "+% more", hint: String = "") {
        self.alarm = alarm
        self.alarms = alarms
        self.more = more
        self.hint = hint
    }

    package static let limit = 160

    /// One text for some alarms, of which the first are named and the rest counted when they do not fit. The hint stands
    /// behind them where there is room, and takes none of theirs.
    package func compose(title: String, alarms: [String]) -> String {
        let text = unhinted(title, alarms)
        let hinted = "\(text). \(Self.fold(hint))"
        return hint.isEmpty || Self.length(hinted) > Self.limit ? text : hinted
    }

    private func unhinted(_ title: String, _ alarms: [String]) -> String {
        let words = alarms.map { Self.fold($0) }.filter { !$0.isEmpty }
        let name = String(Self.fold(title).prefix(30))
        let head = name.isEmpty ? "" : "\(name): "
        let count = alarms.count > 1 ? Self.fold(self.alarms.counting(alarms.count)) : ""
        guard let first = words.first else { return head + (count.isEmpty ? Self.fold(alarm) : count) }
        // For the count of those that are not named.
        let kept = alarms.count > 1 ? Self.length("; " + Self.fold(more.counting(alarms.count))) : 0
        var text = head + (count.isEmpty ? "" : "\(count): ")
        var named = 0
        for (index, word) in words.enumerated() {
            let piece = (index == 0 ? "" : "; ") + word
            // Room for the count, unless this is the last.
            let isLast = index == words.count - 1 && words.count == alarms.count
            guard Self.length(text + piece) + (isLast ? 0 : kept) <= Self.limit else { break }
            text += piece
            named += 1
        }
        if named == 0 {
            let room = Self.limit - kept
            for letter in first where Self.length(text) + Self.length(String(letter)) <= room { text.append(letter) }
            named = 1
        }
        let rest = alarms.count - named
        return rest > 0 ? text + "; " + Self.fold(more.counting(rest)) : text
    }

    /// In the alphabet of text messages, on one line: letters with unknown accents lose them, all else becomes `?`.
    package static func fold(_ text: String) -> String {
        var folded = ""
        for scalar in text.unicodeScalars {
            if plain.contains(scalar) || extended.contains(scalar) {
                folded.unicodeScalars.append(scalar)
            } else if scalar.properties.isWhitespace || scalar.value < 0x20 || scalar.value == 0x7F {
                if folded.last != " ", !folded.isEmpty { folded.append(" ") }
            } else if (0x300...0x36F).contains(scalar.value) {
                continue
            } else if let group = accents.first(where: { $0.from.unicodeScalars.contains(scalar) }) {
                folded += group.to
            } else {
                folded.append("?")
            }
        }
        while folded.last == " " { folded.removeLast() }
        return folded
    }

    /// In septets: letters of the extension table take two.
    package static func length(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + (extended.contains($1) ? 2 : 1) }
    }

    /// Without the line ends of the basic table, and without @, which some networks turn into a zero byte.
    private static let plain = Set(
        ("£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
            + "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    private static let extended = Set("^{}\\[~]|€".unicodeScalars)
    private static let accents: [(from: String, to: String)] = [
        ("áâãāăąª", "a"), ("ÁÀÂÃĀĂĄ", "A"), ("çćčĉċ", "c"), ("ĆČĈĊ", "C"), ("ďđð", "d"), ("ĎĐÐ", "D"),
        ("êëēĕėęě", "e"), ("ÈÊËĒĔĖĘĚ", "E"), ("ĝğġģ", "g"), ("ĜĞĠĢ", "G"), ("ĥħ", "h"), ("ĤĦ", "H"),
        ("íîïĩīĭįı", "i"), ("ÌÍÎÏĨĪĬĮİ", "I"), ("ĵ", "j"), ("Ĵ", "J"), ("ķ", "k"), ("Ķ", "K"), ("ĺļľŀł", "l"),
        ("ĹĻĽĿŁ", "L"), ("ńņňŉ", "n"), ("ŃŅŇ", "N"), ("óôõōŏőº", "o"), ("ÒÓÔÕŌŎŐ", "O"), ("œ", "oe"), ("Œ", "OE"),
        ("ŕŗř", "r"), ("ŔŖŘ", "R"), ("śŝşšș", "s"), ("ŚŜŞŠȘ", "S"), ("ţťŧț", "t"), ("ŢŤŦȚ", "T"), ("þ", "th"),
        ("Þ", "Th"), ("úûũūŭůűų", "u"), ("ÙÚÛŨŪŬŮŰŲ", "U"), ("ŵ", "w"), ("Ŵ", "W"), ("ýÿŷ", "y"), ("ÝŸŶ", "Y"),
        ("źżž", "z"), ("ŹŻŽ", "Z"), ("‘’‚`´′", "'"), ("“”„«»", "\""), ("‐‑‒–—−", "-"), ("…", "..."), ("·•", "-"),
        ("@", "(at)"),
    ]
}
