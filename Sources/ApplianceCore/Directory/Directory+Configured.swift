import AlarmModel
import PhoneLink

/// The people and addresses that the configuration names.
extension Directory {
    /// What the configuration says now holds from now on. A person stays when the file names them no more; the addresses
    /// that stood in the file go.
    mutating func reconfigure(_ step: inout Step) {
        updateHouse(&step)
        updatePeople(&step)
        updateLegacyTopic(&step)
    }

    /// The topic is an original app like others, which may ask for nothing.
    private mutating func updateLegacyTopic(_ step: inout Step) {
        let phones = step.configuration.phones
        guard phones.isLegacyEnabled, phones.tellsLegacyTopic == true else {
            return removeLegacy(token: LegacyPhone.topic, &step)
        }
        if let index = step.book.legacyPhones.firstIndex(where: \.isTopic) {
            guard step.book.legacyPhones[index].isGone else { return }
            step.book.legacyPhones[index].isGone = false
        } else {
            step.book.legacyPhones.append(
                LegacyPhone(
                    address: AddressID(step.book.nextAddress), token: LegacyPhone.topic, allowed: [],
                    approvedAt: step.now.wall))
            step.book.nextAddress += 1
        }
        step.bookChanged()
    }

    /// Why the box does not let this original app in or out.
    func whyConfigured(token: String) -> String? {
        guard token == LegacyPhone.topic else { return nil }
        return "the topic is told by howalarming.yaml; change 'phones.legacy.topic' there"
    }

    private mutating func updatePeople(_ step: inout Step) {
        var book = step.book
        var kept: Set<AddressID> = []
        var new: [AddressID] = []
        for settings in step.configuration.phones.people ?? [] {
            let person = book.configure(settings, house: step.houseLanguage)
            for address in settings.addresses {
                guard let wanted = step.contact(address, of: person, book) else { continue }
                if let index = book.contacts.firstIndex(where: { $0.kind == wanted.kind && $0.value == wanted.value }) {
                    kept.insert(book.contacts[index].address)
                    book.contacts[index].follow(wanted)
                } else {
                    kept.insert(wanted.address)
                    new.append(wanted.address)
                    book.contacts.append(wanted)
                    book.nextAddress += 1
                }
            }
        }
        let gone = book.contacts.filter { $0.isConfigured == true && !kept.contains($0.address) }.map(\.address)
        book.contacts.removeAll { gone.contains($0.address) }
        guard book != step.book else { return }
        step.book = book
        step.bookChanged()
        for address in gone {
            actions.append(.dropped(address, why: "it stands in the configuration no more"))
            actions.append(.contactGone(address))
        }
        // With a book that cannot be read everybody would be new at each start.
        guard step.isBookReadable else { return }
        for contact in book.contacts where new.contains(contact.address) {
            let words = "\(book.actor(contact).words) is told at this address from now on; the configuration names it."
            step.announce(step.event(.info, .test, words), to: .address(contact.address))
        }
    }

    /// Why the box does not change what the configuration says.
    func whyConfigured(_ contact: Contact) -> String? {
        guard contact.isConfigured == true else { return nil }
        return "'\(contact.name)' stands in howalarming.yaml; change it there, under 'people'"
    }

}

extension PersonSettings {
    /// Whether it says something of what is to change.
    func says(_ change: PersonChange) -> Bool {
        change.language != nil && language != nil || change.receives != nil && receives != nil
            || change.isDuressContact != nil && isDuressContact != nil
    }
}

extension PhoneBook {
    /// The person as the configuration has it.
    fileprivate mutating func configure(_ settings: PersonSettings, house: NoticeLanguage) -> PersonID {
        let index: Int
        if let known = people.firstIndex(where: { $0.name.lowercased() == settings.name.lowercased() }) {
            index = known
        } else {
            index = people.count
            people.append(Person(id: PersonID(nextPerson), name: settings.name, language: house.rawValue))
            nextPerson += 1
        }
        people[index].name = settings.name
        if let language = settings.language { people[index].language = language.rawValue }
        if let receives = settings.receives { people[index].receives = receives }
        if let isDuressContact = settings.isDuressContact { people[index].isDuressContact = isDuressContact }
        if let roles = settings.roles {
            for phone in phones.indices where phones[phone].person == people[index].id { phones[phone].roles = roles }
        }
        return people[index].id
    }
}

extension Step {
    /// Reason why the box does not change a setting of a person; nil where the configuration does not name it.
    ///
    /// - Parameter isNamed: whether the configuration says what is to change
    func whyConfigured(_ name: String, _ what: String, _ isNamed: (PersonSettings) -> Bool) -> String? {
        guard let person = configuration.person(named: name), isNamed(person) else { return nil }
        return "\(what) of \(person.name) stands in howalarming.yaml; change it there, under 'people'"
    }

    /// The person has one-time codes now: what the configuration names and only wants a code is allowed.
    mutating func allowConfigured(_ person: Person) {
        for address in configuration.person(named: person.name)?.addresses ?? [] {
            guard let wanted = contact(address, of: person.id, book) else { continue }
            for index in book.contacts.indices where book.contacts[index].value == wanted.value {
                book.contacts[index].allowed = wanted.allowed
            }
        }
    }

    /// What the configuration says of an address; nil: its channel is not configured.
    fileprivate func contact(_ address: PersonSettings.Address, of person: PersonID, _ book: PhoneBook) -> Contact? {
        guard ChannelKind.carrying(address.kind, of: channels) != nil else { return nil }
        let possible = ContactVerb.possible(address.kind, hasCodes: book.codes(of: person) != nil)
        let value =
            switch address.kind {
            case .topic: "\(topicPlace)/\(address.value.revealed)"
            case .xmpp: address.value.revealed
            }
        var contact = Contact(
            address: AddressID(book.nextAddress), person: person, kind: address.kind, name: address.name, value: value,
            commandsFrom: address.kind == .topic ? value + PersonSettings.commandsEnding : value,
            allowed: ContactVerb.allCases.filter { address.allowed.contains($0) && possible.contains($0) },
            tellsArming: address.tellsArming, pairedAt: now.wall, state: .inUse)
        contact.isConfigured = true
        return contact
    }
}

extension Contact {
    /// What was revoked at the box, or is gone, stays so until the file names another address.
    fileprivate mutating func follow(_ wanted: Contact) {
        person = wanted.person
        name = wanted.name
        allowed = wanted.allowed
        tellsArming = wanted.tellsArming
        isConfigured = true
    }
}
