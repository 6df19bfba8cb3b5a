import AlarmModel
import PhoneProtocol

/// A message on its last step.
struct PushArrival: Equatable, Sendable {
    var token: String
    var message: PushMessage
}

/// What the service has of each phone (docs/push.md A.5, A.11, docs/messages.md B.5).
extension PushSimulator {
    mutating func register(_ token: String, _ client: PushClient) {
        revoked.removeAll { $0 == token }
        if let index = phoneIndex(of: token) { return phones[index].client = client }
        let place = phones.firstIndex { $0.token > token } ?? phones.endIndex
        phones.insert(PushPhone(token: token, client: client), at: place)
    }

    mutating func unregister(_ token: String) {
        guard phoneIndex(of: token) != nil else { return }
        cancel(.channelUp(token))
        phones.removeAll { $0.token == token }
        revoked.append(token)
    }

    mutating func changeToken(_ old: String, to new: String) {
        guard old != new, let index = phoneIndex(of: old), phoneIndex(of: new) == nil else { return }
        var phone = phones.remove(at: index)
        let isRising = schedule.contains { $0.job == .channelUp(old) }
        cancel(.channelUp(old))
        phone.token = new
        let place = phones.firstIndex { $0.token > new } ?? phones.endIndex
        phones.insert(phone, at: place)
        aliases.removeAll { $0.old == old || $0.old == new }
        for place in aliases.indices where aliases[place].new == old { aliases[place].new = new }
        aliases.append(PushAlias(old: old, new: new))
        if isRising { raiseChannel(of: new) }
        outgoing.append(.tokenChanged(old: old, new: new))
    }

    func currentToken(of token: String) -> String { aliases.first { $0.old == token }?.new ?? token }

    mutating func setPresence(of token: String, _ presence: PushPresence) {
        guard let index = phoneIndex(of: token), phones[index].presence != presence else { return }
        phones[index].presence = presence
        switch presence {
        case .offline, .background:
            cancel(.channelUp(token))
            // An Android app sends from the background too.
            let staysUp = presence == .background && phones[index].client.kind == .android
            phones[index].isChannelUp = staysUp && !phones[index].isChannelBroken
        case .online: raiseChannel(of: token)
        }
        if presence != .offline { deliverStored(to: token) }
    }

    mutating func setChannel(of token: String, up: Bool) {
        guard let index = phoneIndex(of: token) else { return }
        phones[index].isChannelBroken = !up
        cancel(.channelUp(token))
        phones[index].isChannelUp = false
        if up, phones[index].presence == .online { raiseChannel(of: token) }
    }

    private mutating func raiseChannel(of token: String) {
        guard let index = phoneIndex(of: token), !phones[index].isChannelBroken, !phones[index].isChannelUp else {
            return
        }
        switch phones[index].client.kind {
        case .android: channelUp(of: token)
        case .ios: after(generator.duration(in: settings.channelDelay), .channelUp(token))
        }
    }

    mutating func channelUp(of token: String) {
        guard let index = phoneIndex(of: token) else { return }
        phones[index].isChannelUp = true
        outgoing.append(.channelUp(token: token))
    }

    // MARK: - Messages

    mutating func dispatch(_ message: PushMessage) {
        guard message.to != PushMessage.topic else {
            for phone in phones where phone.client.kind == .android { dispatch(message, to: phone.token) }
            return
        }
        dispatch(message, to: currentToken(of: message.to))
    }

    private mutating func dispatch(_ message: PushMessage, to token: String) {
        guard let index = phoneIndex(of: token) else { return }
        if isReachable(phones[index], for: message) { return hand(message, to: token) }
        guard message.ttl > 0 else { return }
        store(PushStored(message: message, expires: now + .seconds(message.ttl)), at: index)
    }

    /// An iPhone whose app is not in front shows notifications and is woken on demand; other data waits.
    private func isReachable(_ phone: PushPhone, for message: PushMessage) -> Bool {
        switch phone.presence {
        case .offline: return false
        case .online: return true
        case .background:
            let isShown = !(message.delivery.notification?.objectValue ?? []).isEmpty
            return phone.client.kind == .android || isShown || message.wakesApp
        }
    }

    private mutating func store(_ item: PushStored, at index: Int) {
        prune(index)
        phones[index].stored.append(item)
        guard phones[index].stored.count > PushSettings.mostStored else { return }
        phones[index].stored = []
        phones[index].lostMessages = true
    }

    private mutating func prune(_ index: Int) {
        let time = now
        phones[index].stored.removeAll { $0.expires <= time }
    }

    private mutating func deliverStored(to token: String) {
        guard let index = phoneIndex(of: token) else { return }
        prune(index)
        if phones[index].lostMessages {
            phones[index].lostMessages = false
            outgoing.append(.deletedMessages(token: token))
        }
        let phone = phones[index]
        let ready = phone.stored.filter { isReachable(phone, for: $0.message) }
        phones[index].stored = phone.stored.filter { !isReachable(phone, for: $0.message) }
        for item in ready { hand(item.message, to: token) }
    }

    private mutating func hand(_ message: PushMessage, to token: String) {
        let isHeld = heldDeliveries.wanted > 1
        let arrivals = heldDeliveries.pass(PushArrival(token: token, message: message))
        if isHeld, heldDeliveries.wanted > 1 { scheduleRelease() }
        for arrival in arrivals { arrive(arrival) }
    }

    mutating func arrive(_ arrival: PushArrival) {
        // Its token may have changed while it was held.
        let token = currentToken(of: arrival.token)
        guard let index = phoneIndex(of: token) else { return }
        tally.delivered += 1
        outgoing.append(.deliver(token: token, arrival.message.delivery))
        if PushFaults.use(&faults.duplicateDownstream) {
            outgoing.append(.deliver(token: token, arrival.message.delivery))
        }
        sendReceipt(for: arrival.message, from: phones[index])
    }
}
