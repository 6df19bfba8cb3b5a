import AlarmModel
import PhoneProtocol

/// People and phones as the box's owner keeps them.
extension Appliance {
    mutating func bookChanged(_ step: inout Step) {
        // What could not be read is not written over.
        guard hall.isBookReadable else { return }
        hall.book.version += 1
        step.writes.writesPhoneBook = true
    }

    mutating func requested(
        _ request: PeopleRequest, by client: ConnectionID, _ step: inout Step
    ) {
        switch request {
        case .list:
            // Whom duress is told to is shown on no screen of the house (docs/ARCHITECTURE.md 1.6).
            let hidesMarks = clients.contains { $0.id == client && $0.isConsole }
            let people = hall.book.people.map { person in
                var person = person
                if hidesMarks { person.isDuressContact = false }
                return PersonReport(
                    person: person, phones: hall.book.phones.filter { $0.person == person.id }.map(\.name))
            }
            finishRequest(of: client, with: .people(people), &step)
        case .add(let name, let change):
            guard hall.book.person(named: name) == nil else {
                return refuse("there is already somebody called '\(name)'", client, &step)
            }
            var person = Person(id: PersonID(hall.book.nextPerson), name: name)
            person.apply(change)
            changeBook(client, "\(name) was added.", &step) { book in
                book.nextPerson += 1
                book.people.append(person)
            }
        case .set(let name, let change):
            guard let person = hall.book.person(named: name) else {
                return refuse(noPerson(name), client, &step)
            }
            changeBook(client, "\(person.name) was changed.", &step) { book in
                if let index = book.people.firstIndex(where: { $0.id == person.id }) {
                    book.people[index].apply(change)
                }
            }
        case .rename(let from, let to):
            guard let person = hall.book.person(named: from) else {
                return refuse(noPerson(from), client, &step)
            }
            if let other = hall.book.person(named: to), other.id != person.id {
                return refuse("there is already somebody called '\(to)'", client, &step)
            }
            changeBook(client, "\(person.name) is now called \(to).", &step) { book in
                if let index = book.people.firstIndex(where: { $0.id == person.id }) { book.people[index].name = to }
            }
        case .remove(let name):
            guard let person = hall.book.person(named: name) else {
                return refuse(noPerson(name), client, &step)
            }
            let isReached =
                hall.book.phones.contains { $0.person == person.id }
                || hall.book.contacts.contains { $0.person == person.id }
            guard !isReached else {
                return refuse(
                    "\(person.name) has a phone; revoke it first with 'howalarming phones revoke'", client,
                    &step)
            }
            let hadCodes = hall.book.codes(of: person.id) != nil && hall.isBookReadable && journal.isGood
            changeBook(client, "\(person.name) was removed.", &step) { book in
                book.people.removeAll { $0.id == person.id }
                book.codes.removeAll { $0.person == person.id }
            }
            if hadCodes { step.writes.continuations.append(.endVault(.forgetCodes(person.id))) }
        }
    }

    private func noPerson(_ name: String) -> String {
        let known = hall.book.people.map(\.name)
        return known.isEmpty
            ? "there are no people yet; add one with 'howalarming people add NAME'"
            : "there is nobody called '\(name)'; known are \(known.joined(separator: ", "))"
    }

    mutating func refuse(_ why: String, _ client: ConnectionID, _ step: inout Step) {
        finishRequest(of: client, with: .error(why), &step)
    }

    /// Changes the book and answers when that is stored. Nobody's duress mark is told anywhere.
    mutating func changeBook(
        _ client: ConnectionID, _ words: String, _ step: inout Step,
        _ change: (inout PhoneBook) -> Void
    ) {
        if let why = whyUnchangeable { return refuse(why, client, &step) }
        change(&hall.book)
        bookChanged(&step)
        note(.info, .phones, words, &step)
        step.writes.continuations.append(.replyChanged(client, words))
    }

    /// Why the phone book cannot be changed now.
    var whyUnchangeable: String? {
        guard hall.isBookReadable else {
            return "the phones' file could not be read; restart the daemon, and look at the card if that goes on"
        }
        return journal.isGood ? nil : "storage failed; nothing was changed. See 'howalarming status'"
    }

    // MARK: Phones

