import AlarmModel
import PanelLink
import SoftwareUpdate

/// The version that runs: what it tells of its coming, and whether it stays.
extension Health {
    mutating func startSoftware(_ start: Start, _ known: SoftwareRecord?, _ step: inout Step) {
        guard let slots = start.slots else { return }
        let version = start.release ?? Product.version
        let state = slots.state
        let isStandIn = state.isStandIn(slots.running)
        trial = TrialBoot(
            isTrial: state.isTrial(slots.running) && !isStandIn, needsSession: known?.hadSession ?? false,
            at: step.now.boot)
        software = SoftwareRecord(version: version, hadSession: known?.hadSession ?? false)
        if state.hasFallenBack(to: slots.running) {
            let failed = slots.version(of: slots.running.other).map { "Version \($0)" } ?? "The new version"
            step.note(
                .fault, .update,
                "\(failed) did not prove itself in its \(SlotState.fullTries) tries: version \(version) runs again. "
                    + "Ask for help with a support archive before you try it again.")
        } else if isStandIn {
            tellStandIn(for: slots.version(of: state.good), known, &step)
        } else if let known, known.version != version, known.standsInFor == version {
            step.note(.recovery, .update, "Version \(version) runs again.")
        } else if let known, known.version != version {
            step.note(.info, .update, "The software was updated from \(known.version) to \(version).")
        }
    }

    /// Power that came and went has used up the starts of the good version, so that the one before it runs.
    private mutating func tellStandIn(for good: String?, _ known: SoftwareRecord?, _ step: inout Step) {
        let name = good ?? "the good version"
        software?.standsInFor = name
        // Once, however often the daemon starts.
        guard known?.standsInFor != name else { return }
        step.note(
            .fault, .update,
            "\(good.map { "Version \($0)" } ?? "The good version") was started \(SlotState.goodTries) times and never "
                + "ran for long, as when the power comes and goes: the version before it, "
                + "\(software?.version ?? Product.version), runs for now. Restart the box once its power is steady: "
                + "it then starts the good version again.")
    }

    /// Called after each step.
    mutating func observeSoftware(isAnyChannelReady: Bool, _ step: Step) {
        guard trial != nil, step.life == .running else { return }
        trial?.observe(
            isSound: step.isStoreGood && vitals.ailments.isEmpty,
            hasSession: step.panel.link == .up || isAnyChannelReady,
            at: step.now.boot)
        if trial?.hasHadSession ?? false { software?.hadSession = true }
    }

    func trialDeadline(_ step: Step) -> BootTime? {
        trial?.nextDeadline(step.configuration.update, busyUntil: busyUntil(step))
    }

    /// As with every planned restart: not while there is an alarm or an entry delay, nor soon after one.
    private func busyUntil(_ step: Step) -> BootTime? {
        lastHotAt.map { $0 + step.configuration.pace.stallRestart }
    }

    /// There is an alarm or an entry delay, or was one a short time ago.
    func isHot(_ step: Step) -> Bool { busyUntil(step).map { step.now.boot < $0 } ?? false }

    mutating func trialDue(_ step: inout Step) {
        let version = software?.version ?? Product.version
        let busyUntil = busyUntil(step)
        let settings = step.configuration.update
        switch trial?.decide(settings, busyUntil: busyUntil, at: step.now.boot) {
        case .healthy:
            guard trial?.isTrial ?? false else { return step.effects.append(.healthy) }
            step.note(.info, .update, "Version \(version) has proved itself and stays.")
            // Proved by this, too: that it can be stored.
            step.wait(.healthy)
        case .givenUp:
            let missing = trial?.missing ?? ""
            step.note(
                .fault, .update,
                "Version \(version) has not proved itself: \(missing). The machine is restarted; after three tries the "
                    + "version before comes back.")
            step.effects.append(.log(LogEntry(.error, "the new version has not proved itself: \(missing)")))
            step.effects.append(.reboot)
        case nil: break
        }
    }
}
