import AlarmModel
import PhoneProtocol

/// People and phones as the box's owner keeps them.
extension Directory {
    mutating func requested(_ request: PeopleRequest, by client: ConnectionID, _ step: inout Step) {
        switch request {
        case .list:
            // Whom duress is told to is shown on no screen of the house (docs/ARCHITECTURE.md 1.6).
            let hidesMarks = step.clients.contains { $0.id == client && $0.isConsole }
            let people = step.book.people.map { person in
                var person = person
                if hidesMarks { person.isDuressContact = false }
                return PersonReport(
                    person: person,
                    phones: step.book.phones.filter { $0.person == person.id }.map(\.name)
                        + step.book.contacts.filter { $0.person == person.id }.map(\.name))
            }
            step.finishRequest(of: client, with: .people(people))
        case .add(let name, let change):
            guard step.book.person(named: name) == nil else {
                return step.refuse("there is already somebody called '\(name)'", client)
            }
            var person = step.newPerson(named: name)
            person.apply(change)
            step.changeBook(client, "\(name) was added.") { book in
                book.nextPerson += 1
                book.people.append(person)
            }
        case .set(let name, let change):
            guard let person = step.book.person(named: name) else { return refuse(name, client, &step) }
            if let why = step.whyConfigured(person.name, "this setting", { $0.says(change) }) {
                return step.refuse(why, client)
            }
            step.changeBook(client, "\(person.name) was changed.") { book in
                if let index = book.people.firstIndex(where: { $0.id == person.id }) {
                    book.people[index].apply(change)
                }
            }
        case .rename(let from, let to):
            guard let person = step.book.person(named: from) else { return refuse(from, client, &step) }
            if let why = step.whyConfigured(person.name, "the name", { _ in true }) { return step.refuse(why, client) }
            if let other = step.book.person(named: to), other.id != person.id {
                return step.refuse("there is already somebody called '\(to)'", client)
            }
            step.changeBook(client, "\(person.name) is now called \(to).") { book in
                if let index = book.people.firstIndex(where: { $0.id == person.id }) { book.people[index].name = to }
            }
        case .remove(let name): remove(name, by: client, &step)
        }
    }

    private mutating func remove(_ name: String, by client: ConnectionID, _ step: inout Step) {
        guard let person = step.book.person(named: name) else { return refuse(name, client, &step) }
        if let why = step.whyConfigured(person.name, "the name", { _ in true }) { return step.refuse(why, client) }
        let isReached =
            step.book.phones.contains { $0.person == person.id }
            || step.book.contacts.contains { $0.person == person.id }
        guard !isReached else {
            return step.refuse("\(person.name) has a phone; revoke it first with \(Hint.revoke)", client)
        }
        let hadCodes = step.book.codes(of: person.id) != nil && step.isBookReadable && step.isStoreGood
        step.changeBook(client, "\(person.name) was removed.") { book in
            book.people.removeAll { $0.id == person.id }
            book.codes.removeAll { $0.person == person.id }
        }
        if hadCodes { step.wait(.endVault(.forgetCodes(person.id))) }
    }

    /// Nobody has this name.
    private func refuse(_ name: String, _ client: ConnectionID, _ step: inout Step) {
        let known = step.book.people.map(\.name)
        step.refuse(
            known.isEmpty
                ? "there are no people yet; add one with \(Hint.addPerson.with("NAME"))"
                : "there is nobody called '\(name)'; known are \(known.joined(separator: ", "))", client)
    }

    // MARK: Phones

    mutating func rename(_ name: String, to new: String, by client: ConnectionID, _ step: inout Step) {
        if let contact = step.book.contact(named: name) {
            if let why = whyConfigured(contact) { return step.refuse(why, client) }
            return step.changeBook(client, "\(contact.name) is now called \(new).") { book in
                guard let index = book.contacts.firstIndex(where: { $0.address == contact.address }) else { return }
                book.contacts[index].name = new
            }
        }
        guard let phone = step.phone(named: name, for: client) else { return }
        step.changeBook(client, "\(phone.name) is now called \(new).") { $0.update(phone.id) { $0.name = new } }
    }

