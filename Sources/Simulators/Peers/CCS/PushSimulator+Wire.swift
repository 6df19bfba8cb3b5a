import AlarmModel
import PhoneLink
import PhoneProtocol

extension PushSimulator {
    // MARK: - Out

    /// Sends as the faults have it.
    mutating func put(_ text: String, on id: ConnectionID) {
        guard let index = index(of: id), connections[index].stage != .over, connections[index].silence == .off else {
            return
        }
        trace(text, .fromService, id)
        let bytes = Array(text.utf8)
        if faults.slowDrip || !connections[index].dripping.isEmpty {
            if connections[index].dripping.isEmpty { after(.milliseconds(1), .drip(id)) }
            connections[index].dripping += bytes
        } else if faults.split {
            for piece in pieces(of: bytes) { outgoing.append(.send(id, piece)) }
        } else {
            outgoing.append(.send(id, bytes))
        }
    }

    /// Two to four pieces, cut wherever the generator says.
    private mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var rest = bytes[...]
        var result: [[UInt8]] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) where rest.count > 1 {
            let count = Int.random(in: 1..<rest.count, using: &generator)
            result.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return result + [Array(rest)]
    }

    mutating func drip(_ id: ConnectionID) {
        guard let index = index(of: id), !connections[index].dripping.isEmpty else { return }
        let byte = connections[index].dripping.removeFirst()
        if connections[index].silence == .off { outgoing.append(.send(id, [byte])) }
        if !connections[index].dripping.isEmpty { return after(.milliseconds(1), .drip(id)) }
        if connections[index].stage == .over { remove(id, gracefully: true) }
    }

    mutating func flushDrip(of id: ConnectionID) {
        guard let index = index(of: id), !connections[index].dripping.isEmpty else { return }
        cancel(.drip(id))
        if connections[index].silence == .off { outgoing.append(.send(id, connections[index].dripping)) }
        connections[index].dripping = []
        if connections[index].stage == .over { remove(id, gracefully: true) }
    }

    /// JSON for the client in its envelope. No `id`: some clients give up on an empty one (docs/push.md A.4).
    mutating func send(_ json: JSON, on id: ConnectionID) {
        let text = PushText.escaped(json)
        switch settings.form {
        case .prefixed:
            put(
                "<message><data:gcm xmlns:data=\"\(PushText.mobileData)\">\(text)</data:gcm></message>", on: id)
        case .plain: put("<message><gcm xmlns=\"\(PushText.mobileData)\">\(text)</gcm></message>", on: id)
        }
    }

    // MARK: - The end

    /// Ends a connection from our side. Graceful: the stream is closed first.
    mutating func end(_ id: ConnectionID, gracefully: Bool) {
        guard let index = index(of: id), connections[index].stage != .over else { return }
        if gracefully, connections[index].stage != .header { put("</stream:stream>", on: id) }
        leave(id, gracefully: gracefully)
    }

    /// The stream cannot go on.
    mutating func failStream(_ id: ConnectionID, _ condition: String, isOurs: Bool = true) {
        guard let index = index(of: id), connections[index].stage != .over else { return }
        if isOurs { tally.streamErrors += 1 }
        if connections[index].stage == .header || connections[index].stage == .secondHeader { sendHeader(on: id) }
        put(
            "<stream:error><\(condition) xmlns=\"\(XMPPNamespace.streamErrors)\"/></stream:error></stream:stream>",
            on: id)
        leave(id, gracefully: true)
    }

    mutating func leave(_ id: ConnectionID, gracefully: Bool) {
        guard let index = index(of: id) else { return }
        let wasSilent = connections[index].silence != .off
        connections[index].stage = .over
        requeue(id)
        // What drips still leaves first.
        if gracefully, !connections[index].dripping.isEmpty, !wasSilent { return }
        remove(id, gracefully: gracefully)
    }

    private mutating func remove(_ id: ConnectionID, gracefully: Bool) {
        outgoing.append(gracefully ? .close(id) : .reset(id))
        forget(id)
    }

    /// The client's end is gone.
    mutating func lose(_ id: ConnectionID) {
        guard index(of: id) != nil else { return }
        requeue(id)
        forget(id)
    }

    private mutating func forget(_ id: ConnectionID) {
        connections.removeAll { $0.id == id }
        schedule.removeAll { scheduled in
            switch scheduled.job {
            case .answer(id, _), .drip(id), .space(id), .drainEnds(id): true
            case .answer, .drip, .space, .drainEnds, .channelUp, .release: false
            }
        }
        flushInbound()
    }

    // MARK: - The wire log

    /// What a client said, without what its login says.
    mutating func trace(_ event: XMLReader.Event, _ id: ConnectionID) {
        switch event {
        case .opened(let header):
            let attributes = header.attributes.map { PushText.attribute($0.name, $0.value) }
            trace("<stream:stream\(attributes.joined())>", .fromClient, id)
        case .element(var element):
            if element.name == "auth" { element.text = "****" }
            trace(element.text(inside: XMPPNamespace.client), .fromClient, id)
        case .closed: trace("</stream:stream>", .fromClient, id)
        case .failed(let error): trace("# \(error)", .fromClient, id)
        }
    }

    private mutating func trace(_ text: String, _ direction: PushWireLine.Direction, _ id: ConnectionID) {
        guard settings.isTraced else { return }
        let key = settings.key.revealed
        let parts = key.isEmpty ? [text[...]] : text.split(separator: key, omittingEmptySubsequences: false)
        let masked = parts.joined(separator: "****")
        outgoing.append(.wire(PushWireLine(time: now, connection: id, direction: direction, text: masked)))
    }
}
