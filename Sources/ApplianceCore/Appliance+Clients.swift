import AlarmModel
import PanelLink
import Uplinks

/// The programs on the control socket.
extension Appliance {
    mutating func requested(
        _ request: ControlRequest, by id: ConnectionID, _ step: inout Step
    ) {
        guard let index = listeningClient(id, &step) else { return }
        guard clients[index].role == .idle || steersOwnPairing(request, by: id) else {
            return reply(
                .error("one request at a time: wait for the answer or open another connection"), to: id, &step)
        }
        if isOffline, !request.worksOffline {
            return reply(.error("the daemon is not running; start it with 'howalarming run'"), to: id, &step)
        }
        if let refusal = consoleRefusal(of: request, at: index, &step) {
            return reply(.error(refusal), to: id, &step)
        }
        switch request {
        case .console(let request): requested(request, by: id, at: index, &step)
        case .status: reply(.status(statusReport(at: step.now)), to: id, &step)
        case .panel: reply(.panel(session.report(at: step.now)), to: id, &step)
        case .links(let isTest):
            reply(.links(linksReport(at: step.now)), to: id, &step)
            if isTest { driveLinks(&step) { $0.test(at: $1, into: &$2) } }
        case .trace: clients[index].role = .tracing(dropped: 0)
        case .events(let query, let follow):
            clients[index].role = .reading(EventCursor(query, follows: follow))
            continueReading(at: index, &step)
        case .maintenance(nil): reply(.maintenance(isMaintenance), to: id, &step)
        case .maintenance(.some(let on)):
            guard on != isMaintenance else { return reply(.maintenance(on), to: id, &step) }
            clients[index].role = .waiting
            // Both changes are told to everybody: the mark covers what lies between them.
            isMaintenance = false
            note(
                .info, .maintenance,
                on
                    ? "Maintenance on: events are recorded and not notified."
                    : "Maintenance off: events are notified again.",
                &step)
            isMaintenance = on
            step.writes.continuations.append(.replyMaintenance(id, on))
        case .reboot:
            guard mayReboot else {
                let why = "no service manager runs the daemon here; use the machine's own command, 'systemctl reboot'"
                return reply(.error(why), to: id, &step)
            }
            clients[index].role = .waiting
            note(.info, .reboot, "A restart of the machine was asked for at the box.", &step)
            step.writes.continuations.append(.reboot(id))
        case .update(let bundle, let older):
            guard mayUpdate else {
                let why = "this machine has no slots for its software, so that a bundle cannot be installed"
                return reply(.error(why), to: id, &step)
            }
            clients[index].role = .waiting
            note(.info, .update, "An update was asked for at the box.", &step)
            step.writes.continuations.append(.update(id, bundle: bundle, isOlderConfirmed: older))
        case .people(let request):
            clients[index].role = .waiting
            requested(request, by: id, &step)
        case .phones(let request):
            clients[index].role = .waiting
            requested(request, by: id, &step)
        case .command(let command, let code):
            clients[index].role = .waiting
            accept(command, code: code, from: id, &step)
        }
    }

    mutating func refusedLine(_ error: ControlRequestError, of id: ConnectionID, _ step: inout Step) {
        guard listeningClient(id, &step) != nil else { return }
        reply(.error(error.reason), to: id, &step)
    }

    /// The client's place, unless it has left or reads none of its answers; then it is sent away.
    private mutating func listeningClient(_ id: ConnectionID, _ step: inout Step) -> Int? {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return nil }
        guard clients[index].unsent >= Client.patience else { return index }
        clients.remove(at: index)
        step.effects.append(.close(id))
        return nil
    }

    private mutating func accept(_ command: PanelCommand, code: Secret?, from client: ConnectionID, _ step: inout Step)
    {
        let entry = desk.accept(command, from: .client(client), at: step.now)
        record(event(of: entry, .command, "asked for at the box", at: step.now), &step)
        step.writes.ledger.append(
            LedgerRow(command: entry.id, summary: entry.summary, origin: "local", time: step.now.wall, outcome: nil))
        if life == .stopping { return commandEnded(entry.id, .refused(.stopping), &step) }
        let order = PanelOrder(
            id: entry.id, command: command, code: code, deadline: step.now.boot + configuration.pace.commandDeadline)
        step.writes.continuations.append(.submit(order))
    }

    mutating func reply(_ reply: ControlReply, to id: ConnectionID, _ step: inout Step) {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].ordered += 1
        step.effects.append(.reply(id, reply))
    }

    mutating func finishRequest(of id: ConnectionID, with answer: ControlReply, _ step: inout Step) {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].role = .idle
        reply(answer, to: id, &step)
    }

    mutating func clientSent(_ id: ConnectionID, upTo: UInt64, _ step: inout Step) {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].left = max(clients[index].left, upTo)
        continueReading(at: index, &step)
    }

    /// A slow reader loses lines and is told how many.
    mutating func trace(_ line: TraceLine, _ step: inout Step) {
        for index in clients.indices {
            guard case .tracing(let dropped) = clients[index].role else { continue }
            guard clients[index].unsent < Client.traceWindow else {
                clients[index].role = .tracing(dropped: dropped + 1)
                continue
            }
            clients[index].role = .tracing(dropped: 0)
            reply(.trace(line, dropped: dropped), to: clients[index].id, &step)
        }
    }

    func statusReport(at now: Moment) -> StatusReport {
        let report = session.report(at: now)
        var status = StatusReport(
            siteName: configuration.siteName, version: Product.version, uptime: now.boot - startedAt, time: now.wall,
            isTimeTrusted: now.isWallTrusted, panel: session.state, panelPhase: report.phase,
            panelProblem: report.problem, panelHost: "\(configuration.panelHost):\(configuration.panelPort)",
            store: StoreReport(
                lastSequence: lastSequence, problem: journal.problem, waitingEvents: journal.waitingEvents,
                droppedEvents: journal.droppedEvents, latency: journal.latency.summary),
            isMaintenance: isMaintenance, clients: clients.count, phones: phonesReport(at: now),
            links: linksReport(at: now), watchdog: watchdogReport(at: now))
        status.clockProblem = clock.problemWords
        status.beacon = beaconReport
        return status
    }
}
