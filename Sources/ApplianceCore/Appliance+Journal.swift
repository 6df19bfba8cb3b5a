import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// Writing: a step's facts become a batch, batches become durable, and what waited for them goes on.
extension Appliance {
    /// Notes a fact of the box itself.
    mutating func note(_ type: EventType, _ code: EventCode, _ message: String, at now: Moment) {
        record(
            Event(
                type: type, code: code.rawValue, raw: code.rawValue, message: message, time: now.wall,
                isTimeTrusted: now.isWallTrusted))
    }

    /// Takes an event into the present step.
    mutating func record(_ event: Event) {
        var event = event
        nameActor(of: &event)
        if isMaintenance { event.flags.insert(.maintenance) }
        if event.priority == .alarm {
            // Every alarm carries the mark, so that a copy that had to leave before its row merges with it.
            // Duress counts apart: a gap would betray it.
            if event.flags.contains(.duress) {
                event.unstored = UnstoredMark(boot: bootMark, counter: nextDuress)
                nextDuress += 1
            } else {
                event.unstored = UnstoredMark(boot: bootMark, counter: nextUnstored)
                nextUnstored += 1
            }
        }
        noteArming(event)
        step.events.append(event)
    }

    var snapshot: Snapshot {
        Snapshot(
            panel: session.state, isMaintenance: isMaintenance, nextCommand: desk.next, addresses: addresses,
            seenUpTo: hall.outbox.seenUpTo > .zero ? hall.outbox.seenUpTo : nil,
            linkUsage: failover?.usage ?? storedSnapshot?.linkUsage,
            refusedPIN: modem.map { Self.refusedPIN($0) } ?? storedSnapshot?.refusedPIN,
            console: consoleLock.record, software: software ?? storedSnapshot?.software)
    }

    /// Makes the step's batch, orders what is due and sets the timers.
    mutating func endStep(at now: Moment, into effects: inout [Effect]) {
        guard life != .fresh else { return }
        noticeStall(at: now, into: &effects)
        repeat {
            writeStep(at: now, into: &effects)
            // While the store fails nothing waits for it, and what goes on may have something to write in turn.
            if !journal.isGood { runContinuations(upTo: journal.upcomingID, stored: false, at: now, into: &effects) }
            #if SABOTAGE
                if sabotage == .repliesBeforeCommit {
                    runContinuations(upTo: journal.upcomingID, stored: true, at: now, into: &effects)
                }
            #endif
            showHouse(at: now, into: &effects)
            pump(at: now, into: &effects)
            tellNotices(at: now)
        } while step != StepWrites()
        for batch in journal.due(at: now) { effects.append(.commit(batch)) }
        finishIfDone(at: now, into: &effects)
        notePartitions(at: now)
        restartIfDue(at: now, into: &effects)
        adjustBackpressure(into: &effects)
        // What is owed stays owed until its timer is heard: one that is lost must show (`ailments`).
        let isOwed = hall.deadline.map { $0 <= now.boot } ?? false
        if !isOwed || life == .finished {
            hall.deadline = [phonesDeadline(after: now), post?.beacon.nextDeadline].compactMap { $0 }.min()
        }
        announceStatus(into: &effects)
        noteIdlePanel(at: now)
        observeSoftware(at: now, into: &effects)
        updateTimers(into: &effects)
    }

    private mutating func writeStep(at now: Moment, into effects: inout [Effect]) {
        let current = snapshot
        if !hall.ways.isEmpty { step.outboxChanges = hall.outbox.flush(into: journal.upcomingID, at: now) }
        count(step.outboxChanges)
        let writes = step
        step = StepWrites()
        // State alone is not worth a write: it goes with the next event, and the panel tells it again after a restart.
        guard !writes.isEmpty else {
            precondition(writes.continuations.isEmpty, "a step may wait only for what it writes itself")
            return
        }
        let id = journal.upcomingID
        let stored = current != storedSnapshot && mayStoreSnapshot ? current : nil
        storedSnapshot = current
        if writes.writesPhoneBook {
            updateRoutes(at: now)
            noticeWayless(at: now)
        }
        let rows = post(writes, as: id, at: now)
        for event in writes.events { awaitDelivery(of: event, at: now, into: &effects) }
        if !journal.isGood { sendUnstored(writes.events, into: &effects) }
        let book = hall.book
        journal.append(at: now) { batch in
            batch.events = writes.events
            batch.snapshot = stored
            batch.ledger = writes.ledger
            batch.retention = writes.retention
            batch.outbox = rows
            batch.outboxChanges = writes.outboxChanges
            batch.phoneLedger = writes.phoneLedger
            batch.phoneLedgerOwners = writes.phoneLedgerOwners
            batch.phoneBook = writes.writesPhoneBook ? book : nil
            batch.newLog = writes.newLog
        }
        hall.outbox.forget(journal.takeDroppedMessages())
        continuations += writes.continuations.map { Continuation(batch: id, step: $0) }
    }

