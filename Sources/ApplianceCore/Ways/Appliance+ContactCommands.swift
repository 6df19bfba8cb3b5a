import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What store apps, accounts, the broker and the command tube ask for: never more than the owner allowed by name, and
/// never panic or anything that quiets a siren (docs/pairing.md 10).
extension Appliance {
    /// A delayed or stored message is no command (docs/pairing.md 10).
    static let oldest: Duration = .seconds(60)

    mutating func heardText(
        _ text: String, _ upstream: InboundMessage, at now: Moment, into effects: inout [Effect]
    ) {
        acknowledge(upstream, at: now, into: &effects)
        // What was sent before this run may have been carried out in the last one.
        let age = upstream.age ?? .zero
        guard !upstream.isRetained, age <= Self.oldest, age <= now.boot - startedAt else {
            return reject(.repeated, at: now)
        }
        guard mayOpen(upstream.way, at: now) else { return reject(.tooMany, at: now) }
        switch upstream.way {
        case .ntfy:
            guard let bytes = Capability.bytes(ofBody: String(text.trimmed(\.isWhitespace))),
                hall.book.contacts.contains(where: { $0.commandsFrom == upstream.from && $0.state == .inUse })
            else { return reject(.notOurs, at: now) }
            compute(.capability(bytes), for: .pressed(upstream.from), into: &effects)
        case .xmpp:
            guard let contact = hall.book.contacts.first(where: { $0.kind == .xmpp && $0.value == upstream.from }),
                contact.state == .inUse
            else { return reject(.unknownPhone, at: now) }
            guard isNews(upstream, at: now) else { return reject(.repeated, at: now) }
            guard maySay(.contact(contact.address), at: now) else { return reject(.tooMany, at: now) }
            said(text, by: contact, at: now, into: &effects)
        case .mqtt, .beanstalk:
            guard isNews(upstream, at: now) else { return reject(.repeated, at: now) }
            heardHouse(text, upstream, at: now, into: &effects)
        case .fcm, .ccs, .mail, .url, .program: reject(.notOurs, at: now)
        }
    }

    /// The same message twice is one command. Buttons need no such list: each works once.
    private mutating func isNews(_ upstream: InboundMessage, at now: Moment) -> Bool {
        #if SABOTAGE
            if sabotage == .obeysRepeatedWords { return true }
        #endif
        guard !upstream.id.isEmpty else { return true }
        let heard = HeardText(way: upstream.way.rawValue, from: upstream.from, id: upstream.id, at: now.boot)
        let known = hall.heardTexts.last { $0.way == heard.way && $0.from == heard.from && $0.id == heard.id }
        if let known, !upstream.isAnother(thanHeardAt: known.at, at: now) { return false }
        if hall.heardTexts.count == HeardText.limit { hall.heardTexts.removeFirst() }
        hall.heardTexts.append(heard)
        return true
    }

    private mutating func pace(of asker: AskingPace.Asker) -> Int {
        if let index = hall.paces.firstIndex(where: { $0.asker == asker }) { return index }
        hall.paces.append(AskingPace(asker: asker))
        return hall.paces.count - 1
    }

    private mutating func maySay(_ asker: AskingPace.Asker, at now: Moment) -> Bool {
        let index = pace(of: asker)
        return hall.paces[index].said.take(rate: AskingPace.saidAMinute, burst: AskingPace.burst, at: now.boot)
    }

    /// `phones.command_rate`, as for phones with keys.
    private mutating func mayCommand(_ asker: AskingPace.Asker, at now: Moment) -> Bool {
        let rate = configuration.phones.commandRate
        let index = pace(of: asker)
        return rate == 0 || hall.paces[index].commands.take(rate: rate, burst: AskingPace.burst, at: now.boot)
    }

    // MARK: Buttons

    mutating func pressed(_ answer: TransportAnswer, from topic: String, at now: Moment, into effects: inout [Effect]) {
        guard case .bytes(let stored) = answer,
            let index = hall.buttons.firstIndex(where: { ConstantTime.equal($0.stored, stored) })
        else { return reject(.notOurs, at: now) }
        // One use, whatever comes of it.
        let button = hall.buttons.remove(at: index)
        #if SABOTAGE
            if sabotage == .buttonWorksTwice { hall.buttons.append(button) }
        #endif
        guard button.until > now.boot, let contact = hall.book.contacts.first(where: { $0.address == button.contact }),
            contact.commandsFrom == topic, contact.state == .inUse, mayPress(button.verb, contact)
        else { return reject(.repeated, at: now) }
        switch button.verb {
        case .seen: carryOutSeen(upTo: button.seq ?? lastSequence, by: contact, at: now)
        case .status: tellStatus(contact, at: now)
        case .arm:
            order(.arm(partition: button.partition, mode: .away, force: false), by: contact, at: now, into: &effects)
        case .disarm: order(.disarm(partition: button.partition), by: contact, at: now, into: &effects)
        case .log, .bypass: reject(.notOurs, at: now)
        }
    }

