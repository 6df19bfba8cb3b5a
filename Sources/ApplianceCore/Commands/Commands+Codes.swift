import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// One-time codes that accounts send with a command (docs/pairing.md 10).
extension Commands {
    /// What an account asks for with a code: the vault is asked first.
    mutating func checkCode(
        _ code: Secret, for command: PanelCommand, _ verb: ContactVerb, by contact: Contact, _ step: inout Step
    ) {
        guard let codes = step.book.codes(of: contact.person) else {
            return step.tell(contact, .noCodes(verb, isAllowed: true))
        }
        guard step.now.isWallTrusted else {
            return step.tell(contact, .clockInDoubt)
        }
        guard codeLocks.mayTry(.person(contact.person), at: step.now.boot) else {
            return step.tell(contact, .codesLocked)
        }
        #if SABOTAGE
            let lastUsed = step.sabotage == .codeWorksTwice ? 0 : codes.lastStep
        #else
            let lastUsed = codes.lastStep
        #endif
        step.ask(
            .checkCode(contact.person, code, at: step.now.wall, lastUsed: lastUsed),
            for: .code(CodedOrder(contact: contact.address, verb: verb, command: command)))
    }

    mutating func checkedCode(
        _ asked: CodedOrder, _ answer: VaultAnswer, _ step: inout Step
    ) {
        guard let contact = step.book.contact(asked.contact), contact.state == .inUse,
            contact.allowed.contains(asked.verb), let codes = step.book.codes(of: contact.person)
        else { return reject(.repeated, &step) }
        let person = contact.person
        // Another message with the same code may have come between the question and the answer.
        #if SABOTAGE
            let isLax = step.sabotage == .codeWorksTwice
        #else
            let isLax = false
        #endif
        guard case .codeStep(let used?) = answer, used > codes.lastStep || isLax else {
            return wrongCode(asked.verb, by: contact, &step)
        }
        codeLocks.end(.person(person))
        order(asked.command, by: contact, spending: used, &step)
    }

    private mutating func wrongCode(_ verb: ContactVerb, by contact: Contact, _ step: inout Step) {
        let person = CodeLock.Owner.person(contact.person)
        // Several may be on their way when the fifth locks.
        guard codeLocks.mayTry(person, at: step.now.boot) else { return reject(.tooMany, &step) }
        let span = codeLocks.failed(person, at: step.now.boot)
        step.note(
            .response, .phoneDenied,
            "\(step.book.actor(contact).words): '\(verb.rawValue)' refused, the code is wrong, too old, or was used before.",
            about: .address(contact.address))
        if let span {
            step.note(
                .fault, .phoneLocked,
                "\(step.book.actor(contact).words): five wrong codes. No code of this person counts for \(span.words); "
                    + "\(Hint.lift.atBox) ends that.",
                about: .address(contact.address))
        }
        step.tell(contact, .wrongCode(lockedFor: span))
    }

    /// Each code works once: its step is stored with the order, before that is carried out.
    mutating func spend(_ used: UInt64, of person: PersonID, _ step: inout Step) {
        guard let index = step.book.codes.firstIndex(where: { $0.person == person }) else { return }
        step.book.codes[index].lastStep = used
        step.bookChanged()
    }
}
