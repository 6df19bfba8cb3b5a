import AlarmModel
import PhoneLink
import PhoneProtocol

/// Pairing at the box, and the life of a phone's addresses (docs/pairing.md 3, 4 and 8).
extension Appliance {
    mutating func beginPairing(
        _ person: String, _ roles: Roles, noPresence: Bool, for client: ConnectionID, _ step: inout Step
    ) {
        let servers = rendezvous
        guard !servers.isEmpty else {
            return finishRequest(
                of: client,
                with: .error(
                    "no push service for an app of ours is configured; set fcm_v1 with its database, or alert_gcm, then "
                        + "try again. For the app ntfy from a store: howalarming phones pair --ntfy"),
                &step)
        }
        guard journal.isGood, hall.isBookReadable else {
            return refuse("storage failed; nothing can be paired. See 'howalarming status'", client, &step)
        }
        endPairings(PairingDesk.replaced, &step)
        order(.beginPairing(servers: servers), for: .beginPairing, &step)
        let job = VaultJobID(hall.nextVaultJob - 1)
        hall.pairing = PairingDesk(
            client: client, person: person, roles: roles, key1Suffices: noPresence,
            until: step.now.boot + configuration.phones.timing.pairingLife, stage: .preparing(job))
    }

    /// Where phones send to, the preferred one first.
    private var rendezvous: [RendezvousPlace] { hall.ways.compactMap(\.settings.rendezvous) }

    mutating func pairingIsReady(
        _ job: VaultJobID, _ answer: VaultAnswer, _ step: inout Step
    ) {
        guard let pairing = hall.pairing, pairing.stage == .preparing(job) else { return }
        guard case .pairingReady = answer else {
            return endPairing(PairingDesk.noCode, &step)
        }
        hall.pairing?.stage = .waiting
        reply(
            .pairing(.ready(validFor: configuration.phones.timing.pairingLife)), to: pairing.client, &step)
    }

    /// A first frame was looked at.
    mutating func shookHands(
        _ answer: VaultAnswer, with upstream: Upstream, _ step: inout Step
    ) {
        acknowledge(upstream, &step)
        guard var pairing = hall.pairing, case .pairingHeard(let heard) = answer else {
            reject(.notOpened, &step)
            hall.pairing?.rubbish += 1
            if hall.pairing.map({ $0.rubbish > PairingDesk.rubbishLimit }) ?? false {
                endPairing(PairingDesk.flooded, &step)
            }
            return
        }
        // Only CCS tells where a message came from; elsewhere it is what the phone says under the pairing's seal.
        let from = upstream.from.isEmpty ? heard.addresses.first { $0.kind == .fcmToken }?.value ?? "" : upstream.from
        if heard.isSecondPhone { return endPairing(PairingDesk.twoPhones, &step) }
        switch pairing.stage {
        case .preparing: return
        case .waiting:
            pairing.stage = .heard(heard, via: PairingHeard.Address(kind: .fcmToken, value: from))
            hall.pairing = pairing
            reply(.pairing(.heard(phone: heard.name)), to: pairing.client, &step)
        case .heard, .comparing: break
        }
        guard !heard.answer.isEmpty, let place = place(.fcmToken, from) else { return }
        self.answer(.frame(heard.answer), to: place, &step)
    }

    mutating func confirmPairing(
        _ code: Secret, for client: ConnectionID, _ step: inout Step
    ) {
        if confirmContact(code, for: client, &step) { return }
        if confirmCodes(code, for: client, &step) { return }
        guard var pairing = hall.pairing else {
            return finishRequest(
                of: client, with: .error("no pairing is under way; begin with 'howalarming phones pair'"),
                &step)
        }
        guard case .heard(let heard, let via) = pairing.stage else {
            return finishRequest(
                of: client, with: .error("no phone has used the code yet; wait until the phone shows six digits"),
                &step)
        }
        order(.confirm(code), for: .confirm(client), &step)
        pairing.stage = .comparing(VaultJobID(hall.nextVaultJob - 1), heard, via: via)
        hall.pairing = pairing
    }