    mutating func setRoles(_ roles: Roles, of name: String, by client: ConnectionID, _ step: inout Step) {
        guard let phone = step.phone(named: name, for: client) else { return }
        let owner = step.book.person(phone.person)?.name ?? ""
        if let why = step.whyConfigured(owner, "the list of roles", { $0.roles != nil }) {
            return step.refuse(why, client)
        }
        let words = "\(step.book.actor(phone).words) may now \(roles.names.joined(separator: ", "))."
        step.changeBook(client, words) { $0.update(phone.id) { $0.roles = roles } }
    }

    mutating func lift(_ name: String, by client: ConnectionID, _ step: inout Step) {
        guard let phone = step.phone(named: name, for: client) else { return }
        actions.append(.lifted(phone.id))
        let verbs = phone.roles.names.joined(separator: ", ")
        step.changeBook(client, "\(step.book.actor(phone).words) may act again: \(verbs).") {
            $0.update(phone.id) { $0.isSuspended = false }
        }
    }

    mutating func revoke(_ name: String, by client: ConnectionID, _ step: inout Step) {
        if let contact = step.book.contact(named: name) { return revoke(contact, by: client, &step) }
        guard let phone = step.phone(named: name, for: client) else { return }
        let words = "\(step.book.actor(phone).words) was revoked."
        #if SABOTAGE
            if step.sabotage == .obeysRevokedPhones { return step.changeBook(client, words) { _ in } }
        #endif
        step.tell(phone.id, BoxMessage(.bye, content: .object(["why": .string("revoked")])))
        actions.append(.answersVoid(phone.id))
        forget(phone, words, &step)
        step.wait(.replyChanged(client, words))
    }

    private mutating func revoke(_ contact: Contact, by client: ConnectionID, _ step: inout Step) {
        if let why = step.whyUnchangeable { return step.refuse(why, client) }
        actions.append(.dropped(contact.address, why: "the contact was revoked"))
        actions.append(.contactGone(contact.address))
        step.changeBook(client, "\(step.book.actor(contact).words) was revoked.") { book in
            guard contact.isConfigured == true else {
                return book.contacts.removeAll { $0.address == contact.address }
            }
            // It would come back from the file at the next start.
            guard let index = book.contacts.firstIndex(where: { $0.address == contact.address }) else { return }
            book.contacts[index].state = .gone(why: "it was revoked at the box")
        }
        actions.append(.contactsChanged)
    }

    /// Changes what a contact may ask for.
    mutating func allow(
        _ verbs: [ContactVerb], tellsArming: Bool, to name: String, by client: ConnectionID, _ step: inout Step
    ) {
        guard let contact = step.book.contact(named: name) else {
            return step.refuse("there is no contact '\(name)'; \(Hint.phones) shows all", client)
        }
        if let why = whyConfigured(contact) { return step.refuse(why, client) }
        let request = ContactRequest(
            kind: contact.kind, person: "", name: contact.name, value: contact.value, allowed: verbs,
            tellsArming: tellsArming)
        if let why = step.book.whyImpossible(request, contact.person) { return step.refuse(why, client) }
        if contact.kind == .topic, let why = step.whyUnsafe(request) { return step.refuse(why, client) }
        let allowed = ContactVerb.allCases.filter { request.allowed.contains($0) }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        let words =
            "\(step.book.actor(contact).words) may now \(names.isEmpty ? "ask for nothing" : names)"
            + (request.tellsArming ? "; arming and disarming are told there in clear" : "") + "."
        step.changeBook(client, words) { book in
            guard let index = book.contacts.firstIndex(where: { $0.address == contact.address }) else { return }
            book.contacts[index].allowed = allowed
            book.contacts[index].tellsArming = request.tellsArming
        }
    }

    // MARK: Original apps

