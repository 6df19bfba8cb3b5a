import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// Start, reload, stop.
extension Appliance {
    mutating func started(_ start: Start, _ step: inout Step) {
        precondition(step.life == .fresh, "the core is started once")
        step.life = .running
        step.configuration = start.configuration
        step.startedAt = step.now.boot
        step.bootMark = start.bootMark
        step.isOffline = start.isOffline
        let known = start.snapshot ?? Snapshot()
        step.addresses = known.addresses
        step.isMaintenance = known.isMaintenance
        journal.start(start, &step)
        health.start(start, step)
        control.start(start, step)
        commands = Commands(next: Self.nextCommand(start))
        var session = Session(settings: step.configuration.panel, known: known.panel, seed: start.seed)
        #if SABOTAGE
            session.sabotage = step.sabotage
        #endif
        panelConnection = PanelConnection(session)
        step.panel = known.panel
        startPeople(start, &step)
        if step.isOffline { return }
        journal.nextRetention = step.now.boot + step.configuration.pace.retentionInterval

        step.note(.info, .started, "HowAlarming \(Product.version) started.")
        for finding in start.findings { tell(finding, &step) }
        health.startSoftware(start, known.software, &step)
        for row in start.unfinished { commands.closeUnfinished(row, &step) }
        step.effects.append(.notify(.ready))
        health.startWatchdog(start.watchdog, step)
        commands.closeUnfinishedOfPhones(&step)
        if !step.book.phones.isEmpty {
            step.book.starts += 1
            step.bookChanged()
        }
        panel(&step) { $0.drive(&$1) { $0.start(at: $1, into: &$2) } }
        links(&step) { $0.startModem(refusedPIN: start.snapshot?.refusedPIN ?? start.refusedPIN, &$1) }
        links(&step) { $0.startLinks(usage: known.linkUsage ?? [], &$1) }
        startChannels(&step)
        channels(&step) { $0.startPing(seed: start.seed &+ 64, &$1) }
        if let reload = earlyReload {
            earlyReload = nil
            reloaded(reload, &step)
        }
    }

    /// The phone book, and whoever is told and asks by it.
    private mutating func startPeople(_ start: Start, _ step: inout Step) {
        step.book = start.phoneBook ?? PhoneBook(nextAddress: Directory.firstUnreadAddress)
        step.isBookReadable = start.phoneBook != nil
        var policy = OutboxPolicy()
        policy.receiptDelay = start.configuration.phones.timing.receiptPatience
        deliveries = Deliveries(bootMark: start.bootMark, seed: start.seed &+ 1, policy: policy)
        deliveries.counts = start.outboxCounts
        commands.start(start.phoneCounters, &step)
        pairing.welcomes = step.book.phones.filter { !$0.isHeard }.map { .init(phone: $0.id, nextAt: step.now.boot) }
        channels.configure(seed: start.seed &+ 2, &step)
        #if SABOTAGE
            deliveries.outbox.sabotage = step.sabotage
        #endif
        if !step.isOffline { directory.updateHouse(&step) }
        // Never above what there is: a number that is given out yet is an alarm that nobody has seen.
        if let seen = start.snapshot?.seenUpTo {
            deliveries.outbox.seen(.alarms(upTo: min(seen, start.lastSequence)), at: step.now)
        }
        updateRoutes(&step)
    }

    private mutating func startChannels(_ step: inout Step) {
        deliveries.noticeWayless(&step)
        deliveries.beginHeartbeat(&step)
        guard !step.channels.isEmpty else { return }
        for kind in step.channels { channels(&step) { $0.start(kind, &$1) } }
        listen(&step)
        askForPhones(&step)
    }

    /// What has to be known before phones can be served.
    private mutating func askForPhones(_ step: inout Step) {
        commands.askForArmings(&step)
        directory.askForNonces(&step)
    }