    mutating func requested(
        _ request: PhonesRequest, by client: ConnectionID, _ step: inout Step
    ) {
        switch request {
        case .list: finishRequest(of: client, with: .phones(phonesReport(at: step.now)), &step)
        case .pair(let person, let roles, let noPresence):
            beginPairing(person, roles, noPresence: noPresence, for: client, &step)
        case .pairContact(let request): beginContactPairing(request, for: client, &step)
        case .allow(let name, let verbs, let tellsArming):
            guard let contact = contact(named: name) else {
                return refuse(
                    "there is no contact '\(name)'; 'howalarming phones list' shows all", client, &step)
            }
            let request = ContactRequest(
                kind: contact.kind, person: "", name: contact.name, value: contact.value, allowed: verbs,
                tellsArming: tellsArming)
            allow(contact, request, by: client, &step)
        case .confirm(let code): confirmPairing(code, for: client, &step)
        case .cancelPairing:
            guard hall.pairing != nil || hall.contactPairing != nil || hall.enrolment != nil else {
                return refuse("no pairing is under way", client, &step)
            }
            endPairings(PairingDesk.cancelled, &step)
            finishRequest(of: client, with: .changed("the pairing was cancelled"), &step)
        case .codes(let name): beginCodes(of: name, for: client, &step)
        case .codesOff(let name): removeCodes(of: name, for: client, &step)
        case .rename(let name, let new):
            if let contact = contact(named: name) {
                return changeBook(client, "\(contact.name) is now called \(new).", &step) { book in
                    guard let index = book.contacts.firstIndex(where: { $0.address == contact.address }) else { return }
                    book.contacts[index].name = new
                }
            }
            withPhone(name, client, &step) { core, phone, step in
                core.changeBook(client, "\(phone.name) is now called \(new).", &step) { book in
                    book.update(phone.id) { $0.name = new }
                }
            }
        case .role(let name, let roles):
            withPhone(name, client, &step) { core, phone, step in
                let words = "\(core.actor(phone).words) may now \(roles.names.joined(separator: ", "))."
                core.changeBook(client, words, &step) { book in
                    book.update(phone.id) { $0.roles = roles }
                }
            }
        case .lift(let name):
            if let contact = contact(named: name), hall.codeLocks.contains(where: { $0.person == contact.person }) {
                hall.codeLocks.removeAll { $0.person == contact.person }
                note(.info, .phones, "Codes of \(words(contact)) count again.", &step)
                return step.writes.continuations.append(.replyChanged(client, "codes of \(words(contact)) count again"))
            }
            withPhone(name, client, &step) { core, phone, step in
                if let index = core.hall.account(phone.id) { core.hall.accounts[index].lift() }
                core.changeBook(client, "\(core.actor(phone).words) may act again.", &step) { book in
                    book.update(phone.id) { $0.isSuspended = false }
                }
            }
        case .revoke(let name):
            if let contact = contact(named: name) { return revoke(contact, by: client, &step) }
            withPhone(name, client, &step) { core, phone, step in
                let words = "\(core.actor(phone).words) was revoked."
                #if SABOTAGE
                    if core.sabotage == .obeysRevokedPhones {
                        return core.changeBook(client, words, &step) { _ in }
                    }
                #endif
                core.tell(phone.id, BoxMessage(.bye, content: .object(["why": .string("revoked")])), &step)
                // What it asked for before is none of its business any more.
                core.hall.answers.forget(phone.id)
                core.forget(phone, words, &step)
                step.writes.continuations.append(.replyChanged(client, words))
            }
        case .test(let name): test(name, by: client, &step)
        case .approve(let token, let verbs): approve(token, verbs, by: client, &step)
        case .disapprove(let token):
            guard hall.book.legacyPhones.contains(where: { $0.token == token }) else {
                return refuse("this token is not approved", client, &step)
            }
            removeLegacy(token: token, &step)
            note(.info, .phones, "An original app was shut out.", &step)
            step.writes.continuations.append(.replyChanged(client, "the token is not approved any more"))
        case .dead(let limit):
            let id = QueryID(nextQuery)
            nextQuery += 1
            hall.reads.append(PhoneHall.Read(id: id, purpose: .dead(client)))
            step.effects.append(.readMessages(id, .dead(limit: limit)))
        case .seen:
            seen(upTo: lastSequence, by: "Somebody at the box", except: nil, &step)
            step.writes.continuations.append(.replyChanged(client, "the alarm counts as seen; it is not repeated"))
        }
    }

    private mutating func withPhone(
        _ name: String, _ client: ConnectionID, _ step: inout Step,
        _ act: (inout Appliance, Phone, inout Step) -> Void
    ) {
        let byID = hall.book.phones.filter { $0.id.description.hasPrefix(name.lowercased()) }
        let byName = hall.book.phones.filter { $0.name.lowercased() == name.lowercased() }
        let found = byName.isEmpty && name.utf8.count >= 4 ? byID : byName
        guard found.count == 1 else {
            let why =
                found.isEmpty && !hall.book.contacts.contains(where: { $0.name.lowercased() == name.lowercased() })
                ? "there is no phone '\(name)'; 'howalarming phones list' shows all"
                : "several phones are called '\(name)'; use the id that 'howalarming phones list' shows"
            return refuse(why, client, &step)
        }
        act(&self, found[0], &step)
    }

