import AlarmModel
import PhoneLink
import PhoneProtocol

/// Pairing at the box, and the life of a phone's addresses (docs/pairing.md 3, 4 and 8).
extension Appliance {
    mutating func beginPairing(
        _ person: String, _ roles: Roles, noPresence: Bool, for client: ConnectionID, at now: Moment,
        into effects: inout [Effect]
    ) {
        let servers = rendezvous
        guard !servers.isEmpty else {
            return finishRequest(
                of: client,
                with: .error(
                    "no push service for an app of ours is configured; set fcm_v1 with its database, or alert_gcm, then "
                        + "try again. For the app ntfy from a store: howalarming phones pair --ntfy"),
                into: &effects)
        }
        guard journal.isGood, hall.isBookReadable else {
            return refuse("storage failed; nothing can be paired. See 'howalarming status'", client, into: &effects)
        }
        endPairings(PairingDesk.replaced, at: now, into: &effects)
        order(.beginPairing(servers: servers), for: .beginPairing, into: &effects)
        let job = VaultJobID(hall.nextVaultJob - 1)
        hall.pairing = PairingDesk(
            client: client, person: person, roles: roles, key1Suffices: noPresence,
            until: now.boot + configuration.phones.timing.pairingLife, stage: .preparing(job))
    }

    /// Where phones send to, the preferred one first.
    private var rendezvous: [RendezvousPlace] { hall.ways.compactMap(\.settings.rendezvous) }

    mutating func pairingIsReady(
        _ job: VaultJobID, _ answer: VaultAnswer, at now: Moment, into effects: inout [Effect]
    ) {
        guard let pairing = hall.pairing, pairing.stage == .preparing(job) else { return }
        guard case .pairingReady = answer else {
            return endPairing(PairingDesk.noCode, at: now, into: &effects)
        }
        hall.pairing?.stage = .waiting
        reply(
            .pairing(.ready(validFor: configuration.phones.timing.pairingLife)), to: pairing.client, into: &effects)
    }

    /// A first frame was looked at.
    mutating func shookHands(
        _ answer: VaultAnswer, with upstream: InboundMessage, at now: Moment, into effects: inout [Effect]
    ) {
        acknowledge(upstream, at: now, into: &effects)
        guard var pairing = hall.pairing, case .pairingHeard(let heard) = answer else {
            reject(.notOpened, at: now)
            hall.pairing?.rubbish += 1
            if hall.pairing.map({ $0.rubbish > PairingDesk.rubbishLimit }) ?? false {
                endPairing(PairingDesk.flooded, at: now, into: &effects)
            }
            return
        }
        // Only CCS tells where a message came from; elsewhere it is what the phone says under the pairing's seal.
        let from = upstream.from.isEmpty ? heard.addresses.first { $0.kind == .fcmToken }?.value ?? "" : upstream.from
        if heard.isSecondPhone { return endPairing(PairingDesk.twoPhones, at: now, into: &effects) }
        switch pairing.stage {
        case .preparing: return
        case .waiting:
            pairing.stage = .heard(heard, via: PairingHeard.Address(kind: .fcmToken, value: from))
            hall.pairing = pairing
            reply(.pairing(.heard(phone: heard.name)), to: pairing.client, into: &effects)
        case .heard, .comparing: break
        }
        guard !heard.answer.isEmpty, let place = place(.fcmToken, from) else { return }
        self.answer(.frame(heard.answer), to: place, at: now)
    }

    mutating func confirmPairing(
        _ code: Secret, for client: ConnectionID, at now: Moment, into effects: inout [Effect]
    ) {
        if confirmContact(code, for: client, at: now, into: &effects) { return }
        if confirmCodes(code, for: client, at: now, into: &effects) { return }
        guard var pairing = hall.pairing else {
            return finishRequest(
                of: client, with: .error("no pairing is under way; begin with 'howalarming phones pair'"),
                into: &effects)
        }
        guard case .heard(let heard, let via) = pairing.stage else {
            return finishRequest(
                of: client, with: .error("no phone has used the code yet; wait until the phone shows six digits"),
                into: &effects)
        }
        order(.confirm(code), for: .confirm(client), into: &effects)
        pairing.stage = .comparing(VaultJobID(hall.nextVaultJob - 1), heard, via: via)
        hall.pairing = pairing
    }

    mutating func compared(
        _ job: VaultJobID, _ answer: VaultAnswer, for client: ConnectionID, at now: Moment,
        into effects: inout [Effect]
    ) {
        guard var pairing = hall.pairing, case .comparing(job, let heard, let via) = pairing.stage else {
            // The digits were right, and too late: their keys are nobody's.
            if case .confirmed(let id) = answer, hall.book.phone(id) == nil { order(.forget(id), into: &effects) }
            return finishRequest(of: client, with: .error("the pairing has ended meanwhile"), into: &effects)
        }
        guard case .confirmed(let id) = answer else {
            pairing.triesLeft -= 1
            pairing.stage = .heard(heard, via: via)
            hall.pairing = pairing
            let left = pairing.triesLeft
            if left > 0 {
                reply(.pairing(.wrongCode(triesLeft: left)), to: pairing.client, into: &effects)
                finishRequest(
                    of: client, with: .error("the code is wrong; \(left) \(left == 1 ? "try" : "tries") left"),
                    into: &effects)
            } else {
                finishRequest(of: client, with: .error(PairingDesk.wrongCodes), into: &effects)
                endPairing(PairingDesk.wrongCodes, at: now, into: &effects)
            }
            return
        }
        guard journal.isGood, hall.book.phone(id) == nil, !hall.book.dead.contains(id) else {
            order(.forget(id), into: &effects)
            finishRequest(of: client, with: .error("storage failed; nothing was paired"), into: &effects)
            return endPairing("storage failed; see 'howalarming status'", at: now, into: &effects)
        }
        hall.entering = id
        let undo = enter(id, heard, pairing, at: now)
        step.continuations.append(.paired(id, pairing.client, undo))
        step.continuations.append(.replyChanged(client, "paired with '\(heard.name)'"))
        hall.pairing = nil
    }

