import AlarmModel
import ApplianceCore
import Companion
import PanelLink
import PhoneLink
import PhoneProtocol
import Simulators

/// A paired phone once the world has been calm for long: whether it has all that it should.
///
/// Guarantees: it is compared with the disk and with what the core knows, and with nothing that the phone says of itself.
struct SettledPhone: Sendable {
    let phone: HousePhone
    let id: PhoneID
    let memory: PhoneMemory
    let store: SimulatedStore
    let clock: SimulatedClock
    let here: Standpoint

    func checkLog() throws(Violation) {
        guard memory.log.log == store.disk.phones.log else {
            throw here.broken(.phonesAgree, "\(phone.name) has no log")
        }
        guard memory.log.newest == store.disk.last.number, memory.log.missing.isEmpty else {
            throw here.broken(
                .phonesAgree,
                "\(phone.name) misses \(memory.log.missing) and knows \(memory.log.newest) of \(store.disk.last.number); "
                    + "the journal begins at \(store.disk.oldest.number); its token is \(phone.token), the box knows "
                    + "\(phone.id.flatMap { store.disk.phones.book?.phone($0)?.addresses } ?? [])")
        }
        let held = memory.log.events.drop { ($0.position?.seq ?? 0) < store.disk.oldest.number }
        guard held.count == store.disk.rows.count else {
            throw here.broken(.phonesAgree, "\(phone.name) holds \(held.count) of \(store.disk.rows.count) rows")
        }
        for (event, row) in zip(held, store.disk.rows) {
            guard event.position?.seq == row.seq.number, event.code == row.event.code, event.raw == row.event.raw
            else { throw here.broken(.phonesAgree, "\(phone.name) holds \(event), the journal \(row)") }
        }
        guard !memory.view.isTwoBoxes else {
            throw here.broken(.phonesAgree, "\(phone.name) believes that there are two boxes")
        }
    }

    /// - Parameter numbers: the partitions that the box knows
    func checkState(_ panel: PanelState, of numbers: [Int]) throws(Violation) {
        for number in numbers { try checkState(panel, partition: number, isFirst: number == numbers[0]) }
    }

    private func checkState(_ panel: PanelState, partition number: Int, isFirst: Bool) throws(Violation) {
        guard let known = panel.partitions.first(where: { $0.number == number })?.status.current else { return }
        let told = memory.view.state?.partition(number)
        let isArmed: Bool? =
            switch told?.arming {
            case .disarmed: false
            case .stay, .away, .noEntryDelay, .entryDelay: true
            case .exitDelay, nil: nil
            }
        let open = panel.zones.filter { zone in
            zone.open.current == true && (zone.partition.map { $0 == number } ?? isFirst)
        }.map(\.number)
        guard known.isArmed ? isArmed == true : !known.isDisarmed || isArmed == false, told?.openZones == open else {
            throw here.broken(
                .phonesAgree, "\(phone.name) shows \(told.map { "\($0)" } ?? "nothing"); it is \(known), \(open)")
        }
    }

    /// What its browser has subscribed to, and the box was told, is used.
    func checkSubscription(_ service: WebPushSimulator?) throws(Violation) {
        guard let life = phone.topics, let subscription = life.subscription, life.toldAs == id,
            service?.has(subscription.endpoint) == true
        else { return }
        guard phone.takesPushes(in: store.disk.phones) == true else {
            throw here.broken(
                .everythingSettles,
                "the browser of \(phone.name) takes pushes at \(subscription.endpoint), told are "
                    + "\(memory.commands.filter { $0.command.isSubscription }), known "
                    + "\(store.disk.phones.book?.phone(id)?.addresses ?? [])")
        }
    }

    /// - Parameter toldUnstored: commands whose phone was told ok while the store failed
    func checkCommands(toldUnstored: Set<PhoneShelf.Spent>) throws(Violation) {
        if let open = memory.commands.first(where: { $0.outcome == .pending }) {
            throw here.broken(.everythingSettles, "\(phone.name) still waits for the outcome of \(open)")
        }
        let rows = store.disk.phones.counters.first { $0.phone == id }?.rows ?? []
        if let open = rows.first(where: { $0.result == nil }) {
            throw here.broken(.everythingSettles, "command \(open.counter) of \(phone.name) has no outcome")
        }
        for record in memory.commands where record.outcome == .ok {
            let row = rows.first { Int64(exactly: $0.counter) == record.counter }
            // The panel had confirmed it, the disk could not take that, the power went: a restart knows no better.
            let isUnknown =
                row?.result?.out == .timeout
                && row.map { toldUnstored.contains(PhoneShelf.Spent(phone: id, counter: $0.counter)) }
                    ?? false
            guard row == nil || row?.result?.out == .ok || isUnknown else {
                throw here.broken(.phonesAgree, "\(phone.name) was told ok of \(record), the ledger says otherwise")
            }
        }
    }

    /// It was given up although its address is in use.
    private func isGivenUp(_ message: PhoneShelf.Message) -> Bool {
        guard message.state == .dead else { return false }
        return store.disk.phones.book?.phone(id)?.addresses.contains {
            $0.id == message.row.address && $0.state == .inUse
        } ?? false
    }

    /// - Parameters:
    ///   - isServiceTrue: the service never says that an address is gone which is not
    ///   - isAllCarried: nobody drops what the service has taken
    func checkArrived(isServiceTrue: Bool, isAllCarried: Bool) throws(Violation) {
        let patience = Duration.seconds(240)
        for message in store.disk.phones.messages where store.disk.phones.owners[message.row.address] == id {
            let age = clock.age(since: message.row.createdAt, at: here.now)
            if message.row.priority == .alarm, message.state == .expired || isServiceTrue && isGivenUp(message) {
                throw here.broken(
                    .alarmsArrive,
                    "\(message.row.message) to \(phone.name) is \(message.state): \(message.detail ?? "")")
            }
            if !message.state.isFinal, message.row.priority == .alarm, age > patience {
                throw here.broken(
                    .alarmsArrive,
                    "\(message.row.message) to \(phone.name) is \(message.state); duress: \(message.isDuress), "
                        + "number \(message.number) of \(store.disk.oldest.number)...\(store.disk.last.number), "
                        + "to \(message.row.address.number) of \(store.disk.phones.book?.phone(id)?.addresses ?? [])")
            }
            guard message.isDuress, message.state != .dead, message.state != .expired, message.state.isFinal,
                isAllCarried
            else { continue }
            let mark = store.disk.duress.first { $0.seq.number == message.number }?.event.unstored?.text
            guard memory.log.unnumbered.contains(where: { $0.event.mark == mark }) else {
                throw here.broken(
                    .alarmsArrive, "duress \(mark ?? "?") is \(message.state), and \(phone.name) has it not")
            }
        }
        for message in store.disk.phones.messages
        where store.disk.phones.owners[message.row.address] == id && !message.state.isFinal
            && message.row.priority <= .fault
        {
            let age = clock.age(since: message.row.createdAt, at: here.now)
            if age > .seconds(600) {
                throw here.broken(.everythingSettles, "\(message.row.message) to \(phone.name) is \(message.state)")
            }
        }
    }
}

extension HouseCommand {
    fileprivate var isSubscription: Bool {
        guard case .address(let address) = self else { return false }
        return address.kind == .webPush
    }
}
