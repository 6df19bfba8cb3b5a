import AlarmModel
import ApplianceCore
import CommandKit
import PhoneLink

/// Sentences that text and page share. Names in them are printable, and not escaped yet.
struct HistoryWords {
    let report: HistoryReport

    func time(_ time: WallTime) -> String { String(report.rules.civilTime(at: time).text.prefix(16)) }
    func date(_ time: WallTime) -> String { report.rules.civilTime(at: time).date }

    /// `2026-11-21 06:05 to 2026-11-22 07:00 (lasts)`
    func title(_ lane: HistoryReport.Lane) -> String {
        guard let partition = lane.partition else { return "The house" }
        return lane.name.map { "\(Text.printable($0)) (partition \(partition))" } ?? "Partition \(partition)"
    }

    func armed(_ lane: HistoryReport.Lane) -> String? {
        guard lane.partition != nil else { return nil }
        guard lane.known > .zero else { return "Nothing is known of when it was armed." }
        let share = lane.armed.milliseconds * 100 / max(1, lane.known.milliseconds)
        return "Armed \(Text.count(lane.armings, "time")), \(Text.span(lane.armed)) in all: \(share) % of the time."
    }

    var head: String {
        "\(Text.count(report.dayCount, "day")), \(date(report.from)) to \(time(report.until)), by the house's clock."
    }

    var remarks: [String] {
        guard let begin = report.journalFrom else { return ["The journal is empty."] }
        var lines = ["\(Text.count(report.events, "event")) of the journal, which begins \(time(begin))."]
        if report.untrusted > 0 {
            lines.append("\(Text.count(report.untrusted, "event")) dated by a clock that was not trusted.")
        }
        if report.isMaintenance { lines.append("Maintenance is on: nobody is told of anything.") }
        return lines
    }

    func name(_ zone: HistoryReport.Zone) -> String {
        "\(zone.number)" + (zone.name.map { " \(Text.printable($0))" } ?? "")
    }

    func heard(_ zone: HistoryReport.Zone) -> String { zone.lastHeard.map(time) ?? "never" }

    static let silence = """
        Nothing came from these detectors for 30 days. Open or walk past each of them, and see whether the zones' screen \
        changes. Smoke detectors and buttons say nothing until they are tested: test them.
        """

    var silentRemark: String? {
        guard let silent = report.silent else { return "The journal is younger than 30 days: it is too early to say." }
        return silent.isEmpty ? "None: every detector was heard of within 30 days." : Self.silence
    }

    func share(_ sum: HistoryReport.Sum) -> String {
        guard let share = report.share(sum) else { return "unknown" }
        return "\(share / 100).\((share % 100).padded()) %"
    }

    func name(_ trouble: HistoryTrouble, _ subject: EventSubject?) -> String {
        switch subject {
        case nil: trouble.words
        case .link(let name): "\(trouble.words) \(Text.printable(name))"
        case .channel(let name): "\(trouble.words) \(ChannelKind(rawValue: name)?.words ?? Text.printable(name))"
        }
    }

    func what(_ span: HistoryReport.Span) -> String {
        let words = name(span.trouble, span.about)
        let kind = span.trouble.isWay ? "\(words): away" : words
        guard let zone = span.zone else { return kind }
        return "\(kind): \(zone)" + (span.zoneName.map { " \(Text.printable($0))" } ?? "")
    }

    func length(_ span: HistoryReport.Span) -> String {
        guard let until = span.until else { return "lasts" }
        return Text.span(until - span.since)
    }

    var spansRemark: String? {
        report.spansLeftOut == 0 ? nil : "\(report.spansLeftOut) older ones are only counted above."
    }

    func message(_ told: HistoryReport.Told) -> String {
        Text.fitted(Text.printable(told.message), to: 160) + (told.isMaintenance ? " [maintenance]" : "")
    }

    func mark(_ told: HistoryReport.Told) -> String { told.isTimeTrusted ? "" : "?" }

    func outcome(_ delivery: HistoryReport.Delivery) -> String {
        switch delivery.state {
        case .received: "on the phone after \(Self.short(delivery.after))"
        case .accepted: "taken by its service after \(Self.short(delivery.after))"
        case .seen: "seen after \(Self.short(delivery.after))"
        case .overdue: "taken by its service, NOT CONFIRMED by the phone"
        case .waiting: "STILL WAITING"
        case .dead: "GIVEN UP after \(Self.short(delivery.after))"
        case .expired: "NOT DELIVERED in its time"
        case .spared: "not needed: another way had it"
        }
    }

    static let toldRemark = """
        What became of a message is kept for 30 days. "On the phone" is the phone's own word; "taken" says only that a \
        service has it.
        """
    static let nothingKept = "to nobody, or longer ago than is kept"
    static let waysRemark = "Messages of the last 30 days by each way to people."
    static let watchedRemark = """
        Signs of life that were taken, by month (UTC). Whoever gets them notices when they stop. Of the month that \
        runs, those of the last hour may be missing. The pause is the longest one; a crash makes it up to an hour too long.
        """
    static let unwatched = """
        No sign of life is counted yet; the count is kept by the hour. While there is none, no phone, no service and no \
        alarm receiver notices when this box is dead: pair a phone, or set up heartbeat.url with a service that raises \
        an alert when the signs of life stop.
        """
    static let workRemark = """
        Who gave the box commands, and who armed and disarmed at the panel. Looking at a screen is written down nowhere.
        """
    static let usageRemark = """
        By month (UTC), both directions, of all that the box sends and hears, its tests of links included.
        """

    /// Who, month, how often, longest pause.
    func watched(_ watch: HistoryReport.Watch) -> [String] {
        [Text.printable(watch.who), watch.month, "\(watch.count)", Text.span(watch.longestGap)]
    }

    /// Name, this month, last month.
    func carried(_ usage: LinkUsage) -> [String] {
        let before = usage.monthBefore.map { "\(DataAmount($0))" }
        return [Text.printable(usage.name), "\(DataAmount(usage.total))", before ?? "unknown"]
    }

    static let countsRemark = "Of these the journal has the time, and only in words which person or phone it was."

    /// `0.4 s`, `12.0 s`, `3 min`
    static func short(_ span: Duration) -> String {
        guard span < .minutes(2) else { return Text.span(span) }
        let tenths = (span.milliseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }

    static func average(_ way: HistoryReport.Way) -> String { way.average.map(short) ?? "" }
    static func longest(_ way: HistoryReport.Way) -> String { way.longest.map(short) ?? "" }
}
