import AlarmModel
import Card
import CommandKit
import Platform

/// What came of the last backup that was to be brought back from a stick, until somebody has read it.
struct RestoreLines {
    var report: RestoreReport
    var rules: TimeZoneRules
    var width: Int

    /// For the overview: what became of it, which file, why, and what to do next.
    ///
    /// - Parameter label: the width of the column of titles
    func lines(label: Int) -> [ConsoleLine] {
        let blank = Text.padded("", to: label)
        func wrap(_ label: String, _ text: String, _ style: ConsoleLine.Style = .plain) -> [ConsoleLine] {
            ConsoleLine.wrapped(Text.printable(text), width: width, label: label, style)
        }
        return wrap(
            Text.padded("Restore", to: label), "\(verdict), \(rules.civilTime(at: report.time).text)", style)
            + (report.file.isEmpty ? [] : wrap(blank, report.file)) + wrap(blank, text, style) + wrap(blank, next)
    }

    /// Once it is over.
    static let readItem = ConsoleChoice.Item(
        key: "k", label: "I have read what came of the backup", target: .restoreRead)

    private var style: ConsoleLine.Style {
        switch report.state {
        case .failed: .red
        case .begun, .prepared, .waiting: .yellow
        case .restored: .green
        }
    }

    private var verdict: String {
        switch report.state {
        case .begun: "begun"
        case .prepared: "the backup is good"
        case .waiting: "NOT IN PLACE YET"
        case .failed: "NOT BROUGHT BACK"
        case .restored: "brought back"
        }
    }

    private var text: String {
        switch report.state {
        case .begun: "It is being read and checked. Nothing is changed yet."
        case .prepared: "The next start of the daemon puts it in place."
        case .waiting:
            "\(report.why) The journal of before goes on; of phones and keys some may be the backup's already."
        case .failed: "\(report.why) Nothing was changed: what was on the box before holds."
        case .restored:
            "Phones, people, events and the PIN are those of then. What happened after the backup is not in it. The phones "
                + "hear of alarms; none may act yet."
        }
    }

    private var next: String {
        switch report.state {
        case .begun: "This takes minutes at most. What comes of it stands here."
        case .prepared:
            "The box restarts for that; if it does not, press R. If the daemon does not start then, see below why."
        case .waiting: "Mend that, then press R: each start tries again."
        case .failed: "Press B to try again. K: I have read this."
        case .restored:
            "Look at the phones (5). Press F: revoke what is not yours, and let each of the others act again (L). K: I have "
                + "read this."
        }
    }
}
