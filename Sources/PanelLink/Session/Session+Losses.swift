package import AlarmModel

/// Losing the panel while the house is armed is an alarm, if it lasts.
extension Session {
    /// Looks what is lost by now, and what is back.
    mutating func watchLosses(at now: Moment, into actions: inout [PanelAction]) {
        switch phase {
        case .idle, .stopped: return
        case .waiting, .connecting, .greeting, .greeted, .authenticating, .resynchronising, .up: break
        }
        let guarded = state.guardedPartitions
        if losses.sees(guarded), state.system.toldLosses != nil { reducer.setToldLosses([]) }
        for kind in PanelLoss.allCases {
            let isLost = isLost(kind)
            guard isLost != losses.stands(kind) else { continue }
            isLost ? lossBegan(kind, at: now) : lossEnded(kind, at: now, into: &actions)
        }
    }

    /// What feeds the box, as its UPS says. Without mains for panel and box the power loss of the panel is told at once:
    /// soon nobody may be there to tell it.
    package mutating func boxIsFed(by reading: UPSReading?, at now: Moment, into actions: inout [PanelAction]) {
        boxFeed = reading
        watchLosses(at: now, into: &actions)
        if boxFeed.isOnBattery { losses.hurry(.power, at: now.boot) }
        tellLosses(at: now, into: &actions)
    }

    private mutating func lossBegan(_ kind: PanelLoss, at now: Moment) {
        let told = state.system.toldLosses ?? []
        let left = losses.began(
            kind, isAlarm: isAlarm, isUrgent: kind == .power && boxFeed.isOnBattery, told: told, at: now.boot)
        if left != told { reducer.setToldLosses(left) }
        // The line may have been lost: the panel is asked once more before it is told.
        if kind == .answers, losses.isHoldingOff(.answers) { wantReport(at: now) }
    }

    private mutating func lossEnded(_ kind: PanelLoss, at now: Moment, into actions: inout [PanelAction]) {
        losses.ended(kind, at: now.boot)
        // The others end with an event of their own.
        guard kind == .answers, state.link == .up, state.system.toldLosses?.contains(kind) ?? false else { return }
        actions.append(.event(writer(at: now).event(.panelOnline, .recovery, "The panel tells its state again")))
    }

    private func isLost(_ kind: PanelLoss) -> Bool {
        switch kind {
        case .module: state.link != .up
        case .answers: state.link == .up && !state.partitions.contains { $0.status.current != nil }
        case .keybus: state.system[.keybus] == .known(.trouble)
        case .power:
            state.system[.ac] == .known(.trouble)
                && (state.system[.battery] == .known(.trouble) || boxFeed?.supply == .low)
        }
    }

    private var isAlarm: Bool {
        switch settings.lossIsAlarm {
        case .never: false
        case .always: true
        case .armed: !state.guardedPartitions.isEmpty
        }
    }

    /// Tells what has been lost for too long.
    mutating func tellLosses(at now: Moment, into actions: inout [PanelAction]) {
        // The house may have been disarmed since, or the configuration changed.
        for loss in losses.takeDue(at: now.boot) where isAlarm {
            #if SABOTAGE
                if sabotage == .lostPanelIsNoAlarm { continue }
            #endif
            let told = (state.system.toldLosses ?? []) + [loss.kind]
            reducer.setToldLosses(PanelLoss.allCases.filter { told.contains($0) })
            if loss.kind == .module { isLossAnnounced = true }
            let words = LossWords(
                state: state, names: settings.names, box: boxFeed, seconds: (now.boot - loss.since).milliseconds / 1000)
            actions.append(.event(writer(at: now).event(loss.kind.code, .alarm, words.words(of: loss.kind))))
        }
    }

    /// The next attempt comes so soon at the latest, while it is still open whether the module is cut off.
    func longestPause(afterSession: Bool, at now: Moment) -> Duration? {
        guard losses.isHoldingOff(.module) else { return nil }
        guard !afterSession, let attemptAt else { return LossWatch.attemptPace }
        return max(LossWatch.shortestPause, LossWatch.attemptPace - (now.boot - attemptAt))
    }
}
