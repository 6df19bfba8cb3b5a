import AlarmModel
import ApplianceCore
import PhoneLink

/// The sections of ways to people: collected from both files first, read as wholes then.
extension ConfigurationReading {
    /// Keeps a section of the main file until the secrets file has had its say. Written and left empty, it is a section
    /// like others: a way may need no key at all.
    mutating func keepWay(_ field: ConfigurationSection.Field, _ keys: ConfigurationKeys.Way) {
        _ = claim(field.path, called: "'\(field.path)'", by: field)
        guard let section = section(field.value, path: field.path, place: field.place, known: keys.all) else { return }
        for field in section.fields { _ = claim(field.path, called: "'\(field.path)'", by: field) }
        if section.fields.contains(where: { keys.secrets.contains($0.key) }) { holdsSecret = true }
        ways.append(section)
    }

    /// The same section of the secrets file: only secrets, and only for a way that the main file names.
    mutating func addSecrets(_ field: ConfigurationSection.Field, _ keys: ConfigurationKeys.Way) {
        guard let section = section(field.value, path: field.path, place: field.place, known: keys.secrets) else {
            return
        }
        if !section.fields.isEmpty { holdsSecret = true }
        guard place(of: field.path) != nil else {
            report(
                at: field.place, field.path, "'\(field.path)' stands in the secrets file only, so nothing uses it",
                expected: "'\(field.path)' in the main file, too")
            return
        }
        guard let index = ways.firstIndex(where: { $0.path == field.path }) else { return }
        for field in section.fields where claim(field.path, called: "'\(field.path)'", by: field) {
            ways[index].fields.append(field)
        }
    }

    /// Once all files are read. The order of the file stays for what the house tells.
    mutating func readWays() {
        for section in ways {
            switch section.path {
            case "ntfy": readNtfy(section)
            case "fcm_v1": readFCM(section)
            case "xmpp": readXMPP(section)
            case "mqtt": readMQTT(section)
            case "alert_email": readMail(section)
            case "alert_url": readURLs(section)
            case "heartbeat": readBeacon(section)
            case "hooks": readHooks(section)
            case "beanstalkd": readBeanstalk(section)
            default: continue  // not one of ours
            }
        }
    }

    /// Adds a place where the house tells its events, each once.
    mutating func addTarget(
        _ kind: HouseAddress.Kind, _ value: String, _ triggers: [EventType], goesByOwnType: Bool = false,
        called words: String, by field: ConfigurationSection.Field
    ) {
        guard claim("house.\(kind.rawValue).\(value)", called: words, by: field) else { return }
        draft.phones.house.append(
            PhoneSettings.HouseTarget(kind: kind, value: value, triggers: triggers, goesByOwnType: goesByOwnType))
    }

    mutating func missing(_ key: String, in section: ConfigurationSection, _ what: String, expected: String) {
        report(at: section.place, section.path(of: key), what, expected: expected)
    }
}
