import AlarmModel
import ApplianceCore
import CommandKit
import PanelLink
import Reports
import Uplinks

/// The house and the box on one screen, what matters most first.
struct OverviewScreen {
    var view: ConsoleView
    var width: Int

    private var label: Int { width < 60 ? 11 : 12 }

    var lines: [ConsoleLine] {
        var lines: [ConsoleLine] = []
        if let problem = view.machine.dataProblem { lines += wrap("Data", Text.printable(problem), .red) }
        if case .away(let why) = view.daemon { lines += wrap("Daemon", "AWAY: \(why)", .red) }
        if view.daemon == .connecting { lines += wrap("Daemon", "connecting …", .yellow) }
        if let restore = view.machine.restore {
            lines += RestoreLines(report: restore, rules: view.rules, width: width).lines(label: label)
        }
        if let card = view.machine.card { lines += CardLines(report: card, width: width).short(label: label) }
        lines += panelLines
        lines += partitionLines
        lines += householdLines
        lines += zoneLines
        lines += powerLines
        lines += storeLines
        lines += phoneLines
        lines += linkLines
        lines += boxLines
        lines += consoleLines
        if let next { lines += wrap("Next", next, .yellow) }
        return lines + newest
    }

    private func wrap(_ title: String, _ text: String, _ style: ConsoleLine.Style = .plain) -> [ConsoleLine] {
        ConsoleLine.wrapped(text, width: width, label: Text.padded(title, to: label), style)
    }

    private func line(_ title: String, _ text: String, _ style: ConsoleLine.Style = .plain) -> ConsoleLine {
        ConsoleLine(Text.padded(title, to: label) + text, style).fitted(to: width)
    }

    private var panelLines: [ConsoleLine] {
        guard let status = view.status else { return [line("Panel", "not known now", .yellow)] }
        let isUp = status.panel.link == .up
        var lines = [
            line(
                "Panel", "\(PanelText.word(status.panelPhase)), \(Text.printable(status.panelHost))",
                isUp ? .plain : .yellow)
        ]
        if let problem = status.panelProblem { lines += wrap("", Text.printable(problem), .yellow) }
        if status.isMaintenance { lines.append(line("", "MAINTENANCE ON: nobody is notified", .yellow)) }
        return lines
    }

    private var partitionLines: [ConsoleLine] {
        let partitions = (view.panelState?.partitions ?? []).filter { $0.status.last != .notEnabled }
        guard !partitions.isEmpty else { return [line("Partitions", "unknown: the panel has not told any")] }
        return partitions.enumerated().map { index, partition in
            let name = "\(partition.number) \(Text.printable(partition.name ?? ""))"
            let cell = Text.cell(name, max(8, min(20, (width - label) / 2)))
            return line(
                index == 0 ? "Partitions" : "", "\(cell) \(PartitionText.state(partition))",
                ConsoleLine.Style(PartitionText.paint(partition)))
        }
    }

    private var zoneLines: [ConsoleLine] {
        guard let panel = view.panelState else { return [] }
        var lines: [ConsoleLine] = []
        let inAlarm = panel.zonesInAlarm.map { ZoneText.name($0) + ($0.alarm.current == nil ? "?" : "") }
        if !inAlarm.isEmpty { lines += wrap("In alarm", inAlarm.joined(separator: ", "), .red).prefix(2) }
        let kinds: [(title: String, member: KeyPath<ZoneState, Reading<Bool>>, style: ConsoleLine.Style)] = [
            ("Open", \.open, .plain), ("Bypassed", \.bypassed, .yellow),
        ]
        for kind in kinds {
            let found = panel.zones.filter { $0[keyPath: kind.member].last == true }
            guard !found.isEmpty else { continue }
            let names = found.map { ZoneText.name($0) + ($0[keyPath: kind.member].current == nil ? "?" : "") }
            lines += wrap(kind.title, names.joined(separator: ", "), kind.style).prefix(2)
        }
        let troubles = panel.system.readings.filter { $0.health.last == .trouble }
        if !troubles.isEmpty {
            let words = troubles.map { TroubleText.word($0.trouble) + ($0.health.current == nil ? "?" : "") }
            lines += wrap("Troubles", words.joined(separator: ", "), .yellow).prefix(2)
        }
        return lines
    }

