import AlarmModel
import PanelLink
import Uplinks

/// The programs on the control socket.
extension Appliance {
    mutating func requested(
        _ request: ControlRequest, by id: ConnectionID, at now: Moment, into effects: inout [Effect]
    ) {
        guard let index = listeningClient(id, into: &effects) else { return }
        guard clients[index].role == .idle || steersOwnPairing(request, by: id) else {
            return reply(
                .error("one request at a time: wait for the answer or open another connection"), to: id, into: &effects)
        }
        if isOffline, !request.worksOffline {
            return reply(.error("the daemon is not running; start it with 'howalarming run'"), to: id, into: &effects)
        }
        if let refusal = consoleRefusal(of: request, at: index, now) {
            return reply(.error(refusal), to: id, into: &effects)
        }
        switch request {
        case .console(let request): requested(request, by: id, at: index, now, into: &effects)
        case .status: reply(.status(statusReport(at: now)), to: id, into: &effects)
        case .panel: reply(.panel(session.report(at: now)), to: id, into: &effects)
        case .links(let isTest):
            reply(.links(linksReport(at: now)), to: id, into: &effects)
            if isTest { driveLinks(at: now, into: &effects) { $0.test(at: now, into: &$1) } }
        case .trace: clients[index].role = .tracing(dropped: 0)
        case .events(let query, let follow):
            clients[index].role = .reading(EventCursor(query, follows: follow))
            continueReading(at: index, into: &effects)
        case .maintenance(nil): reply(.maintenance(isMaintenance), to: id, into: &effects)
        case .maintenance(.some(let on)):
            guard on != isMaintenance else { return reply(.maintenance(on), to: id, into: &effects) }
            clients[index].role = .waiting
            // Both changes are told to everybody: the mark covers what lies between them.
            isMaintenance = false
            note(
                .info, .maintenance,
                on
                    ? "Maintenance on: events are recorded and not notified."
                    : "Maintenance off: events are notified again.",
                at: now)
            isMaintenance = on
            step.continuations.append(.replyMaintenance(id, on))
        case .reboot:
            guard mayReboot else {
                let why = "no service manager runs the daemon here; use the machine's own command, 'systemctl reboot'"
                return reply(.error(why), to: id, into: &effects)
            }
            clients[index].role = .waiting
            note(.info, .reboot, "A restart of the machine was asked for at the box.", at: now)
            step.continuations.append(.reboot(id))
        case .update(let bundle, let older):
            guard mayUpdate else {
                let why = "this machine has no slots for its software, so that a bundle cannot be installed"
                return reply(.error(why), to: id, into: &effects)
            }
            clients[index].role = .waiting
            note(.info, .update, "An update was asked for at the box.", at: now)
            step.continuations.append(.update(id, bundle: bundle, isOlderConfirmed: older))
        case .people(let request):
            clients[index].role = .waiting
            requested(request, by: id, at: now, into: &effects)
        case .phones(let request):
            clients[index].role = .waiting
            requested(request, by: id, at: now, into: &effects)
        case .command(let command, let code):
            clients[index].role = .waiting
            accept(command, code: code, from: id, at: now)
        }
    }

    mutating func refusedLine(_ error: ControlRequestError, of id: ConnectionID, into effects: inout [Effect]) {
        guard listeningClient(id, into: &effects) != nil else { return }
        reply(.error(error.reason), to: id, into: &effects)
    }

    /// The client's place, unless it has left or reads none of its answers; then it is sent away.
    private mutating func listeningClient(_ id: ConnectionID, into effects: inout [Effect]) -> Int? {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return nil }
        guard clients[index].unsent >= Client.patience else { return index }
        clients.remove(at: index)
        effects.append(.close(id))
        return nil
    }

    private mutating func accept(_ command: PanelCommand, code: Secret?, from client: ConnectionID, at now: Moment) {
        let entry = desk.accept(command, from: .client(client), at: now)
        record(event(of: entry, .command, "asked for at the box", at: now))
        step.ledger.append(
            LedgerRow(command: entry.id, summary: entry.summary, origin: "local", time: now.wall, outcome: nil))
        if life == .stopping { return commandEnded(entry.id, .refused(.stopping), at: now) }
        let order = PanelOrder(
            id: entry.id, command: command, code: code, deadline: now.boot + configuration.pace.commandDeadline)
        step.continuations.append(.submit(order))
    }

    mutating func reply(_ reply: ControlReply, to id: ConnectionID, into effects: inout [Effect]) {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].ordered += 1
        effects.append(.reply(id, reply))
    }

    mutating func finishRequest(of id: ConnectionID, with answer: ControlReply, into effects: inout [Effect]) {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].role = .idle
        reply(answer, to: id, into: &effects)
    }

    mutating func clientSent(_ id: ConnectionID, upTo: UInt64, at now: Moment, into effects: inout [Effect]) {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].left = max(clients[index].left, upTo)
        continueReading(at: index, into: &effects)
    }

    /// A slow reader loses lines and is told how many.
    mutating func trace(_ line: TraceLine, into effects: inout [Effect]) {
        for index in clients.indices {
            guard case .tracing(let dropped) = clients[index].role else { continue }
            guard clients[index].unsent < Client.traceWindow else {
                clients[index].role = .tracing(dropped: dropped + 1)
                continue
            }
            clients[index].role = .tracing(dropped: 0)
            reply(.trace(line, dropped: dropped), to: clients[index].id, into: &effects)
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
