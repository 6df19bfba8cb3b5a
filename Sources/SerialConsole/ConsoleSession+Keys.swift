import AlarmModel
import ApplianceCore
import Card
import CommandKit
import Platform
import Reports

/// What keys do.
extension ConsoleSession {
    mutating func take(_ key: ConsoleKey, at now: Moment, into actions: inout [Action]) {
        view.now = now
        if case .cursor = key { return }
        lastKeyAt = now.boot
        if key == .redraw { return actions.append(.redraw) }
        switch dialog {
        case .choice(let choice): self.take(key, in: choice, into: &actions)
        case .entry(let entry): self.take(key, in: entry, into: &actions)
        case .confirm(let act): self.take(key, asked: act, into: &actions)
        case .working: if key == .escape || key == .interrupt { stopWaiting() }
        case .outcome:
            switch key {
            case .enter, .escape, .interrupt, .character, .backspace: dialog = nil
            case .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .redraw, .cursor: break
            }
        case .pairing(let screen): self.take(key, in: screen, into: &actions)
        case nil: takeOnScreen(key, into: &actions)
        }
    }

    private mutating func takeOnScreen(_ key: ConsoleKey, into actions: inout [Action]) {
        switch key {
        case .character(let character):
            if let number = character.wholeNumberValue, let screen = ConsoleScreen(digit: number) {
                return open(screen, into: &actions)
            }
            if character == "?" { return dialog = .outcome(helpText, .plain) }
            if character == "m" || character == "M" { return dialog = .choice(menu) }
            let small = Character(character.lowercased())
            if let item = menu.items.first(where: { $0.key == small }) { choose(item.target, into: &actions) }
        case .enter: if !showSelected() { dialog = .choice(menu) }
        case .escape: open(.overview, into: &actions)
        case .up where screen == .events: select(by: -1)
        case .down where screen == .events: select(by: 1)
        case .left: open(screen.previous, into: &actions)
        case .right: open(screen.next, into: &actions)
        case .up: scroll(by: screen.showsEnd ? 1 : -1)
        case .down: scroll(by: screen.showsEnd ? -1 : 1)
        case .pageUp: scroll(by: screen.showsEnd ? bodyRows : -bodyRows)
        case .pageDown: scroll(by: screen.showsEnd ? -bodyRows : bodyRows)
        case .home: scroll(by: screen.showsEnd ? Int(Int32.max) : -scroll)
        case .end: scroll(by: screen.showsEnd ? -scroll : Int(Int32.max))
        case .interrupt: if mayQuit { actions.append(.quit) }
        case .backspace, .redraw, .cursor: break
        }
    }

    private mutating func scroll(by lines: Int) {
        let count = screen.lines(view, width: size.columns).count
        scroll = min(max(0, scroll + lines), max(0, count - bodyRows))
    }

    // MARK: Lists

    private var isMaintenance: Bool { view.status?.isMaintenance ?? false }

    var menu: ConsoleChoice {
        var items: [ConsoleChoice.Item] = []
        if maySetUp {
            items.append(ConsoleChoice.Item(key: "g", label: "Get started: answer a few questions", target: .setUp))
        }
        if view.machine.restore?.isOver ?? false { items.append(RestoreLines.readItem) }
        items += [
            ConsoleChoice.Item(key: "a", label: "Arm", target: .arm),
            ConsoleChoice.Item(key: "d", label: "Disarm", target: .disarm),
            ConsoleChoice.Item(key: "n", label: "I have seen the alarm: do not repeat it", target: .act(.seen)),
            ConsoleChoice.Item(key: "z", label: "Zones: bypass", target: .zones),
            ConsoleChoice.Item(key: "p", label: "Pair a phone", target: .pair),
            ConsoleChoice.Item(key: "f", label: "Phones: revoke a lost one, rights, test", target: .phones),
            ConsoleChoice.Item(key: "e", label: "People: language, duress", target: .people),
            ConsoleChoice.Item(
                key: "t", label: "Send a test notice to the phones", target: .act(.testPhones(asAlarm: false))),
            ConsoleChoice.Item(
                key: "x", label: "Send a TEST ALARM, with its sound", target: .act(.testPhones(asAlarm: true))),
            ConsoleChoice.Item(
                key: "o",
                label: isMaintenance
                    ? "Maintenance off: people are notified again" : "Maintenance on: nobody is notified",
                target: .act(.maintenance(!isMaintenance))),
            ConsoleChoice.Item(key: "s", label: "Self-test, without a notice to phones", target: .selfTest),
            ConsoleChoice.Item(
                key: "c", label: view.lock?.isPINSet ?? true ? "Change the console's PIN" : "Set the console's PIN",
                target: .changePIN),
        ]
        items.append(ConsoleChoice.Item(key: "r", label: "Restart the machine", target: .act(.reboot)))
        items.append(
            ConsoleChoice.Item(key: "b", label: "USB stick: backup, restore, journal, history", target: .sticks))
        items.append(
            view.status?.updates == nil
                ? ConsoleChoice.Item(
                    key: "u", label: "Install a version from a USB stick", target: .act(.stick(.look(for: .version))))
                : ConsoleChoice.Item(key: "u", label: "Install a version", target: .versions))
        if view.lock?.isUnlocked ?? false {
            items.append(ConsoleChoice.Item(key: "l", label: "Lock this console", target: .lock))
        }
        if mayQuit { items.append(ConsoleChoice.Item(key: "q", label: "Quit", target: .quit)) }
        return ConsoleChoice(title: "Menu", items: items)
    }

