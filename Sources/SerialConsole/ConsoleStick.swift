import AlarmModel
import ApplianceCore
import Card
import CommandKit

/// What a console has done with a USB stick.
enum ConsoleStick: Equatable, Sendable {
    /// To find what can be chosen from it.
    case look(for: StickReport.Item.Kind)
    case backup(passphrase: Secret)
    case restore(file: String, passphrase: Secret)
    case journal, support, pictures, history

    var task: StickRequest.Task {
        switch self {
        case .look: .look
        case .backup(let passphrase): .backup(passphrase: passphrase)
        case .restore(let file, let passphrase): .restore(file: file, passphrase: passphrase)
        case .journal: .journal
        case .support: .support
        case .pictures: .pictures
        case .history: .history
        }
    }

    /// nil: it changes nothing, so that nothing is asked.
    var question: String? {
        switch self {
        case .look: nil
        case .backup: "Save everything on the stick, sealed with the passphrase?"
        case .restore(let file, _):
            "Bring \(Text.printable(file)) back? What is on the box now is replaced, and the box RESTARTS: for a minute or two nobody watches the panel."
        case .journal: "Copy the journal to the stick? ANYBODY WHO HAS THE STICK can read it."
        case .pictures:
            "Copy the pictures of the cameras to the stick? ANYBODY WHO HAS THE STICK can look at them."
        case .history: "Write the history of the last year to the stick? ANYBODY WHO HAS THE STICK can read it."
        case .support: "Pack a support archive onto the stick? It holds what happened in the house, and no passwords."
        }
    }

    /// Also on a box that has no configuration yet, where there is no PIN to ask for and nothing to lose.
    var fitsEmptyBox: Bool {
        switch self {
        case .look(let kind): kind == .backup
        case .restore: true
        case .backup, .journal, .support, .pictures, .history: false
        }
    }
}

/// Sticks: they are mounted for one task and let go; what came of it is in a report.
extension ConsoleSession {
    /// What the report of which is waited for.
    struct StickWait: Equatable, Sendable {
        var id: Int64
        var stick: ConsoleStick
    }

    /// There is no configuration, so that no daemon runs, and nothing is kept that a PIN would guard.
    var isBoxEmpty: Bool {
        guard case .away = view.daemon else { return false }
        return view.machine.card?.inForce == CardReport.InForce.none
    }

    /// The questions of the set-up take the line over, which this program must own.
    var maySetUp: Bool { isBoxEmpty && !mayQuit }

    mutating func setUpFailed(_ why: String) {
        dialog = .outcome("The questions cannot be asked for: \(why). Restart the box and try again.", .red)
    }

    /// Without the daemon, which alone knows the PIN.
    mutating func runOnEmptyBox(_ stick: ConsoleStick, into actions: inout [Action]) {
        dialog = .working("The stick is at work …")
        let request = StickRequest(id: expect(stick), task: stick.task)
        actions.append(.askStick(request))
    }

    /// - Returns: the number under which it is reported
    mutating func expect(_ stick: ConsoleStick) -> Int64 {
        let id = view.now.boot.nanoseconds
        stickWait = StickWait(id: id, stick: stick)
        return id
    }

    mutating func stickFailed(_ why: String) {
        stickWait = nil
        dialog = .outcome("The stick cannot be asked for: \(why).", .red)
    }

    mutating func told(_ report: StickReport) {
        guard let wait = stickWait, wait.id == report.id else { return }
        let message = Text.printable(report.message)
        switch report.phase {
        case .working:
            if case .working = dialog { dialog = .working(message) }
            return
        case .done, .failed: stickWait = nil
        }
        // Somebody has gone on to something else.
        switch dialog {
        case .working, nil: break
        case .choice, .entry, .confirm, .outcome, .pairing: return
        }
        if report.phase == .done, case .look(let kind) = wait.stick {
            return offer(report.items.filter { $0.kind == kind }, kind)
        }
        dialog = .outcome(message, report.phase == .done ? .green : .red)
    }

    private mutating func offer(_ items: [StickReport.Item], _ kind: StickReport.Item.Kind) {
        guard !items.isEmpty else {
            let what =
                switch kind {
                case .version: "no new version on the stick: it is a file whose name ends in .bundle"
                case .backup: "no backup on the stick: it is a file whose name ends in .backup"
                }
            return dialog = .outcome("There is \(what).", .yellow)
        }
        let choices = zip(ConsoleChoice.keys, items).map { key, item in
            switch kind {
            case .version:
                ConsoleChoice.Item(
                    key: key,
                    label: "version \(Text.printable(item.version))\(item.isOlder ? ", not newer than what runs" : "")",
                    target: .act(.update(item)))
            case .backup:
                ConsoleChoice.Item(key: key, label: Text.printable(item.file), target: .restore(file: item.file))
            }
        }
        let title =
            switch kind {
            case .version: "Install a version"
            case .backup: "Which backup?"
            }
        dialog = .choice(ConsoleChoice(title: title, items: choices))
    }

    /// Where a host is named that offers versions.
    var versions: ConsoleChoice {
        var items: [ConsoleChoice.Item] = []
        let place = Text.printable(view.status?.updates?.place ?? "the host")
        if let version = view.status?.updates?.offered {
            items.append(
                ConsoleChoice.Item(
                    key: "1", label: "version \(Text.printable(version)) from \(place)",
                    target: .act(.updates(.install, version: version))))
        }
        items.append(
            ConsoleChoice.Item(
                key: "2", label: "Ask \(place) what it offers", target: .act(.updates(.ask, version: ""))))
        items.append(
            ConsoleChoice.Item(key: "3", label: "from a USB stick", target: .act(.stick(.look(for: .version)))))
        return ConsoleChoice(title: "Install a version", items: items)
    }
}

extension ConsoleChoice {
    static var sticks: ConsoleChoice {
        ConsoleChoice(
            title: "With a USB stick (FAT32)",
            items: [
                ConsoleChoice.Item(key: "1", label: "Save a backup, sealed with a passphrase", target: .backup),
                ConsoleChoice.Item(
                    key: "2", label: "Bring a backup back", target: .act(.stick(.look(for: .backup)))),
                ConsoleChoice.Item(
                    key: "3", label: "Copy the journal, for a spreadsheet", target: .act(.stick(.journal))),
                ConsoleChoice.Item(
                    key: "4", label: "Support archive, for a bug report", target: .act(.stick(.support))),
                ConsoleChoice.Item(
                    key: "5", label: "Copy the pictures of the cameras", target: .act(.stick(.pictures))),
                ConsoleChoice.Item(
                    key: "6", label: "Delete all pictures of the cameras here", target: .act(.forgetPictures)),
                ConsoleChoice.Item(
                    key: "7", label: "The last year in pictures, for a browser", target: .act(.stick(.history))),
            ])
    }
}
