import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// Start, reload, stop.
extension Appliance {
    mutating func started(_ start: Start, _ step: inout Step) {
        precondition(life == .fresh, "the core is started once")
        life = .running
        configuration = start.configuration
        startedAt = step.now.boot
        bootMark = start.bootMark
        mayRestart = start.mayRestart
        isBlind = !start.isStoreOpen
        mayReboot = start.mayReboot
        mayUpdate = start.mayUpdate
        lastSequence = start.lastSequence
        // What was rescued of a lost one is all that the store is known to hold.
        storedSnapshot = start.snapshot ?? start.refusedPIN.map { Snapshot(refusedPIN: $0) }
        isClockDoubtTold = !step.now.isWallTrusted
        let known = start.snapshot ?? Snapshot()
        addresses = known.addresses
        isMaintenance = known.isMaintenance
        desk = CommandDesk(next: Self.nextCommand(start))
        session = Session(settings: configuration.panel, known: known.panel, seed: start.seed)
        #if SABOTAGE
            session.sabotage = sabotage
        #endif
        dialer = Dialer()
        isOffline = start.isOffline
        consoleLock = ConsoleLock(
            stored: known.console ?? start.console, isReadable: start.isStoreOpen, at: step.now)
        enterHall(start, &step)
        if isOffline { return }
        nextRetention = step.now.boot + configuration.pace.retentionInterval

        note(.info, .started, "HowAlarming \(Product.version) started.", &step)
        for finding in start.findings { note(finding, &step) }
        startSoftware(start, known.software, &step)
        for row in start.unfinished { closeUnfinished(row, &step) }
        step.effects.append(.notify(.ready))
        if let interval = start.watchdog {
            vitals.interval = interval
            vitals.nextLook = step.now.boot + interval / 2
        }
        closeUnfinishedOfPhones(&step)
        if !hall.book.phones.isEmpty {
            hall.book.starts += 1
            bookChanged(&step)
        }
        drivePanel(&step) { $0.start(at: $1, into: &$2) }
        startModem(refusedPIN: storedSnapshot?.refusedPIN, &step)
        startLinks(usage: known.linkUsage ?? [], &step)
        startLink(&step)
        startBeacon(seed: start.seed &+ 64, &step)
        if let reload = earlyReload {
            earlyReload = nil
            reloaded(reload, &step)
        }
    }

    /// Before `started` there is no journal yet, and so no command number either.
    mutating func receivedEarly(_ input: Input, _ step: inout Step) {
        switch input {
        case .accepted(let client): clients.append(Client(id: client))
        case .closed(let connection, _): clients.removeAll { $0.id == connection }
        case .sent(let connection, let upTo):
            guard let index = clients.firstIndex(where: { $0.id == connection }) else { return }
            clients[index].left = max(clients[index].left, upTo)
        case .request(let client, _):
            let answer = "HowAlarming is still opening its journal; try again in a few seconds"
            refusedLine(ControlRequestError(answer), of: client, &step)
        case .badRequest(let client, let error): refusedLine(error, of: client, &step)
        case .reload(let reload): earlyReload = reload
        case .signal(.terminate):
            life = .finished
            step.effects.append(.finish(status: 0))
        case .started, .found, .resolved, .connected, .secured, .received, .timer, .committed, .commitFailed, .rows,
            .vault, .computed, .derived, .located, .links, .modem:
            break
        }
    }

    /// Above every number that was ever given out, also with the snapshot lost.
    private static func nextCommand(_ start: Start) -> CommandID {
        let used = max(start.lastCommand?.number ?? 0, start.unfinished.map(\.command.number).max() ?? 0)
        // A damaged number must not trap, now or at the next command.
        let highest = UInt64(1) << 62
        return CommandID(max(1, min(start.snapshot?.nextCommand.number ?? 1, highest), min(used, highest) + 1))
    }