    private mutating func take(_ key: ConsoleKey, in choice: ConsoleChoice, into actions: inout [Action]) {
        var choice = choice
        switch key {
        case .up: choice.selected = max(0, choice.selected - 1)
        case .down: choice.selected = min(choice.items.count - 1, choice.selected + 1)
        case .home: choice.selected = 0
        case .end: choice.selected = choice.items.count - 1
        case .enter:
            guard choice.items.indices.contains(choice.selected) else { return dialog = nil }
            return choose(choice.items[choice.selected].target, into: &actions)
        case .character(let character):
            let small = Character(character.lowercased())
            guard let item = choice.items.first(where: { $0.key == small }) else { return }
            return choose(item.target, into: &actions)
        case .escape, .interrupt: return dialog = nil
        case .left, .right, .pageUp, .pageDown, .backspace, .redraw, .cursor: return
        }
        dialog = .choice(choice)
    }

    private mutating func choose(_ target: ConsoleChoice.Target, into actions: inout [Action]) {
        dialog = nil
        switch target {
        case .quit: if mayQuit { actions.append(.quit) }
        case .selfTest: open(.test, into: &actions)
        case .setUp:
            dialog = .working("The questions come up here …")
            actions.append(.setUp)
        case .arm: dialog = .choice(armings)
        case .disarm: dialog = .choice(disarmings)
        case .pair: if needsDaemon() { choosePairing(into: &actions) }
        case .pairFor(let kind): if needsDaemon() { dialog = .entry(ConsoleEntry(purpose: .person(kind))) }
        case .otherZone: if needsDaemon() { dialog = .entry(ConsoleEntry(purpose: .zone)) }
        case .armWithCode(let partition, let words):
            if needsDaemon() {
                let arm = PanelCommand.arm(partition: partition, mode: .away, force: false)
                dialog = .entry(ConsoleEntry(purpose: .userCode(arm, words: "Arm \(words) with your code")))
            }
        case .zones: offer(zones, "The panel has told of no zone yet.")
        case .phones: offer(phones, "There is no phone yet: press P and pair one.")
        case .phone(let id): if let choice = self.choice(ofPhone: id) { dialog = .choice(choice) }
        case .rights(let id): if let choice = rights(ofPhone: id) { dialog = .choice(choice) }
        case .people: offer(people, "There is nobody yet: a person comes with the first phone. Press P and pair one.")
        case .person(let name): dialog = .choice(choice(ofPerson: name))
        case .changePIN:
            guard needsDaemon() else { return }
            let isSet = view.lock?.isPINSet ?? false
            dialog = .entry(ConsoleEntry(purpose: isSet ? .oldPIN : .newPIN(old: nil, then: nil)))
        case .lock:
            guard ready.contains(.act) else { return }
            actions.append(.send(.act, .console(.lock)))
        case .act(let act): begin(act, into: &actions)
        case .sticks: dialog = .choice(.sticks)
        case .versions: dialog = .choice(versions)
        case .backup: if needsDaemon() { dialog = .entry(ConsoleEntry(purpose: .newPassphrase)) }
        case .restore(let file): dialog = .entry(ConsoleEntry(purpose: .passphrase(file: file)))
        // It changes nothing in the house, so that no PIN is asked for.
        case .restoreRead:
            view.machine.restore = nil
            actions.append(.restoreRead)
        }
    }

