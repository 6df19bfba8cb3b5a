import AlarmModel
import PhoneLink
import PhoneProtocol

/// How a simulated push service writes: XML that any reader takes.
enum PushText {
    static let mobileData = "google:mobile:data"
    static let domain = "gcm.googleapis.com"

    /// As character data; what XML cannot hold is written as JSON escapes it.
    static func escaped(_ json: JSON) -> String {
        var text = String.UnicodeScalarView()
        for scalar in json.text.unicodeScalars {
            switch scalar {
            case "\u{FFFE}": text.append(contentsOf: "\\ufffe".unicodeScalars)
            case "\u{FFFF}": text.append(contentsOf: "\\uffff".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return XMLElement.escaped(String(text))
    }

    /// ` name="value"`, or nothing.
    static func attribute(_ name: String, _ value: String?) -> String {
        value.map { " \(name)=\"\(XMLElement.escapedAttribute($0))\"" } ?? ""
    }

    static func hexadecimal(_ number: UInt64) -> String { number.padded(16, radix: 16, uppercase: true) }
}
