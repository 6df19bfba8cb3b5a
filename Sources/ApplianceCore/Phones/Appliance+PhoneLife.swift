import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// Start and change of the phones' part.
extension Appliance {
    mutating func enterHall(_ start: Start, _ step: inout Step) {
        var policy = OutboxPolicy()
        policy.receiptDelay = start.configuration.phones.timing.receiptPatience
        hall = PhoneHall(bootMark: start.bootMark, seed: start.seed &+ 1, policy: policy)
        hall.book = start.phoneBook ?? PhoneBook(nextAddress: Self.firstUnreadAddress)
        hall.isBookReadable = start.phoneBook != nil
        hall.log = start.log
        hall.oldest = start.oldestSequence
        hall.counts = start.outboxCounts
        hall.nextSequence = start.isStoreOpen ? start.lastSequence.next : nil
        hall.accounts = hall.book.phones.map { phone in
            PhoneAccount(phone: phone.id, counters: start.phoneCounters.first { $0.phone == phone.id })
        }
        hall.welcomes = hall.book.phones.filter { !$0.isHeard }.map { .init(phone: $0.id, nextAt: step.now.boot) }
        if !start.isOffline {
            for (index, settings) in Self.waySettings(configuration.phones).enumerated() {
                hall.ways.append(Way(settings, seed: start.seed &+ 2 &+ UInt64(index)))
            }
        }
        #if SABOTAGE
            hall.outbox.sabotage = sabotage
            for index in hall.ways.indices {
                if case .ccs(var transport) = hall.ways[index].carrier {
                    transport.link.sabotage = sabotage
                    hall.ways[index].carrier = .ccs(transport)
                }
                if case .mqtt(var transport) = hall.ways[index].carrier {
                    transport.sabotage = sabotage
                    hall.ways[index].carrier = .mqtt(transport)
                }
            }
        #endif
        if !start.isOffline { updateHouse(&step) }
        // Never above what there is: a number that is given out yet is an alarm that nobody has seen.
        if let seen = start.snapshot?.seenUpTo {
            hall.outbox.seen(.alarms(upTo: min(seen, start.lastSequence)), at: step.now)
        }
        updateRoutes(&step)
    }

    /// Of the house's addresses while the phones' file cannot be read: above every number that may stand in it.
    private static let firstUnreadAddress: Int64 = 1 << 40

    /// The house's own addresses are those of the configuration; each keeps its number as long as it stands there. They are
    /// told also while the phones' file cannot be read.
    private mutating func updateHouse(_ step: inout Step) {
        let wanted = configuration.phones.house
        var house: [HouseAddress] = []
        for target in wanted where !house.contains(where: { $0.kind == target.kind && $0.value == target.value }) {
            if var known = hall.book.house.first(where: { $0.kind == target.kind && $0.value == target.value }) {
                known.triggers = target.triggers
                known.goesByOwnType = target.goesByOwnType
                house.append(known)
            } else {
                house.append(
                    HouseAddress(
                        address: AddressID(hall.book.nextAddress), kind: target.kind, value: target.value,
                        triggers: target.triggers, goesByOwnType: target.goesByOwnType))
                hall.book.nextAddress += 1
            }
        }
        house.sort { $0.address < $1.address }
        guard house != hall.book.house else { return }
        hall.book.house = house
        bookChanged(&step)
    }

    /// Ways that show the house as a whole are told each change of it.
    mutating func showHouse(_ step: inout Step) {
        guard life == .running, hall.way(.mqtt) != nil || hall.way(.xmpp) != nil else { return }
        let picture = HousePicture(
            state: session.state, names: configuration.panel.names, partitions: configuration.panel.partitions,
            uplinks: uplinkPicture)
        guard picture != hall.shown else { return }
        hall.shown = picture
        for kind in [WayKind.mqtt, .xmpp] {
            drive(kind, &step) { $0.houseChanged(picture, at: $1, into: &$2) }
        }
    }

    mutating func startLink(_ step: inout Step) {
        noticeWayless(&step)
        beginHeartbeat(&step)
        guard !hall.ways.isEmpty else { return }
        for kind in hall.ways.map(\.kind) { startWay(kind, &step) }
        updateListening(&step)
        askForPhones(&step)
    }

    private mutating func startWay(_ kind: WayKind, _ step: inout Step) {
        guard let index = hall.way(kind) else { return }
        hall.ways[index].offlineSince = step.now.boot
        drive(kind, &step) { $0.start(at: $1, into: &$2) }
    }

    /// What has to be known before phones can be served.
    private mutating func askForPhones(_ step: inout Step) {
        for partition in configuration.panel.partitions {
            noteOldArming(partition, lastSequence)
            askForArming(of: partition, &step)
        }
        for phone in hall.book.phones {
            for address in phone.addresses where address.state == .candidate {
                order(.nonce, for: .nonce(phone.id, address.id), &step)
            }
        }
    }

    /// When the partition was armed or disarmed last.
    mutating func askForArming(
        of partition: Int, before end: SequenceNumber? = nil, _ step: inout Step
    ) {
        read(
            EventQuery(before: end, types: [.armed, .disarmed], partition: partition, order: .newest, limit: 1),
            for: .arming(partition: partition), &step)
    }

    /// What was accepted and not ended in the last run is never done again (docs/pairing.md 7.4).
    mutating func closeUnfinishedOfPhones(_ step: inout Step) {
        for index in hall.accounts.indices {
            for row in hall.accounts[index].rows where row.result == nil {
                var row = row
                row.result = PhoneResult(.timeout)
                hall.accounts[index].store(row)
                step.writes.phoneLedger.append(row)
                step.writes.continuations.append(
                    .tellPhone(row.phone, counter: row.counter, event: nil))
            }
        }
    }

    /// The configuration was read anew. A way whose settings are as they were goes on undisturbed.
    mutating func reconfigureWays(_ step: inout Step) {
        defer {
            updateRoutes(&step)
            noticeWayless(&step)
        }
        let wanted = Self.waySettings(configuration.phones)
        let hadNone = hall.ways.isEmpty
        for kind in hall.ways.map(\.kind) where !wanted.contains(where: { $0.kind == kind }) {
            endWay(kind, &step)
        }
        for (number, settings) in wanted.enumerated() {
            if let index = hall.way(settings.kind) {
                guard hall.ways[index].settings != settings else { continue }
                if case .ccs(let ccs) = settings {
                    hall.ways[index].settings = settings
                    drive(settings.kind, &step) { transport, now, actions in
                        guard var same = transport as? CCSTransport else { return }
                        same.reconfigure(ccs, at: now, into: &actions)
                        transport = same
                    }
                    continue
                }
                endWay(settings.kind, &step)
            }
            let seed = hall.nextVaultJob &+ UInt64(startedAt.nanoseconds) &+ UInt64(number)
            hall.ways.append(Way(settings, seed: seed))
            hall.ways.sort { $0.kind < $1.kind }
            startWay(settings.kind, &step)
        }
        updateHouse(&step)
        hall.shown = nil
        updateListening(&step)
        if hadNone, !hall.ways.isEmpty { askForPhones(&step) }
    }

    private mutating func endWay(_ kind: WayKind, _ step: inout Step) {
        drive(kind, &step) { $0.stop(at: $1, into: &$2) }
        hall.ways.removeAll { $0.kind == kind }
        hall.dialLines.removeAll { $0.owner == .way(kind) }
        hall.computeWaits.removeAll { wait in
            if case .transport(kind, _) = wait.purpose { true } else { false }
        }
    }
}
