import AlarmModel
import PhoneLink
import PhoneProtocol

/// How a person comes by one-time codes, and loses them (docs/pairing.md 10).
extension Pairing {
    mutating func beginCodes(
        of name: String, for client: ConnectionID, _ step: inout Step
    ) {
        guard let person = step.book.personWithCodes(named: name) else { return step.refuse(Self.nobody(name), client) }
        guard step.now.isWallTrusted else { return step.refuse(CodeEnrolment.untrusted, client) }
        guard step.isStoreGood, step.isBookReadable else {
            return step.refuse("storage failed; nothing can be set up. See \(Hint.status)", client)
        }
        endAll(PhonePairing.replaced, &step)
        let issuer = step.configuration.siteName.isEmpty ? "HowAlarming" : step.configuration.siteName
        let job = step.ask(.beginCodes(person.id, issuer: issuer, account: person.name), for: .beginCodes)
        enrolment = CodeEnrolment(
            client: client, person: person.id, until: step.now.boot + step.configuration.phones.timing.pairingLife,
            stage: .preparing(job))
    }

    mutating func codesAreReady(_ job: VaultJobID, _ step: inout Step) {
        guard let enrolment, enrolment.stage == .preparing(job) else { return }
        self.enrolment?.stage = .shown
        step.reply(
            .pairing(.codesReady(validFor: step.configuration.phones.timing.pairingLife)), to: enrolment.client)
    }

    /// - Returns: false when no codes are being set up
    mutating func confirmCodes(
        _ code: Secret, for client: ConnectionID, _ step: inout Step
    ) -> Bool {
        guard let enrolment else { return false }
        guard enrolment.stage == .shown else {
            step.refuse("a moment: the last code is being checked", client)
            return true
        }
        guard step.now.isWallTrusted else {
            step.refuse(CodeEnrolment.untrusted, client)
            return true
        }
        guard step.isStoreGood else {
            step.refuse("storage failed; nothing was set up. See \(Hint.status)", client)
            return true
        }
        let job = step.ask(.confirmCodes(code, at: step.now.wall), for: .confirmCodes(client))
        self.enrolment?.stage = .comparing(job)
        return true
    }

    mutating func comparedCodes(
        _ job: VaultJobID, _ answer: VaultAnswer, for client: ConnectionID, _ step: inout Step
    ) {
        guard let enrolment, enrolment.stage == .comparing(job) else {
            return step.refuse("it has ended meanwhile; begin again with \(Hint.codes)", client)
        }
        guard case .codeStep(let used?) = answer else {
            self.enrolment?.stage = .shown
            self.enrolment?.triesLeft -= 1
            let left = enrolment.triesLeft - 1
            guard left > 0 else {
                step.refuse(CodeEnrolment.wrongCodes, client)
                return endCodes(CodeEnrolment.wrongCodes, &step)
            }
            step.reply(.pairing(.wrongCode(triesLeft: left)), to: enrolment.client)
            return step.refuse("the code is wrong; \(left) \(left == 1 ? "try" : "tries") left", client)
        }
        self.enrolment = nil
        guard let person = step.book.person(enrolment.person) else {
            step.tell(.forgetCodes(enrolment.person))
            step.finishRequest(of: enrolment.client, with: .pairing(.ended(why: "the person is gone")))
            return step.refuse("the person is gone", client)
        }
        // The code that was typed here is used up, too.
        step.book.codes.removeAll { $0.person == person.id }
        step.book.codes.append(PersonCodes(person: person.id, lastStep: used))
        step.book.codes.sort { $0.person < $1.person }
        step.allowConfigured(person)
        actions.append(.codesChanged(person.id))
        step.bookChanged()
        step.announce(.info, .phones, "\(person.name) has one-time codes now.")
        // Both hear of it when it is stored.
        step.wait(.codesStored(enrolment.client, person.name))
        step.wait(.replyChanged(client, "\(person.name)'s one-time codes count from now on"))
    }

    mutating func endCodes(_ why: String, _ step: inout Step) {
        guard let enrolment else { return }
        self.enrolment = nil
        step.tell(.endCodes)
        step.finishRequest(of: enrolment.client, with: .pairing(.ended(why: why)))
    }

    /// Without codes nothing that wants one stays allowed: it must not come back by itself with the next codes.
    mutating func removeCodes(
        of name: String, for client: ConnectionID, _ step: inout Step
    ) {
        guard let person = step.book.personWithCodes(named: name) else { return step.refuse(Self.nobody(name), client) }
        guard step.book.codes(of: person.id) != nil else {
            return step.refuse("\(person.name) has no one-time codes", client)
        }
        guard step.isStoreGood, step.isBookReadable else {
            return step.refuse("storage failed; nothing was changed. See \(Hint.status)", client)
        }
        let id = person.id
        if enrolment?.person == id { endCodes(PhonePairing.cancelled, &step) }
        actions.append(.codesChanged(id))
        step.changeBook(
            client,
            "\(person.name)'s one-time codes were removed; no account of \(person.name) disarms or bypasses now."
        ) { book in
            book.codes.removeAll { $0.person == id }
            for index in book.contacts.indices where book.contacts[index].person == id {
                guard book.contacts[index].kind == .xmpp else { continue }
                book.contacts[index].allowed.removeAll(where: \.wantsCode)
            }
        }
        step.wait(.endVault(.forgetCodes(id)))
    }

    private static func nobody(_ name: String) -> String {
        "there is nobody called '\(name)', and no account; \(Hint.people) shows all"
    }
}
