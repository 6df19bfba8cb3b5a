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
                .words(notice(of: entry, for: contact.person, step)), of: entry, to: contact.deliveryAddress,
                by: channel,
                &step)
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
        var notice = notice(of: entry, for: contact.person, step)
        let words = step.noticeText(for: contact.person)
        if case .capabilities(let made) = answer, made.count == verbs.count {
            for (verb, capability) in zip(verbs, made) {
                notice.buttons.append(
                    Notice.Button(
                        label: words.label(verb, for: entry.event), body: Secret(Capability.body(capability.bytes))))
                actions.append(
                    .offered(
                        Button(
                            stored: capability.stored, verb: verb, contact: address,
                            partition: entry.event.partition ?? step.configuration.panel.partitions.first ?? 1,
                            seq: entry.seq, mode: step.configuration.reminders?.mode(for: entry.event),
                            until: step.now.boot + life(of: entry.event, step))))
            }
        }
        // Without buttons an alarm is still an alarm.
        push(.words(notice), of: entry, to: contact.deliveryAddress, by: channel, &step)
    }

    /// Who is warned may decline as long as the warning runs.
    private func life(of event: Event, _ step: Step) -> Duration {
        guard event.code == EventCode.scheduleSoon.rawValue else { return Button.life }
        return max(Button.life, step.configuration.reminders?.autoArm?.warning ?? .zero)
    }

    private func notice(of entry: OutboxEntry, for person: PersonID?, _ step: Step) -> Notice {
        let words = step.noticeText(for: person)
        // Whoever looks over the shoulder of a duress contact sees nothing out of the ordinary (docs/ARCHITECTURE.md
        // 1.6).
        if entry.event.flags.contains(.duress) {
            return words.notice(
                title: "notice", text: "A test notice with code 20 was made.", at: entry.event.time)
        }
        return words.notice(entry.event, partitions: step.panel.partitions)
    }

    /// What the system of a paired phone shows beside a sealed event, where only the phone can read it.
    func shown(_ entry: OutboxEntry, _ step: Step) -> ShownWords? {
        guard case .phone(let phone, _) = step.book.receiver(at: entry.address) else { return nil }
        let person = step.book.phone(phone)?.person
        return ShownWords(notice(of: entry, for: person, step), in: step.noticeText(for: person).language)
    }

    /// The same beside a probe, the one answer that goes there.
    func shownProbe(_ answer: AnswerQueue.Entry, _ step: Step) -> ShownWords? {
        guard case .sealed(let phone, _, _) = answer.content else { return nil }
        let text = step.noticeText(for: step.book.phone(phone)?.person)
        return ShownWords(text.probe(at: step.now.wall), in: text.language)
    }

    private func buttonVerbs(of contact: Contact, for event: Event, _ step: Step) -> [ContactVerb] {
        guard !event.flags.contains(.duress) else { return [] }
        return Self.buttons(contact.allowed.filter { step.configuration.phones.mayPress($0, contact) }, for: event)
    }

    /// - Parameter allowed: to whom the event is told; in the order of `ContactVerb`
    static func buttons(_ allowed: [ContactVerb], for event: Event) -> [ContactVerb] {
        var verbs: [ContactVerb] = []
        for verb in allowed {
            switch verb {
            case .seen: if event.priority == .alarm { verbs.append(.seen) }
            case .status: verbs.append(.status)
            case .arm: if event.type == .disarmed || isOfNotArmed(event) { verbs.append(.arm) }
            case .disarm:
                let isArmed = event.type == .armed || event.panelNotice == .entryDelay
                // Declining what the schedule is about to arm is nothing less.
                let isSoon = event.code == EventCode.scheduleSoon.rawValue
                let isOpenAlarm = event.type == .alarm || event.flags.contains(.sirenStopped)
                if isOpenAlarm || isArmed || isSoon { verbs.append(.disarm) }
            case .log, .bypass: break
            }
        }
        // Store apps show three.
        return Array(verbs.prefix(3))
    }

    private static func isOfNotArmed(_ event: Event) -> Bool {
        switch EventCode(rawValue: event.code) {
        case .reminderNotArmed, .reminderNobodyHome, .scheduleFailed: true
        default: false
        }
    }
}
