import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// How a store app or an account becomes a contact: the box sends a code there, its owner types it at the box.
extension Appliance {
    /// A code was asked for at the box and not typed yet.
    package var isPairingContact: Bool { hall.contactPairing != nil }

    mutating func beginContactPairing(
        _ request: ContactRequest, for client: ConnectionID, at now: Moment, into effects: inout [Effect]
    ) {
        guard WayKind.carrying(request.kind, of: hall.ways.map(\.kind)) != nil else {
            let section =
                switch request.kind {
                case .topic: "'ntfy'"
                case .xmpp: "'xmpp' with jid and password"
                }
            return refuse("this way is not configured; set \(section), reload, then try again", client, into: &effects)
        }
        let person = hall.book.person(named: request.person)
        if let why = whyImpossible(request, person?.id) { return refuse(why, client, into: &effects) }
        if let why = whyUnsafe(request) { return refuse(why, client, into: &effects) }
        guard journal.isGood, hall.isBookReadable else {
            return refuse("storage failed; nothing can be paired. See 'howalarming status'", client, into: &effects)
        }
        endPairings(PairingDesk.replaced, at: now, into: &effects)
        hall.contactPairing = ContactPairing(
            client: client, request: request, until: now.boot + configuration.phones.timing.pairingLife)
        compute(.random(38), for: .contactSecrets, into: &effects)
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
    mutating func gotContactSecrets(_ answer: TransportAnswer, at now: Moment, into effects: inout [Effect]) {
        guard var pairing = hall.contactPairing, pairing.contact == nil else { return }
        guard case .bytes(let bytes) = answer, bytes.count == 38 else {
            return endContactPairing("no random bytes can be had; try again", at: now, into: &effects)
        }
        let request = pairing.request
        var contact = Contact(
            address: AddressID(hall.book.nextAddress), person: PersonID(0), kind: request.kind, name: request.name,
            value: request.value, commandsFrom: request.value,
            allowed: ContactVerb.allCases.filter {
                request.allowed.contains($0) || ContactVerb.byDefault(request.kind).contains($0)
            }, tellsArming: request.tellsArming, pairedAt: now.wall, state: .unconfirmed)
        let number = bytes[30...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        pairing.code = Secret(number.padded(6))
        switch request.kind {
        case .topic:
            let place = hall.topicPlace
            contact.value = "\(place)/\(Self.topic(bytes[0..<15]))"
            contact.commandsFrom = "\(place)/\(Self.topic(bytes[15..<30]))"
            reply(.pairing(.subscribe(topic: subscription(contact.value))), to: pairing.client, into: &effects)
        case .xmpp:
            reply(.pairing(.codeSent(to: contact.value)), to: pairing.client, into: &effects)
        }
        // Taken from now on: a reload may give new addresses of the house their numbers meanwhile.
        hall.book.nextAddress += 1
        pairing.contact = contact
        hall.contactPairing = pairing
        updateListening(at: now, into: &effects)
        let words = NoticeText(siteName: configuration.siteName, names: configuration.panel.names)
        let notice = words.notice(
            title: "code \(pairing.code.revealed)",
            text: "Type at the box: howalarming phones confirm \(pairing.code.revealed). "
                + "If you did not ask for this, do nothing.", at: now.wall)
        tell(contact, notice, at: now)
    }

    /// 24 characters of base32 are 120 bits.
    private static func topic(_ bytes: ArraySlice<UInt8>) -> String { Base32.encode(Array(bytes)).lowercased() }

    /// - Returns: false when no contact is being paired
    mutating func confirmContact(
        _ code: Secret, for client: ConnectionID, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard var pairing = hall.contactPairing, var contact = pairing.contact else { return false }
        guard ConstantTime.equal(Array(code.revealed.utf8), Array(pairing.code.revealed.utf8)) else {
            pairing.triesLeft -= 1
            hall.contactPairing = pairing
            let left = pairing.triesLeft
            guard left > 0 else {
                refuse(PairingDesk.wrongCodes, client, into: &effects)
                endContactPairing(PairingDesk.wrongCodes, at: now, into: &effects)
                return true
            }
            reply(.pairing(.wrongCode(triesLeft: left)), to: pairing.client, into: &effects)
            refuse("the code is wrong; \(left) \(left == 1 ? "try" : "tries") left", client, into: &effects)
            return true
        }
        guard journal.isGood else {
            refuse("storage failed; nothing was paired", client, into: &effects)
            return true
        }
        hall.contactPairing = nil
        contact.state = .inUse
        contact.person = personForPairing(named: pairing.request.person)
        hall.book.contacts.append(contact)
        bookChanged()
        let verbs = contact.allowed.map(\.rawValue).joined(separator: ", ")
        announce(.info, .phones, "\(words(contact)) was paired; it may \(verbs).", at: now)
        step.continuations.append(.contactPaired(contact.address, pairing.client))
        step.continuations.append(.replyChanged(client, "paired with '\(contact.name)'"))
        updateListening(at: now, into: &effects)
        return true
    }

    /// It is told as done when it is on the disk, and undone when it cannot be.
    mutating func contactPairingStored(
        _ address: AddressID, _ client: ConnectionID, stored: Bool, at now: Moment, into effects: inout [Effect]
    ) {
        guard let contact = hall.book.contacts.first(where: { $0.address == address }) else { return }
        guard stored else {
            finishRequest(of: client, with: .pairing(.ended(why: PairingDesk.notStored)), into: &effects)
            hall.outbox.dropped(address, why: "it was not paired after all", at: now)
            hall.book.contacts.removeAll { $0.address == address }
            bookChanged()
            note(.fault, .phones, "\(words(contact)) was not paired after all: the storage failed.", at: now)
            return updateListening(at: now, into: &effects)
        }
        finishRequest(
            of: client, with: .pairing(.paired(phone: contact.shownAddress, name: contact.name)), into: &effects)
        let text = NoticeText(siteName: configuration.siteName, names: configuration.panel.names)
        tell(
            contact,
            text.notice(
                title: "paired", text: "Alarms and troubles of this house arrive here from now on.", at: now.wall),
            at: now)
    }

    mutating func endContactPairing(_ why: String, at now: Moment, into effects: inout [Effect]) {
        guard let pairing = hall.contactPairing else { return }
        hall.contactPairing = nil
        finishRequest(of: pairing.client, with: .pairing(.ended(why: why)), into: &effects)
        updateListening(at: now, into: &effects)
    }

    /// Whatever is being paired ends.
    mutating func endPairings(_ why: String, at now: Moment, into effects: inout [Effect]) {
        if hall.pairing != nil { endPairing(why, at: now, into: &effects) }
        endContactPairing(why, at: now, into: &effects)
        endCodes(why, into: &effects)
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

    mutating func revoke(_ contact: Contact, by client: ConnectionID, at now: Moment, into effects: inout [Effect]) {
        if let why = whyUnchangeable { return refuse(why, client, into: &effects) }
        let words = "\(words(contact)) was revoked."
        hall.outbox.dropped(contact.address, why: "the contact was revoked", at: now)
        hall.buttons.removeAll { $0.contact == contact.address }
        hall.paces.removeAll { $0.asker == .contact(contact.address) }
        changeBook(client, words, at: now, into: &effects) { book in
            book.contacts.removeAll { $0.address == contact.address }
        }
        updateListening(at: now, into: &effects)
    }

    mutating func allow(
        _ contact: Contact, _ request: ContactRequest, by client: ConnectionID, at now: Moment,
        into effects: inout [Effect]
    ) {
        if let why = whyImpossible(request, contact.person) { return refuse(why, client, into: &effects) }
        if contact.kind == .topic, let why = whyUnsafe(request) { return refuse(why, client, into: &effects) }
        let allowed = ContactVerb.allCases.filter { request.allowed.contains($0) }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        let words =
            "\(words(contact)) may now \(names.isEmpty ? "ask for nothing" : names)"
            + (request.tellsArming ? "; arming and disarming are told there in clear" : "") + "."
        changeBook(client, words, at: now, into: &effects) { book in
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
