import AlarmModel
import PanelLink
import SoftwareUpdate

/// The version that runs: what it tells of its coming, and whether it stays.
extension Appliance {
    mutating func startSoftware(_ start: Start, _ known: SoftwareRecord?, at now: Moment) {
        guard let slots = start.slots else { return }
        let version = start.release ?? Product.version
        let state = slots.state
        trial = TrialBoot(
            isTrial: state.isTrial(slots.running), needsSession: known?.hadSession ?? false, at: now.boot)
        software = SoftwareRecord(version: version, hadSession: known?.hadSession ?? false)
        if state.hasFallenBack(to: slots.running) {
            let failed = slots.version(of: slots.running.other).map { "Version \($0)" } ?? "The new version"
            note(
                .fault, .update,
                "\(failed) did not prove itself in its \(SlotState.fullTries) tries: version \(version) runs again. "
                    + "Ask for help with a support archive before you try it again.", at: now)
        } else if let known, known.version != version {
            note(.info, .update, "The software was updated from \(known.version) to \(version).", at: now)
        }
    }

    /// Called after each step.
    mutating func observeSoftware(at now: Moment, into effects: inout [Effect]) {
        guard trial != nil, life == .running else { return }
        trial?.observe(
            isSound: journal.isGood && vitals.ailments.isEmpty,
            hasSession: session.state.link == .up || hall.isAnyReady,
            at: now.boot)
        if trial?.hasHadSession ?? false { software?.hadSession = true }
    }

    var trialDeadline: BootTime? { trial?.nextDeadline(configuration.update, busyUntil: busyUntil) }

    /// As with every planned restart: not while there is an alarm or an entry delay, nor soon after one.
    private var busyUntil: BootTime? { lastHotAt.map { $0 + configuration.pace.stallRestart } }

    mutating func trialDue(at now: Moment, into effects: inout [Effect]) {
        let version = software?.version ?? Product.version
        let busyUntil = busyUntil
        let settings = configuration.update
        switch trial?.decide(settings, busyUntil: busyUntil, at: now.boot) {
        case .healthy:
            guard trial?.isTrial ?? false else { return effects.append(.healthy) }
            note(.info, .update, "Version \(version) has proved itself and stays.", at: now)
            // Proved by this, too: that it can be stored.
            step.continuations.append(.healthy)
        case .givenUp:
            let missing = trial?.missing ?? ""
            note(
                .fault, .update,
                "Version \(version) has not proved itself: \(missing). The machine is restarted; after three tries the "
                    + "version before comes back.", at: now)
            effects.append(.log(LogEntry(.error, "the new version has not proved itself: \(missing)")))
            effects.append(.reboot)
        case nil: break
        }
    }
}