    /// A phone is gone for good: its keys, its addresses, its waiting messages.
    mutating func left(_ id: PhoneID, _ step: inout Step) {
        guard let phone = hall.book.phone(id) else { return }
        tell(id, BoxMessage(.bye, content: .object(["why": .string("left")])), &step)
        forget(phone, "\(actor(phone).words) has left.", &step)
    }

    mutating func forget(_ phone: Phone, _ words: String, _ step: inout Step) {
        for address in phone.addresses { hall.outbox.dropped(address.id, why: "the phone was revoked", at: step.now) }
        hall.book.phones.removeAll { $0.id == phone.id }
        hall.book.dead.append(phone.id)
        hall.accounts.removeAll { $0.phone == phone.id }
        hall.welcomes.removeAll { $0.phone == phone.id }
        hall.probes.removeAll { $0.phone == phone.id }
        step.writes.phoneLedgerOwners.append(.removed(phone.id))
        bookChanged(&step)
        announce(.info, .phones, words, &step)
        step.writes.continuations.append(.endVault(.forget(phone.id)))
    }

    private mutating func test(
        _ name: String?, by client: ConnectionID, _ step: inout Step
    ) {
        guard let name else {
            let addresses = hall.outbox.reports.count
            guard addresses > 0 else {
                return refuse(
                    "there are no phones yet; pair one with 'howalarming phones pair'", client, &step)
            }
            let notice = Event(
                type: .info, code: EventCode.test.rawValue, raw: EventCode.test.rawValue,
                message: "Test notice: the box is heard here.", time: step.now.wall,
                isTimeTrusted: step.now.isWallTrusted)
            step.writes.announcements.append(Announcement(event: step.writes.events.count, audience: .everywhere))
            record(notice, &step)
            step.writes.continuations.append(
                .replyChanged(
                    client,
                    "a test notice is on its way to \(addresses) \(addresses == 1 ? "address" : "addresses"); "
                        + "'howalarming phones list' shows when each took it"))
            return
        }
        if let contact = contact(named: name) {
            step.writes.announcements.append(
                Announcement(event: step.writes.events.count, audience: .address(contact.address)))
            record(
                Event(
                    type: .info, code: EventCode.test.rawValue, raw: EventCode.test.rawValue,
                    message: "Test notice: the box is heard here.", time: step.now.wall,
                    isTimeTrusted: step.now.isWallTrusted), &step)
            return step.writes.continuations.append(
                .replyChanged(client, "a test notice is on its way to \(words(contact))"))
        }
        withPhone(name, client, &step) { core, phone, step in
            core.announce(.info, .test, "Test notice: this phone hears the box.", only: phone.id, &step)
            step.writes.continuations.append(
                .replyChanged(client, "a test notice is on its way to \(core.actor(phone).words)"))
        }
    }

    func phoneName(of address: AddressID) -> String {
        switch receiver(at: address) {
        case .phone(let id, _): hall.book.phone(id).map { actor($0).words } ?? "\(id)"
        case .legacy(let token): "original app \(token.prefix(8))…"
        case .contact(let contact): words(contact)
        case .house(let house): "\(house.kind.rawValue) \(words(house))"
        case nil: "a phone that is gone"
        }
    }

    /// Without the path of a URL, which is often a secret.
    func words(_ house: HouseAddress) -> String {
        guard house.kind == .url else { return house.value }
        let parts = house.value.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return "" }
        let host = parts[2].split(separator: "?").first.map(String.init) ?? ""
        return "\(parts[0])//\(host.split(separator: "@").last.map(String.init) ?? host)"
    }

    // MARK: Announcements

    /// Notes a fact that phones hear of, whatever its class.
    mutating func announce(
        _ type: EventType, _ code: EventCode, _ message: String, only: PhoneID? = nil, except: PhoneID? = nil,
        _ step: inout Step
    ) {
        announce(
            Event(
                type: type, code: code.rawValue, raw: code.rawValue, message: message, time: step.now.wall,
                isTimeTrusted: step.now.isWallTrusted), only: only, except: except, &step)
    }

    mutating func announce(_ event: Event, only: PhoneID? = nil, except: PhoneID? = nil, _ step: inout Step) {
        let audience = only.map { OutboxAudience.only($0) } ?? .everybody(except: except)
        step.writes.announcements.append(Announcement(event: step.writes.events.count, audience: audience))
        record(event, &step)
    }
}

extension Person {
    fileprivate mutating func apply(_ change: PersonChange) {
        if let language = change.language { self.language = language }
        if let isDuressContact = change.isDuressContact { self.isDuressContact = isDuressContact }
        if let receives = change.receives { self.receives = receives }
    }
}

extension PhoneBook {
    fileprivate mutating func update(_ id: PhoneID, _ change: (inout Phone) -> Void) {
        if let index = phones.firstIndex(where: { $0.id == id }) { change(&phones[index]) }
    }
}