    mutating func compared(
        _ job: VaultJobID, _ answer: VaultAnswer, for client: ConnectionID, _ step: inout Step
    ) {
        guard var pairing = hall.pairing, case .comparing(job, let heard, let via) = pairing.stage else {
            // The digits were right, and too late: their keys are nobody's.
            if case .confirmed(let id) = answer, hall.book.phone(id) == nil { order(.forget(id), &step) }
            return finishRequest(of: client, with: .error("the pairing has ended meanwhile"), &step)
        }
        guard case .confirmed(let id) = answer else {
            pairing.triesLeft -= 1
            pairing.stage = .heard(heard, via: via)
            hall.pairing = pairing
            let left = pairing.triesLeft
            if left > 0 {
                reply(.pairing(.wrongCode(triesLeft: left)), to: pairing.client, &step)
                finishRequest(
                    of: client, with: .error("the code is wrong; \(left) \(left == 1 ? "try" : "tries") left"),
                    &step)
            } else {
                finishRequest(of: client, with: .error(PairingDesk.wrongCodes), &step)
                endPairing(PairingDesk.wrongCodes, &step)
            }
            return
        }
        guard journal.isGood, hall.book.phone(id) == nil, !hall.book.dead.contains(id) else {
            order(.forget(id), &step)
            finishRequest(of: client, with: .error("storage failed; nothing was paired"), &step)
            return endPairing("storage failed; see 'howalarming status'", &step)
        }
        hall.entering = id
        let undo = enter(id, heard, pairing, &step)
        step.writes.continuations.append(.paired(id, pairing.client, undo))
        step.writes.continuations.append(.replyChanged(client, "paired with '\(heard.name)'"))
        hall.pairing = nil
    }

    /// The phone goes into the book; it is obeyed once that is stored.
    private mutating func enter(
        _ id: PhoneID, _ heard: PairingHeard, _ pairing: PairingDesk, _ step: inout Step
    ) -> PairingUndo {
        var undo = PairingUndo()
        if hall.book.person(named: pairing.person) == nil { undo.person = PersonID(hall.book.nextPerson) }
        let person = personForPairing(named: pairing.person)
        var addresses: [PhoneAddress] = []
        for address in heard.addresses {
            takeAway(address.kind, address.value, into: &undo, &step)
            addresses.append(
                PhoneAddress(id: AddressID(hall.book.nextAddress), kind: address.kind, value: address.value))
            hall.book.nextAddress += 1
        }
        let phone = Phone(
            id: id, person: person, name: heard.name, roles: pairing.roles, hasPresenceKey: heard.hasPresenceKey,
            key1Suffices: pairing.key1Suffices, addresses: addresses, pairedAt: step.now.wall)
        hall.book.phones.append(phone)
        hall.book.phones.sort { $0.id < $1.id }
        if hall.book.starts == 0 { hall.book.starts = 1 }
        hall.accounts.append(PhoneAccount(phone: id, counters: PhoneCounters(phone: id, rows: [])))
        hall.accounts.sort { $0.phone < $1.phone }
        step.writes.phoneLedgerOwners.append(.added(id))
        bookChanged(&step)
        announce(
            .info, .phones, "\(actor(phone).words) was paired; it may \(phone.roles.names.joined(separator: ", ")).",
            except: id, &step)
        return undo
    }

    mutating func personForPairing(named name: String) -> PersonID {
        if let known = hall.book.person(named: name) { return known.id }
        let person = Person(id: PersonID(hall.book.nextPerson), name: name)
        hall.book.nextPerson += 1
        hall.book.people.append(person)
        return person.id
    }

    /// An address belongs to one phone: the same app was paired anew.
    private mutating func takeAway(
        _ kind: AddressKind, _ value: String, into undo: inout PairingUndo, _ step: inout Step
    ) {
        for phone in hall.book.phones.indices {
            for index in hall.book.phones[phone].addresses.indices {
                let address = hall.book.phones[phone].addresses[index]
                guard address.kind == kind, address.value == value else { continue }
                undo.addresses.append(address)
                hall.book.phones[phone].addresses[index].state = .gone(why: "paired anew")
                hall.outbox.dropped(address.id, why: "the phone was paired anew", at: step.now)
            }
        }
        guard kind == .fcmToken else { return }
        undo.legacyPhones += hall.book.legacyPhones.filter { $0.token == value }
        removeLegacy(token: value, &step)
    }

