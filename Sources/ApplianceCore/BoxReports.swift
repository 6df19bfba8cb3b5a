import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// What `status` and `phones list` show of all machines.
struct BoxReports {
    let box: Appliance
    let step: Step

    var status: StatusReport {
        let now = step.now
        var asked = box
        let report = box.panelConnection.session.report(at: now)
        let queue = box.journal.queue
        var status = StatusReport(
            siteName: step.configuration.siteName, version: Product.version, uptime: now.boot - step.startedAt,
            time: now.wall, isTimeTrusted: now.isWallTrusted, panel: step.panel, panelPhase: report.phase,
            panelProblem: report.problem,
            panelHost: "\(step.configuration.panelHost):\(step.configuration.panelPort)",
            store: StoreReport(
                lastSequence: step.lastSequence, problem: queue.problem, waitingEvents: queue.waitingEvents,
                droppedEvents: queue.droppedEvents, latency: queue.latency.summary),
            isMaintenance: step.isMaintenance, clients: step.clients.count, phones: phones,
            links: linksReport,
            watchdog: box.health.watchdogReport(Deadline.all(of: &asked, step), at: now))
        status.clockProblem = box.health.clock.problemWords
        status.deadManPing = box.channels.pingReport
        status.cameras = box.cameras.report(step)
        status.updates = box.updates.report(step, UpdateSurroundings(box, step))
        status.ups = box.power.report
        status.calls = box.lastResort.callsReport(step)
        if !box.reminders.armings.isEmpty { status.schedule = box.reminders.armings }
        status.presence = presence
        return status
    }

    private var presence: PresenceReport? {
        for case .mqtt(let broker) in step.configuration.phones.channels {
            return broker.presenceTopic.map { PresenceReport(box.reminders.presence, topic: $0) }
        }
        return nil
    }

    var linksReport: LinksReport {
        var report = box.links.report(at: step.now)
        if !box.lastResort.texts.isEmpty { report.textsWaiting = box.lastResort.waitingCount(.texts) }
        return report
    }

    /// An alarm takes a moment: one that is younger than this is not missed yet.
    private static let tellingTakes = Duration.seconds(10)

    private func untold(_ lines: [OutboxReport], _ channels: [PhonesReport.Channel]) -> PhonesReport.Untold? {
        guard let open = OutboxUntold(box.deliveries.outbox), step.now.wall - open.since >= Self.tellingTakes else {
            return nil
        }
        let refused = lines.filter { open.addresses.contains($0.address) }.compactMap(\.lastError).first
        let broken = open.addresses.compactMap { box.deliveries.outbox.channel(of: $0)?.rawValue }
            .compactMap { kind in channels.first { $0.kind == kind }?.problem.map { "\(kind): \($0)" } }.first
        return PhonesReport.Untold(
            since: open.since, alarms: open.alarms, names: open.addresses.map { step.book.name(ofAddress: $0) },
            isNobodyTold: open.isNobodyTold, nextTry: open.nextTry.map { max(.zero, $0 - step.now.boot) },
            why: broken ?? refused)
    }

    var phones: PhonesReport {
        let first = box.channels.firstHealth
        let settings = step.configuration.phones
        var report = PhonesReport(
            connection: step.isOffline ? .noDaemon : first.map { .channel($0.phase) } ?? .off,
            server: step.channels.contains(.ccs) ? "\(settings.host):\(settings.port)" : nil,
            problem: box.channels.firstProblem)
        let lines = box.deliveries.outbox.reports
        report.entries =
            PhonesReporter(
                step: step, lines: lines, standing: box.commands.standing(of:),
                areCodesLocked: { !box.commands.codeLocks.mayTry(.person($0), at: step.now.boot) }
            ).entries
        report.channels = box.channels.reports(lines, kind: box.deliveries.outbox.channel(of:))
        report.waiting = lines.reduce(0) { $0 + $1.waiting }
        report.overdue = lines.reduce(0) { $0 + $1.overdue }
        report.dead = box.deliveries.counts.dead
        report.expired = box.deliveries.counts.expired
        report.pendingTokens = box.commands.legacy.pending
        report.pairing = box.pairing.words(step.book)
        report.rejected = box.commands.rejected.report
        report.untold = untold(lines, report.channels)
        return report
    }
}
