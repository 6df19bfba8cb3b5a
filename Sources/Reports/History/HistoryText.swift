import AlarmModel
import CommandKit

/// A history as lines of at most 80 columns, for a terminal.
package struct HistoryText {
    let report: HistoryReport
    private let words: HistoryWords
    private static let width = 80
    /// Days that are drawn; the page draws all.
    static let mostDays = 31
    private static let shades: [Character] = [".", ":", "-", "=", "+", "*", "#", "@"]

    package init(_ report: HistoryReport) {
        self.report = report
        words = HistoryWords(report: report)
    }

    package var lines: [String] {
        var lines = ["HISTORY OF THE HOUSE", words.head] + words.remarks
        section("ARMED, ALARMS, OPENINGS, FAULTS", days, &lines)
        section("HOW OFTEN ZONES OPENED, BY THE HOUR", hours, &lines)
        section("DETECTORS THAT ARE SILENT", silent, &lines)
        section("WHAT WAS THERE, AND OUTAGES", ways, &lines)
        section("OUTAGES, BATTERIES, TROUBLES", spans, &lines)
        section("DATA OF EACH LINK", usage, &lines)
        section("COUNTED", counts, &lines)
        section("ALARMS AND TESTS, AND WHEN PEOPLE HAD THEM", told, &lines)
        section("WAYS TO PEOPLE", messages, &lines)
        section("WHO WATCHED THE BOX", watched, &lines)
        section("WHO WAS AT WORK", doings, &lines)
        return lines.map(Text.trimmed)
    }

    private func section(_ title: String, _ body: [String], _ lines: inout [String]) {
        if !body.isEmpty { lines += ["", title, ""] + body }
    }

    private func wrapped(_ text: String, label: String = "") -> [String] {
        Text.wrapped(text, width: Self.width, label: label)
    }

    // MARK: Days

    private static let label = 15

    private var days: [String] {
        var lines = ["A armed  - disarmed  ? unknown  ! alarm  x fault  : zones opened  # many"]
        let first = max(0, report.dayCount - Self.mostDays)
        if first > 0 { lines.append("The last \(Self.mostDays) days; the page (--html FILE) shows all of them.") }
        for lane in report.lanes {
            lines += ["", words.title(lane)] + (words.armed(lane).map { [$0] } ?? [])
            lines.append(
                String(repeating: " ", count: Self.label)
                    + stride(from: 0, to: 24, by: 3).map { Text.padded($0.padded(), to: 6) }.joined())
            for day in first..<lane.days.count { lines.append(line(lane.days, day)) }
        }
        return lines
    }

    /// Half an hour a letter.
    private func line(_ days: HistoryDays, _ day: Int) -> String {
        let date = CivilTime(secondsSince1970: (days.first + Int64(day)) * 86_400, offset: 0)
        let name = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][date.weekday - 1]
        let letters = stride(from: 0, to: HistoryDays.slotsADay, by: 2).map { slot in
            Self.letter(days.slot(day, slot), days.slot(day, slot + 1))
        }
        return Text.padded("\(name) \(date.date)", to: Self.label) + String(letters)
    }

    private typealias Slot = (state: HistoryDays.State, hasAlarm: Bool, hasFault: Bool, openings: Int)

    private static func letter(_ a: Slot, _ b: Slot) -> Character {
        if a.hasAlarm || b.hasAlarm { return "!" }
        if a.hasFault || b.hasFault { return "x" }
        if a.state == .armed || b.state == .armed { return "A" }
        let openings = a.openings + b.openings
        if openings > 0 { return openings < 10 ? ":" : "#" }
        let state = a.state.rawValue > b.state.rawValue ? a.state : b.state
        switch state {
        case .armed: return "A"
        case .disarmed: return "-"
        case .unknown: return "?"
        case .blank: return " "
        }
    }

    // MARK: Zones

    private static let zoneName = 25

    private var hours: [String] {
        guard !report.zones.isEmpty else { return ["No zone has moved, and none has a name."] }
        let most = report.zones.flatMap(\.byHour).max() ?? 0
        var lines = ["\(String(Self.shades)) from few to many (\(most) in one hour of the day)", ""]
        lines.append(
            Text.padded("", to: Self.zoneName)
                + stride(from: 0, to: 24, by: 6).map { Text.padded($0.padded(), to: 6) }.joined()
                + " opened  last heard of")
        for zone in report.zones {
            let shades = zone.byHour.map { count -> Character in
                count == 0 ? " " : Self.shades[(count * Self.shades.count - 1) / max(1, most)]
            }
            lines.append(
                Text.cell(words.name(zone), Self.zoneName - 1) + " " + String(shades)
                    + Text.rightAligned("\(zone.opened)", to: 7) + "  " + words.heard(zone))
        }
        return lines
    }

    private var silent: [String] {
        let zones = (report.silent ?? []).map { "  \(words.name($0)), last heard of: \(words.heard($0))" }
        return (words.silentRemark.map { wrapped($0) } ?? []) + zones.flatMap { wrapped($0, label: "  ") }
    }

    // MARK: Outages

    private func row(_ name: String, _ cells: [String]) -> String {
        Text.cell(name, 35) + cells.map { Text.rightAligned($0, to: 13) }.joined()
    }

    private var ways: [String] {
        var lines = [row("", ["there", "outages", "longest"])]
        for sum in report.sums where sum.trouble.isWay {
            lines.append(
                row(
                    words.name(sum.trouble, sum.about),
                    [words.share(sum), "\(sum.count)", sum.count == 0 ? "" : Text.span(sum.longest)]))
        }
        return lines
    }

    private var spans: [String] {
        guard !report.spans.isEmpty else { return ["None."] }
        var lines: [String] = []
        for span in report.spans {
            let length = Text.padded(words.length(span), to: 14)
            lines += wrapped(words.what(span), label: "\(words.time(span.since))  \(length)")
        }
        return lines + (words.spansRemark.map { ["", $0] } ?? [])
    }

    private var usage: [String] {
        guard !report.usage.isEmpty else { return [] }
        return wrapped(HistoryWords.usageRemark) + ["", row("", ["this month", "last month"])]
            + report.usage.map { usage in
                let cells = words.carried(usage)
                return row(cells[0], Array(cells[1...]))
            }
    }

    private var counts: [String] {
        guard !report.counts.isEmpty else { return [] }
        return report.counts.map { Text.rightAligned("\($0.count)", to: 6) + "  \($0.words)" } + [""]
            + wrapped(HistoryWords.countsRemark)
    }

    // MARK: People

    private var told: [String] {
        guard !report.told.isEmpty else { return ["None."] }
        var lines = wrapped(HistoryWords.toldRemark) + [""]
        for told in report.told {
            lines += wrapped(words.message(told), label: Text.padded(words.time(told.time) + words.mark(told), to: 18))
            if told.deliveries.isEmpty { lines.append("    \(HistoryWords.nothingKept)") }
            for delivery in told.deliveries {
                lines += wrapped("\(Text.printable(delivery.way)): \(words.outcome(delivery))", label: "    ")
            }
        }
        return lines
    }

    private var messages: [String] {
        guard !report.ways.isEmpty else { return ["No message to anybody is kept."] }
        func line(_ name: String, _ cells: [String]) -> String {
            Text.cell(name, 30) + cells.map { Text.rightAligned($0, to: 8) }.joined()
        }
        return wrapped(HistoryWords.waysRemark) + [
            "", line("", ["there", "taken", "failed", "waiting", "mean", "longest"]),
        ]
            + report.ways.map { way in
                line(
                    Text.printable(way.name),
                    [
                        "\(way.received + way.seen)", "\(way.accepted)", "\(way.failed)", "\(way.waiting)",
                        HistoryWords.average(way), HistoryWords.longest(way),
                    ])
            }
    }

    private var watched: [String] {
        guard !report.watched.isEmpty else { return wrapped(HistoryWords.unwatched) }
        return wrapped(HistoryWords.watchedRemark) + ["", row("", ["month", "signs", "pause"])]
            + report.watched.map { watch in
                let cells = words.watched(watch)
                return row(cells[0], Array(cells[1...]))
            }
    }

    private var doings: [String] {
        func list(_ title: String, _ doings: [HistoryReport.Doing]) -> [String] {
            doings.isEmpty
                ? []
                : ["", title]
                    + doings.flatMap {
                        wrapped(Text.printable($0.who), label: Text.rightAligned("\($0.count)", to: 6) + "  ")
                    }
        }
        return wrapped(HistoryWords.workRemark) + list("Commands to the box", report.commands)
            + list("Armed or disarmed at the panel", report.atPanel)
    }
}
