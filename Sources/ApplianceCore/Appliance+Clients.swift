import AlarmModel
import PanelLink

/// The programs on the control socket.
extension Appliance {
    mutating func requested(
        _ request: ControlRequest, by id: ConnectionID, at now: Moment, into effects: inout [Effect]
    ) {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
        guard clients[index].role == .idle else {
            return reply(
                .error("one request at a time: wait for the answer or open another connection"), to: id, into: &effects)
        }
        switch request {
        case .status: reply(.status(statusReport(at: now)), to: id, into: &effects)
        case .panel: reply(.panel(session.report(at: now)), to: id, into: &effects)
        case .trace: clients[index].role = .tracing(dropped: 0)
        case .events(let query, let follow):
            clients[index].role =
                follow ? .following(query, read: nil) : .listing(query, remaining: query.limit, read: nil)
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
        case .command(let command, let code):
            clients[index].role = .waiting
            accept(command, code: code, from: id, at: now)
        }
    }

    private mutating func accept(_ command: PanelCommand, code: Secret?, from client: ConnectionID, at now: Moment) {
        let entry = desk.accept(command, from: client, at: now)
        record(
            Event(
                type: .command, code: EventCode.command.rawValue, raw: EventCode.command.rawValue,
                message: "\(entry.summary): asked for at the box", time: now.wall, isTimeTrusted: now.isWallTrusted,
                partition: entry.partition, partitionName: entry.partition.flatMap(configuration.panel.names.partition),
                zone: entry.zone, zoneName: entry.zone.flatMap { configuration.panel.names.zone($0)?.name },
                command: entry.id))
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

    mutating func feedFollowers(into effects: inout [Effect]) {
        for index in clients.indices { continueReading(at: index, into: &effects) }
    }

    /// Orders the next page for a client that has room and something to read.
    private mutating func continueReading(at index: Int, into effects: inout [Effect]) {
        guard clients[index].unsent < Client.pageWindow else { return }
        switch clients[index].role {
        case .idle, .waiting, .tracing: return
        case .listing(var query, let remaining, nil):
            query.limit = query.order == .newest ? remaining : min(remaining, Client.pageSize)
            clients[index].role = .listing(query, remaining: remaining, read: read(query, into: &effects))
        case .following(var query, nil):
            guard query.order == .newest || query.after < lastSequence else { return }
            if query.order == .oldestFirst { query.limit = Client.pageSize }
            clients[index].role = .following(query, read: read(query, into: &effects))
        case .listing, .following: return
        }
    }

    private mutating func read(_ query: EventQuery, into effects: inout [Effect]) -> QueryID {
        let id = QueryID(nextQuery)
        nextQuery += 1
        effects.append(.read(id, query))
        return id
    }

    mutating func rowsArrived(_ id: QueryID, _ rows: Rows, at now: Moment, into effects: inout [Effect]) {
        guard
            let index = clients.firstIndex(where: { client in
                switch client.role {
                case .listing(_, _, let read), .following(_, let read): read == id
                case .idle, .waiting, .tracing: false
                }
            })
        else { return }
        let client = clients[index].id
        switch rows {
        case .failed(let failure):
            clients[index].role = .idle
            reply(.error("the events cannot be read: \(failure)"), to: client, into: &effects)
        case .page(let page):
            if !page.events.isEmpty { reply(.events(page.events), to: client, into: &effects) }
            advance(index, past: page, into: &effects)
        }
    }

    private mutating func advance(_ index: Int, past page: EventPage, into effects: inout [Effect]) {
        let client = clients[index].id
        switch clients[index].role {
        case .listing(var query, let remaining, _):
            let left = remaining - page.events.count
            guard page.hasMore, left > 0, query.order == .oldestFirst else {
                clients[index].role = .idle
                return reply(.endOfEvents, to: client, into: &effects)
            }
            query.after = page.cursor
            clients[index].role = .listing(query, remaining: left, read: nil)
        case .following(var query, _):
            query.after = max(query.after, page.cursor)
            query.order = .oldestFirst
            clients[index].role = .following(query, read: nil)
        case .idle, .waiting, .tracing: return
        }
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

    /// While the store does not take them, alarms go out at once, without a number (DESIGN 2, "The store fails").
    mutating func sendUnstored(_ events: [Event], into effects: inout [Effect]) {
        guard !journal.isGood else { return }
        for event in events where event.priority == .alarm && !event.flags.contains(.duress) {
            for index in clients.indices {
                guard case .following = clients[index].role, clients[index].unsent < Client.traceWindow else {
                    continue
                }
                reply(.unstored(event), to: clients[index].id, into: &effects)
            }
        }
    }

    func statusReport(at now: Moment) -> StatusReport {
        let report = session.report(at: now)
        return StatusReport(
            siteName: configuration.siteName, version: Product.version, uptime: now.boot - startedAt, time: now.wall,
            isTimeTrusted: now.isWallTrusted, panel: session.state, panelPhase: report.phase,
            panelProblem: report.problem, panelHost: "\(configuration.panelHost):\(configuration.panelPort)",
            store: StoreReport(
                lastSequence: lastSequence, problem: journal.problem, waitingEvents: journal.waitingEvents,
                droppedEvents: journal.droppedEvents, latency: journal.latency.summary),
            isMaintenance: isMaintenance, clients: clients.count)
    }
}
