import AlarmModel
import PhoneLink
import PhoneProtocol

/// How a person comes by one-time codes, and loses them (docs/pairing.md 10).
extension Appliance {
    mutating func beginCodes(
        of name: String, for client: ConnectionID, _ step: inout Step
    ) {
        guard let person = coded(name) else { return refuse(nobody(name), client, &step) }
        guard step.now.isWallTrusted else { return refuse(CodeEnrolment.untrusted, client, &step) }
        guard journal.isGood, hall.isBookReadable else {
            return refuse("storage failed; nothing can be set up. See 'howalarming status'", client, &step)
        }
        endPairings(PairingDesk.replaced, &step)
        let issuer = configuration.siteName.isEmpty ? "HowAlarming" : configuration.siteName
        order(.beginCodes(person.id, issuer: issuer, account: person.name), for: .beginCodes, &step)
        hall.enrolment = CodeEnrolment(
            client: client, person: person.id, until: step.now.boot + configuration.phones.timing.pairingLife,
            stage: .preparing(VaultJobID(hall.nextVaultJob - 1)))
    }

    mutating func codesAreReady(_ job: VaultJobID, _ step: inout Step) {
        guard let enrolment = hall.enrolment, enrolment.stage == .preparing(job) else { return }
        hall.enrolment?.stage = .shown
        reply(
            .pairing(.codesReady(validFor: configuration.phones.timing.pairingLife)), to: enrolment.client,
            &step)
    }

    /// - Returns: false when no codes are being set up
    mutating func confirmCodes(
        _ code: Secret, for client: ConnectionID, _ step: inout Step
    ) -> Bool {
        guard let enrolment = hall.enrolment else { return false }
        guard enrolment.stage == .shown else {
            refuse("a moment: the last code is being checked", client, &step)
            return true
        }
        guard step.now.isWallTrusted else {
            refuse(CodeEnrolment.untrusted, client, &step)
            return true
        }
        guard journal.isGood else {
            refuse("storage failed; nothing was set up. See 'howalarming status'", client, &step)
            return true
        }
        order(.confirmCodes(code, at: step.now.wall), for: .confirmCodes(client), &step)
        hall.enrolment?.stage = .comparing(VaultJobID(hall.nextVaultJob - 1))
        return true
    }

    mutating func comparedCodes(
        _ job: VaultJobID, _ answer: VaultAnswer, for client: ConnectionID, _ step: inout Step
    ) {
        guard let enrolment = hall.enrolment, enrolment.stage == .comparing(job) else {
            return refuse("it has ended meanwhile; begin again with 'howalarming phones codes'", client, &step)
        }
        guard case .codeStep(let used?) = answer else {
            hall.enrolment?.stage = .shown
            hall.enrolment?.triesLeft -= 1
            let left = enrolment.triesLeft - 1
            guard left > 0 else {
                refuse(CodeEnrolment.wrongCodes, client, &step)
                return endCodes(CodeEnrolment.wrongCodes, &step)
            }
            reply(.pairing(.wrongCode(triesLeft: left)), to: enrolment.client, &step)
            return refuse("the code is wrong; \(left) \(left == 1 ? "try" : "tries") left", client, &step)
        }
        hall.enrolment = nil
        guard let person = hall.book.person(enrolment.person) else {
            order(.forgetCodes(enrolment.person), &step)
            finishRequest(of: enrolment.client, with: .pairing(.ended(why: "the person is gone")), &step)
            return refuse("the person is gone", client, &step)
        }
        // The code that was typed here is used up, too.
        hall.book.codes.removeAll { $0.person == person.id }
        hall.book.codes.append(PersonCodes(person: person.id, lastStep: used))
        hall.book.codes.sort { $0.person < $1.person }
        hall.codeLocks.removeAll { $0.person == person.id }
        bookChanged(&step)
        announce(.info, .phones, "\(person.name) has one-time codes now.", &step)
        // Both hear of it when it is stored.
        step.writes.continuations.append(.codesStored(enrolment.client, person.name))
        step.writes.continuations.append(.replyChanged(client, "\(person.name)'s one-time codes count from now on"))
    }

    mutating func endCodes(_ why: String, _ step: inout Step) {
        guard let enrolment = hall.enrolment else { return }
        hall.enrolment = nil
        order(.endCodes, &step)
        finishRequest(of: enrolment.client, with: .pairing(.ended(why: why)), &step)
    }

