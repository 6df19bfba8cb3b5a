import AlarmModel
import ApplianceCore
import CommandKit
import PhoneLink
import Reports

/// The phones and the channels to them.
struct PhonesScreen {
    var view: ConsoleView
    var width: Int

    var lines: [ConsoleLine] {
        guard let report = view.status?.phones else {
            return ConsoleLine.wrapped("the daemon is away: nothing is known of the phones", width: width)
        }
        let status = PhonesStatus(report: report, now: view.now.wall, rules: view.rules)
        var lines = ConsoleLine.wrapped(
            status.connection, width: width, label: "Service  ",
            report.connection == .channel(.ready) ? .plain : .yellow)
        if let problem = status.problem { lines += wrap("Problem", problem, .yellow) }
        if let warning = status.legacyWarning { lines += wrap("Warning", warning, .yellow) }
        for channel in report.channels where report.channels.count > 1 || channel.kind != "ccs" {
            var words = channel.phase.rawValue
            if channel.waiting > 0 { words += ", \(channel.waiting) waiting" }
            if let problem = channel.problem { words += "; \(Text.printable(problem))" }
            lines += wrap(Text.printable(channel.kind), words, channel.problem == nil ? .plain : .yellow)
        }
        if let pairing = report.pairing { lines += wrap("Pairing", Text.printable(pairing), .yellow) }
        lines.append(ConsoleLine(""))
        if report.entries.allSatisfy({ $0.level == .house }) {
            lines += ConsoleLine.wrapped("no phone yet: pair one from the menu (M)", width: width)
        }
        for entry in report.entries { lines += self.lines(of: entry) }
        if report.waiting + report.overdue + report.dead + report.expired > 0 {
            var text = "Messages: \(report.waiting) waiting, \(report.overdue) overdue, "
            text += "\(report.dead) given up, \(report.expired) expired"
            lines += ConsoleLine.wrapped(text, width: width, report.overdue > 0 ? .red : .plain)
        }
        return lines
    }

    private func wrap(_ title: String, _ text: String, _ style: ConsoleLine.Style) -> [ConsoleLine] {
        ConsoleLine.wrapped(text, width: width, label: Text.padded(title, to: 9), style)
    }

    private func lines(of entry: PhonesReport.Entry) -> [ConsoleLine] {
        var words = "\(Text.printable(entry.name))"
        if let person = entry.person { words += ", of \(Text.printable(person))" }
        if !entry.roles.isEmpty { words += ": \(entry.roles.joined(separator: ","))" }
        var remarks = [PhonesStatus.delivery(entry, now: view.now.wall, rules: view.rules)]
        if entry.waiting > 0 { remarks.append("\(entry.waiting) waiting") }
        if entry.overdue > 0 { remarks.append("\(entry.overdue) OVERDUE") }
        if let passkey = entry.passkey { remarks.append("passkey of \(Text.printable(passkey.words))") }
        if let note = entry.note { remarks.append(Text.printable(note)) }
        if let error = entry.lastError { remarks.append("last error: \(Text.printable(error))") }
        return [ConsoleLine(words, entry.overdue > 0 ? .red : .plain).fitted(to: width)]
            + ConsoleLine.wrapped(remarks.joined(separator: "; "), width: width, label: "  ")
    }
}
