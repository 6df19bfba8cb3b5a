import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// Start, reload, stop.
extension Appliance {
    mutating func started(_ start: Start, _ step: inout Step) {
        precondition(step.life == .fresh, "the core is started once")
        let known = start.snapshot ?? Snapshot()
        step.begin(start, known)
        journal.start(start, &step)
        health.start(start, step)
        control.start(start, step)
        commands = Commands(
            next: start.nextCommand, heard: known.heardCommands ?? [], locks: known.codeLocks ?? [], at: step.now.boot)
        commands.start(start.phoneCounters, &step)
        panelConnection = PanelConnection(start, known, step)
        deliveries = Deliveries(start, known, step)
        pairing.start(step)
        reminders.start(known.reminders, step)
        channels.configure(seed: start.seed &+ 2, &step)
        if !step.isOffline { directory(&step) { $0.reconfigure(&$1) } }
        updateRoutes(&step)
        if step.isOffline { return }
        journal.nextRetention = step.now.boot + step.configuration.pace.retentionInterval

        step.note(.info, .started, "HowAlarming \(Product.version) started.")
        for finding in start.findings { control.found(finding, &step) }
        step.noteWithdrawn()
        health.startSoftware(start, known.software, &step)
        for row in start.unfinished { commands.closeUnfinished(row, &step) }
        step.effects.append(.notify(.ready))
        health.startWatchdog(start.watchdog, step)
        commands.closeUnfinishedOfPhones(&step)
        directory.start(&step)
        panel(&step) { $0.drive(&$1) { $0.start(at: $1, into: &$2) } }
        lastResort(&step) { $0.start(&$1) }
        links(&step) { $0.start(start.snapshot?.refusedPIN ?? start.refusedPIN, known.linkUsage ?? [], &$1) }
        startChannels(start.suspects ?? [], &step)
        channels(&step) { $0.startPing(seed: start.seed &+ 64, &$1) }
        updates(&step) { $0.start(start, &$2) }
        cameras(&step) { $0.start($2) }
        power(&step) { $0.start(start, &$1) }
        if let reload = control.takeEarlyReload() { reloaded(reload, &step) }
    }

    private mutating func startChannels(_ suspects: [ChannelKind], _ step: inout Step) {
        deliveries.noticeChannelless(&step)
        deliveries.beginHeartbeat(&step)
        guard !step.channels.isEmpty else { return }
        for kind in step.channels { channels(&step) { $0.start(kind, isSuspect: suspects.contains(kind), &$1) } }
        listen(&step)
        askForPhones(&step)
    }

    /// What has to be known before phones can be served.
    private mutating func askForPhones(_ step: inout Step) {
        commands.askForArmings(&step)
        directory.askForNonces(&step)
    }

    mutating func reloaded(_ reload: Reload, _ step: inout Step) {
        guard step.life == .running else { return }
        step.effects.append(.notify(.reloading))
        switch reload {
        case .refused(let problems): step.noteRefused(problems)
        case .configuration(let new):
            let old = step.configuration
            step.take(new)
            panel(&step) { $0.reconfigure(from: old, &$1) }
            let stored = journal.storedSnapshot
            lastResort(&step) { $0.reconfigure(from: old, &$1) }
            links(&step) { $0.reconfigure(stored?.refusedPIN, stored?.linkUsage ?? [], &$1) }
            reconfigureChannels(&step)
            channels(&step) { $0.reconfigurePing(&$1) }
            updates(&step) { $0.reconfigure(from: old.updates, &$2) }
            cameras(&step) { $0.reconfigure(from: old.cameras, $2) }
            power(&step) { $0.reconfigure(from: old.ups, &$1) }
            commands.codeLocks.houseChanged(from: old.phones.houseVerbs, to: new.phones.houseVerbs)
            if new.phones.heartbeat != old.phones.heartbeat { deliveries.heartbeatChanged(channels.reach, &step) }
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
        channels(&step) { $0.stopPing(&$1) }
        updates(&step) { $0.stop($2) }
        cameras(&step) { machine, _, _ in machine.stop() }
        power(&step) { $0.stop(&$1) }
        lastResort(&step) { $0.stop(&$1) }
        step.note(.info, .stopped, "HowAlarming was told to stop; the panel session is closed.")
    }

    private mutating func reconfigureChannels(_ step: inout Step) {
        let hadNone = step.channels.isEmpty
        channels(&step) { $0.reconfigure(&$1) }
        directory(&step) { $0.reconfigure(&$1) }
        listen(&step)
        if hadNone, !step.channels.isEmpty { askForPhones(&step) }
        updateRoutes(&step)
        deliveries.noticeChannelless(&step)
    }
}
