import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What the broker and the command tube ask for: by the verbs that the configuration names, with a code where it asks
/// for one.
extension Commands {
    /// The broker and the command tube: without a person's name.
    mutating func heardHouse(_ text: String, _ inbound: InboundMessage, _ step: inout Step) {
        guard let verbs = step.configuration.phones.houseVerbs.first(where: { $0.channel == inbound.channel }) else {
            return reject(.legacy, &step)
        }
        var asker = HouseAsker(channel: inbound.channel)
        guard let asked = HouseOrder(text, inbound, first: step.configuration.panel.partitions.first ?? 1) else {
            reject(.malformed, &step)
            return refuse("What came", by: asker, "it is no command that is known there", &step)
        }
        asker.partition = asked.command?.partition
        guard verbs.allowed.contains(asked.verb), let command = asked.command else {
            reject(.legacy, &step)
            return refuse("'\(asked.verb.rawValue)'", by: asker, "the configuration does not allow it", &step)
        }
        if asked.verb == .status {
            // What the panel says now comes as events where it differs; whoever asked wants an answer in any case.
            guard paces.maySay(.house(inbound.channel), at: step.now.boot) else { return reject(.tooMany, &step) }
            let house = EnglishAnswers.status(step.houseStatus).replacing(text: "\n", with: "; ")
            step.note(.response, .command, "The house: \(house)", about: .channel(inbound.channel))
        }
        if asked.verb == .disarm, verbs.takesOneTimeCodes == true {
            return checkHouseCode(asked.code, for: command, by: asker, &step)
        }
        // What a program of the original brings, the panel's own code, is compared with nothing: whoever writes into the
        // queue would learn by the answers what it is.
        if asked.verb == .disarm, let code = verbs.code {
            // Of its own: wrong codes in the queue keep nobody at the broker from disarming.
            let owner = CodeLock.Owner.channel(inbound.channel)
            guard codeLocks.mayTry(owner, at: step.now.boot) else { return codesAreLocked(asker, &step) }
            guard let given = asked.code, ConstantTime.equal(Array(given.revealed.utf8), Array(code.revealed.utf8))
            else {
                return wrongHouseCode(by: asker, why: "the code is wrong", &step)
            }
            codeLocks.end(owner)
        }
        // Of right codes there cannot be too many: the disarming in an entry delay is not to wait for quick arming before.
        let isProved = asked.verb == .disarm && verbs.code != nil
        guard mayOrder(asked.verb, by: asker, isProved: isProved, &step) else { return }
        remember(inbound)
        let actor = Actor(name: inbound.channel.words, device: "house")
        order(command, by: inbound.channel, actor, asked: inbound.channel.words, &step)
    }

    // MARK: One-time codes

    /// Nobody says at the broker who he is: the code of anybody who has such codes counts.
    private mutating func checkHouseCode(
        _ code: Secret?, for command: PanelCommand, by asker: HouseAsker, _ step: inout Step
    ) {
        let channel = asker.channel
        guard codeLocks.mayTry(.channel(channel), at: step.now.boot) else { return codesAreLocked(asker, &step) }
        func refuse(_ why: String, _ step: inout Step) {
            guard paces.maySay(.house(channel), at: step.now.boot) else { return reject(.tooMany, &step) }
            step.noteRefused("Disarming by \(asker.words) refused: \(why).", to: asker)
        }
        guard step.now.isWallTrusted else {
            return refuse(
                "the clock of the box is not set by the network now, so no one-time code can be checked", &step)
        }
        let people = step.book.people.map(\.id).filter { step.book.codes(of: $0) != nil }
        guard !people.isEmpty else {
            return refuse("nobody has one-time codes; they are set up with \(Hint.codes.atBox)", &step)
        }
        guard let code else { return wrongHouseCode(by: asker, why: "it came without a code", &step) }
        ask(HouseCodedOrder(asker: asker, command: command, code: code, people: people), &step)
    }

