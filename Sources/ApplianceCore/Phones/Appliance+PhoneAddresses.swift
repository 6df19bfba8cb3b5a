import AlarmModel
import PhoneLink
import PhoneProtocol

/// The life of a phone's addresses: a new one counts once the phone has returned what was sent there (docs/pairing.md
/// 8).
extension Appliance {
    /// Told by a signed command.
    mutating func newAddress(
        _ kind: AddressKind, _ value: String, of phone: Phone, _ step: inout Step
    ) -> Outcome {
        guard place(kind, value) != nil else {
            return .refused(.badRequest("this box cannot reach such an address"))
        }
        if let owner = hall.book.phone(at: kind, value), !hasLost(kind, value, phone) {
            guard owner.id == phone.id else { return .refused(.badRequest("another phone has this address")) }
            probeAgain(kind, value, of: phone, &step)
            return .done
        }
        forgetLost(kind, value, of: phone.id)
        addCandidate(kind, value, to: phone.id, &step)
        return .done
    }

    /// A phone speaks from an address that its service had called gone: services err. As with a new one, it counts once
    /// the phone has returned what is sent there, so that a copied message moves nothing. The same for one whose probes
    /// were all in vain.
    mutating func heard(_ phone: Phone, from value: String, _ step: inout Step) {
        guard let address = phone.addresses.first(where: { $0.value == value && ($0.isGone || isForgotten($0)) }),
            let index = hall.account(phone.id)
        else { return }
        let kind = address.kind
        guard !address.isGone || hasLost(kind, value, phone), hall.accounts[index].mayTryAddress(at: step.now.boot)
        else {
            return
        }
        guard address.isGone else { return probeAgain(kind, value, of: phone, &step) }
        forgetLost(kind, value, of: phone.id)
        addCandidate(kind, value, to: phone.id, &step)
    }

    /// A new address that nothing is sent to any more.
    private func isForgotten(_ address: PhoneAddress) -> Bool {
        address.state == .candidate && !hall.probes.contains { $0.address == address.id }
    }

    private mutating func probeAgain(
        _ kind: AddressKind, _ value: String, of phone: Phone, _ step: inout Step
    ) {
        guard let address = phone.addresses.first(where: { $0.kind == kind && $0.value == value }), isForgotten(address)
        else { return }
        order(.nonce, for: .nonce(phone.id, address.id), &step)
    }

    /// The address was this phone's and is nobody's now.
    private func hasLost(_ kind: AddressKind, _ value: String, _ phone: Phone) -> Bool {
        let owners = hall.book.phones.filter { owner in
            owner.addresses.contains { $0.kind == kind && $0.value == value && !$0.isGone }
        }
        return owners.isEmpty
            && phone.addresses.contains { $0.kind == kind && $0.value == value && $0.isGone }
    }

    private mutating func forgetLost(_ kind: AddressKind, _ value: String, of id: PhoneID) {
        guard let index = hall.book.phones.firstIndex(where: { $0.id == id }) else { return }
        hall.book.phones[index].addresses.removeAll { $0.kind == kind && $0.value == value && $0.isGone }
    }

    /// Told by the way itself, as the canonical id of an address.
    mutating func learned(
        _ value: String, insteadOf address: AddressID, _ step: inout Step
    ) {
        for index in hall.book.legacyPhones.indices where hall.book.legacyPhones[index].address == address {
            guard !hall.book.legacyPhones.contains(where: { $0.token == value }) else {
                return removeLegacy(token: hall.book.legacyPhones[index].token, &step)
            }
            hall.book.legacyPhones[index].token = value
            return bookChanged(&step)
        }
        guard let phone = hall.book.phones.first(where: { $0.addresses.contains { $0.id == address } }),
            hall.book.phone(at: .fcmToken, value) == nil, (8...4096).contains(value.utf8.count)
        else { return }
        addCandidate(.fcmToken, value, to: phone.id, &step)
    }

    private mutating func addCandidate(
        _ kind: AddressKind, _ value: String, to phone: PhoneID, _ step: inout Step
    ) {
        guard let index = hall.book.phones.firstIndex(where: { $0.id == phone }) else { return }
        let id = AddressID(hall.book.nextAddress)
        hall.book.nextAddress += 1
        // One candidate at a time, or a relay could fill the book.
        hall.book.phones[index].addresses.removeAll { $0.state == .candidate && $0.kind == kind }
        hall.book.phones[index].addresses.append(
            PhoneAddress(id: id, kind: kind, value: value, state: .candidate))
        bookChanged(&step)
        order(.nonce, for: .nonce(phone, id), &step)
    }

