import AlarmModel
import PhoneLink
import PhoneProtocol

/// The life of a phone's addresses: a new one counts once the phone has returned what was sent there (docs/pairing.md
/// 8).
extension Directory {
    /// Told by a signed command.
    mutating func newAddress(
        _ kind: AddressKind, _ told: String, of phone: Phone, _ step: inout Step
    ) -> Outcome {
        guard let value = step.kept(kind, told) else {
            return .refused(.badRequest("this box cannot reach such an address"))
        }
        if let owner = step.book.phone(at: kind, value), !step.book.hasLost(kind, value, phone) {
            guard owner.id == phone.id else { return .refused(.badRequest("another phone has this address")) }
            probeAgain(kind, value, of: phone, &step)
            return .done
        }
        step.book.forgetLost(kind, value, of: phone.id)
        addCandidate(kind, value, to: phone.id, &step)
        return .done
    }

    /// A phone speaks. If it does from an address that its service had called gone, that one is tried: services err. As
    /// with a new one, it counts once the phone has returned what is sent there, so that a copied message moves nothing.
    /// The same for a new address whose probes were all in vain, from wherever the phone speaks: what comes by a database
    /// or a topic does not say from which address.
    mutating func heard(_ phone: Phone, from value: String, _ step: inout Step) {
        if let lost = phone.addresses.first(where: { $0.value == value && $0.isGone }) {
            guard step.book.hasLost(lost.kind, value, phone), mayTry(.phone(phone.id), at: step.now.boot) else {
                return
            }
            step.book.forgetLost(lost.kind, value, of: phone.id)
            return addCandidate(lost.kind, value, to: phone.id, &step)
        }
        for address in phone.addresses where isForgotten(address) {
            guard mayTry(.phone(phone.id), at: step.now.boot) else { return }
            step.ask(.nonce, for: .nonce(phone.id, address.id))
        }
    }

    /// A new address that nothing is sent to any more.
    private func isForgotten(_ address: PhoneAddress) -> Bool {
        address.state == .candidate && !probes.contains { $0.address == address.id }
    }

    private mutating func probeAgain(
        _ kind: AddressKind, _ value: String, of phone: Phone, _ step: inout Step
    ) {
        guard let address = phone.addresses.first(where: { $0.kind == kind && $0.value == value }), isForgotten(address)
        else { return }
        step.ask(.nonce, for: .nonce(phone.id, address.id))
    }

    /// Told by the channel itself, as the canonical id of an address.
    mutating func learned(
        _ value: String, insteadOf address: AddressID, _ step: inout Step
    ) {
        for index in step.book.legacyPhones.indices where step.book.legacyPhones[index].address == address {
            // A topic has no token: a server that names one would make its owner an original app.
            guard !step.book.legacyPhones[index].isTopic else { return }
            guard !step.book.legacyPhones.contains(where: { $0.token == value }) else {
                return removeLegacy(token: step.book.legacyPhones[index].token, &step)
            }
            // Each is written to the phone book, and the answer to the next message may name another.
            guard mayTry(.originalApp(address), at: step.now.boot) else { return }
            step.book.legacyPhones[index].token = value
            return step.bookChanged()
        }
        guard let phone = step.book.phones.first(where: { $0.addresses.contains { $0.id == address } }),
            (8...4096).contains(value.utf8.count)
        else { return }
        switch step.book.phone(at: .fcmToken, value) {
        // Each is written to the phone book and probed, and the answer to the probe may name the next.
        case nil: if mayTry(.phone(phone.id), at: step.now.boot) { addCandidate(.fcmToken, value, to: phone.id, &step) }
        case .some(let owner) where owner.id == phone.id: probeAgain(.fcmToken, value, of: phone, &step)
        case .some: break
        }
    }

    private mutating func addCandidate(
        _ kind: AddressKind, _ value: String, to phone: PhoneID, _ step: inout Step
    ) {
        guard let index = step.book.phones.firstIndex(where: { $0.id == phone }) else { return }
        let id = AddressID(step.book.nextAddress)
        step.book.nextAddress += 1
        // One candidate at a time, or a relay could fill the book.
        step.book.phones[index].addresses.removeAll { $0.state == .candidate && $0.kind == kind }
        step.book.phones[index].addresses.append(
            PhoneAddress(id: id, kind: kind, value: value, state: .candidate))
        if kind == .topic { actions.append(.contactsChanged) }
        step.bookChanged()
        step.ask(.nonce, for: .nonce(phone, id))
    }

    /// Candidates of an earlier run are tried again.
    mutating func askForNonces(_ step: inout Step) {
        for phone in step.book.phones {
            for address in phone.addresses where address.state == .candidate {
                step.ask(.nonce, for: .nonce(phone.id, address.id))
            }
        }
    }

    mutating func gotNonce(_ answer: VaultAnswer, _ phone: PhoneID, _ address: AddressID, _ step: inout Step) {
        guard case .nonce(let bytes) = answer else { return }
        probes.removeAll { $0.address == address }
        probes.append(
            AddressProbe(
                phone: phone, address: address, nonce: Base64URL.encode(bytes), nextAt: step.now.boot))
    }

    private static let probeTries = 10

