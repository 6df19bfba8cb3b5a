import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// What arrives, and what does not.
extension ChannelChecks {
    /// Longer than any wait before another attempt, and than the answer to one.
    private static let patience = Duration.seconds(400)

    /// Such a message leaves by the next channel after 30 s; then it may have to be repeated once. In a flood its turn
    /// comes later: faults leave in order, and after 30 at once an address gets one per `OutboxPolicy.faultInterval`.
    private static func fallbackPatience(_ waiting: Waiting) -> Duration {
        .seconds(60) + OutboxPolicy().faultInterval * waiting.ahead
    }

    /// What waits although its channel has been sound for long.
    func checkDelivery(_ hosts: ChannelHosts, _ store: SimulatedStore, from here: Standpoint) throws(Violation) {
        guard store.isSound(at: here.now) else { return }
        for waiting in waiting {
            guard let owner = owners[waiting.address], let sound = hosts.sound(owner.channel, at: here.now),
                Self.isInUse(waiting.address, store)
            else { continue }
            let since = max(sound, waiting.since, store.goodSince)
            guard here.now - since > Self.patience else { continue }
            if waiting.priority == .fault {
                // Limits of ours and of the service; and it need not leave when another channel has brought it.
                guard here.now - lastHold > .minutes(40), isAlone(waiting, store) else { continue }
            }
            throw here.broken(
                .alarmsArrive,
                "\(waiting.message) for \(owner.value) waits since \((waiting.since - .zero).milliseconds) ms, and "
                    + "\(owner.channel.rawValue) is sound since \((sound - .zero).milliseconds) ms: "
                    + "\(store.disk.phones.message(waiting.message).map { "\($0.state) \($0.detail ?? "")" } ?? "no row")"
            )
        }
    }

    private static func isInUse(_ address: AddressID, _ store: SimulatedStore) -> Bool {
        guard let book = store.disk.phones.book else { return false }
        return book.contacts.contains { $0.address == address && $0.state == .inUse }
            || book.house.contains { $0.address == address }
    }

    /// Few wait there, and no sibling of it has arrived or is on its way.
    private func isAlone(_ waiting: Waiting, _ store: SimulatedStore) -> Bool {
        guard self.waiting.count(where: { $0.address == waiting.address }) <= 20,
            let row = store.disk.phones.message(waiting.message)
        else { return false }
        return !store.disk.phones.messages.contains {
            $0.place == row.place && $0.row.message != waiting.message && $0.state.isFinal
        }
    }

    func isThere(_ message: PhoneShelf.Message, _ owner: Owner, _ store: SimulatedStore) -> Bool {
        if hasArrived(message.row.message, at: owner.value) || owner.channel == .receiver && hasUnnamedReports {
            return true
        }
        let index = Int(message.number - store.disk.oldest.number)
        guard !message.isDuress, store.disk.rows.indices.contains(index) else { return true }
        return hasArrived(store.disk.rows[index].event, at: owner.value)
    }

    // MARK: Fallbacks

    /// No fault waits for a person's first channel while another one of theirs is sound.
    func checkFallbacks(
        _ hosts: ChannelHosts, _ store: SimulatedStore, runSince: BootTime, from here: Standpoint
    ) throws(Violation) {
        guard store.isSound(at: here.now), here.now - lastHold > .minutes(40),
            let book = store.disk.phones.book
        else { return }
        for waiting in waiting where waiting.priority == .fault {
            let since = waiting.since - .seconds(20)
            guard here.now - waiting.since > Self.fallbackPatience(waiting), runSince < since,
                store.goodSince < since,
                let owner = owners[waiting.address], let person = owner.person, owner.since < since,
                let sound = hosts.sound(owner.channel, at: here.now), sound < since,
                book.contacts.contains(where: { $0.address == waiting.address && $0.state == .inUse }),
                let row = store.disk.phones.message(waiting.message)
            else { continue }
            let siblings = store.disk.phones.messages.filter { message in
                guard message.place == row.place, message.row.message != waiting.message else { return false }
                let phone = store.disk.phones.owners[message.row.address].flatMap { book.phone($0) }
                return (phone?.person ?? owners[message.row.address]?.person) == person
            }
            guard !siblings.contains(where: { $0.state.isFinal }) else { continue }
            throw here.broken(
                .fallbacksGoOut,
                "\(waiting.message) for \(owner.value) has not left for \(here.now - waiting.since), \(waiting.ahead) were "
                    + "ahead of it, and none of \(siblings.count) others has arrived")
        }
    }

    // MARK: The database of FCM over HTTP

    /// What lies there is heard and removed soon after nothing keeps the box from it.
    static func checkDatabase(
        _ hosts: ChannelHosts, _ store: SimulatedStore, runSince: BootTime, from here: Standpoint
    ) throws(Violation) {
        guard store.isSound(at: here.now), let index = hosts.index(.fcm),
            let sound = hosts[index].sound(at: here.now), let server = hosts[index].peer as? FCMSimulator
        else { return }
        for message in server.nodes {
            let since = max(sound, runSince, store.goodSince, message.since)
            guard here.now - since > patience else { continue }
            throw here.broken(
                .databaseIsEmptied,
                "\(message.key) lies in the database since \((message.since - .zero).milliseconds) ms, and it is sound "
                    + "since \((sound - .zero).milliseconds) ms")
        }
    }

    // MARK: At the end

    /// - Parameter wall: as the shell reports it
    func checkSettled(_ store: SimulatedStore, wall: WallTime, from here: Standpoint) throws(Violation) {
        for message in store.disk.phones.messages {
            guard let owner = owners[message.row.address], Self.isInUse(message.row.address, store) else { continue }
            let id = message.row.message
            switch message.state {
            case .accepted, .received, .seen:
                guard message.state == .seen || isThere(message, owner, store)
                else {
                    throw here.broken(.alarmsArrive, "\(id) counts as \(message.state), and \(owner.value) has it not")
                }
            case .dead, .expired:
                guard message.row.priority > .alarm else {
                    throw here.broken(
                        .alarmsArrive, "\(id) for \(owner.value) is \(message.state): \(message.detail ?? "")")
                }
            case .spared: break
            case .waiting, .overdue:
                let age = wall - message.row.createdAt
                guard message.row.priority <= .fault, age > .seconds(600) else { continue }
                throw here.broken(.everythingSettles, "\(id) for \(owner.value) is \(message.state)")
            }
        }
    }
}