    mutating func note(_ finding: StartFinding, _ step: inout Step) {
        switch finding {
        case .storeDamaged(let file, let why):
            note(
                .fault, .storeDamaged,
                "The journal was damaged (\(why)); it is kept as \(file) and a new one was begun. Replace the card if this happens again.",
                &step)
        case .storeUnavailable(let why):
            note(.fault, .storeFailed, "The store could not be opened: \(why). It is tried again.", &step)
        case .snapshotUnreadable(let why):
            note(
                .fault, .storeDamaged,
                "The last known state could not be read (\(why)); it is being asked from the panel.", &step)
        case .checkUnfinished:
            note(.info, .started, "The check of the journal was cut short; nothing wrong was found so far.", &step)
        case .safeMode(let crashes, let setAside):
            note(
                .fault, .safeMode,
                "Safe mode after \(crashes) crashes within five minutes: the last known state was ignored, \(setAside) suspect rows were set aside and kept.",
                &step)
        case .searchUnfinished:
            note(
                .info, .safeMode,
                "The search for suspect rows was cut short: the newest rows were looked at, the others stay as they are.",
                &step)
        case .crashed:
            note(.fault, .started, "The last run ended by a crash; nothing that was stored is lost.", &step)
        case .phoneFileDamaged(let why):
            note(
                .fault, .storeDamaged,
                "The file with the phones was damaged (\(why)). Look at 'howalarming phones list'; pair again what is missing.",
                &step)
        case .consolePINReset: resetConsolePIN(&step)
        case .consolePINNotReset(let why):
            note(
                .fault, .consolePIN,
                "The console's PIN was not reset, because the file reset-pin cannot be removed (\(why)). Make its directory writable for the daemon, then restart.",
                &step)
        case .restoredFromBackup:
            note(.info, .storeRestoredFromBackup, "The journal was restored from a backup.", &step)
        }
    }

    /// A command was under way when the last run ended: nobody knows whether it took effect.
    private mutating func closeUnfinished(_ row: LedgerRow, _ step: inout Step) {
        var row = row
        row.outcome = .notConfirmed
        let words = "\(row.summary): not confirmed, because the daemon was restarted meanwhile"
        record(
            Event(
                type: .response, code: EventCode.command.rawValue, raw: EventCode.command.rawValue, message: words,
                time: step.now.wall, isTimeTrusted: step.now.isWallTrusted, command: row.command), &step)
        step.writes.ledger.append(row)
        if let contact = Self.contact(row.origin) {
            step.writes.continuations.append(.tellContact(contact, words + "; look at the panel's state"))
        }
    }

    /// The contact that the ledger names as the origin of a command; nil for all others.
    private static func contact(_ origin: String) -> AddressID? {
        guard origin.hasPrefix("contact ") else { return nil }
        return Int64(origin.dropFirst("contact ".count)).map { AddressID($0) }
    }

    mutating func reloaded(_ reload: Reload, _ step: inout Step) {
        guard life == .running else { return }
        step.effects.append(.notify(.reloading))
        switch reload {
        case .refused(let problems):
            for problem in problems.prefix(Self.problemLimit) { step.effects.append(.log(LogEntry(.error, problem))) }
            if problems.count > Self.problemLimit {
                let more = problems.count - Self.problemLimit
                step.effects.append(.log(LogEntry(.error, "and \(more) more; 'howalarming check' shows all of them")))
            }
            note(
                .fault, .configurationChanged,
                "The new configuration has errors (\(problems.count)) and was not taken; nothing changed. Run 'howalarming check'.",
                &step)
        case .configuration(let new):
            let changes = new.changes(from: configuration)
            let old = configuration.phones.heartbeat
            let moved = new.panelHost != configuration.panelHost || new.panelPort != configuration.panelPort
            configuration = new
            note(
                .info, .configurationChanged,
                changes.isEmpty
                    ? "Configuration read again: nothing changed."
                    : "Configuration changed: \(changes.joined(separator: "; ")).",
                &step)
            step.effects.append(
                .log(LogEntry(.notice, "configuration read", changes.map { LogEntry.Field("changed", $0) })))
            if moved { drivePanel(&step) { $0.moduleMoved(at: $1, into: &$2) } }
            drivePanel(&step) { $0.reconfigure(new.panel, at: $1, into: &$2) }
            reconfigureModem(&step)
            reconfigureLinks(&step)
            reconfigureWays(&step)
            reconfigureBeacon(&step)
            if new.phones.heartbeat != old { heartbeatChanged(&step) }
        }
        step.effects.append(.notify(.ready))
    }