    /// - Parameter ready: the channels that take something now
    mutating func sendProbes(by ready: [ChannelKind], _ step: inout Step) {
        for index in probes.indices where probes[index].nextAt <= step.now.boot {
            probes[index].nextAt = step.now.boot + .seconds(30)
            let probe = probes[index]
            guard let phone = step.book.phone(probe.phone),
                let address = phone.addresses.first(where: { $0.id == probe.address }),
                let place = step.place(of: address)
            else {
                probes[index].tries += 1
                continue
            }
            // While the channel is down nothing is tried.
            guard ready.contains(place.channel) else { continue }
            probes[index].tries += 1
            let message = BoxMessage(.probe, content: .object(["nonce": .string(probe.nonce)]))
            step.answer(.sealed(phone.id, message, wantsChallenge: false), to: place)
        }
        probes.removeAll { $0.tries > Self.probeTries }
    }

    mutating func probeAnswered(_ nonce: String, by phone: Phone, _ step: inout Step) {
        guard let probe = probes.first(where: { $0.phone == phone.id && $0.nonce == nonce }),
            let index = step.book.phones.firstIndex(where: { $0.id == phone.id })
        else { return }
        probes.removeAll { $0.address == probe.address }
        guard let kind = step.book.phones[index].addresses.first(where: { $0.id == probe.address })?.kind else {
            return
        }
        for place in step.book.phones[index].addresses.indices {
            let address = step.book.phones[index].addresses[place]
            if address.id == probe.address {
                step.book.phones[index].addresses[place].state = .inUse
            } else if address.kind == kind, address.state == .inUse {
                step.book.phones[index].addresses[place].state = .retiring(until: step.now.wall + .hours(24))
            }
        }
        step.bookChanged()
        step.announce(.info, .phones, "\(step.book.actor(phone).words) has a new address.", except: phone.id)
    }

    /// A replaced address leaves the book when its time is over.
    mutating func retireAddresses(_ step: inout Step) {
        guard step.now.isWallTrusted else { return }
        let now = step.now.wall
        var hasChanged = false
        for phone in step.book.phones.indices {
            let before = step.book.phones[phone].addresses.count
            step.book.phones[phone].addresses.removeAll { address in
                if case .retiring(let until) = address.state { until <= now } else { false }
            }
            hasChanged = hasChanged || step.book.phones[phone].addresses.count != before
        }
        if hasChanged { step.bookChanged() }
    }

    /// The service says that nobody is at this address any more.
    mutating func dropAddress(_ id: AddressID, why: String, _ step: inout Step) {
        actions.append(.dropped(id, why: why))
        if let index = step.book.legacyPhones.firstIndex(where: { $0.address == id }) {
            guard !step.book.legacyPhones[index].isGone else { return }
            step.book.legacyPhones[index].isGone = true
            step.bookChanged()
            return step.note(
                .fault, .phoneLost, "An original app cannot be reached any more: \(why).", about: .address(id))
        }
        guard let index = step.book.phones.firstIndex(where: { $0.addresses.contains { $0.id == id } }) else {
            return dropContact(id, why: why, &step)
        }
        guard let place = step.book.phones[index].addresses.firstIndex(where: { $0.id == id }),
            !step.book.phones[index].addresses[place].isGone
        else { return }
        let before = step.book.phones[index].addresses[place]
        #if SABOTAGE
            if step.sabotage == .goneSubscriptionKept, before.kind == .webPush { return }
        #endif
        step.book.phones[index].addresses[place].state = .gone(why: why)
        step.book.phones[index].forgetOldestLost()
        probes.removeAll { $0.address == id }
        step.bookChanged()
        let phone = step.book.phones[index]
        // What was only tried is no loss.
        guard before.state != .candidate else { return }
        guard !phone.addresses.contains(where: { $0.state == .inUse }) else {
            // What is left of it reaches the phone only while the app is open.
            guard before.kind == .webPush, before.state == .inUse else { return }
            return step.note(
                .fault, .phoneLost,
                "\(step.book.actor(phone).words) gets no push any more: \(why).", about: .address(id))
        }
        step.note(
            .fault, .phoneLost,
            "\(step.book.actor(phone).words) cannot be reached any more: \(why). Open the app, or pair the phone again.",
            about: .phone(phone.id))
    }
}

extension Phone {
    /// Its browser's subscription has ended, and no other one is in use or tried.
    var hasLostPushes: Bool {
        let pushes = addresses.filter { $0.kind == .webPush }
        return pushes.contains(where: \.isGone) && !pushes.contains { $0.state == .inUse || $0.state == .candidate }
    }

    /// Some are kept, for a service may have erred; a service that names new ones and calls them gone fills no book.
    fileprivate mutating func forgetOldestLost() {
        let lost = addresses.filter(\.isGone).dropLast(4).map(\.id)
        addresses.removeAll { lost.contains($0.id) }
    }
}

extension PhoneBook {
    /// The address was this phone's and is nobody's now.
    fileprivate func hasLost(_ kind: AddressKind, _ value: String, _ phone: Phone) -> Bool {
        let owners = phones.filter { owner in
            owner.addresses.contains { $0.kind == kind && $0.value == value && !$0.isGone }
        }
        return owners.isEmpty
            && phone.addresses.contains { $0.kind == kind && $0.value == value && $0.isGone }
    }

    fileprivate mutating func forgetLost(_ kind: AddressKind, _ value: String, of id: PhoneID) {
        guard let index = phones.firstIndex(where: { $0.id == id }) else { return }
        phones[index].addresses.removeAll { $0.kind == kind && $0.value == value && $0.isGone }
    }

    /// When the next replaced address leaves the book.
    func nextRetirement(after now: Moment) -> BootTime? {
        guard now.isWallTrusted else { return nil }
        let ends = phones.flatMap(\.addresses).compactMap { address -> WallTime? in
            if case .retiring(let until) = address.state { until } else { nil }
        }
        return ends.min().map { now.boot + max(.milliseconds(1), min($0 - now.wall, .hours(24))) }
    }
}
