package import AlarmModel

extension HTTPClient {
    /// Ignored unless it is this client's slot; too late an answer is closed.
    package mutating func connected(
        _ id: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [HTTPAction]
    ) {
        guard slot == self.slot else { return }
        guard case .dialing = wire else {
            actions.append(.transport(.close(id)))
            return
        }
        wire = .open(Open(id: id, idleSince: now.boot))
        advance(at: now, into: &actions)
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [HTTPAction]
    ) {
        guard slot == self.slot, case .dialing = wire else { return }
        wire = .none
        failQueue(.connect(failure), into: &actions)
    }

    /// Ignored unless it is this client's connection.
    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPAction]
    ) {
        guard case .open(var open) = wire, open.id == id, !bytes.isEmpty else { return }
        guard var current = open.current else {
            // Servers say goodbye with an answer to nothing (408); what it says is meant for nobody.
            drop(id, into: &actions)
            return
        }
        // No copy of the buffers while they grow.
        wire = .none
        open.current = nil
        current.reader.append(bytes)
        let hadHead = current.head != nil
        let end = Self.read(&current)
        if !hadHead, let time = current.head?.serverTime(of: origin) { actions.append(.transport(time)) }
        switch end {
        case nil:
            open.current = current
            wire = .open(open)
        case .failed(let error)?:
            actions.append(.transport(.close(id)))
            fail(current, .malformed(error), into: &actions)
            advance(at: now, into: &actions)
        case .complete?:
            let isKept = current.head?.keepsAlive == true && !current.reader.hasSurplus && !open.isSuspect
            if isKept {
                open.isReused = true
                open.idleSince = now.boot
                wire = .open(open)
            } else {
                actions.append(.transport(.close(id)))
            }
            answer(current, into: &actions)
            advance(at: now, into: &actions)
        }
    }

    package mutating func closed(
        _ id: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [HTTPAction]
    ) {
        guard case .open(let open) = wire, open.id == id else { return }
        wire = .none
        if var current = open.current {
            let isWhole = end == .finished && current.reader.finish() == .end
            if isWhole {
                answer(current, into: &actions)
            } else if open.isReused, !current.reader.hasBegun, current.entry.mayRepeat {
                current.entry.mayRepeat = false
                queue.insert(current.entry, at: 0)
            } else {
                fail(current, .closed(end), into: &actions)
            }
        }
        advance(at: now, into: &actions)
    }

    private enum End { case complete, failed(HTTPError) }

    private static func read(_ current: inout UnderWay) -> End? {
        while let event = current.reader.next() {
            switch event {
            case .head(let head): current.head = head
            case .body(let piece): current.body += piece
            case .end: return .complete
            case .failed(let error): return .failed(error)
            }
        }
        return nil
    }

    /// Sends the first of the queue, or dials for it.
    mutating func advance(at now: Moment, into actions: inout [HTTPAction]) {
        guard !queue.isEmpty else { return }
        switch wire {
        case .dialing: return
        case .none: dial(at: now, into: &actions)
        case .open(var open):
            guard open.current == nil else { return }
            let entry = queue.removeFirst()
            actions.append(.transport(.send(open.id, entry.bytes)))
            open.current = UnderWay(
                entry: entry, due: now.boot + entry.deadline,
                reader: HTTPResponseReader(limits: settings.limits, isHead: entry.isHead))
            wire = .open(open)
        }
    }

    mutating func dial(at now: Moment, into actions: inout [HTTPAction]) {
        wire = .dialing(since: now.boot)
        actions.append(.transport(.connect(slot, origin.dialTarget)))
    }

    mutating func drop(_ id: ConnectionID, into actions: inout [HTTPAction]) {
        wire = .none
        actions.append(.transport(.close(id)))
    }

    private func answer(_ current: UnderWay, into actions: inout [HTTPAction]) {
        let head = current.head ?? HTTPResponseHead(status: 0)
        actions.append(.answered(current.entry.id, HTTPResponse(head: head, body: current.body)))
    }

    func fail(_ current: UnderWay, _ cause: HTTPFailure.Cause, into actions: inout [HTTPAction]) {
        let failure = HTTPFailure(cause, status: current.reader.status, mayHaveArrived: true)
        actions.append(.failed(current.entry.id, failure))
    }

    /// In the order in which they would have been sent.
    mutating func failQueue(_ cause: HTTPFailure.Cause, into actions: inout [HTTPAction]) {
        let failed = queue
        queue = []
        for entry in failed { actions.append(.failed(entry.id, HTTPFailure(cause))) }
    }
}
