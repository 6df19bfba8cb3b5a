package import AlarmModel

/// An event as HowAlarming's own programs write and read it (docs/messages.md B.2 and B.4).
package struct HowAlarmingMessage: Codable, Equatable, Sendable {
    /// The type that HowAlarming gives to the code, not the class shown by `events`.
    package var type: EventType
    package var code: String
    package var raw: String
    /// Without line ends, at most `messageLimit` characters.
    package var message: String
    /// Seconds since 1970.
    package var timestamp: Int64

    /// Keeps every form of the message far below the 65 535 bytes of a job.
    package static let messageLimit = 1000

    /// `type` comes from the table of HowAlarming's types by panel code.
    package init(_ event: Event, type: EventType) {
        self.type = type
        code = event.code
        raw = event.raw
        message = Self.oneLine(event.message)
        timestamp = event.time.seconds
    }

    /// The job of an event tube (B.2), keys as HowAlarming's driver orders them. ASCII, because the message becomes a
    /// mail header there.
    package var job: JSON {
        .object([
            "raw": .string(Self.ascii(raw)), "message": .string(Self.ascii(message)),
            "code": .string(Self.ascii(code)), "type": .string(type.rawValue), "timestamp": .integer(timestamp),
        ])
    }

    /// `data` of a push (B.4): every value is a string.
    package var pushData: JSON {
        .object([
            "code": .string(code), "raw": .string(raw), "type": .string(type.rawValue), "message": .string(message),
            "timestamp": .string(String(timestamp)),
        ])
    }

    /// `data` of a push to the topic of the original app for Android (B.5): what that app reads and no more, within the
    /// 2048 bytes that a topic carries.
    package var topicData: JSON {
        .object([
            "code": .string(code), "raw": .string(raw), "type": .string(type.rawValue),
            "message": .string(String(message.unicodeScalars.prefix(Self.topicLimit))),
        ])
    }
    private static let topicLimit = 400

    /// Whether HowAlarming pushes events of this type to phones (B.4).
    package var isPushed: Bool {
        switch type {
        case .alarm, .recovery, .fault, .armed, .disarmed: true
        case .command, .info, .response, .unknown: false
        }
    }

    /// Fit for a tube: one line of ASCII.
    package static func asciiLine(_ text: String) -> String { ascii(oneLine(text)) }

    private static func oneLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(messageLimit) {
            let isBreak =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || [0x2028, 0x2029].contains(scalar.value)
            line.append(isBreak ? " " : scalar)
        }
        return String(line)
    }

    /// Letters with marks become plain letters; what has no plain form becomes `?`.
    private static func ascii(_ text: String) -> String {
        var plain = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                plain.unicodeScalars.append(scalar)
            } else if !(0x300...0x36F).contains(scalar.value) {
                plain += plainForms.first { $0.letters.unicodeScalars.contains(scalar) }?.plain ?? "?"
            }
        }
        return plain
    }

    private static let plainForms: [(letters: String, plain: String)] = [
        ("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("Ä", "Ae"), ("Ö", "Oe"), ("Ü", "Ue"), ("ß", "ss"), ("æ", "ae"),
        ("Æ", "AE"), ("œ", "oe"), ("Œ", "OE"), ("åàáâãą", "a"), ("ÅÀÁÂÃĄ", "A"), ("çćč", "c"), ("ÇĆČ", "C"),
        ("ďđð", "d"), ("ĎĐÐ", "D"), ("éèêëęě", "e"), ("ÉÈÊËĘĚ", "E"), ("íìîï", "i"), ("ÍÌÎÏ", "I"), ("ł", "l"),
        ("Ł", "L"), ("ñńň", "n"), ("ÑŃŇ", "N"), ("óòôõøő", "o"), ("ÓÒÔÕØŐ", "O"), ("řŕ", "r"), ("ŘŔ", "R"),
        ("śšş", "s"), ("ŚŠŞ", "S"), ("ťţ", "t"), ("ŤŢ", "T"), ("úùûůű", "u"), ("ÚÙÛŮŰ", "U"), ("ýÿ", "y"), ("ÝŸ", "Y"),
        ("źżž", "z"), ("ŹŻŽ", "Z"), ("‘’‚", "'"), ("“”„", "\""), ("–—−", "-"), ("…", "..."), ("\u{A0}", " "),
    ]
}
