import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// How a store app or an account becomes a contact: the box sends a code there, its owner types it at the box.
extension Pairing {
    mutating func beginContactPairing(
        _ request: ContactRequest, for client: ConnectionID, _ step: inout Step
    ) {
        guard ChannelKind.carrying(request.kind, of: step.channels) != nil else {
            let section =
                switch request.kind {
                case .topic: "'ntfy'"
                case .xmpp: "'xmpp' with jid and password"
                }
            return step.refuse("this channel is not configured; set \(section), reload, then try again", client)
        }
        let person = step.book.person(named: request.person)
        if let why = step.book.whyImpossible(request, person?.id) { return step.refuse(why, client) }
        if let why = step.whyUnsafe(request) { return step.refuse(why, client) }
        guard step.isStoreGood, step.isBookReadable else {
            return step.refuse("storage failed; nothing can be paired. See \(Hint.status)", client)
        }
        endAll(PhonePairing.replaced, &step)
        contactPairing = ContactPairing(
            client: client, request: request, until: step.now.boot + step.configuration.phones.timing.pairingLife)
        step.compute(.random(38), for: .contactSecrets)
    }

    /// 30 bytes for two topics, 8 for the code.
    mutating func gotContactSecrets(_ answer: TransportAnswer, _ step: inout Step) {
        guard var pairing = contactPairing, pairing.contact == nil else { return }
        guard case .bytes(let bytes) = answer, bytes.count == 38 else {
            return endContactPairing("no random bytes can be had; try again", &step)
        }
        let request = pairing.request
        var contact = Contact(
            address: AddressID(step.book.nextAddress), person: PersonID(0), kind: request.kind, name: request.name,
            value: request.value, commandsFrom: request.value,
            allowed: ContactVerb.allCases.filter {
                request.allowed.contains($0) || ContactVerb.byDefault(request.kind).contains($0)
            }, tellsArming: request.tellsArming, pairedAt: step.now.wall, state: .unconfirmed)
        let number = bytes[30...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        pairing.code = Secret(number.padded(6))
        switch request.kind {
        case .topic:
            let place = step.topicPlace
            contact.value = "\(place)/\(Self.topic(bytes[0..<15]))"
            contact.commandsFrom = "\(place)/\(Self.topic(bytes[15..<30]))"
            step.reply(.pairing(.subscribe(topic: step.subscription(contact.value))), to: pairing.client)
        case .xmpp:
            step.reply(.pairing(.codeSent(to: contact.value)), to: pairing.client)
        }
        // Taken from step.now on: a reload may give new addresses of the house their numbers meanwhile.
        step.book.nextAddress += 1
        pairing.contact = contact
        contactPairing = pairing
        actions.append(.contactsChanged)
        step.tell(contact, .code(pairing.code))
    }

    /// 24 characters of base32 are 120 bits.
    private static func topic(_ bytes: ArraySlice<UInt8>) -> String { Base32.encode(Array(bytes)).lowercased() }

    /// - Returns: false when no contact is being paired
    mutating func confirmContact(
        _ code: Secret, for client: ConnectionID, _ step: inout Step
    ) -> Bool {
        guard var pairing = contactPairing, var contact = pairing.contact else { return false }
        guard ConstantTime.equal(Array(code.revealed.utf8), Array(pairing.code.revealed.utf8)) else {
            pairing.triesLeft -= 1
            contactPairing = pairing
            let left = pairing.triesLeft
            guard left > 0 else {
                step.refuse(PhonePairing.wrongCodes, client)
                endContactPairing(PhonePairing.wrongCodes, &step)
                return true
            }
            step.reply(.pairing(.wrongCode(triesLeft: left)), to: pairing.client)
            step.refuse("the code is wrong; \(left) \(left == 1 ? "try" : "tries") left", client)
            return true
        }
        guard step.isStoreGood else {
            step.refuse("storage failed; nothing was paired", client)
            return true
        }
        contactPairing = nil
        contact.state = .inUse
        contact.person = step.personForPairing(named: pairing.request.person)
        step.book.contacts.append(contact)
        step.bookChanged()
        let verbs = contact.allowed.map(\.rawValue).joined(separator: ", ")
        step.announce(.info, .phones, "\(step.book.actor(contact).words) was paired; it may \(verbs).")
        step.wait(.contactPaired(contact.address, pairing.client))
        step.wait(.replyChanged(client, "paired with '\(contact.name)'"))
        actions.append(.contactsChanged)
        return true
    }

    /// It is told as done when it is on the disk, and undone when it cannot be.
    mutating func contactPairingStored(
        _ address: AddressID, _ client: ConnectionID, stored: Bool, _ step: inout Step
    ) {
        guard let contact = step.book.contact(address) else { return }
        guard stored else {
            step.finishRequest(of: client, with: .pairing(.ended(why: PhonePairing.notStored)))
            actions.append(.dropped(address, why: "it was not paired after all"))
            step.book.contacts.removeAll { $0.address == address }
            step.bookChanged()
            step.note(
                .fault, .phones, "\(step.book.actor(contact).words) was not paired after all: the storage failed.")
            return actions.append(.contactsChanged)
        }
        step.finishRequest(
            of: client, with: .pairing(.paired(phone: contact.shownAddress, name: contact.name)))
        step.tell(contact, .paired)
    }

    mutating func endContactPairing(_ why: String, _ step: inout Step) {
        guard let pairing = contactPairing else { return }
        contactPairing = nil
        step.finishRequest(of: pairing.client, with: .pairing(.ended(why: why)))
        actions.append(.contactsChanged)
    }
}
