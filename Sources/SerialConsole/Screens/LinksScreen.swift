import AlarmModel
import ApplianceCore
import CommandKit
import Reports
import Uplinks

/// The links with their scores.
struct LinksScreen {
    var view: ConsoleView
    var width: Int

    var lines: [ConsoleLine] {
        guard let report = view.links else {
            return [ConsoleLine(view.isDaemonHere ? "asking …" : "the daemon is away: nothing is known of the links")]
                .map { $0.fitted(to: width) }
        }
        guard width < 80, !report.links.isEmpty else {
            return LinksText.lines(report).flatMap {
                $0.count > width ? ConsoleLine.wrapped($0, width: width) : [ConsoleLine($0)]
            }
        }
        return report.links.flatMap { narrow($0, at: report.now) }
    }

    private func narrow(_ link: LinkReport, at now: BootTime) -> [ConsoleLine] {
        var head = "\(link.isActive ? "* " : "  ")\(Text.printable(link.name)) \(LinksText.word(link.state))"
        head += " \(link.score)/\(link.scoreLimit), \(Text.span(now - link.since))"
        var words = [link.interface ?? "no interface yet"] + link.addresses.map(\.description)
        if let why = link.why { words.append(why) }
        return [ConsoleLine(head, link.state == .down ? .red : .plain).fitted(to: width)]
            + ConsoleLine.wrapped(Text.printable(words.joined(separator: ", ")), width: width, label: "    ")
    }
}
