import AlarmModel
import PhoneProtocol

extension HomeAssistantDevice.Component {
    /// From an announcement that the broker has kept.
    ///
    /// nil: this box never announces such a thing; who wrote it there may keep it.
    init?(recalled member: JSON.Member) {
        let found = member.value["p"]?.stringValue ?? member.value["platform"]?.stringValue
        guard let wanted = Self.platform(ofKey: member.key), found == wanted else { return nil }
        self.init(key: member.key, platform: wanted)
    }

    /// nil: no key of ours.
    private static func platform(ofKey key: String) -> String? {
        if key == "answer" { return "event" }
        guard let mark = key.firstIndex(of: "_") else { return nil }
        let rest = key[key.index(after: mark)...]
        switch key[..<mark] {
        case "partition": return isNumber(rest, upTo: 8) ? "alarm_control_panel" : nil
        case "zone": return isNumber(rest, upTo: 64) ? "binary_sensor" : nil
        case "chime": return isNumber(rest, upTo: 8) ? "switch" : nil
        case "bypass": return isNumber(rest, upTo: 64) ? "switch" : nil
        case "output":
            let parts = rest.split(separator: "_", omittingEmptySubsequences: false)
            return parts.count == 2 && isNumber(parts[0], upTo: 8) && isNumber(parts[1], upTo: 4) ? "button" : nil
        case "uplink": return isWord(rest) ? "binary_sensor" : nil
        case "camera": return isCamera(rest) ? "image" : nil
        default: return nil
        }
    }

    private static func isNumber(_ text: Substring, upTo highest: Int) -> Bool {
        Int(text).map { (1...highest).contains($0) && text == "\($0)" } ?? false
    }

    private static func isCamera(_ mark: Substring) -> Bool {
        (1...40).contains(mark.utf8.count)
            && mark.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    /// As links are named.
    private static func isWord(_ text: Substring) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }
}