    mutating func terminate(_ step: inout Step) {
        guard life == .running else { return }
        life = .stopping
        stopDeadline = step.now.boot + .seconds(3)
        step.effects.append(.notify(.stopping))
        drivePanel(&step) { $0.stop(at: $1, into: &$2) }
        closePanelConnection(&step)
        if hall.pairing != nil { endPairing("the daemon is stopping", &step) }
        for kind in hall.ways.map(\.kind) { drive(kind, &step) { $0.stop(at: $1, into: &$2) } }
        stopBeacon(&step)
        note(.info, .stopped, "HowAlarming was told to stop; the panel session is closed.", &step)
    }

    /// Ends the run when everything is stored and every outcome told, or when the disk has had its time.
    mutating func finishIfDone(_ step: inout Step) {
        guard life == .stopping, let deadline = stopDeadline else { return }
        guard step.now.boot >= deadline || (journal.waiting.isEmpty && continuations.isEmpty) else { return }
        life = .finished
        step.effects.append(.finish(status: 0))
    }

    /// Tells a step of the clock at once, lost synchronisation when it lasts: a link that comes and goes is no news.
    mutating func noteClockTrust(_ step: inout Step) {
        guard life == .running else { return }
        switch clock.doubt {
        case nil:
            clockLostAt = nil
            guard isClockDoubtTold else { return }
            isClockDoubtTold = false
            note(
                .recovery, .clock,
                clock.hasWitness
                    ? "The clock is trusted: it is synchronised and agrees with servers that have proved who they are."
                    : "The clock is trusted: it is synchronised.", &step)
        case .unsynchronised:
            guard !isClockDoubtTold else { return }
            let since = clockLostAt ?? step.now.boot
            clockLostAt = since
            guard step.now.boot - since >= Self.clockPatience else { return }
            tellClockDoubt("it has not been synchronised for some minutes; check the network", &step)
        case .behind: tellClockDoubt("it stepped back behind what was written before", &step)
        case .leapt: tellClockDoubt("it leapt ahead by more than a month; check the time server", &step)
        case .contradicted: tellClockDoubt(clock.contradictionWords, &step)
        }
    }

    private mutating func tellClockDoubt(_ why: String, _ step: inout Step) {
        clockLostAt = nil
        guard !isClockDoubtTold else { return }
        isClockDoubtTold = true
        note(
            .fault, .clock,
            "The clock is not trusted any more: \(why). Times of events may be wrong until it is set.", &step)
    }

    /// One line for the service manager, told when it changes.
    mutating func announceStatus(_ step: inout Step) {
        let panel =
            switch session.state.link {
            case .up: "panel up"
            case .resynchronising: "panel resynchronising"
            case .down: "panel down, its state is stale"
            }
        let phones = hall.ways.isEmpty ? "" : hall.isAnyReady ? "; phones connected" : "; phones not connected"
        let links =
            failover.map { failover in
                failover.report.isEmpty ? "" : failover.active.map { "; out by \($0)" } ?? "; NO LINK WORKS"
            } ?? ""
        let messages = backlog(hall.ways.isEmpty ? 0 : hall.outbox.backlog, "messages wait")
        let events = backlog(journal.isGood ? 0 : journal.waitingEvents, "events are not stored")
        let storage = journal.problem.map { "storage: \($0)" } ?? "storage good"
        let line = "\(panel); \(storage)\(events)\(links)\(phones)\(messages)"
        guard line != lastStatusLine else { return }
        lastStatusLine = line
        step.effects.append(.notify(.status(line)))
    }

    /// In steps of ten, so that a busy hour does not fill the service manager's log.
    private func backlog(_ count: Int, _ what: String) -> String {
        switch count {
        case ..<10: ""
        case ..<100: "; more than 10 \(what)"
        case ..<1000: "; more than 100 \(what)"
        case _: "; more than 1000 \(what)"
        }
    }
}