    /// Without codes nothing that wants one stays allowed: it must not come back by itself with the next codes.
    mutating func removeCodes(
        of name: String, for client: ConnectionID, _ step: inout Step
    ) {
        guard let person = coded(name) else { return refuse(nobody(name), client, &step) }
        guard hall.book.codes(of: person.id) != nil else {
            return refuse("\(person.name) has no one-time codes", client, &step)
        }
        guard journal.isGood, hall.isBookReadable else {
            return refuse("storage failed; nothing was changed. See 'howalarming status'", client, &step)
        }
        let id = person.id
        if hall.enrolment?.person == id { endCodes(PairingDesk.cancelled, &step) }
        hall.codeLocks.removeAll { $0.person == id }
        changeBook(
            client,
            "\(person.name)'s one-time codes were removed; no account of \(person.name) disarms or bypasses step.now.",
            &step
        ) { book in
            book.codes.removeAll { $0.person == id }
            for index in book.contacts.indices where book.contacts[index].person == id {
                guard book.contacts[index].kind == .xmpp else { continue }
                book.contacts[index].allowed.removeAll(where: \.wantsCode)
            }
        }
        step.writes.continuations.append(.endVault(.forgetCodes(id)))
    }

    /// By the person's name, or by that of one of their accounts.
    private func coded(_ name: String) -> Person? {
        hall.book.person(named: name) ?? contact(named: name).flatMap { hall.book.person($0.person) }
    }

    private func nobody(_ name: String) -> String {
        "there is nobody called '\(name)', and no account; 'howalarming people list' shows all"
    }

    // MARK: Use

    /// What an account asks for with a code: the vault is asked first.
    mutating func checkCode(
        _ code: Secret, for command: PanelCommand, _ verb: ContactVerb, by contact: Contact, _ step: inout Step
    ) {
        guard let codes = hall.book.codes(of: contact.person) else {
            return tell(contact, title: "not done", Self.noCodes(verb), &step)
        }
        guard step.now.isWallTrusted else {
            return tell(
                contact, title: "not done",
                "The clock of the box is not set by the network now, so a one-time code cannot be checked; nothing was "
                    + "done. Use a paired phone or the keypad.", &step)
        }
        guard codeLock(of: contact.person).mayTry(at: step.now.boot) else {
            return tell(
                contact, title: "not done",
                "Your codes are locked for a while after five wrong ones; nothing was done. Use a paired phone or the "
                    + "keypad. At the box 'howalarming phones lift' ends that.", &step)
        }
        #if SABOTAGE
            let lastUsed = sabotage == .codeWorksTwice ? 0 : codes.lastStep
        #else
            let lastUsed = codes.lastStep
        #endif
        order(
            .checkCode(contact.person, code, at: step.now.wall, lastUsed: lastUsed),
            for: .code(CodedOrder(contact: contact.address, verb: verb, command: command)), &step)
    }

    static func noCodes(_ verb: ContactVerb) -> String {
        "'\(verb.rawValue)' needs one-time codes, and you have none; nothing was done. They are set up at the box: "
            + "howalarming phones codes. Use a paired phone or the keypad."
    }

    mutating func checkedCode(
        _ asked: CodedOrder, _ answer: VaultAnswer, _ step: inout Step
    ) {
        guard let contact = hall.book.contacts.first(where: { $0.address == asked.contact }), contact.state == .inUse,
            contact.allowed.contains(asked.verb), let codes = hall.book.codes(of: contact.person)
        else { return reject(.repeated, &step) }
        let person = contact.person
        // Another message with the same code may have come between the question and the answer.
        #if SABOTAGE
            let isLax = sabotage == .codeWorksTwice
        #else
            let isLax = false
        #endif
        guard case .codeStep(let used?) = answer, used > codes.lastStep || isLax else {
            return wrongCode(asked.verb, by: contact, &step)
        }
        hall.codeLocks.removeAll { $0.person == person }
        order(asked.command, by: contact, spending: used, &step)
    }

    private mutating func wrongCode(_ verb: ContactVerb, by contact: Contact, _ step: inout Step) {
        var lock = codeLock(of: contact.person)
        // Several may be on their way when the fifth locks.
        guard lock.mayTry(at: step.now.boot) else { return reject(.tooMany, &step) }
        let locks = lock.failed(at: step.now.boot)
        hall.codeLocks.removeAll { $0.person == contact.person }
        hall.codeLocks.append(PersonLock(person: contact.person, lock: lock))
        note(
            .response, .phoneDenied,
            "\(words(contact)): '\(verb.rawValue)' refused, the code is wrong, too old, or was used before.", &step)
        if locks {
            note(
                .fault, .phoneLocked,
                "\(words(contact)): five wrong codes. No code of this person counts for 15 minutes; "
                    + "'howalarming phones lift' ends that.", &step)
        }
        tell(
            contact, title: "not done",
            "The code is wrong, too old, or was used before; nothing was done. "
                + (locks
                    ? "That was the fifth: for 15 minutes no code of yours counts."
                    : "Wait for the next code of your authenticator app, then try again."),
            &step)
    }

    func codeLock(of person: PersonID) -> CodeLock {
        hall.codeLocks.first { $0.person == person }?.lock ?? CodeLock()
    }

    /// Each code works once: its step is stored with the order, before that is carried out.
    mutating func spend(_ used: UInt64, of person: PersonID, _ step: inout Step) {
        guard let index = hall.book.codes.firstIndex(where: { $0.person == person }) else { return }
        hall.book.codes[index].lastStep = used
        bookChanged(&step)
    }
}
