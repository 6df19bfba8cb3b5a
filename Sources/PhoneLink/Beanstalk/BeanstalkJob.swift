import AlarmModel
import PhoneProtocol

/// The body of a job for the programs of HowAlarming (docs/messages.md B.2), which die of anything else.
enum BeanstalkJob {
    /// beanstalkd's own limit is 65 535 unless it was started with another.
    static let sizeLimit = 65_000

    /// - Returns: nil if one of the five members is missing or not what it should be, or the whole is too long
    static func body(_ event: JSON) -> [UInt8]? {
        guard case .object(var members) = event, event["timestamp"]?.integerValue != nil else { return nil }
        for key in ["type", "code", "raw", "message"] {
            guard let index = members.firstIndex(where: { $0.key == key }),
                let text = members[index].value.stringValue
            else { return nil }
            // alert_email makes it a header without looking.
            members[index].value = .string(HowAlarmingMessage.asciiLine(text))
        }
        let bytes = Array(ascii(JSON.object(members).text).utf8)
        return bytes.count <= sizeLimit ? bytes : nil
    }

    /// The same JSON: what is not ASCII can only stand in strings.
    private static func ascii(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var out = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                out.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 { out += "\\u" + unit.padded(4, radix: 16) }
            }
        }
        return out
    }
}
