package import AlarmModel

extension HTTPStream {
    /// Ignored unless it is this stream's slot; too late an answer is closed.
    package mutating func connected(
        _ id: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [HTTPStreamAction]
    ) {
        guard slot == self.slot else { return }
        guard attempts.connected(at: now) else { return actions.append(.transport(.close(id))) }
        let decoder: Decoder
        switch format {
        case .jsonLines: decoder = .jsonLines(JSONLineReader(lineLimit: settings.lineLimit))
        case .serverSentEvents:
            decoder = .serverSentEvents(ServerSentEventReader(lastEventID: lastEventID, limits: settings.events))
        }
        open = Open(
            id: id, since: now.boot, lastHeard: now.boot, reader: HTTPResponseReader(limits: .stream),
            decoder: decoder)
        actions.append(.transport(.send(id, request)))
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [HTTPStreamAction]
    ) {
        guard slot == self.slot, attempts.isDialing else { return }
        end(.failed(HTTPFailure(.connect(failure))), at: now, into: &actions)
    }

    /// Ignored unless it is this stream's connection.
    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPStreamAction]
    ) {
        guard var open, open.id == id, !bytes.isEmpty else { return }
        // No copy of the buffers while they grow.
        self.open = nil
        open.lastHeard = now.boot
        open.reader.append(bytes)
        var isOver: HTTPResponseReader.Event?
        while isOver == nil, let event = open.reader.next() {
            switch event {
            case .head(let head):
                open.head = head
                if let time = head.serverTime(of: origin) { actions.append(.transport(time)) }
                guard isStream(head) else {
                    open.refusal = []
                    continue
                }
                attempts.becameReady(since: open.since)
                actions.append(.opened(head))
            case .body(let piece):
                if let refusal = open.refusal {
                    open.refusal = Array((refusal + piece).prefix(Self.refusalLimit))
                    if open.refusal?.count == Self.refusalLimit { isOver = .end }
                } else {
                    decode(piece, &open.decoder, into: &actions)
                }
            case .end, .failed: isOver = event
            }
        }
        self.open = open
        switch isOver {
        case .end?:
            actions.append(.transport(.close(id)))
            over(open, .finished, at: now, into: &actions)
        case .failed(let error)?:
            actions.append(.transport(.close(id)))
            over(open, .failed(HTTPFailure(.malformed(error), status: open.reader.status)), at: now, into: &actions)
        case .head?, .body?, nil: break
        }
    }

    package mutating func closed(
        _ id: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [HTTPStreamAction]
    ) {
        guard let open, open.id == id else { return }
        var reader = open.reader
        let isOrderly = end == .finished && reader.finish() == .end
        let why = isOrderly ? HTTPStreamEnd.finished : .failed(HTTPFailure(.closed(end), status: open.head?.status))
        over(open, why, at: now, into: &actions)
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPStreamAction]) {
        guard let due = nextDeadline, due <= now.boot else { return }
        if attempts.isWaiting { return ask(into: &actions) }
        let stalled = open
        hangUp(into: &actions)
        guard let stalled else { return end(.failed(HTTPFailure(.connectStalled)), at: now, into: &actions) }
        let why: HTTPStreamEnd = stalled.head == nil ? .failed(HTTPFailure(.unanswered)) : .silent(settings.silence)
        over(stalled, why, at: now, into: &actions)
    }

    /// Whether an answer is what was asked for, and not for instance the page of a hotel's network.
    private func isStream(_ head: HTTPResponseHead) -> Bool {
        guard head.status == 200 else { return false }
        let type = (head.value("Content-Type") ?? "").lowercased()
        switch format {
        case .jsonLines: return !type.hasPrefix("text/html")
        case .serverSentEvents: return type.hasPrefix("text/event-stream")
        }
    }

    private mutating func decode(
        _ piece: [UInt8], _ decoder: inout Decoder, into actions: inout [HTTPStreamAction]
    ) {
        switch decoder {
        case .jsonLines(var reader):
            reader.append(piece)
            while let item = reader.next() {
                switch item {
                case .value(let value): actions.append(.value(value))
                case .skipped(let skip): actions.append(.skipped(skip))
                }
            }
            decoder = .jsonLines(reader)
        case .serverSentEvents(var reader):
            reader.append(piece)
            while let item = reader.next() {
                switch item {
                case .event(let event): actions.append(.event(event))
                case .retry(let span): floor = min(span, settings.backoff.maximum)
                case .skipped(let skip): actions.append(.skipped(skip))
                }
            }
            lastEventID = reader.lastEventID
            decoder = .serverSentEvents(reader)
        }
    }

    /// A connection is over: as a refusal, if that is what was being read.
    private mutating func over(
        _ open: Open, _ why: HTTPStreamEnd, at now: Moment, into actions: inout [HTTPStreamAction]
    ) {
        guard let head = open.head, let body = open.refusal else { return end(why, at: now, into: &actions) }
        self.open = nil
        let passes = head.status >= 500 || [408, 425, 429].contains(head.status)
        let asked = min(head.retryAfter(at: now) ?? .zero, settings.backoff.refusedMaximum)
        attempts.fail(isRefusal: !passes, atLeast: max(floor, asked), at: now, &jitter)
        actions.append(.refused(HTTPResponse(head: head, body: body)))
    }

    mutating func end(
        _ why: HTTPStreamEnd, isRefusal: Bool = false, at now: Moment, into actions: inout [HTTPStreamAction]
    ) {
        open = nil
        attempts.fail(isRefusal: isRefusal, atLeast: attempts.isUrgent ? .zero : floor, at: now, &jitter)
        actions.append(.ended(why))
    }
}
