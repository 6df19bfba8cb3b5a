import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// Writing: a step's facts become a batch, batches become durable, and what waited for them goes on.
extension Appliance {
    /// Notes a fact of the box itself.
    mutating func note(_ type: EventType, _ code: EventCode, _ message: String, _ step: inout Step) {
        record(
            Event(
                type: type, code: code.rawValue, raw: code.rawValue, message: message, time: step.now.wall,
                isTimeTrusted: step.now.isWallTrusted), &step)
    }

    /// Takes an event into the present step.
    mutating func record(_ event: Event, _ step: inout Step) {
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
        step.writes.events.append(event)
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
    mutating func endStep(_ step: inout Step) {
        guard life != .fresh else { return }
        noticeStall(&step)
        repeat {
            writeStep(&step)
            // While the store fails nothing waits for it, and what goes on may have something to write in turn.
            if !journal.isGood { runContinuations(upTo: journal.upcomingID, stored: false, &step) }
            #if SABOTAGE
                if sabotage == .repliesBeforeCommit {
                    runContinuations(upTo: journal.upcomingID, stored: true, &step)
                }
            #endif
            showHouse(&step)
            pump(&step)
            tellNotices(&step)
        } while step.writes != StepWrites()
        for batch in journal.due(at: step.now) { step.effects.append(.commit(batch)) }
        finishIfDone(&step)
        notePartitions(&step)
        restartIfDue(&step)
        adjustBackpressure(&step)
        // What is owed stays owed until its timer is heard: one that is lost must show (`ailments`).
        let isOwed = hall.deadline.map { $0 <= step.now.boot } ?? false
        if !isOwed || life == .finished {
            hall.deadline = [phonesDeadline(after: step.now), post?.beacon.nextDeadline].compactMap { $0 }.min()
        }
        announceStatus(&step)
        noteIdlePanel(&step)
        observeSoftware(&step)
        updateTimers(&step)
    }

    private mutating func writeStep(_ step: inout Step) {
        let current = snapshot
        if !hall.ways.isEmpty { step.writes.outboxChanges = hall.outbox.flush(into: journal.upcomingID, at: step.now) }
        count(step.writes.outboxChanges)
        let writes = step.writes
        step.writes = StepWrites()
        // State alone is not worth a write: it goes with the next event, and the panel tells it again after a restart.
        guard !writes.isEmpty else {
            precondition(writes.continuations.isEmpty, "a step may wait only for what it writes itself")
            return
        }
        let id = journal.upcomingID
        let stored = current != storedSnapshot && mayStoreSnapshot ? current : nil
        storedSnapshot = current
        if writes.writesPhoneBook {
            updateRoutes(&step)
            noticeWayless(&step)
        }
        let rows = post(writes, as: id, &step)
        for event in writes.events { awaitDelivery(of: event, &step) }
        if !journal.isGood { sendUnstored(writes.events, &step) }
        let book = hall.book
        journal.append(at: step.now) { batch in
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
        upTo id: BatchID, last: SequenceNumber, _ step: inout Step
    ) {
        let committed = journal.committed(upTo: id, at: step.now)
        if isBlind, sightAt == nil { sightAt = step.now.boot }
        numberEvents(of: committed.batches, upTo: id, last: last)
        lastSequence = max(lastSequence, last)
        if committed.wasBad { tellStoreRestored(&step) }
        let drops = journal.takeUnreportedDrops()
        if drops > 0 {
            note(
                .fault, .eventsDropped,
                "\(drops) events were lost, the least important first, because the store failed and memory was full.",
                &step)
        }
        runContinuations(upTo: id, stored: true, &step)
        feedFollowers(&step)
    }

    mutating func commitFailed(
        from: BatchID, upTo id: BatchID, _ failure: StoreFailure, _ step: inout Step
    ) {
        let wasGood = journal.isGood
        #if SABOTAGE
            if sabotage == .renumbersAfterFailure { journal.renumber() }
        #endif
        switch journal.commitFailed(from: from, upTo: id, failure, at: step.now) {
        case .eventsSetAside(let batch):
            #if SABOTAGE
                if sabotage == .refusedRowTakesAll { journal.drop(batch.id) }
            #endif
            hall.outbox.setAside(batch.id, isWhole: false)
            eventsSetAside(batch.events, failure, tell: wasGood, &step)
        case .setAside(let batch):
            hall.outbox.setAside(batch.id, isWhole: true)
            eventsSetAside(batch.events, failure, tell: wasGood, &step)
            runContinuations(upTo: batch.id, stored: false, &step)
        case .retryLater:
            step.effects.append(.log(LogEntry(.error, "storage failed", [.init("reason", failure.description)])))
            if wasGood, !journal.isGood {
                hall.outbox.storeFailed()
                sendUnstored(journal.events, &step)
                note(.fault, .storeFailed, "Storage failed: \(failure.description)", &step)
            }
        }
        // A disk that refuses a row answers again.
        if !wasGood, journal.isGood { tellStoreRestored(&step) }
    }

    /// - Parameter tell: whether followers are to be told; they were already while the store failed
    private mutating func eventsSetAside(
        _ events: [Event], _ failure: StoreFailure, tell: Bool, _ step: inout Step
    ) {
        // It may be in this snapshot that the reason lies, and the next one may be taken.
        storedSnapshot = nil
        let shown = events.filter { !$0.flags.contains(.duress) }
        for event in shown {
            step.effects.append(
                .log(
                    LogEntry(
                        .error, "an event could not be stored",
                        [.init("event.code", event.code), .init("event.message", event.message)])))
        }
        if tell { sendUnstored(shown, &step) }
        guard !shown.isEmpty else { return }
        note(
            .fault, .eventsDropped,
            "The store refused \(shown.count) events; they are in the log only. (\(failure.detail))", &step)
    }

    private mutating func tellStoreRestored(_ step: inout Step) {
        hall.outbox.storeRecovered()
        note(.recovery, .storeRestored, "The store works again; waiting events are being written.", &step)
    }

    /// Events that wait for the disk. With thousands of them the state is too big to be written down often.
    package var waitingEvents: Int { journal.waitingEvents }

    var journalDeadline: BootTime? {
        let queue = journal.nextDeadline(stall: configuration.pace.storeStall)
        let deadlines = [queue, plannedRestartAt, life == .stopping ? stopDeadline : nil]
        return deadlines.compactMap { $0 }.min()
    }

    mutating func retentionDue(_ step: inout Step) {
        nextRetention = step.now.boot + configuration.pace.retentionInterval
        let retention = configuration.retention
        // Also without limits for events: messages that came to an end are removed with it.
        guard journal.isGood else { return }
        // Without a trusted clock nothing is old.
        let edge = retention.maximumAge.flatMap { age in step.now.isWallTrusted ? step.now.wall + (.zero - age) : nil }
        step.writes.retention = RetentionStep(
            olderThan: edge, keepAtMost: retention.maximumCount, limit: 5000,
            now: step.now.isWallTrusted ? step.now.wall : nil)
    }

    private mutating func noticeStall(_ step: inout Step) {
        guard journal.noticeStall(after: configuration.pace.storeStall, at: step.now) else { return }
        hall.outbox.storeFailed()
        sendUnstored(journal.events, &step)
        let seconds = configuration.pace.storeStall.milliseconds / 1000
        note(.fault, .storeFailed, "Storage stalled: the disk has not answered for \(seconds) s.", &step)
    }

    private mutating func runContinuations(
        upTo id: BatchID, stored: Bool, _ step: inout Step
    ) {
        let ready = continuations.filter { $0.batch <= id }
        guard !ready.isEmpty else { return }
        continuations.removeAll { $0.batch <= id }
        for continuation in ready {
            switch continuation.step {
            case .submit(let order):
                drivePanel(&step) { $0.submit(order, at: $1, into: &$2) }
            case .replyOutcome(let client, let outcome):
                finishRequest(of: client, with: .outcome(outcome, stored: stored), &step)
            case .replyMaintenance(let client, let on):
                finishRequest(of: client, with: .maintenance(on), &step)
            case .replyChanged(let client, let words):
                let more = stored ? "" : "; it is stored as soon as the storage works again"
                finishRequest(of: client, with: .changed(words + more), &step)
            case .reboot(let client):
                step.effects.append(.reboot)
                finishRequest(of: client, with: .changed("the machine restarts now"), &step)
            case .healthy: stored ? step.effects.append(.healthy) : trial?.tryAgain()
            case .update(let client, let bundle, let older):
                step.effects.append(.update(bundle: bundle, isOlderConfirmed: older))
                finishRequest(
                    of: client,
                    with: .changed("the bundle is checked and installed now; the Software page shows how far"),
                    &step)
            case .judge(let accepted): judge(accepted, stored: stored, &step)
            case .tellPhone(let phone, let counter, let event):
                tellResult(phone, counter, committedNumber(continuation.batch, event), &step)
            case .carryOut(let order):
                guard stored else {
                    commandEnded(order.id, .failed(.storageFailed), &step)
                    continue
                }
                drivePanel(&step) { $0.submit(order, at: $1, into: &$2) }
            case .tellLegacy(let token): sendLegacyStatus(to: token, &step)
            case .tellContact(let address, let words):
                guard let contact = hall.book.contacts.first(where: { $0.address == address }) else { continue }
                tell(contact, title: "outcome", words, &step)
            case .acknowledge(let upstream): acknowledge(upstream, &step)
            case .paired(let phone, let client, let undo):
                pairingStored(phone, client, undo, stored: stored, &step)
            case .checkPIN(let client, let pin, let new):
                checkPIN(pin, new: new, for: client, &step)
            case .replyConsole(let client, let answer):
                finishRequest(of: client, with: .console(consoleReport(answer, for: client, at: step.now)), &step)
            case .contactPaired(let address, let client):
                contactPairingStored(address, client, stored: stored, &step)
            case .endVault(let job): order(job, &step)
            case .codesStored(let client, let name):
                finishRequest(of: client, with: .pairing(.codesOn(person: name)), &step)
            case .leave(let phone): left(phone, &step)
            }
        }
    }

    private mutating func adjustBackpressure(_ step: inout Step) {
        guard let connection = panelConnection else {
            isPanelPaused = false
            return
        }
        let waiting = journal.waiting.count
        // A failing store must not cost the panel session as well: then memory is the buffer.
        if !isPanelPaused, journal.isGood, waiting >= Self.pauseAt {
            isPanelPaused = true
            step.effects.append(.pause(connection))
        } else if isPanelPaused, waiting <= Self.resumeAt || !journal.isGood {
            isPanelPaused = false
            step.effects.append(.resume(connection))
        }
    }
}
