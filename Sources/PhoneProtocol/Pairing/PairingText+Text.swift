package import AlarmModel

extension PairingText {
    /// `HA2:` and base 32 in upper case, for the QR code's alphanumeric mode. A secret: for the screen only.
    package func text(_ crypto: some Crypto) -> Secret { Secret(Self.prefix + digits(crypto)) }

    /// The same in groups of five with "-" between them, for people who type it.
    package func grouped(_ crypto: some Crypto) -> Secret {
        var grouped = Self.prefix
        for (index, digit) in digits(crypto).enumerated() {
            if index > 0, index.isMultiple(of: 5) { grouped.append("-") }
            grouped.append(digit)
        }
        return Secret(grouped)
    }

    /// What was scanned or typed: hyphens and blanks do not count, nor does the case of letters.
    package init(parsing text: String, _ crypto: some Crypto) throws(PairingTextError) {
        guard text.utf8.count <= 1000 else { throw .notOurs }
        let typed = String(String.UnicodeScalarView(text.unicodeScalars.filter { !Self.isSeparator($0) }))
        let start = typed.utf8.prefix(4).map { ($0 | 0x20) }
        guard start.count == 4, start[0] == UInt8(ascii: "h"), start[1] == UInt8(ascii: "a"),
            start[3] == UInt8(ascii: ":"), (UInt8(ascii: "2")...UInt8(ascii: "9")).contains(start[2])
        else { throw .notOurs }
        guard start[2] == UInt8(ascii: "2") else { throw .newerVersion }
        let digits = String(decoding: typed.utf8.dropFirst(4), as: UTF8.self)
        for (offset, scalar) in digits.unicodeScalars.enumerated() where !Self.isDigit(scalar) {
            throw .strangeCharacter(Character(scalar), group: offset / 5 + 1)
        }
        // Of the right characters: what does not end as it should is cut or has a wrong last one.
        guard let bytes = try? Base32.decode(digits), bytes.count > 2 else { throw .typingError }
        let payload = Array(bytes.dropLast(2))
        guard ConstantTime.equal(Array(bytes.suffix(2)), Self.check(payload, crypto)) else { throw .typingError }
        guard payload[0] == Self.version, payload.count < 2 || payload[1] == 0 else { throw .newerVersion }
        do throws(FormatError) {
            try self.init(payload: payload)
        } catch {
            throw .malformed(error)
        }
    }

    private func digits(_ crypto: some Crypto) -> String {
        Base32.encode(payload + Self.check(payload, crypto))
    }

    private static func check(_ payload: [UInt8], _ crypto: some Crypto) -> [UInt8] {
        Array(crypto.sha256(Array("HA2 text\0".utf8) + payload).prefix(2))
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        // A keyboard may have made a longer dash of the hyphen.
        scalar == "-" || ("\u{2010}"..."\u{2015}").contains(scalar) || scalar.properties.isWhitespace
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar) || ("2"..."7").contains(scalar)
    }
}

/// Why a text is no pairing code.
package enum PairingTextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It does not begin like one.
    case notOurs
    case newerVersion
    /// A character that no code has, in this group of five, counted from 1.
    case strangeCharacter(Character, group: Int)
    /// The two check bytes say that something is wrong, missing or too much; nobody can tell where.
    case typingError
    /// Typed right, and yet no code.
    case malformed(FormatError)

    package var description: String {
        switch self {
        case .notOurs: "this is no pairing code of HowAlarming; it begins with HA2:"
        case .newerVersion: "this pairing code is of a newer version; update the app"
        case .strangeCharacter(let character, let group):
            "the code has no '\(character)' (group \(group)); it is made of the letters A to Z and the digits 2 to 7"
        case .typingError: "the code has a typing error or is not complete; compare it with the screen group by group"
        case .malformed(let error): "this is no pairing code of HowAlarming (\(error)); make a new one at the box"
        }
    }
}
