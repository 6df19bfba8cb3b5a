import AlarmModel
import PhoneLink
import PhoneProtocol

/// An event in words, for those who have no app of ours.
struct NoticeText {
    var siteName: String
    var names: SiteNames

    /// - Parameter partitions: as they are now: nothing that ends is told as if all were well while one is in alarm
    func notice(_ event: Event, partitions: [PartitionState]) -> Notice {
        var tone = Self.tone(event)
        var text = event.message
        if event.panelNotice == .entryDelay {
            text += ". Somebody has come in. If the partition is not disarmed now, the alarm follows."
        }
        if tone == .recovery, let number = Self.inAlarm(partitions, first: event.partition) {
            tone = .alarm
            text +=
                "\(text.hasSuffix(".") ? "" : ".") \(names.partition(number) ?? "Partition \(number)") is still in alarm."
        }
        return Notice(
            title: Self.line("\(siteName.isEmpty ? "HowAlarming" : siteName): \(title(event, tone))"),
            text: Self.line(text), tone: tone, time: event.time)
    }

    /// A partition whose last known status is an alarm; `first` goes before the others.
    private static func inAlarm(_ partitions: [PartitionState], first: Int?) -> Int? {
        let numbers = partitions.filter { partition in
            if case .alarm = partition.status.last { true } else { false }
        }.map(\.number)
        return numbers.first { $0 == first } ?? numbers.first
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
            case .alarm: event.type == .alarm ? "ALARM" : "ALARM STILL ON"
            case .fault: event.panelNotice == .entryDelay ? "Entry delay" : "Trouble"
            case .recovery: "Restored"
            case .armed: event.panelNotice == .automaticArming ? "About to arm" : "Armed"
            case .disarmed: "Disarmed"
            case .info: event.panelNotice == .installerMode ? "Installer mode" : "News"
            }
        return whereabouts.map { "\(word), \($0)" } ?? word
    }

    private static func tone(_ event: Event) -> Notice.Tone {
        switch event.panelNotice {
        case .entryDelay: return .fault
        case .automaticArming, .armedWithBypass: return .armed
        case .installerMode, nil: break
        }
        return switch event.type {
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
