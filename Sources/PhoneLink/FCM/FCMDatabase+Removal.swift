import AlarmModel
import PhoneProtocol

extension FCMDatabase {
    /// The core has dealt with a message.
    mutating func remove(
        _ key: String, _ bearer: Secret?, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = entries.firstIndex(where: { $0.key == key && $0.state == .given }) else { return }
        entries[index].state = .done
        self.bearer = bearer
        removeNext(at: now, into: &actions)
    }

    mutating func removeNext(at now: Moment, into actions: inout [TransportAction]) {
        guard let bearer, removeAt == nil else { return }
        for key in entries.filter({ $0.state == .done }).map(\.key) where removals.room > 0 {
            guard let index = entries.firstIndex(where: { $0.key == key }) else { continue }
            let id = newRequest()
            entries[index].state = .removing(id)
            let request = HTTPRequest(
                .delete, target("/\(HTTPRequest.escaped(key)).json?print=silent"), fields: [authorization(bearer)])
            runRemovals(at: now, into: &actions) { database, orders in
                database.removals.request(request, id: id, at: now, into: &orders)
            }
        }
    }

    mutating func runRemovals(
        at now: Moment, into actions: inout [TransportAction],
        _ step: (inout FCMDatabase, inout [HTTPAction]) -> Void
    ) {
        var orders: [HTTPAction] = []
        step(&self, &orders)
        for case .transport(let action) in orders { actions.append(action) }
        for order in orders {
            switch order {
            case .transport: break
            case .answered(let id, let response): removed(id, response, at: now, into: &actions)
            case .failed(let id, _): removalFailed(id, at: now)
            }
        }
    }

    private mutating func removed(
        _ id: HTTPRequestID, _ response: HTTPResponse, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = entries.firstIndex(where: { $0.state == .removing(id) }) else { return }
        if response.isSuccess || response.status == 404 {
            forget(index)
            removalTaken()
            if hasMore, entries.count < Self.openLimit / 2 {
                hasMore = false
                run(at: now, into: &actions) { database, orders in database.stream.restart(at: now, into: &orders) }
            }
            return removeNext(at: now, into: &actions)
        }
        removalFailed(id, at: now)
        if let place = redirect(response.head) {
            move(to: place, at: now, into: &actions)
            removeNext(at: now, into: &actions)
        } else {
            removalRefused(id, response)
        }
    }

    private mutating func removalFailed(_ id: HTTPRequestID, at now: Moment) {
        guard let index = entries.firstIndex(where: { $0.state == .removing(id) }) else { return }
        entries[index].state = .done
        if removeAt == nil { removeAt = now.boot + attempts.delay(&jitter) }
    }

    // MARK: Connections and time

    mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, _ bearer: Secret?, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        guard slot == Self.streamSlot || slot == Self.removalSlot else {
            actions.append(.close(connection))
            return
        }
        run(at: now, into: &actions) { $0.stream.connected(connection, slot: slot, at: now, into: &$1) }
        runRemovals(at: now, into: &actions) { $0.removals.connected(connection, slot: slot, at: now, into: &$1) }
    }

    mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, _ bearer: Secret?, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        run(at: now, into: &actions) { $0.stream.connectFailed(failure, slot: slot, at: now, into: &$1) }
        runRemovals(at: now, into: &actions) { $0.removals.connectFailed(failure, slot: slot, at: now, into: &$1) }
    }

    mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], _ bearer: Secret?, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        self.bearer = bearer
        run(at: now, into: &actions) { $0.stream.received(connection, bytes, at: now, into: &$1) }
        runRemovals(at: now, into: &actions) { $0.removals.received(connection, bytes, at: now, into: &$1) }
    }

    mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, _ bearer: Secret?, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        run(at: now, into: &actions) { $0.stream.closed(connection, end, at: now, into: &$1) }
        runRemovals(at: now, into: &actions) { $0.removals.closed(connection, end, at: now, into: &$1) }
    }

    mutating func timerFired(_ bearer: Secret?, at now: Moment, into actions: inout [TransportAction]) {
        self.bearer = bearer
        if let due = resumeAt, due <= now.boot { resumeAt = nil }
        if let due = removeAt, due <= now.boot { removeAt = nil }
        giveNext(at: now, into: &actions)
        run(at: now, into: &actions) { $0.stream.timerFired(at: now, into: &$1) }
        runRemovals(at: now, into: &actions) { $0.removals.timerFired(at: now, into: &$1) }
    }

    mutating func networkChanged(_ bearer: Secret?, at now: Moment, into actions: inout [TransportAction]) {
        self.bearer = bearer
        if resumeAt != nil, streamProblem?.isRefusal != true { resumeAt = nil }
        removeAt = nil
        run(at: now, into: &actions) { $0.stream.networkChanged(at: now, into: &$1) }
        runRemovals(at: now, into: &actions) { $0.removals.networkChanged(at: now, into: &$1) }
    }
}
