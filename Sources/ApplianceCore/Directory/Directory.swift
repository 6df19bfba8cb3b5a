import AlarmModel
import PhoneLink
import PhoneProtocol

/// The people and phones of the house: who there is, at which addresses, and which of these still lead anywhere.
///
/// Guarantees: a new address counts once the phone has returned what was sent there (docs/pairing.md 8); whatever goes out
/// of the phone book is taken from the other machines by an action. Knows nothing of connections and of what is sent.
struct Directory: Machine, Codable, Equatable, Sendable {
    /// What the other machines have to know.
    enum Action: Codable, Equatable, Sendable {
        /// Nothing is sent to this address any more.
        case dropped(AddressID, why: String)
        /// The phone is out of the book.
        case phoneGone(PhoneID)
        /// What the phone asked for before is none of its business any more.
        case answersVoid(PhoneID)
        case contactGone(AddressID)
        /// The contacts and phones to listen to may be others now.
        case contactsChanged
        /// The owner has let an original app in.
        case approved(token: String)
        /// The owner ends a lock.
        case lifted(PhoneID)
    }

    /// A candidate address and what was sent there.
    struct AddressProbe: Codable, Equatable, Sendable {
        var phone: PhoneID
        var address: AddressID
        var nonce: String
        var nextAt: BootTime
        var tries = 0
    }

    private struct AddressTry: Codable, Equatable, Sendable {
        var owner: TryOwner
        var at: BootTime
    }

    /// Whose new address is tried, or written down.
    enum TryOwner: Codable, Equatable, Sendable {
        case phone(PhoneID)
        case originalApp(AddressID)
    }

    var probes: [AddressProbe] = []
    private var tries: [AddressTry] = []
    var actions: [Action] = []

    private static let tryPause: Duration = .minutes(1)

    /// Phones hear how often the daemon has started since the first of them was paired (docs/pairing.md 6).
    mutating func start(_ step: inout Step) {
        announceRestored(&step)
        guard !step.book.phones.isEmpty else { return }
        step.book.starts += 1
        step.bookChanged()
    }

    /// Names every phone, store app and account that a backup has brought back, once. None may act until somebody at the
    /// box lets it: one that was revoked after the backup was made may be among them.
    private func announceRestored(_ step: inout Step) {
        guard step.book.isRestored == true else { return }
        step.book.isRestored = nil
        step.bookChanged()
        let contacts = step.book.contacts.filter { $0.isConfigured != true }.map { step.book.actor($0).words }
        let phones = step.book.phones.map { step.book.actor($0).words } + contacts
        guard !phones.isEmpty else { return }
        step.announce(
            .fault, .phones,
            "A backup has brought these phones back: \(phones.joined(separator: ", ")). They hear of alarms, and may not "
                + "act before somebody at the box has looked at them. At \(Hint.lift.atBox), revoke what is not yours, "
                + "and let the others act again.")
    }

    /// An address that was called gone is tried again at most once a minute: a relay can repeat a phone's words for ever,
    /// and each try is written to the phone book.
    mutating func mayTry(_ owner: TryOwner, at now: BootTime) -> Bool {
        if let tried = tries.first(where: { $0.owner == owner })?.at, now - tried < Self.tryPause { return false }
        tries.removeAll { $0.owner == owner }
        tries.append(AddressTry(owner: owner, at: now))
        return true
    }

    /// The house's own addresses are those of the configuration; each keeps its number as long as it stands there. They are
    /// told also while the phones' file cannot be read.
    mutating func updateHouse(_ step: inout Step) {
        var house: [HouseAddress] = []
        for target in step.configuration.phones.house
        where !house.contains(where: { $0.kind == target.kind && $0.value == target.value }) {
            if var known = step.book.house.first(where: { $0.kind == target.kind && $0.value == target.value }) {
                known.triggers = target.triggers
                known.goesByOwnType = target.goesByOwnType
                known.isDuressContact = target.isDuressContact
                house.append(known)
            } else {
                house.append(
                    HouseAddress(
                        address: AddressID(step.book.nextAddress), kind: target.kind, value: target.value,
                        triggers: target.triggers, goesByOwnType: target.goesByOwnType,
                        isDuressContact: target.isDuressContact))
                step.book.nextAddress += 1
            }
        }
        house.sort { $0.address < $1.address }
        guard house != step.book.house else { return }
        step.book.house = house
        step.bookChanged()
    }

    // MARK: Going

    /// A phone has unpaired itself: its keys, its addresses, its waiting messages are gone for good.
    mutating func left(_ id: PhoneID, _ step: inout Step) {
        guard let phone = step.book.phone(id) else { return }
        step.tell(id, BoxMessage(.bye, content: .object(["why": .string("left")])))
        forget(phone, "\(step.book.actor(phone).words) has left.", &step)
    }

    mutating func forget(_ phone: Phone, _ words: String, _ step: inout Step) {
        for address in phone.addresses { actions.append(.dropped(address.id, why: "the phone was revoked")) }
        step.book.phones.removeAll { $0.id == phone.id }
        step.book.dead.append(phone.id)
        probes.removeAll { $0.phone == phone.id }
        tries.removeAll { $0.owner == .phone(phone.id) }
        actions += [.phoneGone(phone.id), .contactsChanged]
        step.writes.phoneLedgerOwners.append(.removed(phone.id))
        step.bookChanged()
        step.announce(.info, .phones, words)
        step.wait(.endVault(.forget(phone.id)))
    }

    mutating func removeLegacy(token: String, _ step: inout Step) {
        let gone = step.book.legacyPhones.filter { $0.token == token }
        guard !gone.isEmpty else { return }
        for phone in gone {
            actions.append(.dropped(phone.address, why: "the token is not approved any more"))
        }
        step.book.legacyPhones.removeAll { $0.token == token }
        step.bookChanged()
    }

    /// The service says that nobody is at this contact's address any more.
    mutating func dropContact(_ id: AddressID, why: String, _ step: inout Step) {
        guard let index = step.book.contacts.firstIndex(where: { $0.address == id }) else { return }
        step.book.contacts[index].state = .gone(why: why)
        step.bookChanged()
        let remedy =
            step.book.contacts[index].isConfigured == true
            ? "Write another address into howalarming.yaml, under 'people'" : "Pair it again"
        step.note(
            .fault, .phoneLost,
            "\(step.book.actor(step.book.contacts[index]).words) cannot be reached any more: \(why). \(remedy).",
            about: .address(id))
    }
}