    private var partitions: [(number: Int, words: String, state: String)] {
        let known = (view.panelState?.partitions ?? []).filter { $0.status.last != .notEnabled }
        guard !known.isEmpty else { return [(1, "partition 1", "unknown")] }
        return known.map { partition in
            let name = partition.name.map { " (\(Text.printable($0)))" } ?? ""
            return (partition.number, "partition \(partition.number)\(name)", PartitionText.state(partition))
        }
    }

    private var armings: ConsoleChoice {
        var items: [ConsoleChoice.Item] = []
        for partition in partitions {
            for mode in [PanelCommand.ArmRequest.away, .stay] where items.count < ConsoleChoice.keys.count {
                items.append(
                    ConsoleChoice.Item(
                        key: ConsoleChoice.keys[items.count],
                        label: "\(mode.rawValue): \(partition.words), now \(partition.state)",
                        target: .act(
                            .command(
                                .arm(partition: partition.number, mode: mode, force: false),
                                words: "Arm \(mode.rawValue) \(partition.words)"))))
            }
        }
        for partition in partitions where items.count < ConsoleChoice.keys.count {
            items.append(
                ConsoleChoice.Item(
                    key: ConsoleChoice.keys[items.count], label: "with your own code: \(partition.words)",
                    target: .armWithCode(partition: partition.number, words: partition.words)))
        }
        return ConsoleChoice(title: "Arm", items: items)
    }

    private var disarmings: ConsoleChoice {
        let items = zip(ConsoleChoice.keys, partitions).map { key, partition in
            ConsoleChoice.Item(
                key: key, label: "\(partition.words), now \(partition.state)",
                target: .act(.command(.disarm(partition: partition.number), words: "Disarm \(partition.words)")))
        }
        return ConsoleChoice(title: "Disarm", items: items)
    }

    // MARK: Lines that are typed

    private mutating func take(_ key: ConsoleKey, in entry: ConsoleEntry, into actions: inout [Action]) {
        var entry = entry
        switch key {
        case .escape, .interrupt:
            pendingAct = nil
            return dialog = nil
        case .backspace: if !entry.typed.isEmpty { entry.typed.removeLast() }
        case .character(let character):
            guard entry.typed.utf8.count < entry.purpose.longest else { return }
            entry.typed.append(character)
        case .enter: return entered(entry, into: &actions)
        case .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .redraw, .cursor: return
        }
        dialog = .entry(entry)
    }

    private mutating func take(_ key: ConsoleKey, asked act: ConsoleAct, into actions: inout [Action]) {
        switch key {
        case .character("y"), .character("Y"): run(act, into: &actions)
        case .character("n"), .character("N"), .escape, .interrupt:
            dialog = .outcome("Nothing was done.", .plain)
        // Not Enter: it may be a second one that was meant for the question before.
        case .character, .enter, .backspace, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .redraw,
            .cursor:
            break
        }
    }

    private mutating func take(_ key: ConsoleKey, in screen: PairingScreen, into actions: inout [Action]) {
        var screen = screen
        switch key {
        case .escape, .interrupt: return actions.append(.send(.act, .phones(.cancelPairing)))
        case .backspace: if !screen.typed.isEmpty { screen.typed.removeLast() }
        case .character(let character):
            guard screen.isAwaitingDigits, character.isASCII, character.isNumber, screen.typed.utf8.count < 6 else {
                return
            }
            screen.typed.append(character)
        case .enter:
            guard screen.isAwaitingDigits, !screen.typed.isEmpty else { return }
            if let digits = PairingDigits(screen.typed)?.code {
                screen.remark = nil
                actions.append(.send(.act, .phones(.confirm(digits))))
            } else {
                screen.remark = "these are not six digits: type all that the phone shows"
            }
            screen.typed = ""
        case .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .redraw, .cursor: return
        }
        dialog = .pairing(screen)
    }

    private mutating func stopWaiting() {
        dialog = .outcome(
            "It is not waited for any more. It may be done all the same: look at the overview and the events.", .yellow)
    }
}