    private var householdLines: [ConsoleLine] {
        guard let status = view.status else { return [] }
        var lines: [ConsoleLine] = []
        if let armings = status.schedule, !armings.isEmpty {
            let text = HouseholdText.schedule(armings, in: status.panel, rules: view.rules)
            lines += wrap("Schedule", text + "; to decline it press D before then", .yellow).prefix(2)
        }
        if let presence = status.presence { lines += wrap("At home", HouseholdText.presence(presence)).prefix(2) }
        return lines
    }

    private var powerLines: [ConsoleLine] {
        guard let panel = view.panelState else { return [] }
        let power = PowerText(
            panel: panel.system, ups: view.status?.ups, isVoltageLow: view.machine.isVoltageLow)
        guard let text = power.line else { return [] }
        return Array(wrap("Power", text, power.isWell ? .plain : .yellow).prefix(2))
    }

    private var storeLines: [ConsoleLine] {
        var text = ""
        var style = ConsoleLine.Style.plain
        if let store = view.status?.store ?? view.stored?.store {
            text = store.lastSequence == .zero ? "no event yet" : "last event \(store.lastSequence.number)"
            if store.waitingEvents > 0 { text += ", \(store.waitingEvents) waiting" }
            if store.droppedEvents > 0 { text += ", \(store.droppedEvents) DROPPED" }
            if let problem = store.problem {
                text = "FAILING: \(Text.printable(problem)); \(text)"
                style = .red
            }
        }
        if let free = view.machine.freeBytes {
            text += (text.isEmpty ? "" : "; ") + "\(free / 1_048_576) MB free"
            if free < 16 * 1_048_576, style == .plain { style = .yellow }
        }
        return wrap("Store", text.isEmpty ? "unknown" : text, style)
    }

    private var phoneLines: [ConsoleLine] {
        guard let report = view.status?.phones else { return [] }
        return PhonesStatus(report: report, now: view.now.wall, rules: view.rules).lines(width < 60 ? 0 : 1)
            .flatMap { line -> [ConsoleLine] in
                switch line.content {
                case .text(let text): Array(wrap(line.label, text, ConsoleLine.Style(line.paint)).prefix(2))
                case .names: []
                }
            }
    }

    private var linkLines: [ConsoleLine] {
        guard let links = view.status?.links?.links, !links.isEmpty else { return [] }
        let isCut = !links.contains { $0.state == .up }
        return Array(wrap("Links", LinksText.summary(links), isCut ? .red : .plain).prefix(2))
    }

    private var boxLines: [ConsoleLine] {
        let isTrusted = view.status?.isTimeTrusted ?? view.machine.isClockSynchronised
        var lines = [
            line(
                "Clock",
                view.rules.civilTime(at: view.now.wall).text
                    + (isTrusted ? "" : width < 60 ? " NOT TRUSTED" : " NOT TRUSTED: check the network and its time"),
                isTrusted ? .plain : .yellow)
        ]
        var box = "up \(Text.span(view.machine.uptime))"
        if let status = view.status { box += ", daemon \(Text.span(status.uptime))" }
        if let tenths = view.machine.temperature {
            box += ", \(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10) °C"
        }
        lines.append(line("Box", box))
        return lines
    }

    private var consoleLines: [ConsoleLine] {
        guard let lock = view.lock, view.isDaemonHere else { return [] }
        if let wait = view.lockWait {
            return [line("Console", "locked after wrong PINs, for \(Text.span(wait))", .yellow)]
        }
        let text =
            !lock.isPINSet
            ? "no PIN yet: set one (M)"
            : lock.isUnlocked ? "unlocked" : "locked: it shows, changes need the PIN"
        return [line("Console", text, lock.isPINSet ? .plain : .yellow)]
    }

    /// What a new box needs of its owner, one thing after the other.
    private var next: String? {
        guard view.isDaemonHere, let lock = view.lock else { return nil }
        guard lock.isPINSet else { return "press C and set this console's PIN, of 6 digits or more" }
        guard let phones = view.status?.phones, phones.entries.isEmpty else { return nil }
        return "press P and pair a phone: it is told then what happens, and may arm and disarm if you let it"
    }

    private var newest: [ConsoleLine] {
        guard !view.events.isEmpty else { return [] }
        return [ConsoleLine("")] + view.events.suffix(12).reversed().map { EventsScreen.line($0, view, width) }
    }
}