    /// The phone goes into the book; it is obeyed once that is stored.
    private mutating func enter(
        _ id: PhoneID, _ heard: PairingHeard, _ pairing: PairingDesk, at now: Moment
    ) -> PairingUndo {
        var undo = PairingUndo()
        if hall.book.person(named: pairing.person) == nil { undo.person = PersonID(hall.book.nextPerson) }
        let person = personForPairing(named: pairing.person)
        var addresses: [PhoneAddress] = []
        for address in heard.addresses {
            takeAway(address.kind, address.value, into: &undo, at: now)
            addresses.append(
                PhoneAddress(id: AddressID(hall.book.nextAddress), kind: address.kind, value: address.value))
            hall.book.nextAddress += 1
        }
        let phone = Phone(
            id: id, person: person, name: heard.name, roles: pairing.roles, hasPresenceKey: heard.hasPresenceKey,
            key1Suffices: pairing.key1Suffices, addresses: addresses, pairedAt: now.wall)
        hall.book.phones.append(phone)
        hall.book.phones.sort { $0.id < $1.id }
        if hall.book.starts == 0 { hall.book.starts = 1 }
        hall.accounts.append(PhoneAccount(phone: id, counters: PhoneCounters(phone: id, rows: [])))
        hall.accounts.sort { $0.phone < $1.phone }
        step.phoneLedgerOwners.append(.added(id))
        bookChanged()
        announce(
            .info, .phones, "\(actor(phone).words) was paired; it may \(phone.roles.names.joined(separator: ", ")).",
            except: id, at: now)
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
        _ kind: AddressKind, _ value: String, into undo: inout PairingUndo, at now: Moment
    ) {
        for phone in hall.book.phones.indices {
            for index in hall.book.phones[phone].addresses.indices {
                let address = hall.book.phones[phone].addresses[index]
                guard address.kind == kind, address.value == value else { continue }
                undo.addresses.append(address)
                hall.book.phones[phone].addresses[index].state = .gone(why: "paired anew")
                hall.outbox.dropped(address.id, why: "the phone was paired anew", at: now)
            }
        }
        guard kind == .fcmToken else { return }
        undo.legacyPhones += hall.book.legacyPhones.filter { $0.token == value }
        removeLegacy(token: value, at: now)
    }

    mutating func pairingStored(
        _ id: PhoneID, _ client: ConnectionID, _ undo: PairingUndo, stored: Bool, at now: Moment,
        into effects: inout [Effect]
    ) {
        if hall.entering == id { hall.entering = nil }
        order(.endPairing, into: &effects)
        guard stored else {
            finishRequest(of: client, with: .pairing(.ended(why: PairingDesk.notStored)), into: &effects)
            return takeBack(id, undo, at: now, into: &effects)
        }
        let name = hall.book.phone(id)?.name ?? ""
        finishRequest(of: client, with: .pairing(.paired(phone: id.description, name: name)), into: &effects)
        hall.welcomes.append(PhoneHall.Welcome(phone: id, nextAt: now.boot))
    }

    mutating func endPairing(_ why: String, at now: Moment, into effects: inout [Effect]) {
        guard let pairing = hall.pairing else { return }
        hall.pairing = nil
        order(.endPairing, into: &effects)
        finishRequest(of: pairing.client, with: .pairing(.ended(why: why)), into: &effects)
    }

    /// Nothing is paired that could not be stored, and nobody lost an address to it.
    private mutating func takeBack(
        _ id: PhoneID, _ undo: PairingUndo, at now: Moment, into effects: inout [Effect]
    ) {
        order(.forget(id), into: &effects)
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
        step.phoneLedgerOwners.append(.removed(id))
        bookChanged()
        note(.fault, .phones, "\(words) was not paired after all: the storage failed.", at: now)
    }

    // MARK: Welcome

    private static let welcomeWaits: [Duration] = [.seconds(10), .seconds(30), .minutes(2), .minutes(5)]

    mutating func sendWelcomes(at now: Moment) {
        for index in hall.welcomes.indices where hall.welcomes[index].nextAt <= now.boot {
            let step = min(hall.welcomes[index].step, Self.welcomeWaits.count - 1)
            hall.welcomes[index].nextAt = now.boot + Self.welcomeWaits[step]
            hall.welcomes[index].step += 1
            welcome(hall.welcomes[index].phone, at: now)
        }
    }

    private mutating func welcome(_ id: PhoneID, at now: Moment) {
        guard let phone = hall.book.phone(id) else { return }
        let places = JSON.array(
            rendezvous.map { .object(["k": .string("\($0.kind.rawValue)"), "v": .string($0.place)]) })
        var members: [JSON.Member] = [
            .init(key: "roles", value: .string(phone.roles.names.joined(separator: ","))),
            .init(key: "cmds", value: .string(places.text)),
            .init(key: "name", value: .string(configuration.siteName)),
        ]
        members += statusMembers(for: id, at: now)
        tell(id, BoxMessage(.welcome, content: .object(members)), at: now)
    }

    mutating func markHeard(_ phone: Phone, at now: Moment) {
        hall.welcomes.removeAll { $0.phone == phone.id }
        guard !phone.isHeard, let index = hall.book.phones.firstIndex(where: { $0.id == phone.id }) else { return }
        hall.book.phones[index].isHeard = true
        bookChanged()
    }
}
