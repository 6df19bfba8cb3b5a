import AlarmModel
import PhoneLink
import PhoneProtocol

/// An event in words, for those who have no app of ours.
struct NoticeText {
    var siteName: String
    var names: SiteNames

    func notice(_ event: Event, type: EventType) -> Notice {
        let tone = Self.tone(type)
        return Notice(
            title: Self.line("\(siteName.isEmpty ? "HowAlarming" : siteName): \(title(event, tone))"),
            text: Self.line(event.message), tone: tone, time: event.time)
    }

    /// What is not about an event.
    func notice(title: String, text: String, at time: WallTime) -> Notice {
        Notice(
            title: Self.line("\(siteName.isEmpty ? "HowAlarming" : siteName): \(title)"), text: text, tone: .info,
            time: time)
    }

    private func title(_ event: Event, _ tone: Notice.Tone) -> String {
        let place = event.zoneName ?? event.zone.map { "zone \($0)" }
        let partition = event.partition.map { names.partition($0) ?? "partition \($0)" }
        let whereabouts = place ?? partition
        let word =
            switch tone {
            case .alarm: "ALARM"
            case .fault: "Trouble"
            case .recovery: "All well again"
            case .armed: "Armed"
            case .disarmed: "Disarmed"
            case .info: "News"
            }
        return whereabouts.map { "\(word), \($0)" } ?? word
    }

    private static func tone(_ type: EventType) -> Notice.Tone {
        switch type {
        case .alarm: .alarm
        case .fault, .unknown: .fault
        case .recovery: .recovery
        case .armed: .armed
        case .disarmed: .disarmed
        case .info, .command, .response: .info
        }
    }

    private static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
