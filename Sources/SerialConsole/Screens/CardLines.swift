import Card
import CommandKit

/// What the last start found on the owner's card.
struct CardLines {
    var report: CardReport
    var width: Int

    private var style: ConsoleLine.Style { report.inForce == .none ? .red : .yellow }

    /// For the overview: nothing when all is well, else what holds, the first errors and what to do.
    ///
    /// - Parameter label: the width of the column of titles
    func short(label: Int) -> [ConsoleLine] {
        guard !report.errors.isEmpty else { return [] }
        let most = width < 60 ? 1 : 2
        var lines = wrap(Text.padded("Card", to: label), report.summary, style)
        let blank = Text.padded("", to: label)
        if report.inForce == .none { lines += wrap(blank, "Press G here and answer a few questions.", .yellow) }
        for problem in report.errors.prefix(most) { lines += wrap(blank, problem.sentence, style) }
        let more = report.errors.count - most
        if more > 0 {
            lines += wrap(blank, "and \(more) more: all are on screen \(ConsoleScreen.network.rawValue)", style)
        }
        if let remedy = report.remedy {
            lines += wrap(blank, (report.inForce == .none ? "Or: " : "") + remedy, .plain)
        }
        if report.inForce == .none {
            lines += wrap(blank, "Is there a backup of the house on a USB stick? Key B brings it back.", .plain)
        }
        return lines
    }

    /// Everything, warnings, too.
    var all: [ConsoleLine] {
        var lines = wrap("Card     ", report.summary, report.errors.isEmpty ? .plain : style)
        for problem in report.problems {
            lines += wrap(
                "  ", (problem.isError ? "" : "to be known: ") + problem.sentence, problem.isError ? style : .plain)
        }
        if let remedy = report.remedy { lines += wrap("  ", remedy, .plain) }
        return lines
    }

    private func wrap(_ label: String, _ text: String, _ style: ConsoleLine.Style) -> [ConsoleLine] {
        ConsoleLine.wrapped(Text.printable(text), width: width, label: label, style)
    }
}