    mutating func approve(
        _ token: String, _ verbs: [LegacyPhone.Verb], by client: ConnectionID, _ step: inout Step
    ) {
        if let why = whyConfigured(token: token) { return step.refuse(why, client) }
        guard step.book.phone(at: .fcmToken, token) == nil else {
            return step.refuse(
                "this is the address of a paired phone, which speaks sealed; nothing to approve", client)
        }
        let words =
            "an original app may now \(verbs.map(\.rawValue).joined(separator: ", "))"
            + (step.configuration.phones.isLegacyEnabled || step.isOffline
                ? "" : "; legacy mode is off, set phones.legacy.enabled")
            + (verbs.contains(.disarm) ? "; who reads its messages can disarm this house" : "")
        actions.append(.approved(token: token))
        let approvedAt = step.now.wall
        step.changeBook(client, words.prefix(1).uppercased() + words.dropFirst() + ".") { book in
            if let index = book.legacyPhones.firstIndex(where: { $0.token == token }) {
                book.legacyPhones[index].allowed = verbs
                book.legacyPhones[index].isGone = false
                return
            }
            book.legacyPhones.append(
                LegacyPhone(address: AddressID(book.nextAddress), token: token, allowed: verbs, approvedAt: approvedAt))
            book.nextAddress += 1
        }
    }

    /// - Parameter token: the whole, or a beginning of it that lists show and that only one has
    mutating func disapprove(_ token: String, by client: ConnectionID, _ step: inout Step) {
        let tokens = step.book.legacyPhones.map(\.token)
        let meant = tokens.filter { $0 == token || (token.utf8.count >= 12 && $0.hasPrefix(token)) }
        guard let whole = meant.first, meant.count == 1 || meant.contains(token) else {
            return step.refuse("this token is not approved", client)
        }
        if let why = whyConfigured(token: whole) { return step.refuse(why, client) }
        removeLegacy(token: meant.contains(token) ? token : whole, &step)
        step.note(.info, .phones, "An original app was shut out.")
        step.wait(.replyChanged(client, "the token is not approved any more"))
    }
}

extension Step {
    /// The phone that somebody at the box means; nil after the client was told why none is.
    mutating func phone(named name: String, for client: ConnectionID) -> Phone? {
        let byID = book.phones.filter { $0.id.description.hasPrefix(name.lowercased()) }
        let byName = book.phones.filter { $0.name.lowercased() == name.lowercased() }
        let found = byName.isEmpty && name.utf8.count >= 4 ? byID : byName
        guard found.count == 1 else {
            refuse(
                found.isEmpty && !book.contacts.contains(where: { $0.name.lowercased() == name.lowercased() })
                    ? "there is no phone '\(name)'; \(Hint.phones) shows all"
                    : "several phones are called '\(name)'; use the id that \(Hint.phones) shows", client)
            return nil
        }
        return found[0]
    }

    /// Why a contact may not be allowed to disarm: disarming by a topic is worth what the server is worth
    /// (docs/pairing.md 10).
    func whyUnsafe(_ request: ContactRequest) -> String? {
        switch request.kind {
        case .topic:
            guard request.allowed.contains(.disarm), !configuration.phones.isTopicServerTrusted else { return nil }
            return "disarming from a store app is possible only on a topic server of your own: set ntfy.server to it "
                + "and ntfy.trusted to true; nothing was changed"
        case .xmpp:
            guard book.contacts.contains(where: { $0.kind == .xmpp && $0.value == request.value }) else {
                return nil
            }
            return "this account is a contact already; revoke it first with \(Hint.revoke)"
        }
    }
}

extension PhoneBook {
    /// Why a contact of this person cannot be allowed what is asked for.
    func whyImpossible(_ request: ContactRequest, _ person: PersonID?) -> String? {
        let hasCodes = person.map { codes(of: $0) != nil } ?? false
        let possible = ContactVerb.possible(request.kind, hasCodes: hasCodes)
        guard let verb = request.allowed.first(where: { !possible.contains($0) }) else { return nil }
        if ContactVerb.possible(request.kind, hasCodes: true).contains(verb) {
            return
                "'\(verb.rawValue)' by an account needs one-time codes: set them up with \(Hint.codes), "
                + "then allow it"
        }
        let names = possible.map(\.rawValue).joined(separator: ", ")
        return "'\(verb.rawValue)' cannot be allowed by this channel; possible are \(names)"
    }

    fileprivate mutating func update(_ id: PhoneID, _ change: (inout Phone) -> Void) {
        if let index = phones.firstIndex(where: { $0.id == id }) { change(&phones[index]) }
    }
}

extension Person {
    fileprivate mutating func apply(_ change: PersonChange) {
        if let language = change.language { self.language = language }
        if let isDuressContact = change.isDuressContact { self.isDuressContact = isDuressContact }
        if let receives = change.receives { self.receives = receives }
    }
}
