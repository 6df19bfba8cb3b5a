import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What contacts are told: in words, with buttons where the channel has them (docs/pairing.md 10).
extension Deliveries {

    /// An event. Buttons are one-time capabilities, made anew each time it is sent.
    mutating func tell(
        _ contact: Contact, _ entry: OutboxEntry, by channel: ChannelKind, _ step: inout Step
    ) {
        let verbs = buttonVerbs(of: contact, for: entry.event, step)
        guard contact.kind == .topic, !verbs.isEmpty else {
            return push(
                .words(notice(of: entry, step)), of: entry, to: contact.deliveryAddress, by: channel, &step)
        }
        step.compute(.capabilities(verbs.count), for: .buttons(entry, contact.address, verbs))
    }

    mutating func gotButtons(
        _ answer: TransportAnswer, _ entry: OutboxEntry, _ address: AddressID, _ verbs: [ContactVerb],
        _ step: inout Step
    ) {
        guard let contact = step.book.contact(address),
            let channel = ChannelKind.carrying(contact.kind, of: step.channels)
        else { return outbox.died(entry.message, why: "the contact is gone", at: step.now) }
        var notice = notice(of: entry, step)
        if case .capabilities(let made) = answer, made.count == verbs.count {
            for (verb, capability) in zip(verbs, made) {
                notice.buttons.append(
                    Notice.Button(label: verb.label, body: Secret(Capability.body(capability.bytes))))
                actions.append(
                    .offered(
                        Button(
                            stored: capability.stored, verb: verb, contact: address,
                            partition: entry.event.partition ?? step.configuration.panel.partitions.first ?? 1,
                            seq: entry.seq, until: step.now.boot + Button.life)))
            }
        }
        // Without buttons an alarm is still an alarm.
        push(.words(notice), of: entry, to: contact.deliveryAddress, by: channel, &step)
    }

    private func notice(of entry: OutboxEntry, _ step: Step) -> Notice {
        // Whoever looks over the shoulder of a duress contact sees nothing out of the ordinary (docs/ARCHITECTURE.md
        // 1.6).
        if entry.event.flags.contains(.duress) {
            return step.noticeText.notice(
                title: "notice", text: "A test notice with code 20 was made.", at: entry.event.time)
        }
        return step.noticeText.notice(entry.event, partitions: step.panel.partitions)
    }

    private func buttonVerbs(of contact: Contact, for event: Event, _ step: Step) -> [ContactVerb] {
        guard !event.flags.contains(.duress) else { return [] }
        var verbs: [ContactVerb] = []
        for verb in contact.allowed where step.configuration.phones.mayPress(verb, contact) {
            switch verb {
            case .seen: if event.priority == .alarm { verbs.append(.seen) }
            case .status: verbs.append(.status)
            case .arm: if event.type == .disarmed { verbs.append(.arm) }
            case .disarm:
                let isArmed = event.type == .armed || event.panelNotice == .entryDelay
                if event.priority == .alarm || isArmed { verbs.append(.disarm) }
            case .log, .bypass: break
            }
        }
        // Store apps show three.
        return Array(verbs.prefix(3))
    }

    // MARK: A notice to try it

    mutating func test(_ name: String?, by client: ConnectionID, _ step: inout Step) {
        let words = "Test notice: the box is heard here."
        guard let name else {
            let addresses = outbox.reports.count
            guard addresses > 0 else {
                return step.refuse("there are no phones yet; pair one with 'howalarming phones pair'", client)
            }
            step.announce(step.event(.info, .test, words), to: .everywhere)
            return step.wait(
                .replyChanged(
                    client,
                    "a test notice is on its way to \(addresses) \(addresses == 1 ? "address" : "addresses"); "
                        + "'howalarming phones list' shows when each took it"))
        }
        let actor: Actor
        if let contact = step.book.contact(named: name) {
            step.announce(step.event(.info, .test, words), to: .address(contact.address))
            actor = step.book.actor(contact)
        } else if let phone = step.phone(named: name, for: client) {
            step.announce(.info, .test, "Test notice: this phone hears the box.", only: phone.id)
            actor = step.book.actor(phone)
        } else {
            return
        }
        step.wait(.replyChanged(client, "a test notice is on its way to \(actor.words)"))
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
