import AlarmModel
import PhoneProtocol

/// From phones to the client (docs/push.md A.8, A.9).
extension PushSimulator {
    mutating func sendInbound(_ token: String, messageID: String, data: JSON, ttl: Int64) {
        let phone = phoneIndex(of: token).map { phones[$0] }
        guard phone?.isChannelUp ?? settings.takesAnyToken else {
            return fail(token, messageID, PushSendFailure.channelNotReady)
        }
        guard data.utf8.count <= PushSettings.largestPayload else {
            return fail(token, messageID, PushSendFailure.tooLarge)
        }
        let isNowOrNever = ttl <= 0
        if !isNowOrNever {
            let pending = inbound + connections.flatMap(\.unacknowledged)
            let own = pending.filter { $0.from == token && $0.expires != nil && !isReceipt($0) }
            guard own.count < PushSettings.mostPendingInbound else {
                return fail(token, messageID, PushSendFailure.notAvailable)
            }
        } else if carrier() == nil {
            return fail(token, messageID, PushSendFailure.notAvailable)
        }
        let span = min(ttl, PushSettings.longestTTL)
        let envelope = JSON.object([
            "category": .string(phone?.client.category ?? ""), "from": .string(token),
            "message_id": .string(messageID), "data": data, "time_to_live": isNowOrNever ? nil : .integer(span),
        ])
        pass(
            PushInbound(
                from: token, messageID: messageID, envelope: envelope,
                expires: isNowOrNever ? nil : now + .seconds(span)))
    }

    private func isReceipt(_ message: PushInbound) -> Bool { message.from == PushText.domain }

    private mutating func fail(_ token: String, _ messageID: String, _ code: Int) {
        outgoing.append(.sendFailed(token: token, messageID: messageID, code: code))
    }

    /// A device confirms a message to who sent it.
    mutating func sendReceipt(for message: PushMessage, from phone: PushPhone) {
        guard message.wantsReceipt, phone.client.kind == .android else { return }
        confirm(message.messageID, at: phone.token, phone.client.category)
    }

    mutating func confirm(_ message: String, at token: String, _ category: String) {
        let messageID = "dr2:\(message)"
        let envelope = JSON.object([
            "message_type": .string("receipt"), "from": .string(PushText.domain), "message_id": .string(messageID),
            "category": .string(category),
            "data": .object([
                "message_status": .string("MESSAGE_SENT_TO_DEVICE"),
                "original_message_id": .string(message), "device_registration_id": .string(token),
            ]),
        ])
        pass(
            PushInbound(
                from: PushText.domain, messageID: messageID, envelope: envelope,
                expires: now + .seconds(PushSettings.longestTTL)))
    }

    private mutating func pass(_ message: PushInbound) {
        let isHeld = heldInbound.wanted > 1
        inbound += heldInbound.pass(message)
        if isHeld, heldInbound.wanted > 1 { scheduleRelease() }
        flushInbound()
    }

    mutating func scheduleRelease() {
        guard !schedule.contains(where: { $0.job == .release }) else { return }
        after(.seconds(2), .release)
    }

    mutating func releaseHeld() {
        cancel(.release)
        inbound += heldInbound.release()
        flushInbound()
        for arrival in heldDeliveries.release() { arrive(arrival) }
    }

    /// Sends what waits, as far as there are connections that take it.
    mutating func flushInbound() {
        let time = now
        inbound.removeAll { $0.expires.map { $0 <= time } ?? false }
        while !inbound.isEmpty, let index = carrier() {
            let message = inbound.removeFirst()
            let id = connections[index].id
            lastCarrier = id
            connections[index].unacknowledged.append(message)
            send(message.envelope, on: id)
            if PushFaults.use(&faults.duplicateInbound) { send(message.envelope, on: id) }
        }
        // What has to go now and finds nobody is lost.
        inbound.removeAll { $0.expires == nil }
    }

    /// Messages are spread over all connections of the sender; those that drain come last.
    private func carrier() -> Int? {
        let able = connections.indices.filter {
            connections[$0].stage == .ready && connections[$0].unacknowledged.count < settings.inboundWindow
        }
        let staying = able.filter { !connections[$0].isDraining }
        let choice = staying.isEmpty ? able : staying
        guard let last = lastCarrier else { return choice.first }
        return choice.first { connections[$0].id > last } ?? choice.first
    }

    /// What was not acknowledged on a connection that ended is sent again on another.
    mutating func requeue(_ id: ConnectionID) {
        guard let index = index(of: id) else { return }
        let lost = connections[index].unacknowledged.filter { $0.expires != nil }
        connections[index].unacknowledged = []
        inbound.insert(contentsOf: lost, at: 0)
    }
}
