import AlarmModel
import PhoneProtocol

/// How a simulated push service writes: XML that any reader takes.
enum PushText {
    static let streams = "http://etherx.jabber.org/streams"
    static let client = "jabber:client"
    static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    static let session = "urn:ietf:params:xml:ns:xmpp-session"
    static let ping = "urn:xmpp:ping"
    static let roster = "jabber:iq:roster"
    static let stanzas = "urn:ietf:params:xml:ns:xmpp-stanzas"
    static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    static let mobileData = "google:mobile:data"
    static let domain = "gcm.googleapis.com"

    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// As character data; quotes stay as they are, and what XML cannot hold is written as JSON escapes it.
    static func escaped(_ json: JSON) -> String { escapedJSON(json.text) }

    static func escapedJSON(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\u{FFFE}": result += "\\ufffe"
            case "\u{FFFF}": result += "\\uffff"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// ` name="value"`, or nothing.
    static func attribute(_ name: String, _ value: String?) -> String {
        value.map { " \(name)=\"\(escaped($0))\"" } ?? ""
    }

    static func hexadecimal(_ number: UInt64) -> String { number.padded(16, radix: 16, uppercase: true) }

    /// RFC 4648 4, with its padding and without anything else; nil when it is not that.
    static func decodedBase64(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count.isMultiple(of: 4) else { return nil }
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        var result: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes.dropLast(padding) {
            guard let value = value(byte) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= (1 << UInt32(count)) - 1
        }
        return bits == 0 ? result : nil
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