    mutating func gotNonce(_ answer: VaultAnswer, _ phone: PhoneID, _ address: AddressID, _ step: inout Step) {
        guard case .nonce(let bytes) = answer else { return }
        hall.probes.removeAll { $0.address == address }
        hall.probes.append(
            PhoneHall.AddressProbe(
                phone: phone, address: address, nonce: Base64URL.encode(bytes), nextAt: step.now.boot))
    }

    private static let probeTries = 10

    mutating func sendProbes(_ step: inout Step) {
        for index in hall.probes.indices where hall.probes[index].nextAt <= step.now.boot {
            hall.probes[index].nextAt = step.now.boot + .seconds(30)
            let probe = hall.probes[index]
            guard let phone = hall.book.phone(probe.phone),
                let address = phone.addresses.first(where: { $0.id == probe.address }), let place = place(of: address)
            else {
                hall.probes[index].tries += 1
                continue
            }
            // While the way is down nothing is tried.
            guard let way = hall.way(place.way), hall.ways[way].isReady else { continue }
            hall.probes[index].tries += 1
            let message = BoxMessage(.probe, content: .object(["nonce": .string(probe.nonce)]))
            self.answer(.sealed(phone.id, message, wantsChallenge: false), to: place, &step)
        }
        hall.probes.removeAll { $0.tries > Self.probeTries }
    }

    mutating func probeAnswered(_ nonce: String, by phone: Phone, _ step: inout Step) {
        guard let probe = hall.probes.first(where: { $0.phone == phone.id && $0.nonce == nonce }),
            let index = hall.book.phones.firstIndex(where: { $0.id == phone.id })
        else { return }
        hall.probes.removeAll { $0.address == probe.address }
        guard let kind = hall.book.phones[index].addresses.first(where: { $0.id == probe.address })?.kind else {
            return
        }
        for place in hall.book.phones[index].addresses.indices {
            let address = hall.book.phones[index].addresses[place]
            if address.id == probe.address {
                hall.book.phones[index].addresses[place].state = .inUse
            } else if address.kind == kind, address.state == .inUse {
                hall.book.phones[index].addresses[place].state = .retiring(until: step.now.wall + .hours(24))
            }
        }
        bookChanged(&step)
        announce(.info, .phones, "\(actor(phone).words) has a new address.", except: phone.id, &step)
    }

    /// A replaced address leaves the book when its time is over.
    mutating func retireAddresses(_ step: inout Step) {
        guard step.now.isWallTrusted else { return }
        var hasChanged = false
        for phone in hall.book.phones.indices {
            let before = hall.book.phones[phone].addresses.count
            hall.book.phones[phone].addresses.removeAll { address in
                if case .retiring(let until) = address.state { until <= step.now.wall } else { false }
            }
            hasChanged = hasChanged || hall.book.phones[phone].addresses.count != before
        }
        if hasChanged { bookChanged(&step) }
    }

    func nextRetirement(after now: Moment) -> BootTime? {
        guard now.isWallTrusted else { return nil }
        let ends = hall.book.phones.flatMap(\.addresses).compactMap { address -> WallTime? in
            if case .retiring(let until) = address.state { until } else { nil }
        }
        return ends.min().map { now.boot + max(.milliseconds(1), min($0 - now.wall, .hours(24))) }
    }

    /// The service says that nobody is at this address any more.
    mutating func dropAddress(_ id: AddressID, why: String, _ step: inout Step) {
        hall.outbox.dropped(id, why: why, at: step.now)
        if let index = hall.book.legacyPhones.firstIndex(where: { $0.address == id }) {
            guard !hall.book.legacyPhones[index].isGone else { return }
            hall.book.legacyPhones[index].isGone = true
            bookChanged(&step)
            return note(.fault, .phoneLost, "An original app cannot be reached any more: \(why).", &step)
        }
        guard let index = hall.book.phones.firstIndex(where: { $0.addresses.contains { $0.id == id } }) else {
            return dropContact(id, why: why, &step)
        }
        guard let place = hall.book.phones[index].addresses.firstIndex(where: { $0.id == id }),
            !hall.book.phones[index].addresses[place].isGone
        else { return }
        let wasCandidate = hall.book.phones[index].addresses[place].state == .candidate
        hall.book.phones[index].addresses[place].state = .gone(why: why)
        hall.probes.removeAll { $0.address == id }
        bookChanged(&step)
        let phone = hall.book.phones[index]
        // What was only tried is no loss.
        guard !wasCandidate, !phone.addresses.contains(where: { $0.state == .inUse }) else { return }
        note(
            .fault, .phoneLost,
            "\(actor(phone).words) cannot be reached any more: \(why). Open the app, or pair the phone again.", &step)
    }
}

extension PhoneAddress {
    fileprivate var isGone: Bool {
        if case .gone = state { true } else { false }
    }
}
