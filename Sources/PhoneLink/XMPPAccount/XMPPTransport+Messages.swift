package import AlarmModel

extension XMPPTransport {
    // MARK: Out

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard (delivery.isAlarm ? room.alarm : room.other) > 0 else { return false }
        let isUnderWay = underWay.contains { $0.message.text == delivery.message.text }
        precondition(!isUnderWay, "a message is sent again only after it was returned or refused")
        guard let address = XMPPAddress(delivery.address.value), !address.local.isEmpty else {
            let why = "\(PeerText.printable(delivery.address.value)) is no address of a person"
            actions.append(.refused(delivery.message, Refusal(.dropAddress, why: why)))
            return true
        }
        guard let stanza = XMPPStanza.message(delivery, to: address) else {
            let why = "this channel carries words and sealed messages only"
            actions.append(.refused(delivery.message, Refusal(.giveUp, why: why)))
            return true
        }
        let size = stanza.children.reduce(0) { $0 + $1.text.utf8.count }
        guard size <= Self.contentLimit * 4 / 3 + 4 else {
            actions.append(.refused(delivery.message, Refusal(.giveUp, why: "longer than this channel carries")))
            return true
        }
        underWay.append(
            UnderWay(
                message: delivery.message, to: address.bare, wantsReceipt: delivery.wantsReceipt, sentAt: now.boot))
        send(stanza, at: now, into: &actions)
        askWhetherTaken(at: now, into: &actions)
        return true
    }

    /// Messages alone are kept for a resumption; what else there is, is said anew then. Our own deliveries find room
    /// (`room`); a receipt of ours that finds none is sent and not kept.
    mutating func send(_ stanza: XMLElement, at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isReady else { return }
        drive(at: now, into: &actions) { stream, orders in
            let isKept = stanza.name == "message" && stream.canKeep(XMPPStream.bytes(of: stanza).count)
            stream.send(stanza, isKept: isKept, into: &orders)
        }
    }

    /// Where the server does not say what it has taken, the answer to a ping behind it does.
    mutating func askWhetherTaken(at now: Moment, into actions: inout [TransportAction]) {
        guard let connection, attempts.isReady, !connection.stream.isManaged, connection.barrier == nil,
            underWay.contains(where: { $0.barrier == nil })
        else { return }
        var number: UInt64?
        drive(at: now, into: &actions) { stream, orders in number = stream.ping(into: &orders) }
        self.connection?.barrier = number
        for index in underWay.indices where underWay[index].barrier == nil { underWay[index].barrier = number }
    }

    mutating func ponged(_ number: UInt64, at now: Moment, into actions: inout [TransportAction]) {
        guard connection?.barrier == number else { return }
        connection?.barrier = nil
        for entry in underWay where entry.barrier == number { accepted(entry.message.text, at: now, into: &actions) }
        askWhetherTaken(at: now, into: &actions)
    }

    mutating func accepted(_ id: String, at now: Moment, into actions: inout [TransportAction]) {
        // Receipts and messages that were given back are acknowledged, too.
        guard let entry = take(id) else { return }
        lastAccepted = now.wall
        keep(entry)
        actions.append(.accepted(entry.message, canonical: nil))
    }

    private mutating func take(_ id: String) -> UnderWay? {
        guard let index = underWay.firstIndex(where: { $0.message.text == id }) else { return nil }
        return underWay.remove(at: index)
    }

    private mutating func keep(_ entry: UnderWay) {
        awaited.removeAll { $0.message.text == entry.message.text }
        awaited.append(Awaited(message: entry.message, address: entry.to, wantsReceipt: entry.wantsReceipt))
        if awaited.count > Self.awaitedLimit { awaited.removeFirst() }
    }

    // MARK: In

    mutating func receivedStanza(_ stanza: XMLElement, at now: Moment, into actions: inout [TransportAction]) {
        switch stanza.name {
        case "presence": receivedPresence(stanza, at: now, into: &actions)
        case "iq": receivedRoster(stanza, at: now, into: &actions)
        case "message":
            switch XMPPIncoming(stanza, own: settings.account.bare) {
            case .text(let text): receivedText(text, at: now, into: &actions)
            case .receipt(let from, let id): receivedReceipt(from: from, id: id, at: now, into: &actions)
            case .error(let from, let id, let condition, let type):
                receivedError(from: from, id: id, condition: condition, type: type, into: &actions)
            case .ignored: break
            }
        default: break
        }
    }

    /// A wish to see whether the box is there.
    private mutating func receivedPresence(
        _ presence: XMLElement, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard presence["type"] == "subscribe", let from = presence["from"].flatMap(XMPPAddress.init)?.bare else {
            return
        }
        let isListed = admitted?.contains(from) == true
        send(XMPPStanza.presence(type: isListed ? "subscribed" : "unsubscribed", to: from), at: now, into: &actions)
        if !isListed { stray("a stranger asked to see the box", from, into: &actions) }
    }

    private mutating func receivedText(
        _ text: XMPPIncoming.Text, at now: Moment, into actions: inout [TransportAction]
    ) {
        let from = text.from.bare
        if let admitted, !admitted.contains(from) { return stray("a stranger wrote", from, into: &actions) }
        let id = text.id ?? ""
        if text.wantsReceipt, !id.isEmpty {
            guard owed.count < Self.owedLimit else { return stray("too many messages at once", from, into: &actions) }
            let debt = Owed(from: from, id: id, fullFrom: text.fullFrom)
            if !owed.contains(debt) { owed.append(debt) }
        }
        actions.append(
            .inbound(
                InboundMessage(
                    channel: .xmpp, connection: connection?.id, from: from, id: id, body: .text(text.body),
                    age: age(text.delay, at: now))))
    }

    /// For how long the server has kept a message.
    private func age(_ delay: XMPPIncoming.Delay?, at now: Moment) -> Duration? {
        switch delay {
        case .since(let time) where now.isWallTrusted: max(.zero, now.wall - time)
        // Kept, and nobody knows for how long.
        case .since, .unknown: Self.unknownAge
        case .none: connection?.replayedAge
        }
    }

    /// Told where a message was kept for a time that cannot be known.
    package static var unknownAge: Duration { .hours(24) }

    package mutating func acknowledge(
        _ inbound: InboundMessage, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = owed.firstIndex(where: { $0.from == inbound.from && $0.id == inbound.id }) else { return }
        let debt = owed.remove(at: index)
        ownIDs &+= 1
        send(XMPPStanza.receipt(for: debt.id, to: debt.fullFrom, own: "r\(ownIDs)"), at: now, into: &actions)
    }

    private mutating func receivedReceipt(
        from: String, id: String, at now: Moment, into actions: inout [TransportAction]
    ) {
        // It may overtake the server's own word, which it proves.
        if let entry = underWay.first(where: { $0.message.text == id }), entry.to == from, entry.wantsReceipt {
            connection.withStream { $0.forget(id) }
            accepted(id, at: now, into: &actions)
        }
        guard
            let index = awaited.firstIndex(where: { $0.message.text == id && $0.address == from && $0.wantsReceipt })
        else {
            return stray("a receipt for nothing", from, into: &actions)
        }
        actions.append(.received(awaited.remove(at: index).message))
    }

    private mutating func receivedError(
        from: String?, id: String, condition: String, type: String, into actions: inout [TransportAction]
    ) {
        func isOf(_ address: String) -> Bool {
            from == nil || from == address || from == settings.account.domain || from == settings.account.bare
        }
        let words = "the server says \(PeerText.printable(condition, limit: 60))"
        if let entry = underWay.first(where: { $0.message.text == id }), isOf(entry.to) {
            _ = take(id)
            connection.withStream { $0.forget(id) }
            let reaction = Self.reaction(to: condition, type: type)
            actions.append(.refused(entry.message, Refusal(reaction, why: words)))
        } else if let entry = awaited.first(where: { $0.message.text == id }), isOf(entry.address) {
            // Its own server had taken it, and no receipt will come.
            awaited.removeAll { $0.message.text == id }
            actions.append(.refused(entry.message, Refusal(Self.reaction(to: condition, type: type), why: words)))
            let fields = [LogEntry.Field("address", PeerText.printable(entry.address)), LogEntry.Field("why", words)]
            actions.append(
                .log(LogEntry(.warning, "a message that the XMPP server took did not reach its address", fields)))
        } else {
            stray("an error about nothing", from ?? "", into: &actions)
        }
    }

    /// RFC 6120 8.3.3. A server that hides who has an account says `service-unavailable` for nobody, too.
    static func reaction(to condition: String, type: String) -> PushReaction {
        switch condition {
        case "item-not-found", "gone", "jid-malformed": .dropAddress
        case "service-unavailable", "recipient-unavailable", "remote-server-not-found", "remote-server-timeout",
            "resource-constraint", "internal-server-error", "policy-violation":
            .retry(first: .minutes(1), attempts: 5)
        default: type == "wait" ? .retry(first: .minutes(1), attempts: 5) : .giveUp
        }
    }

    /// The first, the second, the fourth …: strangers do not fill the log.
    private mutating func stray(_ what: String, _ from: String, into actions: inout [TransportAction]) {
        strays &+= 1
        guard strays & (strays - 1) == 0 else { return }
        let fields = [
            LogEntry.Field("what", what), LogEntry.Field("from", PeerText.printable(from)),
            LogEntry.Field("count", String(strays)),
        ]
        actions.append(.log(LogEntry(.info, "something on the XMPP account was ignored", fields)))
    }
}
