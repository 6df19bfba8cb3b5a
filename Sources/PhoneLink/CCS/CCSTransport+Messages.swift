package import AlarmModel

extension CCSTransport {
    /// How many more messages can be sent now.
    ///
    /// - Parameter forAlarm: the places kept for alarms count too
    package func room(forAlarm: Bool) -> Int {
        guard let current, connections[current].isReady else { return 0 }
        let kept = forAlarm ? 0 : settings.reservedForAlarms
        return max(0, settings.window - kept - connections[current].underWay.count)
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard let message = CCSMessage(delivery) else {
            guard room(forAlarm: delivery.isAlarm) > 0 else { return false }
            let why =
                "the push service carries messages for apps only, not \(delivery.content.kindInWords)"
            actions.append(.refused(delivery.message, Refusal(.giveUp, why: why)))
            return true
        }
        return push(message, isAlarm: delivery.isAlarm, at: now, into: &actions)
    }

    /// Sends a message; it is then accepted, refused or returned.
    ///
    /// - Returns: false, and nothing was done, if there is no connection or no room
    package mutating func push(
        _ message: CCSMessage, isAlarm: Bool, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard room(forAlarm: isAlarm) > 0, let current else { return false }
        let isUnderWay = connections.contains { connection in
            connection.underWay.contains { $0.message.text == message.messageID.text }
        }
        precondition(!isUnderWay, "a message is sent again only after it was returned or refused")
        connections[current].underWay.append(
            CCSConnection.UnderWay(message: message.messageID, sentAt: now.boot))
        send(message.stanza, on: current, into: &actions)
        return true
    }

    /// The core has stored a phone's message. Ignored when its connection is gone: the service sends it again.
    package mutating func acknowledge(_ inbound: InboundMessage, at now: Moment, into actions: inout [TransportAction])
    {
        let owed = CCSConnection.Owed(from: inbound.from, messageID: inbound.id)
        guard let connection = inbound.connection, let index = index(of: connection),
            let place = connections[index].owed.firstIndex(of: owed)
        else { return }
        connections[index].owed.remove(at: place)
        send(CCSStanza.ack(to: inbound.from, messageID: inbound.id), on: index, into: &actions)
    }

    private func send(_ stanza: XMLElement, on index: Int, into actions: inout [TransportAction]) {
        actions.append(.send(connections[index].id, XMPPStream.bytes(of: stanza)))
    }

    mutating func receivedStanza(
        _ stanza: XMLElement, on id: ConnectionID, at now: Moment, into actions: inout [TransportAction]
    ) {
        switch CCSIncoming(stanza) {
        case .ack(let message, let canonical):
            guard let message = answered(message, on: id, into: &actions) else { return }
            lastAccepted = now.wall
            #if SABOTAGE
                if sabotage == .acknowledgesAcks, let index = index(of: id) {
                    send(CCSStanza.ack(to: CCSStanza.domain, messageID: message.text), on: index, into: &actions)
                }
            #endif
            actions.append(.accepted(message, canonical: canonical))
        case .nack(let message, let error, let text):
            nacked(message, error, text, on: id, at: now, into: &actions)
        case .errorStanza(let message, let error, let text):
            guard let message = answered(message, on: id, into: &actions) else { return }
            refuse(message, error, text, into: &actions)
        case .receipt(let receipt):
            if let index = index(of: id) {
                send(CCSStanza.ack(to: receipt.from, messageID: receipt.messageID), on: index, into: &actions)
            }
            if let original = receipt.original { actions.append(.received(original)) }
        case .draining: drain(id, at: now, into: &actions)
        case .inbound(let from, let messageID, let category, let data):
            let inbound = InboundMessage(
                channel: .ccs, connection: id, from: from, id: messageID, body: .data(data), category: category)
            receivedInbound(inbound, on: id, into: &actions)
        case .rejected(let kind): reject(kind, into: &actions)
        }
    }

    private mutating func nacked(
        _ message: MessageID?, _ error: CCSError, _ text: String, on id: ConnectionID, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        switch error {
        case .connectionDraining:
            drain(id, at: now, into: &actions)
            guard let message = answered(message, on: id, into: &actions) else { return }
            actions.append(.returned([message]))
        case .authenticationFailed:
            // The message is not at fault: it comes back with the others.
            lose(id, CCSProblem.notAuthorized(printable(text)), at: now, into: &actions)
        case .invalidJSON, .badRegistration, .deviceUnregistered, .senderIDMismatch, .badAck, .serviceUnavailable,
            .internalServerError, .deviceMessageRateExceeded, .topicsMessageRateExceeded, .invalidAPNSCredential,
            .connectionUnavailable, .rejectedStanza, .unknown:
            guard let message = answered(message, on: id, into: &actions) else { return }
            refuse(message, error, text, into: &actions)
        }
    }

    private mutating func refuse(
        _ message: MessageID, _ error: CCSError, _ text: String, into actions: inout [TransportAction]
    ) {
        let text = printable(text)
        let why = text.isEmpty ? error.description : "\(error) (\(text))"
        actions.append(.refused(message, Refusal(error.reaction, why: why)))
    }

    private mutating func receivedInbound(
        _ inbound: InboundMessage, on id: ConnectionID, into actions: inout [TransportAction]
    ) {
        guard let index = index(of: id) else { return }
        let owed = CCSConnection.Owed(from: inbound.from, messageID: inbound.id)
        guard !connections[index].owed.contains(owed) else { return reject(.repeated, into: &actions) }
        guard connections[index].owed.count < CCSConnection.owedLimit else { return reject(.tooMany, into: &actions) }
        connections[index].owed.append(owed)
        actions.append(.inbound(inbound))
    }

    /// The message is not under way any more; nil, and counted, if it was not.
    private mutating func answered(
        _ message: MessageID?, on id: ConnectionID, into actions: inout [TransportAction]
    ) -> MessageID? {
        guard let message, let index = index(of: id), connections[index].answered(message) else {
            reject(.strayAnswer, into: &actions)
            return nil
        }
        return message
    }

    private mutating func reject(_ kind: CCSRejection, into actions: inout [TransportAction]) {
        let count = count(kind)
        // The first, the second, the fourth …: a noisy peer does not fill the log.
        guard count & (count - 1) == 0 else { return }
        let fields = [LogEntry.Field("kind", kind.rawValue), LogEntry.Field("count", String(count))]
        actions.append(.log(LogEntry(.warning, "the push server sent something that means nothing here", fields)))
    }

    private func printable(_ text: String) -> String { PeerText.printable(text, hiding: settings.apiKey) }
}
