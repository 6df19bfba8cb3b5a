import AlarmModel
import PhoneLink
import PhoneProtocol

/// A phone with keys is paired at the box (docs/pairing.md 3 and 4), and welcomed.
extension Pairing {
    mutating func beginPairing(
        _ person: String, _ asked: Roles?, noPresence: Bool, for client: ConnectionID, _ step: inout Step
    ) {
        if let why = step.whyConfigured(person, "the list of roles", { ($0.roles ?? asked) != (asked ?? $0.roles) }) {
            return step.refuse(why, client)
        }
        let servers = step.rendezvous
        guard !servers.isEmpty else {
            return step.finishRequest(
                of: client,
                with: .error(
                    "there is nowhere to meet a phone with an app of ours; set ntfy (https, without an account), fcm_v1 with "
                        + "its database, or alert_gcm, then try again. For the app ntfy from a store: \(Hint.pair.with("--ntfy"))"
                ))
        }
        guard step.isStoreGood, step.isBookReadable else {
            return step.refuse("storage failed; nothing can be paired. See \(Hint.status)", client)
        }
        endAll(PhonePairing.replaced, &step)
        let job = step.ask(.beginPairing(servers: servers), for: .beginPairing)
        phonePairing = PhonePairing(
            client: client, person: person,
            roles: asked ?? step.configuration.person(named: person)?.roles ?? PhonePairing.usualRoles,
            key1Suffices: noPresence,
            until: step.now.boot + step.configuration.phones.timing.pairingLife, stage: .preparing(job))
    }

    mutating func codeIsReady(_ job: VaultJobID, _ answer: VaultAnswer, _ step: inout Step) {
        guard let pairing = phonePairing, pairing.stage == .preparing(job) else { return }
        guard case .pairingReady(let topics) = answer else {
            return endPairing(PhonePairing.noCode, &step)
        }
        phonePairing?.stage = .waiting
        phonePairing?.topics = topics
        actions.append(.contactsChanged)
        let life = step.configuration.phones.timing.pairingLife
        let app = step.configuration.app?.url.description
        step.reply(.pairing(.ready(validFor: life, app: app, roles: pairing.roles)), to: pairing.client)
    }

    /// A first frame was looked at.
    mutating func shookHands(_ answer: VaultAnswer, with inbound: InboundMessage, _ step: inout Step) {
        guard var pairing = phonePairing, case .pairingHeard(let heard) = answer else {
            actions.append(.notOpened)
            phonePairing?.rubbish += 1
            if phonePairing.map({ $0.rubbish > PhonePairing.rubbishLimit }) ?? false {
                endPairing(PhonePairing.flooded, &step)
            }
            return
        }
        let via = place(of: inbound, heard, step)
        if heard.isSecondPhone { return endPairing(PhonePairing.twoPhones, &step) }
        switch pairing.stage {
        case .preparing: return
        case .waiting:
            pairing.stage = .heard(heard, via: via)
            phonePairing = pairing
            step.reply(.pairing(.heard(phone: heard.name, passkey: heard.passkey)), to: pairing.client)
        case .heard, .comparing: break
        }
        guard !heard.answer.isEmpty, let place = step.place(via.kind, via.value) else { return }
        step.answer(.frame(heard.answer), to: place)
    }

    /// Where frame 2 goes. Of the push services only CCS tells where a message came from; elsewhere it is what the phone
    /// says under the pairing's seal.
    private func place(of inbound: InboundMessage, _ heard: PairingHeard, _ step: Step) -> PairingHeard.Address {
        if inbound.channel == .ntfy {
            return PairingHeard.Address(kind: .topic, value: "\(step.topicPlace)/\(phonePairing?.topics?.down ?? "")")
        }
        let token = heard.addresses.first { $0.kind == .fcmToken }?.value ?? ""
        return PairingHeard.Address(kind: .fcmToken, value: inbound.from.isEmpty ? token : inbound.from)
    }

    mutating func confirmPairing(
        _ code: Secret, for client: ConnectionID, _ step: inout Step
    ) {
        if confirmContact(code, for: client, &step) { return }
        if confirmCodes(code, for: client, &step) { return }
        guard var pairing = phonePairing else {
            return step.finishRequest(
                of: client, with: .error("no pairing is under way; begin with \(Hint.pair)"))
        }
        guard case .heard(let heard, let via) = pairing.stage else {
            return step.finishRequest(
                of: client, with: .error("no phone has used the code yet; wait until the phone shows six digits"))
        }
        pairing.stage = .comparing(step.ask(.confirm(code), for: .confirm(client)), heard, via: via)
        phonePairing = pairing
    }

