import AlarmModel
import PanelLink

/// Nobody home, and not armed. The span is that of both together without a break; it is told once for each absence, and
/// again only after somebody was home or the partition was armed meanwhile.
extension Reminders {
    /// What is said of who is at home. Nothing is armed or disarmed by it.
    mutating func heard(_ presence: Presence) {
        self.presence = presence
        switch presence {
        case .notHome: break
        case .home: absences = Lasting()
        case .unknown: absences.breakOff()
        }
    }

    mutating func lookAtAbsence(_ settings: ReminderSettings, _ step: inout Step) {
        guard let span = settings.nobodyHome else { return absences = Lasting() }
        let presence = presence
        let due = absences.look(
            at: settings.notArmed?.partitions ?? step.configuration.panel.partitions, for: span, at: step.now.boot
        ) { Self.isLeftDisarmed($0, presence, step) }
        for partition in due {
            step.remind(
                .reminderNobodyHome,
                "\(step.place(partition)) is not armed, and nobody has been home for \(span.words)",
                partition: partition)
        }
    }

    func absenceDeadline(_ settings: ReminderSettings, _ step: Step) -> BootTime? {
        absences.nextDeadline(settings.nobodyHome) { Self.isLeftDisarmed($0, presence, step) }
    }

    private static func isLeftDisarmed(_ partition: Int, _ presence: Presence, _ step: Step) -> Bool? {
        guard let status = step.panel.partition(partition)?.status.current else { return nil }
        guard status.isDisarmed else { return false }
        return presence == .notHome ? true : nil
    }
}