    mutating func pairingStored(
        _ id: PhoneID, _ client: ConnectionID, _ undo: PairingUndo, stored: Bool, _ step: inout Step
    ) {
        if hall.entering == id { hall.entering = nil }
        order(.endPairing, &step)
        guard stored else {
            finishRequest(of: client, with: .pairing(.ended(why: PairingDesk.notStored)), &step)
            return takeBack(id, undo, &step)
        }
        let name = hall.book.phone(id)?.name ?? ""
        finishRequest(of: client, with: .pairing(.paired(phone: id.description, name: name)), &step)
        hall.welcomes.append(PhoneHall.Welcome(phone: id, nextAt: step.now.boot))
    }

    mutating func endPairing(_ why: String, _ step: inout Step) {
        guard let pairing = hall.pairing else { return }
        hall.pairing = nil
        order(.endPairing, &step)
        finishRequest(of: pairing.client, with: .pairing(.ended(why: why)), &step)
    }

    /// Nothing is paired that could not be stored, and nobody lost an address to it.
    private mutating func takeBack(
        _ id: PhoneID, _ undo: PairingUndo, _ step: inout Step
    ) {
        order(.forget(id), &step)
        guard let phone = hall.book.phone(id) else { return }
        let words = actor(phone).words
        hall.book.phones.removeAll { $0.id == id }
        hall.book.people.removeAll { $0.id == undo.person }
        for place in hall.book.phones.indices {
            for index in hall.book.phones[place].addresses.indices {
                let address = hall.book.phones[place].addresses[index].id
                guard let before = undo.addresses.first(where: { $0.id == address }) else { continue }
                hall.book.phones[place].addresses[index] = before
            }
        }
        hall.book.legacyPhones = (hall.book.legacyPhones + undo.legacyPhones).sorted { $0.address < $1.address }
        hall.accounts.removeAll { $0.phone == id }
        step.writes.phoneLedgerOwners.append(.removed(id))
        bookChanged(&step)
        note(.fault, .phones, "\(words) was not paired after all: the storage failed.", &step)
    }

    // MARK: Welcome

    private static let welcomeWaits: [Duration] = [.seconds(10), .seconds(30), .minutes(2), .minutes(5)]

    mutating func sendWelcomes(_ step: inout Step) {
        for index in hall.welcomes.indices where hall.welcomes[index].nextAt <= step.now.boot {
            let wait = min(hall.welcomes[index].step, Self.welcomeWaits.count - 1)
            hall.welcomes[index].nextAt = step.now.boot + Self.welcomeWaits[wait]
            hall.welcomes[index].step += 1
            welcome(hall.welcomes[index].phone, &step)
        }
    }

    private mutating func welcome(_ id: PhoneID, _ step: inout Step) {
        guard let phone = hall.book.phone(id) else { return }
        let places = JSON.array(
            rendezvous.map { .object(["k": .string("\($0.kind.rawValue)"), "v": .string($0.place)]) })
        var members: [JSON.Member] = [
            .init(key: "roles", value: .string(phone.roles.names.joined(separator: ","))),
            .init(key: "cmds", value: .string(places.text)),
            .init(key: "name", value: .string(configuration.siteName)),
        ]
        members += statusMembers(for: id, at: step.now)
        tell(id, BoxMessage(.welcome, content: .object(members)), &step)
    }

    mutating func markHeard(_ phone: Phone, _ step: inout Step) {
        hall.welcomes.removeAll { $0.phone == phone.id }
        guard !phone.isHeard, let index = hall.book.phones.firstIndex(where: { $0.id == phone.id }) else { return }
        hall.book.phones[index].isHeard = true
        bookChanged(&step)
    }
}