    mutating func compared(
        _ job: VaultJobID, _ answer: VaultAnswer, for client: ConnectionID, _ step: inout Step
    ) {
        guard var pairing = phonePairing, case .comparing(job, let heard, let via) = pairing.stage else {
            // The digits were right, and too late: their keys are nobody's.
            if case .confirmed(let id) = answer, step.book.phone(id) == nil { step.tell(.forget(id)) }
            return step.finishRequest(of: client, with: .error("the pairing has ended meanwhile"))
        }
        guard case .confirmed(let id) = answer else {
            pairing.triesLeft -= 1
            pairing.stage = .heard(heard, via: via)
            phonePairing = pairing
            let left = pairing.triesLeft
            if left > 0 {
                step.reply(.pairing(.wrongCode(triesLeft: left)), to: pairing.client)
                step.finishRequest(
                    of: client, with: .error("the code is wrong; \(left) \(left == 1 ? "try" : "tries") left"))
            } else {
                step.finishRequest(of: client, with: .error(PhonePairing.wrongCodes))
                endPairing(PhonePairing.wrongCodes, &step)
            }
            return
        }
        guard step.isStoreGood, step.book.phone(id) == nil, !step.book.dead.contains(id) else {
            step.tell(.forget(id))
            step.finishRequest(of: client, with: .error("storage failed; nothing was paired"))
            return endPairing("storage failed; see \(Hint.status)", &step)
        }
        step.entering = id
        let undo = enter(id, heard, pairing, &step)
        step.wait(.paired(id, pairing.client, undo))
        let page = heard.passkey.map { "; its passkey is of \($0.words)" } ?? ""
        step.wait(.replyChanged(client, "paired with '\(heard.name)'\(page)"))
        phonePairing = nil
        actions.append(.contactsChanged)
    }

    /// The phone goes into the book; it is obeyed once that is stored.
    private mutating func enter(
        _ id: PhoneID, _ heard: PairingHeard, _ pairing: PhonePairing, _ step: inout Step
    ) -> PairingUndo {
        var undo = PairingUndo()
        if step.book.person(named: pairing.person) == nil { undo.person = PersonID(step.book.nextPerson) }
        let person = step.personForPairing(named: pairing.person)
        var addresses: [PhoneAddress] = []
        for address in heard.addresses {
            takeAway(address.kind, address.value, into: &undo, &step)
            addresses.append(
                PhoneAddress(id: AddressID(step.book.nextAddress), kind: address.kind, value: address.value))
            step.book.nextAddress += 1
        }
        let phone = Phone(
            id: id, person: person, name: heard.name, roles: pairing.roles, hasPresenceKey: heard.hasPresenceKey,
            passkey: heard.passkey, key1Suffices: pairing.key1Suffices, addresses: addresses, pairedAt: step.now.wall)
        step.book.phones.append(phone)
        step.book.phones.sort { $0.id < $1.id }
        if step.book.starts == 0 { step.book.starts = 1 }
        tellTakenAway(undo, by: phone, &step)
        actions.append(.phoneAdded(id))
        step.writes.phoneLedgerOwners.append(.added(id))
        step.bookChanged()
        step.announce(
            .info, .phones,
            "\(step.book.actor(phone).words) was paired; it may \(phone.roles.names.joined(separator: ", ")).",
            except: id)
        return undo
    }

    /// An address belongs to one phone: the same app was paired anew.
    private mutating func takeAway(
        _ kind: AddressKind, _ value: String, into undo: inout PairingUndo, _ step: inout Step
    ) {
        for phone in step.book.phones.indices {
            for index in step.book.phones[phone].addresses.indices {
                let address = step.book.phones[phone].addresses[index]
                guard address.kind == kind, address.value == value else { continue }
                undo.addresses.append(address)
                step.book.phones[phone].addresses[index].state = .gone(why: "paired anew")
                actions.append(.dropped(address.id, why: "the phone was paired anew"))
            }
        }
        guard kind == .fcmToken else { return }
        undo.legacyPhones += step.book.legacyPhones.filter { $0.token == value }
        actions.append(.takesOverToken(value))
    }

    /// Whoever pairs with somebody else's address ends what is told there; an app that is paired anew does so, too.
    private func tellTakenAway(_ undo: PairingUndo, by phone: Phone, _ step: inout Step) {
        for former in step.book.phones where former.person != phone.person {
            guard former.addresses.contains(where: { address in undo.addresses.contains { $0.id == address.id } })
            else {
                continue
            }
            step.announce(
                .fault, .phones,
                "\(step.book.actor(former).words) is told nothing any more at an address that "
                    + "\(step.book.actor(phone).words) was paired with. If that is not the same device, revoke the new phone."
            )
        }
    }