    private func ask(_ order: HouseCodedOrder, _ step: inout Step) {
        guard let person = order.people.first else { return }
        step.ask(
            .checkCode(person, order.code, at: step.now.wall, lastUsed: step.book.codes(of: person)?.lastStep ?? 0),
            for: .houseCode(order))
    }

    mutating func checkedHouseCode(_ asked: HouseCodedOrder, _ answer: VaultAnswer, _ step: inout Step) {
        let verbs = step.configuration.phones.houseVerbs.first { $0.channel == asked.asker.channel }
        guard let verbs, verbs.takesOneTimeCodes == true, verbs.allowed.contains(.disarm),
            let person = asked.people.first
        else { return reject(.legacy, &step) }
        // Another message with the same code may have come between the question and the answer.
        guard case .codeStep(let used?) = answer, let codes = step.book.codes(of: person), used > codes.lastStep else {
            var next = asked
            next.people.removeFirst()
            guard next.people.isEmpty else { return ask(next, &step) }
            return wrongHouseCode(by: asked.asker, why: "the code is wrong, too old, or was used before", &step)
        }
        codeLocks.end(.channel(asked.asker.channel))
        guard mayOrder(.disarm, by: asked.asker, isProved: true, &step) else { return }
        spend(used, of: person, &step)
        let name = step.book.person(person)?.name ?? "somebody"
        order(asked.command, by: asked.asker.channel, Actor(name: name, device: asked.asker.words), asked: nil, &step)
    }

    // MARK: Both

    private mutating func wrongHouseCode(by asker: HouseAsker, why: String, _ step: inout Step) {
        // Several may be on their way when the fifth locks.
        guard codeLocks.mayTry(.channel(asker.channel), at: step.now.boot) else { return codesAreLocked(asker, &step) }
        let span = codeLocks.failed(.channel(asker.channel), at: step.now.boot)
        if let span {
            step.note(
                .fault, .phoneLocked, "Five wrong codes came by \(asker.words); it may not disarm for \(span.words).",
                about: .channel(asker.channel))
        }
        step.noteRefused(
            "Disarming by \(asker.words) refused: \(why).", to: asker, as: span == nil ? .refused : .locked)
    }

    private mutating func codesAreLocked(_ asker: HouseAsker, _ step: inout Step) {
        reject(.tooMany, &step)
        refuse("Disarming", by: asker, as: .locked, "five wrong codes came there, so it waits", &step)
    }

    private mutating func mayOrder(
        _ verb: HouseVerb, by asker: HouseAsker, isProved: Bool, _ step: inout Step
    ) -> Bool {
        let paced = AskingPace.Asker.house(asker.channel)
        var why = "the box cannot write it down now; see \(Hint.status.atBox)"
        if step.isStoreGood, step.life == .running {
            let rate = step.configuration.phones.commandRate
            if isProved || paces.mayCommand(paced, rate: rate, at: step.now.boot) { return true }
            why = "more commands came within a minute than phones.command_rate lets"
        }
        reject(.tooMany, &step)
        refuse("'\(verb.rawValue)'", by: asker, why, &step)
        return false
    }

    /// The journal tells it, and Home Assistant. What is refused often is told less often.
    private mutating func refuse(
        _ what: String, by asker: HouseAsker, as kind: HomeAssistantAnswer = .refused, _ why: String, _ step: inout Step
    ) {
        guard paces.maySay(.house(asker.channel), at: step.now.boot) else { return }
        step.noteRefused("\(what) by \(asker.words) refused: \(why).", to: asker, as: kind)
    }

    private mutating func order(
        _ command: PanelCommand, by channel: ChannelKind, _ actor: Actor, asked: String?, _ step: inout Step
    ) {
        let entry = accept(command, from: .house(channel), by: actor, asked: asked, &step)
        step.wait(.carryOut(step.order(entry.id, command)))
    }
}