    /// Disarming needs a topic server that is the owner's own, as the configuration says now (docs/pairing.md 10).
    func mayPress(_ verb: ContactVerb, _ contact: Contact) -> Bool {
        contact.allowed.contains(verb) && (verb != .disarm || configuration.phones.isTopicServerTrusted)
    }

    /// A partition was armed or disarmed: what was offered before is void.
    mutating func voidButtons(of partition: Int) {
        hall.buttons.removeAll { $0.partition == partition && ($0.verb == .arm || $0.verb == .disarm) }
    }

    // MARK: Words

    private mutating func said(_ text: String, by contact: Contact, at now: Moment, into effects: inout [Effect]) {
        let command: ContactCommand
        do throws(ContactCommandError) {
            command = try ContactCommand(parsing: text)
        } catch {
            return tell(contact, title: "not understood", error.description, at: now)
        }
        #if SABOTAGE
            let isLax = sabotage == .obeysUnallowedWords
        #else
            let isLax = false
        #endif
        if let verb = command.verb, !contact.allowed.contains(verb), !isLax {
            note(
                .response, .phoneDenied, "\(words(contact)): '\(verb.rawValue)' refused, it is not allowed there.",
                at: now)
            return tell(
                contact, title: "not allowed",
                verb.wantsCode && hall.book.codes(of: contact.person) == nil
                    ? Self.noCodes(verb)
                    : "'\(verb.rawValue)' is not allowed for this account; nothing was done. It can be allowed at the "
                        + "box: howalarming phones allow", at: now)
        }
        let first = configuration.panel.partitions.first ?? 1
        switch command {
        case .help: tell(contact, title: "help", ContactCommand.help(contact.allowed), at: now)
        case .status: tellStatus(contact, at: now)
        case .seen: carryOutSeen(upTo: lastSequence, by: contact, at: now)
        case .log(let count):
            read(
                EventQuery(order: .newest, limit: count), for: .log(contact.address), into: &effects)
        case .arm(let arming, let partition):
            let mode: PanelCommand.ArmRequest =
                switch arming {
                case .away: .away
                case .stay: .stay
                case .night: .zeroEntry
                }
            order(
                .arm(partition: partition ?? first, mode: mode, force: false), by: contact, at: now, into: &effects)
        case .disarm(let code, let partition):
            checkCode(
                code, for: .disarm(partition: partition ?? first), .disarm, by: contact, at: now, into: &effects)
        case .bypass(let code, let zone):
            checkCode(
                code, for: .bypass(zone: zone, bypassed: true), .bypass, by: contact, at: now, into: &effects)
        }
    }

    private mutating func carryOutSeen(upTo seq: SequenceNumber, by contact: Contact, at now: Moment) {
        seen(upTo: seq, by: actor(contact).name, except: nil, at: now)
        tell(contact, title: "seen", "The alarm counts as seen; it is not repeated, and the others are told.", at: now)
    }

    private mutating func tellStatus(_ contact: Contact, at now: Moment) {
        tell(contact, title: "status", statusWords, at: now)
    }

    /// The last events, oldest first, without what is about duress.
    mutating func tellLog(_ address: AddressID, _ events: [StoredEvent], at now: Moment) {
        guard let contact = hall.book.contacts.first(where: { $0.address == address }) else { return }
        let rules = configuration.panel.timeZone
        let lines = events.sorted { $0.seq < $1.seq }.map { stored in
            "\(rules.civilTime(at: stored.event.time).text) \(stored.event.message)"
        }
        tell(contact, title: "log", lines.isEmpty ? "The journal is empty." : lines.joined(separator: "\n"), at: now)
    }

    /// The house in a few lines.
    var statusWords: String {
        let state = session.state
        guard state.link == .up else {
            return "The panel cannot be reached: what the house does is not known."
        }
        var lines = configuration.panel.partitions.map { number -> String in
            let name = configuration.panel.names.partition(number) ?? "Partition \(number)"
            return "\(name): \(state.partition(number)?.status.current.map(\.inWords) ?? "not known")"
        }
        func zones(_ what: String, _ wanted: (ZoneState) -> Bool) {
            let names = state.zones.filter(wanted).map { $0.name ?? "zone \($0.number)" }
            if !names.isEmpty { lines.append("\(what): \(names.joined(separator: ", "))") }
        }
        zones("Open") { $0.open.current == true }
        zones("Bypassed") { $0.bypassed.current == true }
        let troubles = Trouble.allCases.filter { state.system[$0].current == .trouble }
        if !troubles.isEmpty { lines.append("Troubles: \(troubles.map(\.rawValue).joined(separator: ", "))") }
        return lines.joined(separator: "\n")
    }