    mutating func committed(
        upTo id: BatchID, last: SequenceNumber, at now: Moment, into effects: inout [Effect]
    ) {
        let committed = journal.committed(upTo: id, at: now)
        if isBlind, sightAt == nil { sightAt = now.boot }
        numberEvents(of: committed.batches, upTo: id, last: last)
        lastSequence = max(lastSequence, last)
        if committed.wasBad { tellStoreRestored(at: now) }
        let drops = journal.takeUnreportedDrops()
        if drops > 0 {
            note(
                .fault, .eventsDropped,
                "\(drops) events were lost, the least important first, because the store failed and memory was full.",
                at: now)
        }
        runContinuations(upTo: id, stored: true, at: now, into: &effects)
        feedFollowers(into: &effects)
    }

    mutating func commitFailed(
        from: BatchID, upTo id: BatchID, _ failure: StoreFailure, at now: Moment, into effects: inout [Effect]
    ) {
        let wasGood = journal.isGood
        #if SABOTAGE
            if sabotage == .renumbersAfterFailure { journal.renumber() }
        #endif
        switch journal.commitFailed(from: from, upTo: id, failure, at: now) {
        case .eventsSetAside(let batch):
            #if SABOTAGE
                if sabotage == .refusedRowTakesAll { journal.drop(batch.id) }
            #endif
            hall.outbox.setAside(batch.id, isWhole: false)
            eventsSetAside(batch.events, failure, tell: wasGood, at: now, into: &effects)
        case .setAside(let batch):
            hall.outbox.setAside(batch.id, isWhole: true)
            eventsSetAside(batch.events, failure, tell: wasGood, at: now, into: &effects)
            runContinuations(upTo: batch.id, stored: false, at: now, into: &effects)
        case .retryLater:
            effects.append(.log(LogEntry(.error, "storage failed", [.init("reason", failure.description)])))
            if wasGood, !journal.isGood {
                hall.outbox.storeFailed()
                sendUnstored(journal.events, into: &effects)
                note(.fault, .storeFailed, "Storage failed: \(failure.description)", at: now)
            }
        }
        // A disk that refuses a row answers again.
        if !wasGood, journal.isGood { tellStoreRestored(at: now) }
    }

    /// - Parameter tell: whether followers are to be told; they were already while the store failed
    private mutating func eventsSetAside(
        _ events: [Event], _ failure: StoreFailure, tell: Bool, at now: Moment, into effects: inout [Effect]
    ) {
        // It may be in this snapshot that the reason lies, and the next one may be taken.
        storedSnapshot = nil
        let shown = events.filter { !$0.flags.contains(.duress) }
        for event in shown {
            effects.append(
                .log(
                    LogEntry(
                        .error, "an event could not be stored",
                        [.init("event.code", event.code), .init("event.message", event.message)])))
        }
        if tell { sendUnstored(shown, into: &effects) }
        guard !shown.isEmpty else { return }
        note(
            .fault, .eventsDropped,
            "The store refused \(shown.count) events; they are in the log only. (\(failure.detail))", at: now)
    }

    private mutating func tellStoreRestored(at now: Moment) {
        hall.outbox.storeRecovered()
        note(.recovery, .storeRestored, "The store works again; waiting events are being written.", at: now)
    }

    /// Events that wait for the disk. With thousands of them the state is too big to be written down often.
    package var waitingEvents: Int { journal.waitingEvents }

    var journalDeadline: BootTime? {
        let queue = journal.nextDeadline(stall: configuration.pace.storeStall)
        let deadlines = [queue, plannedRestartAt, life == .stopping ? stopDeadline : nil]
        return deadlines.compactMap { $0 }.min()
    }

