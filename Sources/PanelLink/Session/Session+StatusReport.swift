import AlarmModel

extension Session {
    /// A line of the status report: it says what is. Only what differs from what was known becomes an event.
    mutating func reportLine(_ line: DSCLine, at now: Moment, into actions: inout [PanelAction]) {
        let before = state
        var believesClosed = true
        if case .zoneOpen(let number, false) = line.message {
            let zone = before.zone(number)
            believesClosed =
                zone?.open.current != nil || evidence.proves(number, knownAt: zone?.knownAt, at: now)
            if !believesClosed { evidence.leaveUnproven(number) }
        }
        let lightsMemory = gaps.lightsMemory(line.message, state)
        reducer.take(
            line.message, at: now, settings: settings, isReport: true, believesClosed: believesClosed,
            isOwnDisarm: queue.isOwnDisarm(line.message))
        if case .zoneOpen = line.message { reducer.takeTimers(evidence.timers, at: now) }
        let comparison = ReportComparison(before: before, after: state, alarmsSeen: alarmsSeen, now: now.boot)
        if comparison.finds(line.message) {
            let partition = Subject(of: line.message, names: settings.names).partition
            let change = PartitionChange(
                before: partition.flatMap { before.partition($0) }, after: partition.flatMap { state.partition($0) })
            var event = writer(at: now).event(line, change, isWhileAway: !isReportAskedFor)
            if event.partition == nil { locate(&event) }
            actions.append(.event(event))
        }
        delays.lineArrived(line.message, at: now.boot)
        found(gaps.lineTaken(line.message, lightsMemory: lightsMemory, state, at: now), at: now, into: &actions)
        tellTransactions(line.message, at: now, into: &actions)
    }

    /// By a person, while the session was up: what it finds was overlooked, and nobody was away.
    private var isReportAskedFor: Bool { statusReport.flatMap { queue.transaction($0.transaction)?.order } != nil }

    /// A 615 can prove what the report left open.
    mutating func settleZones(after message: DSCMessage, at now: Moment, into actions: inout [PanelAction]) {
        guard case .zoneTimers = message else { return }
        for number in evidence.unproven
        where evidence.proves(number, knownAt: state.zone(number)?.knownAt, at: now) {
            let before = state.zone(number)?.open
            evidence.settle(number)
            reducer.confirmClosed(number, at: now, settings)
            guard ReportComparison.differs(before, state.zone(number)?.open) else { continue }
            tellClosed(number, at: now, into: &actions)
        }
    }

    /// The panel says "ready" only while no zone of the partition is open that is not bypassed: what a report called
    /// closed without proof is closed then (docs/envisalink.md 4.2).
    mutating func settleByReadiness(at now: Moment, into actions: inout [PanelAction]) {
        for number in evidence.unproven where isClosedByReadiness(number) {
            let before = state.zone(number)?.open
            evidence.settle(number)
            reducer.confirmClosed(number, at: now, settings, byReport: true)
            guard ReportComparison.differs(before, state.zone(number)?.open) else { continue }
            tellClosed(number, at: now, into: &actions)
        }
        guard reducer.troubleLEDIsOff else { return }
        reducer.settleTroubles()
    }

    private func isClosedByReadiness(_ number: Int) -> Bool {
        guard let zone = state.zone(number), zone.bypassed.last != true else { return false }
        let only = settings.partitions.count == 1 ? settings.partitions.first : nil
        guard let partition = zone.partition ?? only, state.partition(partition)?.status.current == .ready else {
            return false
        }
        // Which zones are bypassed is not known before the panel lists them; its light says whether any is.
        return zone.bypassed.current == false || state.system.leds.current.map { $0 & KeypadLED.bypass == 0 } ?? false
    }

    private mutating func tellClosed(_ number: Int, at now: Moment, into actions: inout [PanelAction]) {
        let line = DSCLine(
            code: "610", data: number.padded(3), stamp: nil, message: .zoneOpen(zone: number, open: false))
        var event = writer(at: now).event(line, isWhileAway: true)
        if event.partition == nil { locate(&event) }
        actions.append(.event(event))
    }

    /// The poll behind the report was answered, or it took too long.
    mutating func reportEnded(at now: Moment, into actions: inout [PanelAction]) {
        guard let report = statusReport else { return }
        statusReport = nil
        settleByReadiness(at: now, into: &actions)
        if let ended = queue.transaction(report.transaction) { conclude(ended, .done, at: now, into: &actions) }
        if case .resynchronising = phase { cameUp(at: now, into: &actions) }
        for finding in gaps.reportEnded(state, at: now) { found(finding, at: now, into: &actions) }
    }

    /// Lines may be missing: ask again soon, but not all the time.
    mutating func wantReport(at now: Moment) {
        // One that is due stays due: noise without end must not put it off.
        guard reportDueAt == nil else { return }
        let soon = now.boot + .seconds(1)
        reportDueAt = max(soon, lastWantedReportAt.map { $0 + .seconds(60) } ?? soon)
    }
}
