import AlarmModel

/// What the session does about things that no line says by itself; the watches find them.
extension Session {
    /// The watches whose deadlines have passed, of a session that is logged in.
    mutating func watchesFallDue(at now: Moment, into actions: inout [PanelAction]) {
        actions += troubles.timerFired(at: now.boot).map { .event($0) }
        if let error = lateErrors.timerFired(at: now.boot), let flight = queue.answered(at: now.boot) {
            answerFailed(flight, at: now, into: &actions) { $0.refused(error: error, $1) }
        }
        guard case .up = phase else { return }
        switch bus.timerFired(at: now.boot) {
        case .answered: busAnswered(at: now, into: &actions)
        case .ask: if now.isWallTrusted { setClock() }
        case nil: break
        }
        if delays.timerFired(at: now.boot) { wantReport(at: now) }
    }

    /// A live line, after the state took it up.
    ///
    /// - Returns: what is to be told of a clock that the panel alone calls lost
    mutating func watchTroubles(
        _ message: DSCMessage, at now: Moment, into actions: inout [PanelAction]
    ) -> TroubleWatch.ClockLoss {
        actions += troubles.lineArrived(message, at: now.boot).map { .event($0) }
        if case .troubleLED(_, false) = message, reducer.troubleLEDIsOff, let end = troublesEndAt {
            troublesEndAt = min(end, troubles.overdueAt(now.boot) ?? end)
        }
        let canSet = settings.setsClock && now.isWallTrusted
        let loss = troubles.clockLost(message, canSet: canSet, at: now.boot)
        if loss != .none { setClock() }
        return message == .troubles(.clock) ? loss : .none
    }

    mutating func setClock() {
        if !queue.has(.clock) { _ = queue.add(.clock) }
    }

    mutating func sessionLostForWatches(_ heardUntil: Moment, into actions: inout [PanelAction]) {
        gaps.sessionLost(state, heardUntil: heardUntil)
        actions += troubles.sessionLost().map { .event($0) }
        bus.stop()
        delays.sessionLost()
        lateErrors.sessionLost()
    }

    mutating func busAnswered(at now: Moment, into actions: inout [PanelAction]) {
        bus.stop()
        reducer.setKeybus(.ok)
        let message = "The module reaches the panel again"
        actions.append(.event(writer(at: now).event(.keybusRestored, .recovery, message)))
        wantReport(at: now)
    }

    mutating func found(_ finding: GapWatch.Finding?, at now: Moment, into actions: inout [PanelAction]) {
        let writer = writer(at: now)
        switch finding {
        case nil: break
        case .unheardAlarm(let alarm):
            reducer.raiseUnheard(alarm, at: now)
            actions.append(.event(writer.unheardAlarm(alarm)))
            guard let ending = state.partition(1)?.incident?.end?.ending else { return }
            actions.append(.event(writer.alarmOver(ending, isInGap: alarm.isInGap)))
        case .armedAgain(let isInGap):
            reducer.endInGap(1, at: now)
            actions.append(.event(writer.alarmOver(.armedAgain, isInGap: isInGap)))
        case .notExcluded(let partition, let opened):
            actions.append(.event(writer.alarmNotExcluded(partition, opened: opened)))
        }
    }
}
