package import AlarmModel

/// A message in words as a mail (RFC 5322), the same bytes however often it is sent.
package struct MailMessage: Codable, Equatable, Sendable {
    package var from: String
    package var to: String
    package var id: MessageID
    package var notice: Notice
    package var isAlarm: Bool
    package var attachment: Attachment?

    /// A file behind the words.
    package struct Attachment: Codable, Equatable, Sendable {
        /// ASCII without quotes and backslashes.
        package var name: String
        /// Such as `image/jpeg`.
        package var contentType: String
        package var bytes: [UInt8]

        package init(name: String, contentType: String, bytes: [UInt8]) {
            self.name = name
            self.contentType = contentType
            self.bytes = bytes
        }
    }

    /// - `from`, `to`: valid mail addresses
    package init(
        from: String, to: String, id: MessageID, notice: Notice, isAlarm: Bool, attachment: Attachment? = nil
    ) {
        self.from = from
        self.to = to
        self.id = id
        self.notice = notice
        self.isAlarm = isAlarm
        self.attachment = attachment
    }

    /// Header and body in lines of at most 78 characters that end in CRLF; ASCII throughout.
    ///
    /// `Date` is when it happened, and `Message-ID` the message's own name: a mail that comes twice can be told.
    package var bytes: [UInt8] {
        var header = [
            "Date: \(Self.date(notice.time))", "From: HowAlarming <\(from)>", "To: <\(to)>",
            "Message-ID: <\(Self.atoms(id.text))@\(MailAddress.domain(of: from))>",
            "Subject: \(MailText.header(notice.title, after: "Subject: ".count))",
            // Nobody's holiday note is to answer (RFC 3834 5).
            "Auto-Submitted: auto-generated",
        ]
        if isAlarm { header += ["Importance: high", "X-Priority: 1"] }
        header.append("MIME-Version: 1.0")
        let words = ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable"]
        let text = MailText.quotedPrintable(notice.text.isEmpty ? notice.title : notice.text)
        guard let attachment else { return Self.lines(header + words + [""]) + text }
        header += ["Content-Type: multipart/mixed; boundary=\"\(Self.boundary)\"", ""]
        let file = [
            "--\(Self.boundary)", "Content-Type: \(attachment.contentType)", "Content-Transfer-Encoding: base64",
            "Content-Disposition: attachment; filename=\"\(attachment.name)\"", "",
        ]
        return Self.lines(header + ["--\(Self.boundary)"] + words + [""]) + text + Self.lines([""] + file)
            + MailText.base64(attachment.bytes) + Self.lines(["--\(Self.boundary)--"])
    }

    /// In no part: `=` is written otherwise in the words, and Base64 has it at its end alone (RFC 2045 6.7).
    private static let boundary = "=_part"

    private static func lines(_ lines: [String]) -> [UInt8] { Array((lines.joined(separator: "\r\n") + "\r\n").utf8) }

    /// What goes over the wire: a line that begins with a dot gets another one, and a line with a dot alone ends it
    /// (RFC 5321 4.5.2).
    package var wire: [UInt8] {
        let dot = UInt8(ascii: ".")
        var out: [UInt8] = []
        var isLineStart = true
        for byte in bytes {
            if isLineStart, byte == dot { out.append(dot) }
            out.append(byte)
            isLineStart = byte == 0x0A
        }
        return out + Array(".\r\n".utf8)
    }

    /// `Sat, 21 Nov 2026 12:00:00 +0000`
    static func date(_ time: WallTime) -> String {
        let civil = CivilTime(secondsSince1970: time.seconds, offset: 0)
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let year = min(max(civil.year, 1900), 9999)
        return "\(days[civil.weekday - 1]), \(civil.day) \(months[civil.month - 1]) \(year) \(civil.time) +0000"
    }

    /// Letters, digits and `-` as they are, other bytes as `=` and two digits, as the left side of a message id may be.
    static func atoms(_ text: String) -> String {
        var out = ""
        for byte in text.utf8.prefix(200) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
                out.unicodeScalars.append(Unicode.Scalar(byte))
            default: out += MailText.hex(byte)
            }
        }
        return out
    }
}
