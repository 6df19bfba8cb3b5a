import CommandKit

/// What the self-test has found so far. It runs as the command of its own, so that nothing waits for it.
struct SelfTestScreen {
    var view: ConsoleView
    var width: Int

    var lines: [ConsoleLine] {
        lines(of: view.selfTest[...]) + (view.isSelfTestRunning ? [ConsoleLine("trying …")] : [])
    }

    func lines(of found: ArraySlice<String>) -> [ConsoleLine] {
        found.flatMap { line in
            let style: ConsoleLine.Style = line.hasPrefix("FAIL") ? .red : .plain
            let text = ConsoleHint.translated(Text.printable(line))
            // The command's own lines are 80 columns wide.
            return text.count <= width ? [ConsoleLine(text, style)] : ConsoleLine.wrapped(text, width: width, style)
        }
    }
}