    mutating func retentionDue(at now: Moment) {
        nextRetention = now.boot + configuration.pace.retentionInterval
        let retention = configuration.retention
        // Also without limits for events: messages that came to an end are removed with it.
        guard journal.isGood else { return }
        // Without a trusted clock nothing is old.
        let edge = retention.maximumAge.flatMap { age in now.isWallTrusted ? now.wall + (.zero - age) : nil }
        step.retention = RetentionStep(
            olderThan: edge, keepAtMost: retention.maximumCount, limit: 5000, now: now.isWallTrusted ? now.wall : nil)
    }

    private mutating func noticeStall(at now: Moment, into effects: inout [Effect]) {
        guard journal.noticeStall(after: configuration.pace.storeStall, at: now) else { return }
        hall.outbox.storeFailed()
        sendUnstored(journal.events, into: &effects)
        let seconds = configuration.pace.storeStall.milliseconds / 1000
        note(.fault, .storeFailed, "Storage stalled: the disk has not answered for \(seconds) s.", at: now)
    }

    private mutating func runContinuations(
        upTo id: BatchID, stored: Bool, at now: Moment, into effects: inout [Effect]
    ) {
        let ready = continuations.filter { $0.batch <= id }
        guard !ready.isEmpty else { return }
        continuations.removeAll { $0.batch <= id }
        for continuation in ready {
            switch continuation.step {
            case .submit(let order):
                drivePanel(at: now, into: &effects) { $0.submit(order, at: now, into: &$1) }
            case .replyOutcome(let client, let outcome):
                finishRequest(of: client, with: .outcome(outcome, stored: stored), into: &effects)
            case .replyMaintenance(let client, let on):
                finishRequest(of: client, with: .maintenance(on), into: &effects)
            case .replyChanged(let client, let words):
                let more = stored ? "" : "; it is stored as soon as the storage works again"
                finishRequest(of: client, with: .changed(words + more), into: &effects)
            case .reboot(let client):
                effects.append(.reboot)
                finishRequest(of: client, with: .changed("the machine restarts now"), into: &effects)
            case .healthy: stored ? effects.append(.healthy) : trial?.tryAgain()
            case .update(let client, let bundle, let older):
                effects.append(.update(bundle: bundle, isOlderConfirmed: older))
                finishRequest(
                    of: client,
                    with: .changed("the bundle is checked and installed now; the Software page shows how far"),
                    into: &effects)
            case .judge(let accepted): judge(accepted, stored: stored, at: now, into: &effects)
            case .tellPhone(let phone, let counter, let event):
                tellResult(phone, counter, committedNumber(continuation.batch, event), at: now)
            case .carryOut(let order):
                guard stored else {
                    commandEnded(order.id, .failed(.storageFailed), at: now)
                    continue
                }
                drivePanel(at: now, into: &effects) { $0.submit(order, at: now, into: &$1) }
            case .tellLegacy(let token): sendLegacyStatus(to: token, at: now)
            case .tellContact(let address, let words):
                guard let contact = hall.book.contacts.first(where: { $0.address == address }) else { continue }
                tell(contact, title: "outcome", words, at: now)
            case .acknowledge(let upstream): acknowledge(upstream, at: now, into: &effects)
            case .paired(let phone, let client, let undo):
                pairingStored(phone, client, undo, stored: stored, at: now, into: &effects)
            case .checkPIN(let client, let pin, let new):
                checkPIN(pin, new: new, for: client, at: now, into: &effects)
            case .replyConsole(let client, let answer):
                finishRequest(of: client, with: .console(consoleReport(answer, for: client, at: now)), into: &effects)
            case .contactPaired(let address, let client):
                contactPairingStored(address, client, stored: stored, at: now, into: &effects)
            case .endVault(let job): order(job, into: &effects)
            case .codesStored(let client, let name):
                finishRequest(of: client, with: .pairing(.codesOn(person: name)), into: &effects)
            case .leave(let phone): left(phone, at: now, into: &effects)
            }
        }
    }

    private mutating func adjustBackpressure(into effects: inout [Effect]) {
        guard let connection = panelConnection else {
            isPanelPaused = false
            return
        }
        let waiting = journal.waiting.count
        // A failing store must not cost the panel session as well: then memory is the buffer.
        if !isPanelPaused, journal.isGood, waiting >= Self.pauseAt {
            isPanelPaused = true
            effects.append(.pause(connection))
        } else if isPanelPaused, waiting <= Self.resumeAt || !journal.isGood {
            isPanelPaused = false
            effects.append(.resume(connection))
        }
    }
}
