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
        let first = channels.firstHealth
        let phones = step.configuration.phones
        var report = PhonesReport(
            connection: step.isOffline ? .noDaemon : first.map { .way($0.phase) } ?? .off,
            server: step.channels.contains(.ccs) ? "\(phones.host):\(phones.port)" : nil,
            problem: first?.problem?.description)
        let lines = deliveries.outbox.reports
        report.entries =
            PhonesReporter(
                step: step, lines: lines, standing: commands.standing(of:), areCodesLocked: commands.areCodesLocked(of:)
            ).entries
        report.ways = channels.reports(lines, channel: deliveries.outbox.way(of:))
        report.waiting = lines.reduce(0) { $0 + $1.waiting }
        report.overdue = lines.reduce(0) { $0 + $1.overdue }
        report.dead = deliveries.counts.dead
        report.expired = deliveries.counts.expired
        report.pendingTokens = commands.legacy.pending
        report.pairing = pairing.words(step.book)
        report.rejected = commands.rejected.report
        return report
    }

    func statusLine(_ step: Step) -> StatusLine.Facts {
        StatusLine.Facts(
            panel: step.panel.link, storeProblem: journal.queue.problem,
            unstored: step.isStoreGood ? 0 : journal.queue.waitingEvents,
            hasLinks: !(links.failover?.report ?? []).isEmpty, activeLink: links.failover?.active,
            areChannelsReady: step.channels.isEmpty ? nil : channels.isAnyReady,
            unsent: step.channels.isEmpty ? 0 : deliveries.outbox.backlog)
    }
}
