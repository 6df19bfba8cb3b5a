import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What contacts are told: in words, with buttons where the way has them (docs/pairing.md 10).
extension Appliance {
    func words(_ contact: Contact) -> String { actor(contact).words }

    func actor(_ contact: Contact) -> CommandDesk.Actor {
        CommandDesk.Actor(name: hall.book.person(contact.person)?.name ?? "somebody", device: contact.name)
    }

    func address(of contact: Contact) -> DeliveryAddress {
        switch contact.kind {
        case .topic: DeliveryAddress(.phone(.topic), contact.value, commandTopic: contact.commandsFrom)
        case .xmpp: DeliveryAddress(.phone(.xmpp), contact.value)
        }
    }

    /// An event. Buttons are one-time capabilities, made anew each time it is sent.
    mutating func tell(
        _ contact: Contact, _ entry: OutboxEntry, by way: WayKind, _ step: inout Step
    ) {
        let verbs = buttonVerbs(of: contact, for: entry.event)
        guard contact.kind == .topic, !verbs.isEmpty else {
            return push(
                .words(notice(of: entry)), of: entry, to: address(of: contact), by: way, &step)
        }
        compute(.capabilities(verbs.count), for: .buttons(entry, contact.address, verbs), &step)
    }

    private func notice(of entry: OutboxEntry) -> Notice {
        // Whoever looks over the shoulder of a duress contact sees nothing out of the ordinary (docs/ARCHITECTURE.md
        // 1.6).
        if entry.event.flags.contains(.duress) {
            return noticeText.notice(
                title: "notice", text: "A test notice with code 20 was made.", at: entry.event.time)
        }
        return noticeText.notice(entry.event, partitions: session.state.partitions)
    }

    var noticeText: NoticeText { NoticeText(siteName: configuration.siteName, names: configuration.panel.names) }

    private func buttonVerbs(of contact: Contact, for event: Event) -> [ContactVerb] {
        guard !event.flags.contains(.duress) else { return [] }
        var verbs: [ContactVerb] = []
        for verb in contact.allowed where mayPress(verb, contact) {
            switch verb {
            case .seen: if event.priority == .alarm { verbs.append(.seen) }
            case .status: verbs.append(.status)
            case .arm: if event.type == .disarmed { verbs.append(.arm) }
            case .disarm: if event.priority == .alarm || event.type == .armed { verbs.append(.disarm) }
            case .log, .bypass: break
            }
        }
        // Store apps show three.
        return Array(verbs.prefix(3))
    }

    mutating func gotButtons(
        _ answer: TransportAnswer, _ entry: OutboxEntry, _ address: AddressID, _ verbs: [ContactVerb],
        _ step: inout Step
    ) {
        guard let contact = hall.book.contacts.first(where: { $0.address == address }),
            let way = WayKind.carrying(contact.kind, of: hall.ways.map(\.kind))
        else { return hall.outbox.died(entry.message, why: "the contact is gone", at: step.now) }
        var notice = notice(of: entry)
        if case .capabilities(let made) = answer, made.count == verbs.count {
            for (verb, capability) in zip(verbs, made) {
                notice.buttons.append(
                    Notice.Button(label: verb.label, body: Secret(Capability.body(capability.bytes))))
                hall.buttons.append(
                    Button(
                        stored: capability.stored, verb: verb, contact: address,
                        partition: entry.event.partition ?? configuration.panel.partitions.first ?? 1, seq: entry.seq,
                        until: step.now.boot + Button.life))
            }
            if hall.buttons.count > Button.limit { hall.buttons.removeFirst(hall.buttons.count - Button.limit) }
        }
        // Without buttons an alarm is still an alarm.
        push(.words(notice), of: entry, to: self.address(of: contact), by: way, &step)
    }

    /// What is worth something only now.
    mutating func tell(_ contact: Contact, _ notice: Notice, _ step: inout Step) {
        guard let way = WayKind.carrying(contact.kind, of: hall.ways.map(\.kind)) else { return }
        answer(.words(notice), to: AnswerQueue.Place(way: way, address: address(of: contact)), &step)
    }

    mutating func tell(_ contact: Contact, title: String, _ text: String, _ step: inout Step) {
        tell(contact, noticeText.notice(title: title, text: text, at: step.now.wall), &step)
    }

    /// Ways that have to know to whom they listen.
    mutating func updateListening(_ step: inout Step) {
        var contacts = hall.book.contacts.filter { $0.state == .inUse }
        if let pairing = hall.contactPairing?.contact { contacts.append(pairing) }
        for kind in [WayKind.ntfy, .xmpp] {
            let theirs = contacts.filter { WayKind.carrying($0.kind, of: [kind]) != nil }.map { contact in
                // A topic server knows its topics without its own name.
                contact.kind == .topic
                    ? contact.commandsFrom.split(separator: "/").last.map(String.init) ?? "" : contact.commandsFrom
            }
            drive(kind, &step) { $0.listen(to: theirs.sorted(), at: $1, into: &$2) }
        }
    }

    /// The service says that nobody is there any more.
    mutating func dropContact(_ id: AddressID, why: String, _ step: inout Step) {
        guard let index = hall.book.contacts.firstIndex(where: { $0.address == id }) else { return }
        hall.book.contacts[index].state = .gone(why: why)
        bookChanged(&step)
        note(
            .fault, .phoneLost,
            "\(words(hall.book.contacts[index])) cannot be reached any more: \(why). Pair it again.", &step)
    }
}

extension Contact {
    /// As lists show it: a topic server knows its topics without its own name.
    var shownAddress: String {
        kind == .topic ? value.split(separator: "/").last.map(String.init) ?? value : value
    }
}

extension ContactVerb {
    /// On a button.
    var label: String {
        switch self {
        case .seen: "Seen"
        case .status: "Status"
        case .log: "Log"
        case .arm: "Arm"
        case .disarm: "Disarm"
        case .bypass: "Bypass"
        }
    }
}
