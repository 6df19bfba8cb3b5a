import AlarmModel
import CommandKit
import Reports

/// The last day as a picture.
struct TimelineScreen {
    var view: ConsoleView
    var width: Int

    var lines: [ConsoleLine] {
        let day = DayTimeline(events: view.events, panel: view.panelState, now: view.now.wall, rules: view.rules)
        return day.lines(width: width).map { line in
            ConsoleLine(line.text, line.hasAlarm ? .red : .plain).fitted(to: width)
        }
    }
}
