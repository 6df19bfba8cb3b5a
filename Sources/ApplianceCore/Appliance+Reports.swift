import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// What `status`, `phones list` and the service manager see.
extension Appliance {
    func statusReport(_ step: Step) -> StatusReport {
        let now = step.now
        let report = panelConnection.session.report(at: now)
        let queue = journal.queue
        var status = StatusReport(
            siteName: step.configuration.siteName, version: Product.version, uptime: now.boot - step.startedAt,
            time: now.wall, isTimeTrusted: now.isWallTrusted, panel: step.panel, panelPhase: report.phase,
            panelProblem: report.problem,
            panelHost: "\(step.configuration.panelHost):\(step.configuration.panelPort)",
            store: StoreReport(
                lastSequence: step.lastSequence, problem: queue.problem, waitingEvents: queue.waitingEvents,
                droppedEvents: queue.droppedEvents, latency: queue.latency.summary),
            isMaintenance: step.isMaintenance, clients: step.clients.count, phones: phonesReport(step),
            links: links.report(at: now), watchdog: health.watchdogReport(deadlines(step), at: now))
        status.clockProblem = clock.problemWords
        status.beacon = channels.pingReport
        return status
    }

    func phonesReport(_ step: Step) -> PhonesReport {
        let ccs = channels.index(of: .ccs)
        let first = (ccs ?? channels.channels.indices.first).map { channels.channels[$0].carrier.transport.health }
        var report = PhonesReport(
            connection: step.isOffline ? PhonesReport.stopped : first?.phase.rawValue ?? "off",
            server: ccs.map { _ in "\(step.configuration.phones.host):\(step.configuration.phones.port)" },
            problem: first?.problem?.description)
        let lines = deliveries.outbox.reports
        report.entries =
            PhonesReporter(
                step: step, lines: lines, standing: commands.standing(of:), areCodesLocked: commands.areCodesLocked(of:)
            ).entries
        report.ways = channels.channels.map { channel in
            let health = channel.carrier.transport.health
            let theirs = lines.filter { deliveries.outbox.way(of: $0.address) == channel.kind }
            return PhonesReport.Way(
                kind: channel.kind.rawValue, phase: health.phase.rawValue, problem: health.problem?.description,
                lastAccepted: theirs.compactMap(\.lastAccepted).max() ?? health.lastAccepted,
                waiting: theirs.reduce(0) { $0 + $1.waiting })
        }
        report.waiting = lines.reduce(0) { $0 + $1.waiting }
        report.overdue = lines.reduce(0) { $0 + $1.overdue }
        report.dead = deliveries.counts.dead
        report.expired = deliveries.counts.expired
        report.pendingTokens = commands.legacy.pending
        report.pairing = pairing.words(step.book)
        report.rejected = commands.rejected.report
        return report
    }

    /// One line for the service manager, told when it changes.
    mutating func announceStatus(_ step: inout Step) {
        let panel =
            switch step.panel.link {
            case .up: "panel up"
            case .resynchronising: "panel resynchronising"
            case .down: "panel down, its state is stale"
            }
        let phones = step.channels.isEmpty ? "" : channels.isAnyReady ? "; phones connected" : "; phones not connected"
        let out =
            links.failover.map { failover in
                failover.report.isEmpty ? "" : failover.active.map { "; out by \($0)" } ?? "; NO LINK WORKS"
            } ?? ""
        let messages = backlog(step.channels.isEmpty ? 0 : deliveries.outbox.backlog, "messages wait")
        let events = backlog(step.isStoreGood ? 0 : journal.queue.waitingEvents, "events are not stored")
        let storage = journal.queue.problem.map { "storage: \($0)" } ?? "storage good"
        let line = "\(panel); \(storage)\(events)\(out)\(phones)\(messages)"
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
