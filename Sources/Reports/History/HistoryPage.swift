import AlarmModel
import CommandKit

/// A history as one file for a browser: HTML with pictures in it, without a script and without anything from elsewhere.
package struct HistoryPage {
    let report: HistoryReport
    private let words: HistoryWords

    package init(_ report: HistoryReport) {
        self.report = report
        words = HistoryWords(report: report)
    }

    package var text: String {
        var page = Markup()
        page.tag(
            """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
            <title>History of the house</title>
            <style>

            """)
        page.tag(Self.style)
        page.tag("</style></head><body>\n<h1>History of the house</h1>\n")
        for line in [words.head] + words.remarks { page.element("<p>", line, "</p>\n") }
        days(&page)
        zones(&page)
        outages(&page)
        told(&page)
        people(&page)
        page.tag("</body></html>\n")
        return page.text
    }

    private static let style: Markup.Tag = """
        :root{color-scheme:light dark;--ink:#1c2024;--paper:#fff;--line:#d0d4d9;--armed:#3b6fb6;--alarm:#c8102e;
        --fault:#d98200;--open:#2f7d4f;--unknown:#b4b8bd}
        @media (prefers-color-scheme:dark){:root{--ink:#e4e6e8;--paper:#16181b;--line:#3a3f45;--armed:#5f93da;
        --alarm:#ff5a6e;--fault:#ffb347;--open:#5fc48a;--unknown:#5a5f66}}
        @media print{:root{--ink:#000;--paper:#fff;--line:#bbb;--armed:#3b6fb6;--alarm:#c8102e;--fault:#d98200;
        --open:#2f7d4f;--unknown:#b4b8bd}svg,table,tr{break-inside:avoid}*{print-color-adjust:exact}}
        body{font:15px/1.4 sans-serif;color:var(--ink);background:var(--paper);max-width:60em;margin:1em auto;
        padding:0 1em}
        svg{width:100%;height:auto;display:block}
        text{font:11px sans-serif;fill:var(--ink)}
        .m{text-anchor:middle}.e{text-anchor:end}
        table{border-collapse:collapse;width:100%}
        th,td{text-align:left;vertical-align:top;padding:.2em .6em .2em 0;border-bottom:1px solid var(--line)}
        .armed{fill:var(--armed)}.unknown{fill:var(--unknown)}.alarm{fill:var(--alarm)}.fault{fill:var(--fault)}
        .few,.many{fill:var(--open)}.few{opacity:.55}.grid{fill:var(--line)}
        .h0,.h1,.h2,.h3,.h4{fill:var(--open)}.h0{opacity:.2}.h1{opacity:.4}.h2{opacity:.6}.h3{opacity:.8}
        .key path{stroke:none}.key svg{display:inline-block;width:1em;height:1em;vertical-align:-.1em}

        """

    private func table(_ head: [String], _ rows: [[String]], _ page: inout Markup) {
        page.tag("<table>\n")
        page.row(head, isHead: true)
        for row in rows { page.row(row) }
        page.tag("</table>\n")
    }

    // MARK: Days and zones

    private func days(_ page: inout Markup) {
        page.tag("<h2>Armed, alarms, openings, faults</h2>\n<p class=\"key\">")
        func key(_ box: Markup.Tag, _ meaning: String) {
            page.tag("<svg viewBox=\"0 0 10 10\">")
            page.path(box, [.init(x: 0, y: 0, width: 10, height: 10)])
            page.element("</svg> ", meaning, " &#160; ")
        }
        key("<path class=\"armed\"", "armed")
        key("<path class=\"unknown\"", "unknown: the panel or the box was away")
        key("<path class=\"few\"", "a zone opened")
        key("<path class=\"many\"", "several openings")
        key("<path class=\"fault\"", "fault")
        key("<path class=\"alarm\"", "alarm")
        page.tag("</p>\n")
        let drawing = HistoryDrawing(report)
        for lane in report.lanes {
            page.element("<h3>", words.title(lane), "</h3>\n")
            if let armed = words.armed(lane) { page.element("<p>", armed, "</p>\n") }
            drawing.days(lane, into: &page)
        }
    }

    private func zones(_ page: inout Markup) {
        page.tag("<h2>How often zones opened, by the hour of the day</h2>\n")
        if report.zones.isEmpty {
            page.tag("<p>No zone has moved, and none has a name.</p>\n")
        } else {
            HistoryDrawing(report).hours(into: &page)
        }
        page.tag("<h2>Detectors that are silent</h2>\n")
        if let remark = words.silentRemark { page.element("<p>", remark, "</p>\n") }
        if let silent = report.silent, !silent.isEmpty {
            table(["Zone", "Last heard of"], silent.map { [words.name($0), words.heard($0)] }, &page)
        }
    }

    // MARK: Outages

    private func outages(_ page: inout Markup) {
        page.tag("<h2>What was there, and outages</h2>\n")
        table(
            ["", "There", "Outages", "In all", "Longest"],
            report.sums.filter { $0.trouble.isWay }.map {
                [words.name($0.trouble, $0.about), words.share($0)] + figures($0)
            }, &page)
        page.tag("<h2>Outages, batteries, troubles</h2>\n")
        let troubles = report.sums.filter { !$0.trouble.isWay }
        if !troubles.isEmpty {
            table(["", "Times", "In all", "Longest"], troubles.map { [$0.trouble.words] + figures($0) }, &page)
        }
        if report.spans.isEmpty {
            page.tag("<p>None.</p>\n")
        } else {
            table(
                ["Since", "For", "What"],
                report.spans.map { [words.time($0.since), words.length($0), words.what($0)] }, &page)
        }
        if let remark = words.spansRemark { page.element("<p>", remark, "</p>\n") }
        if !report.usage.isEmpty {
            page.tag("<h2>Data of each link</h2>\n")
            page.element("<p>", HistoryWords.usageRemark, "</p>\n")
            table(["Link", "This month", "Last month"], report.usage.map { words.carried($0) }, &page)
        }
        guard !report.counts.isEmpty else { return }
        page.tag("<h2>Counted</h2>\n")
        page.element("<p>", HistoryWords.countsRemark, "</p>\n")
        table(["Times", "What"], report.counts.map { ["\($0.count)", $0.words] }, &page)
    }

    private func figures(_ sum: HistoryReport.Sum) -> [String] {
        sum.count == 0 ? ["0", "", ""] : ["\(sum.count)", Text.span(sum.total), Text.span(sum.longest)]
    }

    // MARK: People

    private func told(_ page: inout Markup) {
        page.tag("<h2>Alarms and tests, and when people had them</h2>\n")
        guard !report.told.isEmpty else { return page.tag("<p>None.</p>\n") }
        page.element("<p>", HistoryWords.toldRemark, "</p>\n<table>\n")
        page.row(["When", "What", "Who had it"], isHead: true)
        for told in report.told {
            page.element("<tr><td>", words.time(told.time) + words.mark(told), "</td>")
            page.element("<td>", words.message(told), "</td><td>")
            if told.deliveries.isEmpty { page.say(HistoryWords.nothingKept) }
            for delivery in told.deliveries {
                page.element("", "\(delivery.way): \(words.outcome(delivery))", "<br/>")
            }
            page.tag("</td></tr>\n")
        }
        page.tag("</table>\n")
    }

    private func people(_ page: inout Markup) {
        page.tag("<h2>Ways to people</h2>\n")
        if report.ways.isEmpty {
            page.tag("<p>No message to anybody is kept.</p>\n")
        } else {
            page.element("<p>", HistoryWords.waysRemark, "</p>\n")
            table(
                ["To", "On the phone", "Taken by its service", "Failed", "Waiting", "Mean", "Longest"],
                report.ways.map { way in
                    [
                        way.name, "\(way.received + way.seen)", "\(way.accepted)", "\(way.failed)", "\(way.waiting)",
                        HistoryWords.average(way), HistoryWords.longest(way),
                    ]
                }, &page)
        }
        page.tag("<h2>Who watched the box</h2>\n")
        page.element("<p>", report.watched.isEmpty ? HistoryWords.unwatched : HistoryWords.watchedRemark, "</p>\n")
        if !report.watched.isEmpty {
            table(["Who", "Month", "Signs", "Longest pause"], report.watched.map { words.watched($0) }, &page)
        }
        page.tag("<h2>Who was at work</h2>\n")
        page.element("<p>", HistoryWords.workRemark, "</p>\n")
        for (title, doings) in [
            ("Commands to the box", report.commands), ("Armed or disarmed at the panel", report.atPanel),
        ] where !doings.isEmpty {
            table([title, "Times"], doings.map { [$0.who, "\($0.count)"] }, &page)
        }
    }
}
