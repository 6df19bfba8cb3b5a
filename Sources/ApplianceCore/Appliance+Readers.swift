import AlarmModel

/// Clients that read the journal, once or for ever.
extension Appliance {
    mutating func feedFollowers(_ step: inout Step) {
        for index in clients.indices { continueReading(at: index, &step) }
    }

    /// Orders the next page for a client that has room and something to read.
    mutating func continueReading(at index: Int, _ step: inout Step) {
        guard case .reading(var reading) = clients[index].role, clients[index].unsent < Client.pageWindow,
            let query = reading.nextQuery(last: lastSequence)
        else { return }
        let id = QueryID(nextQuery)
        nextQuery += 1
        step.effects.append(.read(id, query))
        reading.read = id
        clients[index].role = .reading(reading)
    }

    mutating func rowsArrived(_ id: QueryID, _ rows: Rows, _ step: inout Step) {
        for index in clients.indices {
            guard case .reading(var reading) = clients[index].role, reading.read == id else { continue }
            let client = clients[index].id
            switch rows {
            case .failed(let failure):
                clients[index].role = .idle
                reply(.error("the events cannot be read: \(failure)"), to: client, &step)
            case .messages: preconditionFailure("a client that reads events asked for no messages")
            case .page(let page):
                let taken = reading.take(page)
                clients[index].role = taken.isOver ? .idle : .reading(reading)
                if !taken.events.isEmpty { reply(.events(taken.events), to: client, &step) }
                if taken.isOver {
                    reply(.endOfEvents, to: client, &step)
                } else if taken.mayGoOn {
                    continueReading(at: index, &step)
                }
            }
            return
        }
    }

    /// Alarms that the store does not take go out at once, without a number (docs/ARCHITECTURE.md 2, "The store
    /// fails").
    mutating func sendUnstored(_ events: [Event], _ step: inout Step) {
        for event in events where event.priority == .alarm && !event.flags.contains(.duress) {
            for index in clients.indices {
                guard case .reading(let reading) = clients[index].role, reading.follows, reading.wants(event),
                    clients[index].unsent < Client.traceWindow
                else { continue }
                reply(.unstored(event), to: clients[index].id, &step)
            }
        }
    }
}
