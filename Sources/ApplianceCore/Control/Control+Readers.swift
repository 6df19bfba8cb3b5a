import AlarmModel

/// Clients that read the journal, once or for ever.
extension Control {
    func feedFollowers(_ step: inout Step) {
        for index in step.clients.indices { continueReading(at: index, &step) }
    }

    /// Orders the next page for a client that has room and something to read.
    func continueReading(at index: Int, _ step: inout Step) {
        guard case .reading(var reading) = step.clients[index].role, step.clients[index].unsent < Client.pageWindow,
            let query = reading.nextQuery(last: step.lastSequence)
        else { return }
        reading.read = step.read(query, for: .client(step.clients[index].id))
        step.clients[index].role = .reading(reading)
    }

    func rowsArrived(_ id: QueryID, _ rows: Rows, for client: ConnectionID, _ step: inout Step) {
        guard let index = step.clients.firstIndex(where: { $0.id == client }),
            case .reading(var reading) = step.clients[index].role, reading.read == id
        else { return }
        switch rows {
        case .failed(let failure):
            step.clients[index].role = .idle
            step.reply(.error("the events cannot be read: \(failure)"), to: client)
        case .messages: preconditionFailure("a client that reads events asked for no messages")
        case .page(let page):
            let taken = reading.take(page)
            step.clients[index].role = taken.isOver ? .idle : .reading(reading)
            if !taken.events.isEmpty { step.reply(.events(taken.events), to: client) }
            if taken.isOver {
                step.reply(.endOfEvents, to: client)
            } else if taken.mayGoOn {
                continueReading(at: index, &step)
            }
        }
    }

    /// Alarms that the store does not take go out at once, without a number (docs/ARCHITECTURE.md 2, "The store
    /// fails").
    func sendUnstored(_ events: [Event], _ step: inout Step) {
        for event in events where event.priority == .alarm && !event.flags.contains(.duress) {
            for index in step.clients.indices {
                guard case .reading(let reading) = step.clients[index].role, reading.follows, reading.wants(event),
                    step.clients[index].unsent < Client.traceWindow
                else { continue }
                step.reply(.unstored(event), to: step.clients[index].id)
            }
        }
    }
}
