import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What store apps, accounts, the broker and the command tube ask for: never more than the owner allowed by name, and
/// never panic or anything that quiets a siren (docs/pairing.md 10).
extension Commands {
    /// A delayed or stored message is no command (docs/pairing.md 10).
    static let oldest: Duration = .seconds(60)

    mutating func heardText(
        _ text: String, _ inbound: InboundMessage, _ step: inout Step
    ) {
        // What paired phones send is sealed and has its own protection from repeats.
        if inbound.channel == .ntfy, let bytes = try? Base64URL.decode(String(text.trimmed(\.isWhitespace))),
            bytes.first == 2
        {
            return heardSealed(bytes, inbound, &step)
        }
        // What was sent before this run may have been carried out in the last one.
        let age = inbound.age ?? .zero
        guard !inbound.isRetained, age <= Self.oldest, age <= step.now.boot - step.startedAt else {
            return reject(.repeated, &step)
        }
        guard mayOpen(inbound.channel, &step) else { return reject(.tooMany, &step) }
        switch inbound.channel {
        case .ntfy:
            guard let bytes = Capability.bytes(ofBody: String(text.trimmed(\.isWhitespace))),
                step.book.contacts.contains(where: { $0.commandsFrom == inbound.from && $0.state == .inUse })
            else { return reject(.notOurs, &step) }
            step.compute(.capability(bytes), for: .pressed(inbound.from))
        case .xmpp:
            guard let contact = step.book.contacts.first(where: { $0.kind == .xmpp && $0.value == inbound.from }),
                contact.state == .inUse
            else { return reject(.unknownPhone, &step) }
            guard isNews(inbound, &step) else {
                tellRepeated(inbound, contact, &step)
                return reject(.repeated, &step)
            }
            guard paces.maySay(.contact(contact.address), at: step.now.boot) else { return reject(.tooMany, &step) }
            said(text, inbound, by: contact, &step)
        case .mqtt, .beanstalk:
            guard isNews(inbound, &step) else { return reject(.repeated, &step) }
            heardHouse(text, inbound, &step)
        case .fcm, .ccs, .mail, .url, .program, .webPush, .receiver: reject(.notOurs, &step)
        }
    }

    /// The same message twice is one command. Buttons need no such list: each works once.
    private mutating func isNews(_ inbound: InboundMessage, _ step: inout Step) -> Bool {
        #if SABOTAGE
            if step.sabotage == .obeysRepeatedWords { return true }
        #endif
        guard !inbound.id.isEmpty else { return true }
        let message = HeardCommand(inbound)
        if let last = heardTexts.lastHeard(message), !inbound.isAnother(thanHeardAt: last, at: step.now) {
            return false
        }
        heardTexts.note(message, at: step.now.boot)
        return true
    }

    /// This message becomes a command; that is stored with the command's row in the ledger.
    mutating func remember(_ inbound: InboundMessage) {
        guard !inbound.id.isEmpty else { return }
        heardCommands.append(HeardCommand(inbound))
        if heardCommands.count > HeardCommand.limit { heardCommands.removeFirst() }
    }

    /// The service brings again what became a command before a restart. Its outcome may not have got out then.
    private mutating func tellRepeated(_ inbound: InboundMessage, _ contact: Contact, _ step: inout Step) {
        guard heardTexts.tellsEarlier(HeardCommand(inbound)) else { return }
        step.tell(contact, .notRepeated)
    }

    // MARK: Buttons

    mutating func pressed(_ answer: TransportAnswer, from topic: String, _ step: inout Step) {
        guard case .bytes(let stored) = answer,
            let index = buttons.firstIndex(where: { ConstantTime.equal($0.stored, stored) })
        else { return reject(.notOurs, &step) }
        // One use, whatever comes of it.
        let button = buttons.remove(at: index)
        #if SABOTAGE
            if step.sabotage == .buttonWorksTwice { buttons.append(button) }
        #endif
        guard button.until > step.now.boot,
            let contact = step.book.contact(button.contact),
            contact.commandsFrom == topic, contact.state == .inUse,
            step.configuration.phones.mayPress(button.verb, contact)
        else { return reject(.repeated, &step) }
        switch button.verb {
        case .seen: carryOutSeen(upTo: button.seq ?? step.lastSequence, by: contact, &step)
        case .status: tellStatus(contact, &step)
        case .arm:
            order(.arm(partition: button.partition, mode: button.mode ?? .away, force: false), by: contact, &step)
        case .disarm: order(.disarm(partition: button.partition), by: contact, &step)
        case .log, .bypass: reject(.notOurs, &step)
        }
    }

