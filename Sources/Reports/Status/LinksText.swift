import AlarmModel
package import ApplianceCore
import CommandKit
package import Uplinks

/// The links in words: at most 80 columns.
package enum LinksText {
    package static func lines(_ report: LinksReport) -> [String] {
        guard !report.links.isEmpty else {
            return ["No link is configured: the system's own routes are used. Name them in 'links' to have failover."]
        }
        var lines = [row("Link", "State", "For", "Score", "Answer", "This month")]
        for link in report.links {
            lines.append(
                row(
                    (link.isActive ? "* " : "  ") + Text.printable(link.name), word(link.state),
                    Text.span(report.now - link.since), "\(link.score)/\(link.scoreLimit)",
                    link.latency.map { Text.milliseconds($0) } ?? "-", month(link)))
            lines += details(link)
        }
        if let modem = report.modem { lines += self.modem(modem) }
        if let waiting = report.textsWaiting, waiting > 0 {
            lines.append("Texts       \(Text.count(waiting, "alarm")) that nobody has confirmed yet")
        }
        return lines
    }

    /// What of a report is worth showing it again; times and amounts alone are not.
    package static func marks(_ report: LinksReport) -> [String] {
        report.links.map { "\($0.name) \($0.state.rawValue) \($0.isActive) \($0.why ?? "") \($0.addresses)" }
            + [report.modem.map { "\($0.step) \($0.problem.map { "\($0)" } ?? "")" } ?? ""]
    }

    /// One line for `status`: which link is used, and how the others are.
    package static func summary(_ links: [LinkReport]) -> String {
        links.map { link in
            "\(Text.printable(link.name)) \(word(link.state))" + (link.isActive ? " (in use)" : "")
        }.joined(separator: ", ")
    }

    package static func word(_ state: LinkState) -> String {
        switch state {
        case .asleep: "asleep"
        case .absent: "absent"
        case .noCarrier: "no carrier"
        case .noAddress: "no address"
        case .connecting: "connecting"
        case .up: "up"
        case .suspect: "suspect"
        case .down: "DOWN"
        }
    }

    private static func row(
        _ name: String, _ state: String, _ since: String, _ score: String, _ answer: String, _ month: String
    ) -> String {
        let head = Text.cell(name, 14) + " " + Text.cell(state, 11) + " " + Text.cell(since, 13)
        return Text.trimmed(head + " " + Text.cell(score, 6) + " " + Text.cell(answer, 9) + " " + Text.cell(month, 22))
    }

    private static func month(_ link: LinkReport) -> String {
        let used = "\(DataAmount(link.bytesThisMonth))"
        return link.budget.map { "\(used) of \(DataAmount($0))" } ?? used
    }

    private static func details(_ link: LinkReport) -> [String] {
        var words = [link.interface ?? "no interface yet"]
        words += link.addresses.map(\.description)
        if link.isMetered { words.append("metered") }
        if !link.isActive {
            // Where nothing is counted nobody needs to know.
            let cost = link.isMetered ? ", about \(DataAmount(link.standbyBytesPerMonth)) a month" : ""
            words.append("\(link.standby.rawValue) standby\(cost)")
        }
        let indent = String(repeating: " ", count: 4)
        var lines = Text.wrapped(Text.printable(words.joined(separator: ", ")), width: 80, label: indent)
        if let why = link.why { lines += Text.wrapped(Text.printable(why), width: 80, label: indent) }
        return lines
    }

    private static func modem(_ modem: ModemReport) -> [String] {
        var words = [modem.step.description]
        if let status = modem.status {
            if let name = status.operatorName { words.append(name) }
            words.append("\(status.registration)")
            if status.access != .unknown { words.append("\(status.access)") }
            if let signal = status.signal { words.append("signal \(signal) %") }
            if !status.name.isEmpty { words.append(status.name) }
        }
        if modem.resets > 0 { words.append("restarted \(modem.resets) times within a day") }
        var lines = Text.wrapped(Text.printable(words.joined(separator: ", ")), width: 80, label: "Modem       ")
        if let problem = modem.problem {
            lines += Text.wrapped(
                Text.printable("\(problem); \(problem.remedy)"), width: 80, label: "            ")
        }
        return lines
    }
}
