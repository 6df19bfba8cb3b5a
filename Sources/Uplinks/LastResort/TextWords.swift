/// Makes texts of 160 letters of the alphabet of text messages (3GPP TS 23.038, 6.2.1), so that each is one message
/// everywhere.
package enum TextWords {
    package static let limit = 160

    /// One text for some alarms, of which the first are named and the rest counted when they do not fit.
    ///
    /// - Parameter hint: stands behind them where there is room, and takes none of theirs
    package static func compose(title: String, alarms: [String], hint: String = "") -> String {
        let text = compose(title: title, alarms: alarms)
        let hinted = "\(text). \(fold(hint))"
        return hint.isEmpty || length(hinted) > limit ? text : hinted
    }

    private static func compose(title: String, alarms: [String]) -> String {
        let words = alarms.map { fold($0) }.filter { !$0.isEmpty }
        let name = String(fold(title).prefix(30))
        let head = (name.isEmpty ? "" : "\(name): ") + (alarms.count > 1 ? "\(alarms.count) ALARMS: " : "ALARM: ")
        // For the count of those that are not named.
        let kept = "; +\(alarms.count) more".utf8.count
        var text = head
        var named = 0
        for (index, word) in words.enumerated() {
            let piece = (index == 0 ? "" : "; ") + word
            // Room for the count, unless this is the last.
            let isLast = index == words.count - 1 && words.count == alarms.count
            guard length(text + piece) + (isLast ? 0 : kept) <= limit else { break }
            text += piece
            named += 1
        }
        if named == 0, let first = words.first {
            let room = limit - kept
            for letter in first where length(text) + length(String(letter)) <= room { text.append(letter) }
            named = 1
        }
        let rest = alarms.count - named
        return rest > 0 ? text + (named > 0 ? "; +\(rest) more" : "\(rest) events") : text
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
