import AlarmModel
import ApplianceCore
import CommandKit
import Reports

/// Lists of phones, people and zones, and what can be done with each of them.
extension ConsoleSession {
    mutating func offer(_ choice: ConsoleChoice, _ otherwise: String) {
        guard needsDaemon() else { return }
        dialog = choice.items.isEmpty ? .outcome(otherwise, .yellow) : .choice(choice)
    }

    // MARK: Pairing

    /// Only what is configured is offered; where it is one, nothing is asked.
    mutating func choosePairing(into actions: inout [Action]) {
        let kinds = pairingKinds
        guard let only = kinds.first else {
            return dialog = .outcome(
                "No channel to phones is configured. Write 'ntfy:' into howalarming.yaml on the card, with nothing behind it for the server ntfy.sh, and start anew.",
                .yellow)
        }
        guard kinds.count > 1 else { return dialog = .entry(ConsoleEntry(purpose: .person(only))) }
        let items = zip(ConsoleChoice.keys, kinds).map { key, kind in
            ConsoleChoice.Item(key: key, label: Self.label(kind), target: .pairFor(kind))
        }
        dialog = .choice(ConsoleChoice(title: "Which app is on the phone?", items: items))
    }

    private var pairingKinds: [PairingKind] {
        let channels = Set((view.status?.phones?.channels ?? []).map(\.kind))
        var kinds: [PairingKind] = []
        if channels.contains("ntfy") { kinds.append(.storeApp) }
        if channels.contains("xmpp") { kinds.append(.account) }
        if !channels.isDisjoint(with: ["ccs", "fcm"]) { kinds.append(.ownApp) }
        return kinds
    }

    private static func label(_ kind: PairingKind) -> String {
        switch kind {
        case .storeApp: "ntfy, from the app store"
        case .account: "A chat account (XMPP)"
        case .ownApp: "The HowAlarming app"
        }
    }

    // MARK: Phones

    private var entries: [PhonesReport.Entry] {
        (view.status?.phones?.entries ?? []).filter { entry in
            switch entry.level {
            case .app, .account, .topic: true
            case .legacy, .house: false
            }
        }
    }

    var phones: ConsoleChoice {
        let report = view.status?.phones
        let apps = (report?.entries ?? []).filter { $0.level == .legacy }.map { entry in
            (
                "original app \(Text.printable(entry.id))…: shut it out",
                ConsoleChoice.Target.act(.disapprove(token: entry.id, name: "the original app \(entry.id)…"))
            )
        }
        let pending = (report?.pendingTokens ?? []).map { token in
            (
                "original app \(ConsoleAct.shown(token)) asks: let it in",
                ConsoleChoice.Target.act(.approve(token: token))
            )
        }
        let phones = entries.map { entry in
            let person = entry.person.map { ", of \(Text.printable($0))" } ?? ""
            return ("\(Text.printable(entry.name))\(person)", ConsoleChoice.Target.phone(entry.id))
        }
        let items = zip(ConsoleChoice.keys, pending + phones + apps).map { key, item in
            ConsoleChoice.Item(key: key, label: item.0, target: item.1)
        }
        return ConsoleChoice(title: "Phones", items: items)
    }

    func choice(ofPhone id: String) -> ConsoleChoice? {
        guard let entry = entries.first(where: { $0.id == id }) else { return nil }
        let name = entry.name
        return ConsoleChoice(
            title: Text.printable(name),
            items: [
                ConsoleChoice.Item(key: "t", label: "Test notice", target: .act(.test(phone: id, name: name))),
                ConsoleChoice.Item(key: "r", label: "Rights", target: .rights(phone: id)),
                ConsoleChoice.Item(
                    key: "l", label: "Let it act again after a lock or a backup",
                    target: .act(.lift(phone: id, name: name, roles: entry.roles))),
                ConsoleChoice.Item(
                    key: "v", label: "REVOKE: it is lost or sold", target: .act(.revoke(phone: id, name: name))),
            ])
    }

