import AlarmModel
import PanelLink
import Reports

/// The session with the module, and below it the lines of the link as they come.
struct PanelScreen {
    var view: ConsoleView
    var width: Int

    var lines: [ConsoleLine] { head + trace }

    private var head: [ConsoleLine] {
        guard let report = view.panel else {
            return [ConsoleLine(view.isDaemonHere ? "asking …" : "the daemon is away: nothing is known of the panel")]
        }
        // The counters are in `howalarming panel`: here is room for what is wrong.
        return PanelText.lines(report, now: view.now.boot).prefix { !$0.hasPrefix("Counted") }
            .flatMap { $0.count <= width ? [ConsoleLine($0)] : ConsoleLine.wrapped($0, width: width) }
    }

    private var trace: [ConsoleLine] {
        let lines = view.trace.map { ConsoleLine($0).fitted(to: width) }
        return [ConsoleLine("Trace, without codes: < from the panel, > to it").fitted(to: width)]
            + (lines.isEmpty ? [ConsoleLine("no line yet")] : lines)
    }
}
