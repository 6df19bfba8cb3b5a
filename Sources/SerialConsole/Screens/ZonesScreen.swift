import AlarmModel
import CommandKit
import Reports

/// Every zone that has a name, or that is open or in alarm.
struct ZonesScreen {
    var view: ConsoleView
    var width: Int

    var lines: [ConsoleLine] {
        guard let panel = view.panelState else { return [ConsoleLine("nothing is known of the panel yet")] }
        let zones = ZonesText.shown(panel.zones)
        guard !zones.isEmpty else {
            return ConsoleLine.wrapped(
                "No zone has a name, and none is open. Names stand in howalarming.yaml, under zones:.", width: width)
        }
        let rows = zones.map { zone in
            let row = ZonesText.row(zone)
            return ConsoleLine(row.text, ConsoleLine.Style(row.paint)).fitted(to: width)
        }
        return rows + [ConsoleLine(""), ConsoleLine("Z bypasses a zone, or ends its bypass.").fitted(to: width)]
    }
}