    /// From little to much; the rights of a phone of our app are roles, those of others verbs.
    func rights(ofPhone id: String) -> ConsoleChoice? {
        guard let entry = entries.first(where: { $0.id == id }) else { return nil }
        let acts: [(String, ConsoleAct)]
        switch entry.level {
        case .app:
            let all: [Roles] = [
                [.view], [.view, .arm], [.view, .arm, .disarm], [.view, .arm, .disarm, .bypass],
                [.view, .arm, .disarm, .bypass, .panic, .admin],
            ]
            acts = all.map { ($0.names.joined(separator: ", "), .role(phone: id, name: entry.name, $0)) }
        case .topic, .account:
            let all: [([ContactVerb], Bool)] = [
                ([], false), ([], true), ([.arm], true), ([.arm, .disarm], true),
            ]
            // With one-time codes.
            let more: [([ContactVerb], Bool)] = entry.level == .account ? [([.arm, .disarm, .bypass], true)] : []
            acts = (all + more).map { verbs, tellsArming in
                let may =
                    verbs.isEmpty ? "see the state" : "see the state, " + verbs.map(\.rawValue).joined(separator: ", ")
                return (
                    may + (tellsArming ? "; told of arming" : ""),
                    .allow(contact: id, name: entry.name, verbs, tellsArming: tellsArming)
                )
            }
        case .legacy, .house: return nil
        }
        let items = zip(ConsoleChoice.keys, acts).map { key, act in
            ConsoleChoice.Item(key: key, label: act.0, target: .act(act.1))
        }
        return ConsoleChoice(title: "\(Text.printable(entry.name)) may", items: items)
    }

    // MARK: People

    var people: ConsoleChoice {
        var names: [String] = []
        for name in entries.compactMap(\.person) where !names.contains(name) { names.append(name) }
        let items = zip(ConsoleChoice.keys, names).map { key, name in
            ConsoleChoice.Item(key: key, label: Text.printable(name), target: .person(name))
        }
        return ConsoleChoice(title: "People", items: items)
    }

    /// Who is marked for duress is not shown: whoever looks over a shoulder learns nothing.
    func choice(ofPerson name: String) -> ConsoleChoice {
        ConsoleChoice(
            title: Text.printable(name),
            items: [
                ConsoleChoice.Item(key: "1", label: "English", target: .act(.language(person: name, .english))),
                ConsoleChoice.Item(key: "2", label: "Deutsch", target: .act(.language(person: name, .german))),
                ConsoleChoice.Item(
                    key: "3", label: "Hears of alarms under duress", target: .act(.duress(person: name, true))),
                ConsoleChoice.Item(
                    key: "4", label: "Hears nothing of alarms under duress", target: .act(.duress(person: name, false))),
                ConsoleChoice.Item(
                    key: "5", label: "One-time codes: set up, to disarm by chat", target: .act(.codes(person: name))),
                ConsoleChoice.Item(key: "6", label: "One-time codes: take away", target: .act(.codesOff(person: name))),
            ])
    }

    // MARK: Zones

    /// What one would bypass comes first: zones that are open, or bypassed already. Those that have no key are typed.
    var zones: ConsoleChoice {
        let named = (view.panelState?.zones ?? []).filter { $0.name != nil || $0.open.last != nil }
        let wanted = named.filter { $0.open.last == true || $0.bypassed.last == true }
        let sorted = wanted + named.filter { zone in !wanted.contains { $0.number == zone.number } }
        let hasMore = sorted.count > ConsoleChoice.keys.count
        var items = zip(ConsoleChoice.keys, hasMore ? sorted.prefix(ConsoleChoice.keys.count - 1) : sorted[...]).map {
            key, zone in
            let isBypassed = zone.bypassed.last == true
            let state = isBypassed ? "bypassed" : zone.open.last.map { $0 ? "open" : "closed" } ?? "unknown"
            return ConsoleChoice.Item(key: key, label: "\(ZoneText.name(zone)): \(state)", target: .act(bypass(zone)))
        }
        if hasMore, let key = ConsoleChoice.keys.last {
            items.append(ConsoleChoice.Item(key: key, label: "another zone, by its number", target: .otherZone))
        }
        return ConsoleChoice(title: "Zones: bypass", items: items)
    }

    /// Bypassed or not, whichever it is not now. What is not known can be bypassed.
    func bypass(_ zone: ZoneState) -> ConsoleAct {
        let isBypassed = zone.bypassed.last == true
        let words = "\(isBypassed ? "End the bypass of" : "Bypass") \(ZoneText.name(zone))"
        return .command(.bypass(zone: zone.number, bypassed: !isBypassed), words: words)
    }
}
