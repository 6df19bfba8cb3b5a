import AlarmModel
package import ApplianceCore
import PhoneLink

/// What `check` says about the channels that are configured.
package enum ChannelSummary {
    /// In the order of `ChannelKind`; nothing secret.
    package static func lines(_ phones: PhoneSettings) -> [String] {
        var lines = phones.channels.sorted { $0.kind < $1.kind }.map { line($0, phones) }
        if phones.account != nil { lines.append("phones through \(phones.host)") }
        if let people = phones.people, !people.isEmpty {
            lines.append("\(people.count) \(people.count == 1 ? "person" : "people") by name")
        }
        return lines
    }

    private static func line(_ channel: ChannelSettings, _ phones: PhoneSettings) -> String {
        func count(_ word: String, _ words: String) -> String {
            let number = phones.house.count { $0.kind.channel == channel.kind }
            return "\(number) \(number == 1 ? word : words)"
        }
        return switch channel {
        case .ntfy(let ntfy): "ntfy through \(ntfy.place)"
        case .fcm(let fcm): "FCM project \(fcm.account.projectID)"
        case .webPush: "web push"
        case .ccs(let ccs): "phones through \(ccs.host)"
        case .xmpp(let xmpp): "XMPP as \(xmpp.account.bare)"
        case .mqtt(let mqtt): "MQTT through \(mqtt.host)"
        case .mail(let mail): "mail to \(count("address", "addresses")) through \(mail.host)"
        case .url: count("URL", "URLs")
        case .program: count("program", "programs")
        case .receiver(let receiver): "reports to the receiver \(receiver.place)"
        case .beanstalk(let queue): "beanstalkd on \(queue.host) with \(count("event tube", "event tubes"))"
        }
    }
}
