import AlarmModel
import ApplianceCore
import CommandKit
import Reports
import SoftwareUpdate

/// Versions, since when they run, and what can be installed.
struct SoftwareScreen {
    var view: ConsoleView
    var width: Int

    var lines: [ConsoleLine] {
        var lines: [ConsoleLine] = []
        func add(_ title: String, _ text: String, _ style: ConsoleLine.Style = .plain) {
            lines += ConsoleLine.wrapped(text, width: width, label: Text.padded(title, to: 9), style)
        }
        add("Console", "\(Product.name) \(Product.version)")
        add(
            "Daemon",
            view.status.map { "\(Text.printable($0.version)), up \(Text.span($0.uptime))" } ?? "away")
        add("Kernel", Text.printable(view.machine.kernel))
        add("Machine", "up \(Text.span(view.machine.uptime))")
        if let total = view.machine.totalBytes, let free = view.machine.freeBytes {
            add("Storage", "\(free / 1_048_576) of \(total / 1_048_576) MB free")
        }
        if let slots = view.software.slots {
            for (index, line) in slots.lines.enumerated() { add(index == 0 ? "Slots" : "", Text.printable(line)) }
        } else {
            add("Slots", "none known on this machine")
        }
        if let updates = view.status?.updates {
            add("Offered", UpdatesText.line(updates), updates.problem == nil ? .plain : .yellow)
        }
        if view.software.isStickPlugged {
            add("Stick", "plugged in: key U installs a version from it, key B backs up and brings back")
        }
        if let status = view.software.status {
            let percent = status.phase.isOver ? "" : ", \(status.percent) %"
            add("Update", "\(status.phase.rawValue)\(percent): \(Text.printable(status.message))", style(status.phase))
        }
        return lines
    }

    private func style(_ phase: UpdateStatus.Phase) -> ConsoleLine.Style {
        switch phase {
        case .checking, .writing, .readingBack: .plain
        case .done: .green
        case .refused, .failed: .red
        }
    }
}
