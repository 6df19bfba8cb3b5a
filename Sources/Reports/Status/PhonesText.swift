package import AlarmModel
package import ApplianceCore
import CommandKit
import PhoneLink

/// `phones list`.
package struct PhonesText {
    var report: PhonesReport
    var now: WallTime
    var rules: TimeZoneRules

    package init(report: PhonesReport, now: WallTime, rules: TimeZoneRules) {
        self.report = report
        self.now = now
        self.rules = rules
    }

    private static let width = 80
    private static let label = 12

    package var lines: [String] {
        let status = PhonesStatus(report: report, now: now, rules: rules)
        var lines = Text.wrapped(
            status.connection, width: Self.width, label: Text.padded("Push service", to: Self.label + 1))
        if let problem = status.problem { lines += wrapped("Problem", problem) }
        if let warning = status.legacyWarning { lines += wrapped("Warning", warning) }
        for channel in report.channels where report.channels.count > 1 || channel.kind != "ccs" {
            lines += self.lines(of: channel)
        }
        if let pairing = report.pairing { lines += wrapped("Pairing", Text.printable(pairing)) }
        if !report.entries.isEmpty {
            lines += ["", row("Phone", "Of", "May", "Last message")]
            for entry in report.entries { lines += self.lines(of: entry) }
        }
        if report.entries.allSatisfy({ $0.level == .house }) {
            lines += ["", "no phone yet; pair one with \(Hint.pair.with("--person NAME"))"]
            if report.channels.contains(where: { $0.kind == "ntfy" }) {
                lines.append("for the app ntfy from a store, with --ntfy and --name behind it")
            }
        }
        lines += pendingLines
        if report.waiting + report.overdue + report.dead + report.expired > 0 { lines += ["", counts] }
        if !report.rejected.isEmpty {
            let kinds = report.rejected.map { "\(Text.printable($0.kind)) \($0.count)" }
            lines += Text.wrapped(kinds.joined(separator: ", "), width: Self.width, label: "Dropped input: ")
        }
        return lines
    }

    private func lines(of channel: PhonesReport.Channel) -> [String] {
        var words = channel.phase.rawValue
        if let time = channel.lastAccepted {
            words += ", last message \(PhonesStatus.time(time, now: now, rules: rules))"
        }
        if channel.waiting > 0 { words += ", \(channel.waiting) waiting" }
        if let problem = channel.problem { words += "; \(Text.printable(problem))" }
        return wrapped("  \(Text.printable(channel.kind))", words)
    }

    private func wrapped(_ label: String, _ text: String) -> [String] {
        Text.wrapped(text, width: Self.width, label: Text.padded(label, to: Self.label + 1))
    }

    private func row(_ name: String, _ person: String, _ may: String, _ last: String) -> String {
        Text.trimmed(Text.cell(name, 18) + " " + Text.cell(person, 12) + " " + Text.cell(may, 21) + " " + last)
    }

    private func lines(of entry: PhonesReport.Entry) -> [String] {
        let kind =
            switch entry.level {
            case .legacy: "original app"
            case .house: "the house"
            case .app, .account, .topic: entry.person.map(Text.printable) ?? "nobody"
            }
        var lines = [
            row(
                Text.printable(entry.name), kind, entry.roles.joined(separator: ","),
                report.connection == .noDaemon
                    ? "not known" : PhonesStatus.delivery(entry, now: now, rules: rules))
        ]
        var remarks: [String] = []
        if entry.waiting > 0 { remarks.append("\(entry.waiting) waiting") }
        if entry.overdue > 0 { remarks.append("\(entry.overdue) OVERDUE") }
        if let heard = entry.lastHeard {
            remarks.append("heard \(PhonesStatus.time(heard, now: now, rules: rules))")
        }
        if let passkey = entry.passkey { remarks.append("passkey of \(Text.printable(passkey.words))") }
        if let note = entry.note { remarks.append(Text.printable(note)) }
        if let error = entry.lastError { remarks.append("last error: \(Text.printable(error))") }
        let id = "  " + Text.printable(entry.id)
        lines +=
            remarks.isEmpty
            ? [id] : Text.wrapped(remarks.joined(separator: "; "), width: Self.width, label: Text.padded(id, to: 19))
        return lines
    }

    /// Tokens are not cut: they are to be copied.
    private var pendingLines: [String] {
        guard !report.pendingTokens.isEmpty else { return [] }
        return ["", "Original apps that ask to be let in (\(Hint.approve.with("TOKEN"))):"]
            + report.pendingTokens.map { "  " + Text.printable($0) }
    }

    private var counts: String {
        var text = "Messages: \(report.waiting) waiting, \(report.overdue) overdue, \(report.dead) given up, "
        text += "\(report.expired) expired"
        return report.dead > 0 ? text + "; see \(Hint.dead)" : text
    }
}