    /// Before `started` there is no journal yet, and so no command number either.
    mutating func receivedEarly(_ input: Input, _ step: inout Step) {
        switch input {
        case .accepted(let client): step.clients.append(Client(id: client))
        case .closed(let connection, _): step.clients.removeAll { $0.id == connection }
        case .sent(let connection, let upTo):
            guard let index = step.clients.firstIndex(where: { $0.id == connection }) else { return }
            step.clients[index].left = max(step.clients[index].left, upTo)
        case .request(let client, _):
            let answer = "HowAlarming is still opening its journal; try again in a few seconds"
            control.refused(ControlRequestError(answer), of: client, &step)
        case .badRequest(let client, let error): control.refused(error, of: client, &step)
        case .reload(let reload): earlyReload = reload
        case .signal(.terminate):
            step.life = .finished
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

    mutating func tell(_ finding: StartFinding, _ step: inout Step) {
        switch finding {
        case .storeDamaged(let file, let why):
            step.note(
                .fault, .storeDamaged,
                "The journal was damaged (\(why)); it is kept as \(file) and a new one was begun. Replace the card if this happens again."
            )
        case .storeUnavailable(let why):
            step.note(.fault, .storeFailed, "The store could not be opened: \(why). It is tried again.")
        case .snapshotUnreadable(let why):
            step.note(
                .fault, .storeDamaged,
                "The last known state could not be read (\(why)); it is being asked from the panel.")
        case .checkUnfinished:
            step.note(.info, .started, "The check of the journal was cut short; nothing wrong was found so far.")
        case .safeMode(let crashes, let setAside):
            step.note(
                .fault, .safeMode,
                "Safe mode after \(crashes) crashes within five minutes: the last known state was ignored, \(setAside) suspect rows were set aside and kept."
            )
        case .searchUnfinished:
            step.note(
                .info, .safeMode,
                "The search for suspect rows was cut short: the newest rows were looked at, the others stay as they are."
            )
        case .crashed:
            step.note(.fault, .started, "The last run ended by a crash; nothing that was stored is lost.")
        case .phoneFileDamaged(let why):
            step.note(
                .fault, .storeDamaged,
                "The file with the phones was damaged (\(why)). Look at 'howalarming phones list'; pair again what is missing."
            )
        case .consolePINReset: control.resetConsolePIN(&step)
        case .consolePINNotReset(let why):
            step.note(
                .fault, .consolePIN,
                "The console's PIN was not reset, because the file reset-pin cannot be removed (\(why)). Make its directory writable for the daemon, then restart."
            )
        case .restoredFromBackup:
            step.note(.info, .storeRestoredFromBackup, "The journal was restored from a backup.")
        }
    }

    mutating func reloaded(_ reload: Reload, _ step: inout Step) {
        guard step.life == .running else { return }
        step.effects.append(.notify(.reloading))
        switch reload {
        case .refused(let problems):
            for problem in problems.prefix(Self.problemLimit) { step.effects.append(.log(LogEntry(.error, problem))) }
            if problems.count > Self.problemLimit {
                let more = problems.count - Self.problemLimit
                step.effects.append(.log(LogEntry(.error, "and \(more) more; 'howalarming check' shows all of them")))
            }
            step.note(
                .fault, .configurationChanged,
                "The new configuration has errors (\(problems.count)) and was not taken; nothing changed. Run 'howalarming check'."
            )
        case .configuration(let new):
            let changes = new.changes(from: step.configuration)
            let old = step.configuration.phones.heartbeat
            let moved = new.panelHost != step.configuration.panelHost || new.panelPort != step.configuration.panelPort
            step.configuration = new
            step.note(
                .info, .configurationChanged,
                changes.isEmpty
                    ? "Configuration read again: nothing changed."
                    : "Configuration changed: \(changes.joined(separator: "; ")).")
            step.effects.append(
                .log(LogEntry(.notice, "configuration read", changes.map { LogEntry.Field("changed", $0) })))
            if moved { panel(&step) { $0.drive(&$1) { $0.moduleMoved(at: $1, into: &$2) } } }
            panel(&step) { $0.drive(&$1) { $0.reconfigure(new.panel, at: $1, into: &$2) } }
            let stored = journal.storedSnapshot
            links(&step) { $0.reconfigureModem(refusedPIN: stored?.refusedPIN, &$1) }
            links(&step) { $0.reconfigureLinks(usage: stored?.linkUsage ?? [], &$1) }
            reconfigureChannels(&step)
            reconfigurePing(&step)
            if new.phones.heartbeat != old { deliveries.heartbeatChanged(channels.reach, &step) }
        }
        step.effects.append(.notify(.ready))
    }

    mutating func terminate(_ step: inout Step) {
        guard step.life == .running else { return }
        step.life = .stopping
        stopDeadline = step.now.boot + .seconds(3)
        step.effects.append(.notify(.stopping))
        panel(&step) { $0.drive(&$1) { $0.stop(at: $1, into: &$2) } }
        panelConnection.close(&step)
        pairing(&step) { $0.endPairing("the daemon is stopping", &$1) }
        for kind in step.channels { channels(&step) { $0.stop(kind, &$1) } }
        stopPing(&step)
        step.note(.info, .stopped, "HowAlarming was told to stop; the panel session is closed.")
    }

    /// The configuration was read anew. A channel whose settings are as they were goes on undisturbed.
    private mutating func reconfigureChannels(_ step: inout Step) {
        let wanted = step.channelSettings
        let hadNone = step.channels.isEmpty
        for kind in step.channels where !wanted.contains(where: { $0.kind == kind }) { endChannel(kind, &step) }
        for (number, settings) in wanted.enumerated() {
            if let index = channels.index(of: settings.kind) {
                guard channels.channels[index].settings != settings else { continue }
                var isChanged = false
                channels(&step) { isChanged = $0.change(settings, &$1) }
                if isChanged { continue }
                endChannel(settings.kind, &step)
            }
            let seed = step.questions.nextVaultJob &+ UInt64(step.startedAt.nanoseconds) &+ UInt64(number)
            channels.add(settings, seed: seed, &step)
            channels(&step) { $0.start(settings.kind, &$1) }
        }
        directory.updateHouse(&step)
        channels.forgetShown()
        listen(&step)
        if hadNone, !step.channels.isEmpty { askForPhones(&step) }
        updateRoutes(&step)
        deliveries.noticeWayless(&step)
    }

    private mutating func endChannel(_ kind: WayKind, _ step: inout Step) {
        channels(&step) { $0.stop(kind, &$1) }
        channels(&step) { $0.remove(kind, &$1) }
    }

    private mutating func stopPing(_ step: inout Step) {
        channels(&step) { $0.stopPing(&$1) }
        channels(&step) { channels, _ in channels.removePing() }
    }

    private mutating func reconfigurePing(_ step: inout Step) {
        guard channels.ping?.beacon.settings != step.configuration.beacon else { return }
        stopPing(&step)
        let seed = UInt64(bitPattern: step.startedAt.nanoseconds) &+ step.questions.nextVaultJob
        channels(&step) { $0.startPing(seed: seed, &$1) }
    }
}
