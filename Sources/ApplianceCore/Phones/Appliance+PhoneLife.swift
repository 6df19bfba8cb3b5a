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
        hall.book = start.phoneBook ?? PhoneBook()
        hall.isBookReadable = start.phoneBook != nil
        hall.log = start.log
        hall.oldest = start.oldestSequence
        hall.counts = start.outboxCounts
        hall.nextSequence = start.isStoreOpen ? start.lastSequence.next : nil
        hall.accounts = hall.book.phones.map { phone in
            PhoneAccount(phone: phone.id, counters: start.phoneCounters.first { $0.phone == phone.id })
        }
        hall.welcomes = hall.book.phones.filter { !$0.isHeard }.map { .init(phone: $0.id, nextAt: now.boot) }
        hall.link = start.isOffline ? nil : Self.makeLink(configuration.phones, seed: start.seed &+ 2)
        #if SABOTAGE
            hall.outbox.sabotage = sabotage
            hall.link?.sabotage = sabotage
        #endif
        // Never above what there is: a number that is given out yet is an alarm that nobody has seen.
        if let seen = start.snapshot?.seenUpTo {
            hall.outbox.seen(.alarms(upTo: min(seen, start.lastSequence)), at: now)
        }
        updateRoutes(at: now)
    }

    mutating func startLink(at now: Moment, into effects: inout [Effect]) {
        guard hall.link != nil else { return }
        hall.offlineSince = now.boot
        driveLink(at: now, into: &effects) { $0.start(at: now, into: &$1) }
        for partition in configuration.panel.partitions {
            noteOldArming(partition, lastSequence)
            read(
                EventQuery(types: [.armed, .disarmed], partition: partition, order: .newest, limit: 1),
                for: .arming(partition: partition), into: &effects)
        }
        for phone in hall.book.phones {
            for address in phone.addresses where address.state == .candidate {
                order(.nonce, for: .nonce(phone.id, address.id), into: &effects)
            }
        }
    }

    /// What was accepted and not ended in the last run is never done again (reference pairing 7.4).
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

    mutating func reconfigureLink(at now: Moment, into effects: inout [Effect]) {
        defer { updateRoutes(at: now) }
        guard let settings = Self.ccsSettings(configuration.phones) else {
            guard hall.link != nil else { return }
            driveLink(at: now, into: &effects) { $0.stop(at: now, into: &$1) }
            hall.link = nil
            hall.isReady = false
            hall.offlineSince = nil
            return
        }
        guard hall.link == nil else {
            return driveLink(at: now, into: &effects) { $0.reconfigure(settings, at: now, into: &$1) }
        }
        hall.link = CCSLink(settings: settings, seed: hall.nextVaultJob &+ UInt64(startedAt.nanoseconds))
        startLink(at: now, into: &effects)
    }
}
