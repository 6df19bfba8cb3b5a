import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// Start and change of the phones' part.
extension Appliance {
    mutating func enterHall(_ start: Start, at now: Moment) {
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
        hall.welcomes = hall.book.phones.filter { !$0.isHeard }.map { .init(phone: $0.id, nextAt: now.boot) }
        if !start.isOffline {
            for (index, settings) in Self.waySettings(configuration.phones).enumerated() {
                hall.ways.append(Way(settings, seed: start.seed &+ 2 &+ UInt64(index)))
            }
        }
        #if SABOTAGE
            hall.outbox.sabotage = sabotage
            for index in hall.ways.indices {
                if var ccs = hall.ways[index].carrier.transport as? CCSTransport {
                    ccs.sabotage = sabotage
                    hall.ways[index].carrier.transport = ccs
                }
                if var mqtt = hall.ways[index].carrier.transport as? MQTTTransport {
                    mqtt.sabotage = sabotage
                    hall.ways[index].carrier.transport = mqtt
                }
            }
        #endif
        if !start.isOffline { updateHouse() }
        // Never above what there is: a number that is given out yet is an alarm that nobody has seen.
        if let seen = start.snapshot?.seenUpTo {
            hall.outbox.seen(.alarms(upTo: min(seen, start.lastSequence)), at: now)
        }
        updateRoutes(at: now)
    }

    /// Of the house's addresses while the phones' file cannot be read: above every number that may stand in it.
    private static let firstUnreadAddress: Int64 = 1 << 40

    /// The house's own addresses are those of the configuration; each keeps its number as long as it stands there. They are
    /// told also while the phones' file cannot be read.
    private mutating func updateHouse() {
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
        bookChanged()
    }

    /// Ways that show the house as a whole are told each change of it.
    mutating func showHouse(at now: Moment, into effects: inout [Effect]) {
        guard life == .running, hall.way(.mqtt) != nil || hall.way(.xmpp) != nil else { return }
        let picture = HousePicture(
            state: session.state, names: configuration.panel.names, partitions: configuration.panel.partitions,
            uplinks: uplinkPicture)
        guard picture != hall.shown else { return }
        hall.shown = picture
        for kind in [WayKind.mqtt, .xmpp] {
            drive(kind, at: now, into: &effects) { $0.houseChanged(picture, at: now, into: &$1) }
        }
    }

    mutating func startLink(at now: Moment, into effects: inout [Effect]) {
        noticeWayless(at: now)
        beginHeartbeat(at: now)
        guard !hall.ways.isEmpty else { return }
        for kind in hall.ways.map(\.kind) { startWay(kind, at: now, into: &effects) }
        updateListening(at: now, into: &effects)
        askForPhones(at: now, into: &effects)
    }

    private mutating func startWay(_ kind: WayKind, at now: Moment, into effects: inout [Effect]) {
        guard let index = hall.way(kind) else { return }
        hall.ways[index].offlineSince = now.boot
        drive(kind, at: now, into: &effects) { $0.start(at: now, into: &$1) }
    }

    /// What has to be known before phones can be served.
    private mutating func askForPhones(at now: Moment, into effects: inout [Effect]) {
        for partition in configuration.panel.partitions {
            noteOldArming(partition, lastSequence)
            askForArming(of: partition, into: &effects)
        }
        for phone in hall.book.phones {
            for address in phone.addresses where address.state == .candidate {
                order(.nonce, for: .nonce(phone.id, address.id), into: &effects)
            }
        }
    }

    /// When the partition was armed or disarmed last.
    mutating func askForArming(
        of partition: Int, before end: SequenceNumber? = nil, into effects: inout [Effect]
    ) {
        read(
            EventQuery(before: end, types: [.armed, .disarmed], partition: partition, order: .newest, limit: 1),
            for: .arming(partition: partition), into: &effects)
    }

    /// What was accepted and not ended in the last run is never done again (docs/pairing.md 7.4).
    mutating func closeUnfinishedOfPhones(at now: Moment) {
        for index in hall.accounts.indices {
            for row in hall.accounts[index].rows where row.result == nil {
                var row = row
                row.result = PhoneResult(.timeout)
                hall.accounts[index].store(row)
                step.phoneLedger.append(row)
                step.continuations.append(
                    .tellPhone(row.phone, counter: row.counter, event: nil))
            }
        }
    }

    /// The configuration was read anew. A way whose settings are as they were goes on undisturbed.
    mutating func reconfigureWays(at now: Moment, into effects: inout [Effect]) {
        defer {
            updateRoutes(at: now)
            noticeWayless(at: now)
        }
        let wanted = Self.waySettings(configuration.phones)
        let hadNone = hall.ways.isEmpty
        for kind in hall.ways.map(\.kind) where !wanted.contains(where: { $0.kind == kind }) {
            endWay(kind, at: now, into: &effects)
        }
        for (number, settings) in wanted.enumerated() {
            if let index = hall.way(settings.kind) {
                guard hall.ways[index].settings != settings else { continue }
                if case .ccs(let ccs) = settings {
                    hall.ways[index].settings = settings
                    drive(settings.kind, at: now, into: &effects) { transport, actions in
                        guard var same = transport as? CCSTransport else { return }
                        same.reconfigure(ccs, at: now, into: &actions)
                        transport = same
                    }
                    continue
                }
                endWay(settings.kind, at: now, into: &effects)
            }
            let seed = hall.nextVaultJob &+ UInt64(startedAt.nanoseconds) &+ UInt64(number)
            hall.ways.append(Way(settings, seed: seed))
            hall.ways.sort { $0.kind < $1.kind }
            startWay(settings.kind, at: now, into: &effects)
        }
        updateHouse()
        hall.shown = nil
        updateListening(at: now, into: &effects)
        if hadNone, !hall.ways.isEmpty { askForPhones(at: now, into: &effects) }
    }

    private mutating func endWay(_ kind: WayKind, at now: Moment, into effects: inout [Effect]) {
        drive(kind, at: now, into: &effects) { $0.stop(at: now, into: &$1) }
        hall.ways.removeAll { $0.kind == kind }
        hall.dialLines.removeAll { $0.owner == .way(kind) }
        hall.computeWaits.removeAll { wait in
            if case .transport(kind, _) = wait.purpose { true } else { false }
        }
    }
}
