import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// How a store app or an account becomes a contact: the box sends a code there, its owner types it at the box.
extension Appliance {
    /// A code was asked for at the box and not typed yet.
    package var isPairingContact: Bool { hall.contactPairing != nil }

    mutating func beginContactPairing(
        _ request: ContactRequest, for client: ConnectionID, _ step: inout Step
    ) {
        guard WayKind.carrying(request.kind, of: hall.ways.map(\.kind)) != nil else {
            let section =
                switch request.kind {
                case .topic: "'ntfy'"
                case .xmpp: "'xmpp' with jid and password"
                }
            return refuse("this way is not configured; set \(section), reload, then try again", client, &step)
        }
        let person = hall.book.person(named: request.person)
        if let why = whyImpossible(request, person?.id) { return refuse(why, client, &step) }
        if let why = whyUnsafe(request) { return refuse(why, client, &step) }
        guard journal.isGood, hall.isBookReadable else {
            return refuse("storage failed; nothing can be paired. See 'howalarming status'", client, &step)
        }
        endPairings(PairingDesk.replaced, &step)
        hall.contactPairing = ContactPairing(
            client: client, request: request, until: step.now.boot + configuration.phones.timing.pairingLife)
        compute(.random(38), for: .contactSecrets, &step)
    }

    private func whyImpossible(_ request: ContactRequest, _ person: PersonID?) -> String? {
        let hasCodes = person.map { hall.book.codes(of: $0) != nil } ?? false
        let possible = ContactVerb.possible(request.kind, hasCodes: hasCodes)
        guard let verb = request.allowed.first(where: { !possible.contains($0) }) else { return nil }
        if ContactVerb.possible(request.kind, hasCodes: true).contains(verb) {
            return
                "'\(verb.rawValue)' by an account needs one-time codes: set them up with 'howalarming phones codes', "
                + "then allow it"
        }
        let names = possible.map(\.rawValue).joined(separator: ", ")
        return "'\(verb.rawValue)' cannot be allowed by this way; possible are \(names)"
    }

    /// Disarming by a topic is worth what the server is worth (docs/pairing.md 10).
    private func whyUnsafe(_ request: ContactRequest) -> String? {
        switch request.kind {
        case .topic:
            guard request.allowed.contains(.disarm), !configuration.phones.isTopicServerTrusted else { return nil }
            return "disarming from a store app is possible only on a topic server of your own: set ntfy.server to it "
                + "and ntfy.trusted to true; nothing was changed"
        case .xmpp:
            guard hall.book.contacts.contains(where: { $0.kind == .xmpp && $0.value == request.value }) else {
                return nil
            }
            return "this account is a contact already; revoke it first with 'howalarming phones revoke'"
        }
    }

