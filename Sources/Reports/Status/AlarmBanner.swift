package import AlarmModel
import CommandKit
import PanelLink

/// The alarms of the house in one line, for wherever people look.
package enum AlarmBanner {
    /// `ALARM Ground floor since 16:40:21: 3 Kitchen window`; nil: no partition is in alarm.
    package static func line(_ panel: PanelState?, now: WallTime, rules: TimeZoneRules) -> String? {
        let alarms = (panel?.partitions ?? []).filter(\.isInAlarm)
        guard let panel, !alarms.isEmpty else { return nil }
        let parts = alarms.map { partition in
            var text = Text.printable(partition.name ?? "partition \(partition.number)")
            if let incident = partition.openIncident, incident.isSinceTrusted {
                text += " since \(PhonesStatus.time(incident.since, now: now, rules: rules))"
            }
            let zones = partition.alarmZones.compactMap { panel.zone($0) }.map { ZoneText.name($0) }
            return zones.isEmpty ? text : "\(text): \(zones.joined(separator: ", "))"
        }
        return "ALARM " + parts.joined(separator: "; ")
    }
}

extension PanelState {
    /// Zones that are in alarm, and those that caused an alarm which goes on.
    package var zonesInAlarm: [ZoneState] {
        zones.filter { zone in
            zone.alarm.last == true
                || partitions.contains { $0.isInAlarm && $0.alarmZones.contains(zone.number) }
        }
    }
}
