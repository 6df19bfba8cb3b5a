import AlarmModel
import ApplianceCore

/// Versions, and since when they run.
struct SoftwareScreen {
    var view: ConsoleView
    var width: Int

    var lines: [ConsoleLine] {
        var lines: [ConsoleLine] = []
        func add(_ title: String, _ text: String) {
            lines += ConsoleLine.wrapped(text, width: width, label: Text.padded(title, to: 9))
        }
        add("Console", "\(Product.name) \(Product.version)")
        add(
            "Daemon",
            view.status.map { "\(Text.printable($0.version)), up \(Text.span($0.uptime))" } ?? "away")
        add("Kernel", Text.printable(view.machine.kernel))
        add("Machine", "up \(Text.span(view.machine.uptime))")
        add("Slots", "unknown")
        if let total = view.machine.totalBytes, let free = view.machine.freeBytes {
            add("Storage", "\(free / 1_048_576) of \(total / 1_048_576) MB free")
        }
        return lines
    }
}