    mutating func pairingStored(
        _ id: PhoneID, _ client: ConnectionID, _ undo: PairingUndo, stored: Bool, _ step: inout Step
    ) {
        if step.entering == id { step.entering = nil }
        step.tell(.endPairing)
        guard stored else {
            step.finishRequest(of: client, with: .pairing(.ended(why: PhonePairing.notStored)))
            return takeBack(id, undo, &step)
        }
        let name = step.book.phone(id)?.name ?? ""
        step.finishRequest(of: client, with: .pairing(.paired(phone: id.description, name: name)))
        welcomes.append(Welcome(phone: id, nextAt: step.now.boot))
    }

    mutating func endPairing(_ why: String, _ step: inout Step) {
        guard let pairing = phonePairing else { return }
        phonePairing = nil
        actions.append(.contactsChanged)
        step.tell(.endPairing)
        step.finishRequest(of: pairing.client, with: .pairing(.ended(why: why)))
    }

    /// Nothing is paired that could not be stored, and nobody lost an address to it.
    private mutating func takeBack(
        _ id: PhoneID, _ undo: PairingUndo, _ step: inout Step
    ) {
        step.tell(.forget(id))
        guard let phone = step.book.phone(id) else { return }
        let words = step.book.actor(phone).words
        step.book.phones.removeAll { $0.id == id }
        step.book.people.removeAll { $0.id == undo.person }
        for place in step.book.phones.indices {
            for index in step.book.phones[place].addresses.indices {
                let address = step.book.phones[place].addresses[index].id
                guard let before = undo.addresses.first(where: { $0.id == address }) else { continue }
                step.book.phones[place].addresses[index] = before
            }
        }
        step.book.legacyPhones = (step.book.legacyPhones + undo.legacyPhones).sorted { $0.address < $1.address }
        actions += [.phoneRemoved(id), .contactsChanged]
        step.writes.phoneLedgerOwners.append(.removed(id))
        step.bookChanged()
        step.note(.fault, .phones, "\(words) was not paired after all: the storage failed.")
    }

    // MARK: Welcome

    private static let welcomeWaits: [Duration] = [.seconds(10), .seconds(30), .minutes(2), .minutes(5)]

    mutating func sendWelcomes(_ step: inout Step) {
        for index in welcomes.indices where welcomes[index].nextAt <= step.now.boot {
            let wait = min(welcomes[index].step, Self.welcomeWaits.count - 1)
            welcomes[index].nextAt = step.now.boot + Self.welcomeWaits[wait]
            welcomes[index].step += 1
            welcome(welcomes[index].phone, &step)
        }
    }

    private mutating func welcome(_ id: PhoneID, _ step: inout Step) {
        guard let phone = step.book.phone(id) else { return }
        let places = JSON.array(
            step.commandPlaces(of: phone).map {
                .object(["k": .string("\($0.kind.rawValue)"), "v": .string($0.place)])
            })
        var members: [JSON.Member] = [
            .init(key: "cmds", value: .string(places.text)),
            .init(key: "name", value: .string(step.configuration.siteName)),
        ]
        members += step.standingMembers(of: phone) + step.statusMembers(for: id)
        // The state of a house with many open zones is asked for later.
        if JSON.object(members).text.utf8.count > BoxMessage.contentLimit { members.removeAll { $0.key == "st" } }
        step.tell(id, BoxMessage(.welcome, content: .object(members)))
    }

    /// Who was paired while a channel was down need not wait for the next try.
    mutating func hurryWelcomes(_ step: Step) {
        for index in welcomes.indices {
            welcomes[index].nextAt = min(welcomes[index].nextAt, step.now.boot + .seconds(1))
        }
    }

    mutating func forget(_ phone: PhoneID) { welcomes.removeAll { $0.phone == phone } }

    mutating func welcomed(_ phone: Phone, _ step: inout Step) {
        welcomes.removeAll { $0.phone == phone.id }
        guard !phone.isHeard, let index = step.book.phones.firstIndex(where: { $0.id == phone.id }) else { return }
        step.book.phones[index].isHeard = true
        step.bookChanged()
    }
}

extension Step {
    /// A person of this name, new where there is none.
    mutating func personForPairing(named name: String) -> PersonID {
        if let known = book.person(named: name) { return known.id }
        let person = newPerson(named: name)
        book.nextPerson += 1
        book.people.append(person)
        return person.id
    }
}