    // MARK: Orders

    /// Stored before it is carried out; its outcome is told there.
    ///
    /// - Parameter spending: the time step of the one-time code that it came with
    mutating func order(
        _ command: PanelCommand, by contact: Contact, spending: UInt64? = nil, at now: Moment,
        into effects: inout [Effect]
    ) {
        guard journal.isGood, life == .running else {
            return tell(contact, title: "not done", "The storage of the box fails; nothing was done.", at: now)
        }
        guard mayCommand(.contact(contact.address), at: now) else {
            reject(.tooMany, at: now)
            return tell(
                contact, title: "not done", "Too many commands within a minute; wait a little, then try again.", at: now
            )
        }
        if let spending { spend(spending, of: contact.person) }
        let actor = actor(contact)
        let entry = desk.accept(command, from: .contact(contact.address), by: actor, at: now)
        carryOut(entry, command, origin: "contact \(contact.address.number)", asked: actor.words, at: now)
    }

    /// The broker and the command tube: without a person's name.
    private mutating func heardHouse(
        _ text: String, _ upstream: InboundMessage, at now: Moment, into effects: inout [Effect]
    ) {
        guard let verbs = configuration.phones.houseVerbs.first(where: { $0.way == upstream.way }) else {
            return reject(.legacy, at: now)
        }
        guard let asked = HouseOrder(text, upstream, first: configuration.panel.partitions.first ?? 1) else {
            return reject(.malformed, at: now)
        }
        guard verbs.allowed.contains(asked.verb), let command = asked.command else {
            if asked.verb != .status && asked.verb != .ping { reject(.legacy, at: now) }
            return
        }
        // A job that brings a code brings the panel's, as the original's did.
        let bringsCode = upstream.way == .beanstalk && asked.code != nil
        let wanted = verbs.code ?? (bringsCode ? configuration.panel.masterCode : nil)
        if asked.verb == .disarm, let code = wanted {
            // Of its own: wrong codes in the queue keep nobody at the broker from disarming.
            let lock: WritableKeyPath<PhoneHall, CodeLock> = upstream.way == .mqtt ? \.houseLock : \.queueLock
            guard hall[keyPath: lock].mayTry(at: now.boot) else { return reject(.tooMany, at: now) }
            guard let given = asked.code, ConstantTime.equal(Array(given.revealed.utf8), Array(code.revealed.utf8))
            else {
                if hall[keyPath: lock].failed(at: now.boot) {
                    note(
                        .fault, .phoneLocked,
                        "Five wrong codes came by \(upstream.way.words); it may not disarm for 15 minutes.", at: now)
                }
                return note(
                    .response, .phoneDenied, "Disarming by \(upstream.way.words) refused: the code is wrong.", at: now)
            }
            hall[keyPath: lock] = CodeLock()
        }
        guard journal.isGood, life == .running, mayCommand(.house(upstream.way), at: now) else {
            return reject(.tooMany, at: now)
        }
        let actor = CommandDesk.Actor(name: upstream.way.words, device: "house")
        let entry = desk.accept(command, from: .house(upstream.way), by: actor, at: now)
        carryOut(entry, command, origin: "house \(upstream.way.rawValue)", asked: upstream.way.words, at: now)
    }

    private mutating func carryOut(
        _ entry: CommandDesk.Open, _ command: PanelCommand, origin: String, asked: String, at now: Moment
    ) {
        announce(event(of: entry, .command, "asked for by \(asked), unsigned", at: now))
        step.ledger.append(
            LedgerRow(command: entry.id, summary: entry.summary, origin: origin, time: now.wall, outcome: nil))
        step.continuations.append(
            .carryOut(
                PanelOrder(id: entry.id, command: command, deadline: now.boot + configuration.pace.commandDeadline)))
    }
}

extension PartitionStatus {
    /// For people, in a sentence about the partition.
    var inWords: String {
        switch self {
        case .notEnabled: "not used"
        case .disarmed: "disarmed"
        case .ready: "disarmed, ready"
        case .readyForce: "disarmed, ready to be armed by force"
        case .notReady: "disarmed, not ready"
        case .exitDelay: "arming"
        case .armed(let mode): mode.map { "armed (\($0.rawValue))" } ?? "armed"
        case .entryDelay: "armed, entry delay"
        case .alarm: "IN ALARM"
        }
    }
}