    /// A button has gone out with an alert; the oldest make room.
    mutating func offered(_ button: Button) {
        buttons.append(button)
        if buttons.count > Button.limit { buttons.removeFirst(buttons.count - Button.limit) }
    }

    // MARK: Words

    private mutating func said(
        _ text: String, _ inbound: InboundMessage, by contact: Contact, _ step: inout Step
    ) {
        let command: ContactCommand
        do throws(ContactCommandError) {
            command = try ContactCommand(parsing: text)
        } catch {
            return step.tell(contact, .notUnderstood(error))
        }
        #if SABOTAGE
            let isLax = step.sabotage == .obeysUnallowedWords
        #else
            let isLax = false
        #endif
        if let verb = command.verb, !contact.allowed.contains(verb), !isLax {
            step.note(
                .response, .phoneDenied,
                "\(step.book.actor(contact).words): '\(verb.rawValue)' refused, it is not allowed there.",
                about: .address(contact.address))
            return step.tell(
                contact,
                verb.wantsCode && step.book.codes(of: contact.person) == nil
                    ? .noCodes(verb, isAllowed: false) : .notAllowed(verb))
        }
        let first = step.configuration.panel.partitions.first ?? 1
        switch command {
        case .help: step.tell(contact, .help(contact.allowed))
        case .status: tellStatus(contact, &step)
        case .seen: carryOutSeen(upTo: step.lastSequence, by: contact, &step)
        case .log(let count):
            guard !step.questions.isWaitingForMuch(contact.address) else { return reject(.tooMany, &step) }
            step.read(EventQuery(order: .newest, limit: count), for: .log(contact.address))
        case .arm(let arming, let partition):
            let mode: PanelCommand.ArmRequest =
                switch arming {
                case .away: .away
                case .stay: .stay
                case .night: .zeroEntry
                }
            order(
                .arm(partition: partition ?? first, mode: mode, force: false), by: contact, asking: inbound, &step)
        // Codes work once, over restarts, too.
        case .disarm(let code, let partition):
            checkCode(
                code, for: .disarm(partition: partition ?? first), .disarm, by: contact, &step)
        case .bypass(let code, let zone):
            checkCode(
                code, for: .bypass(zone: zone, bypassed: true), .bypass, by: contact, &step)
        }
    }

    private mutating func carryOutSeen(upTo seq: SequenceNumber, by contact: Contact, _ step: inout Step) {
        seen(upTo: seq, by: step.book.actor(contact).name, of: contact.person, except: nil, &step)
        step.tell(contact, .seen)
    }

    private mutating func tellStatus(_ contact: Contact, _ step: inout Step) {
        step.tell(contact, .status(step.houseStatus))
    }

    /// The last events, oldest first, without what is about duress.
    func logArrived(_ rows: Rows, for address: AddressID, _ step: inout Step) {
        guard case .page(let page) = rows, let contact = step.book.contact(address) else { return }
        let rules = step.configuration.panel.timeZone
        let lines = page.events.sorted { $0.seq < $1.seq }.map { stored in
            "\(rules.civilTime(at: stored.event.time).text) \(stored.event.message)"
        }
        step.tell(contact, .log(lines))
    }

    // MARK: Orders

    /// Stored before it is carried out; its outcome is told there.
    ///
    /// - Parameters:
    ///   - inbound: the message that must not become a second command; nil: a button or a code keeps it from that
    ///   - spending: the time step of the one-time code that it came with
    mutating func order(
        _ command: PanelCommand, by contact: Contact, asking inbound: InboundMessage? = nil, spending: UInt64? = nil,
        _ step: inout Step
    ) {
        guard step.isStoreGood, step.life == .running else {
            return step.tell(contact, .storageFails)
        }
        guard
            paces.mayCommand(.contact(contact.address), rate: step.configuration.phones.commandRate, at: step.now.boot)
        else {
            reject(.tooMany, &step)
            return step.tell(contact, .tooManyCommands)
        }
        if let spending { spend(spending, of: contact.person, &step) }
        if let inbound { remember(inbound) }
        let actor = step.book.actor(contact)
        let entry = accept(command, from: .contact(contact.address), by: actor, &step)
        step.wait(.carryOut(step.order(entry.id, command)))
    }
}

extension HeardCommand {
    fileprivate init(_ inbound: InboundMessage) {
        self.init(channel: inbound.channel.rawValue, from: inbound.from, id: inbound.id)
    }
}
