import AlarmModel
import PhoneProtocol

/// Text as mail carries it: headers in RFC 2047, bodies in quoted-printable (RFC 2045 6.7).
enum MailText {
    /// Characters of a subject.
    static let headerLimit = 300
    /// Bytes of a body's text.
    static let bodyLimit = 32 * 1024

    /// A header's text, folded; plain where it is ASCII. Whatever could end the header becomes a space.
    ///
    /// - Parameter width: of what stands before it in its line
    static func header(_ text: String, after width: Int) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(headerLimit) {
            let isBreak =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || [0x2028, 0x2029].contains(scalar.value)
            line.append(isBreak ? " " : scalar)
        }
        let words = String(line).split(separator: " ")
        let isPlain = line.allSatisfy(\.isASCII) && !String(line).includes("=?")
        return isPlain && words.allSatisfy { $0.utf8.count <= 60 }
            ? folded(words.map { String($0) }, after: width) : encoded(words.joined(separator: " "))
    }

    private static func folded(_ words: [String], after width: Int) -> String {
        var out = ""
        var column = width
        for word in words {
            if !out.isEmpty {
                let isTooLong = column + 1 + word.utf8.count > 76
                out += isTooLong ? "\r\n " : " "
                column = isTooLong ? 1 : column + 1
            }
            out += word
            column += word.utf8.count
        }
        return out
    }

    /// In encoded words of at most 75 characters, none of which cuts a character.
    private static func encoded(_ text: String) -> String {
        var words: [String] = []
        var piece: [UInt8] = []
        func close() {
            if !piece.isEmpty { words.append("=?utf-8?B?\(Base64.encode(piece))?=") }
            piece = []
        }
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            // 42 bytes make a word of 68 characters. A line with one has 76 at most (RFC 2047 2), and the first word of a
            // header stands behind the header's name.
            if piece.count + bytes.count > (words.isEmpty ? 39 : 42) { close() }
            piece += bytes
        }
        close()
        return words.joined(separator: "\r\n ")
    }

    /// A body; line ends of any kind become CRLF, and it ends in one.
    static func quotedPrintable(_ text: String) -> [UInt8] {
        var out: [UInt8] = []
        for line in lines(Array(text.utf8.prefix(bodyLimit))) {
            var column = 0
            for (index, byte) in line.enumerated() {
                let isBlank = byte == 0x20 || byte == 0x09
                let isLast = index == line.count - 1
                let isPlain =
                    isBlank ? !isLast : (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
                let piece = isPlain ? [byte] : Array(hex(byte).utf8)
                if column + piece.count > (isLast ? 76 : 75) {
                    out += Array("=\r\n".utf8)
                    column = 0
                }
                out += piece
                column += piece.count
            }
            out += [0x0D, 0x0A]
        }
        return out
    }

    /// A file, in lines that end in CRLF.
    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        // 57 bytes make 76 characters.
        for start in stride(from: 0, to: bytes.count, by: 57) {
            out += Base64.encode(Array(bytes[start..<min(start + 57, bytes.count)])).utf8
            out += [0x0D, 0x0A]
        }
        return out
    }

    private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = [[]]
        var wasReturn = false
        for byte in bytes {
            switch byte {
            case 0x0A where wasReturn: break
            case 0x0A, 0x0D: lines.append([])
            default: lines[lines.count - 1].append(byte)
            }
            wasReturn = byte == 0x0D
        }
        if lines.last == [], lines.count > 1 { lines.removeLast() }
        return lines
    }

    /// `=` and two digits.
    static func hex(_ byte: UInt8) -> String { "=" + byte.padded(radix: 16, uppercase: true) }
}
