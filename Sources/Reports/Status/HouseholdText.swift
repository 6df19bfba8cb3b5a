package import AlarmModel
package import ApplianceCore
import CommandKit

/// Who is at home, and what the schedule is about to do.
package enum HouseholdText {
    package static func presence(_ report: PresenceReport) -> String {
        let topic = Text.printable(report.topic)
        return switch report.presence {
        case .home: "somebody, says \(topic)"
        case .notHome: "nobody, says \(topic)"
        case .unknown: "not known: neither home nor not_home was heard at \(topic)"
        }
    }

    /// - Parameter armings: one at least
    package static func schedule(
        _ armings: [RemindersRecord.Arming], in panel: PanelState, rules: TimeZoneRules
    ) -> String {
        let words = armings.map { arming in
            let name = panel.partition(arming.partition)?.name ?? "partition \(arming.partition)"
            return "\(Text.printable(name)) at \(rules.civilTime(at: arming.at).time.prefix(5))"
        }
        return "arms \(words.joined(separator: ", "))"
    }
}