    /// 30 bytes for two topics, 8 for the code.
    mutating func gotContactSecrets(_ answer: TransportAnswer, _ step: inout Step) {
        guard var pairing = hall.contactPairing, pairing.contact == nil else { return }
        guard case .bytes(let bytes) = answer, bytes.count == 38 else {
            return endContactPairing("no random bytes can be had; try again", &step)
        }
        let request = pairing.request
        var contact = Contact(
            address: AddressID(hall.book.nextAddress), person: PersonID(0), kind: request.kind, name: request.name,
            value: request.value, commandsFrom: request.value,
            allowed: ContactVerb.allCases.filter {
                request.allowed.contains($0) || ContactVerb.byDefault(request.kind).contains($0)
            }, tellsArming: request.tellsArming, pairedAt: step.now.wall, state: .unconfirmed)
        let number = bytes[30...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        pairing.code = Secret(String(repeating: "0", count: 6 - digits.utf8.count) + digits)
        switch request.kind {
        case .topic:
            let place = hall.topicPlace
            contact.value = "\(place)/\(Self.topic(bytes[0..<15]))"
            contact.commandsFrom = "\(place)/\(Self.topic(bytes[15..<30]))"
            reply(.pairing(.subscribe(topic: subscription(contact.value))), to: pairing.client, &step)
        case .xmpp:
            reply(.pairing(.codeSent(to: contact.value)), to: pairing.client, &step)
        }
        // Taken from step.now on: a reload may give new addresses of the house their numbers meanwhile.
        hall.book.nextAddress += 1
        pairing.contact = contact
        hall.contactPairing = pairing
        updateListening(&step)
        let words = NoticeText(siteName: configuration.siteName, names: configuration.panel.names)
        let notice = words.notice(
            title: "code \(pairing.code.revealed)",
            text: "Type at the box: howalarming phones confirm \(pairing.code.revealed). "
                + "If you did not ask for this, do nothing.", at: step.now.wall)
        tell(contact, notice, &step)
    }

    /// 24 characters of base32 are 120 bits.
    private static func topic(_ bytes: ArraySlice<UInt8>) -> String { Base32.encode(Array(bytes)).lowercased() }

    /// - Returns: false when no contact is being paired
    mutating func confirmContact(
        _ code: Secret, for client: ConnectionID, _ step: inout Step
    ) -> Bool {
        guard var pairing = hall.contactPairing, var contact = pairing.contact else { return false }
        guard ConstantTime.equal(Array(code.revealed.utf8), Array(pairing.code.revealed.utf8)) else {
            pairing.triesLeft -= 1
            hall.contactPairing = pairing
            let left = pairing.triesLeft
            guard left > 0 else {
                refuse(PairingDesk.wrongCodes, client, &step)
                endContactPairing(PairingDesk.wrongCodes, &step)
                return true
            }
            reply(.pairing(.wrongCode(triesLeft: left)), to: pairing.client, &step)
            refuse("the code is wrong; \(left) \(left == 1 ? "try" : "tries") left", client, &step)
            return true
        }
        guard journal.isGood else {
            refuse("storage failed; nothing was paired", client, &step)
            return true
        }
        hall.contactPairing = nil
        contact.state = .inUse
        contact.person = personForPairing(named: pairing.request.person)
        hall.book.contacts.append(contact)
        bookChanged(&step)
        let verbs = contact.allowed.map(\.rawValue).joined(separator: ", ")
        announce(.info, .phones, "\(words(contact)) was paired; it may \(verbs).", &step)
        step.writes.continuations.append(.contactPaired(contact.address, pairing.client))
        step.writes.continuations.append(.replyChanged(client, "paired with '\(contact.name)'"))
        updateListening(&step)
        return true
    }

    /// It is told as done when it is on the disk, and undone when it cannot be.
    mutating func contactPairingStored(
        _ address: AddressID, _ client: ConnectionID, stored: Bool, _ step: inout Step
    ) {
        guard let contact = hall.book.contacts.first(where: { $0.address == address }) else { return }
        guard stored else {
            finishRequest(of: client, with: .pairing(.ended(why: PairingDesk.notStored)), &step)
            hall.outbox.dropped(address, why: "it was not paired after all", at: step.now)
            hall.book.contacts.removeAll { $0.address == address }
            bookChanged(&step)
            note(.fault, .phones, "\(words(contact)) was not paired after all: the storage failed.", &step)
            return updateListening(&step)
        }
        finishRequest(
            of: client, with: .pairing(.paired(phone: contact.shownAddress, name: contact.name)), &step)
        let text = NoticeText(siteName: configuration.siteName, names: configuration.panel.names)
        tell(
            contact,
            text.notice(
                title: "paired", text: "Alarms and troubles of this house arrive here from now on.", at: step.now.wall),
            &step)
    }

    mutating func endContactPairing(_ why: String, _ step: inout Step) {
        guard let pairing = hall.contactPairing else { return }
        hall.contactPairing = nil
        finishRequest(of: pairing.client, with: .pairing(.ended(why: why)), &step)
        updateListening(&step)
    }

    /// Whatever is being paired ends.
    mutating func endPairings(_ why: String, _ step: inout Step) {
        if hall.pairing != nil { endPairing(why, &step) }
        endContactPairing(why, &step)
        endCodes(why, &step)
    }

    /// By its name, or by a beginning of its address or topic that is unique; a phone of this name comes first.
    func contact(named name: String) -> Contact? {
        let wanted = name.lowercased()
        let byName = hall.book.contacts.filter { $0.name.lowercased() == wanted }
        guard !hall.book.phones.contains(where: { $0.name.lowercased() == wanted }) else { return nil }
        let byAddress = hall.book.contacts.filter {
            $0.value.lowercased().hasPrefix(wanted) || $0.shownAddress.lowercased().hasPrefix(wanted)
        }
        let found = byName.isEmpty && wanted.utf8.count >= 4 ? byAddress : byName
        return found.count == 1 ? found[0] : nil
    }

    mutating func revoke(_ contact: Contact, by client: ConnectionID, _ step: inout Step) {
        if let why = whyUnchangeable { return refuse(why, client, &step) }
        let words = "\(words(contact)) was revoked."
        hall.outbox.dropped(contact.address, why: "the contact was revoked", at: step.now)
        hall.buttons.removeAll { $0.contact == contact.address }
        hall.paces.removeAll { $0.asker == .contact(contact.address) }
        changeBook(client, words, &step) { book in
            book.contacts.removeAll { $0.address == contact.address }
        }
        updateListening(&step)
    }

    mutating func allow(
        _ contact: Contact, _ request: ContactRequest, by client: ConnectionID, _ step: inout Step
    ) {
        if let why = whyImpossible(request, contact.person) { return refuse(why, client, &step) }
        if contact.kind == .topic, let why = whyUnsafe(request) { return refuse(why, client, &step) }
        let allowed = ContactVerb.allCases.filter { request.allowed.contains($0) }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        let words =
            "\(words(contact)) may now \(names.isEmpty ? "ask for nothing" : names)"
            + (request.tellsArming ? "; arming and disarming are told there in clear" : "") + "."
        changeBook(client, words, &step) { book in
            guard let index = book.contacts.firstIndex(where: { $0.address == contact.address }) else { return }
            book.contacts[index].allowed = allowed
            book.contacts[index].tellsArming = request.tellsArming
        }
    }

    /// As the store app is told: with its scheme where it is not the usual one.
    private func subscription(_ topic: String) -> String {
        for way in hall.ways {
            if case .ntfy(let settings) = way.settings, !settings.isEncrypted { return "http://" + topic }
        }
        return topic
    }
}
