import AlarmModel
import PhoneLink
import PhoneProtocol

/// What a client sends: messages for phones, and acknowledgements.
extension PushSimulator {
    mutating func takeMessage(_ element: XMLElement, on id: ConnectionID) {
        // Errors of the client about our stanzas end here.
        guard element["type"] != "error" else { return }
        guard let text = element.child("gcm", in: PushText.mobileData)?.text else {
            return refuseStanza(element, 400, "bad-request", "InvalidJson: JSON_PARSING_ERROR : no payload", on: id)
        }
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: Array(text.utf8))
        } catch {
            return refuseStanza(
                element, 400, "bad-request", "InvalidJson: JSON_PARSING_ERROR : \(error)", on: id)
        }
        guard json.objectValue != nil else {
            return refuseStanza(
                element, 400, "bad-request", "InvalidJson: JSON_PARSING_ERROR : not an object", on: id)
        }
        if settings.isTraced { outgoing.append(.heard(id, json)) }
        if json["message_type"]?.stringValue == "ack" { return takeAck(json, element, on: id) }
        guard json["message_id"] != nil else {
            return refuseStanza(
                element, 400, "bad-request",
                "InvalidJson: JSON_PARSING_ERROR : Missing Required Field: message_id", on: id)
        }
        admit(json, element, on: id)
    }

    /// Within the window, or as the policy has it.
    private mutating func admit(_ json: JSON, _ element: XMLElement, on id: ConnectionID) {
        guard let index = index(of: id) else { return }
        guard connections[index].unanswered >= settings.window else { return accept(json, on: id) }
        tally.beyondWindow += 1
        switch settings.overWindow {
        case .stall:
            connections[index].stalled = element
            outgoing.append(.stopReading(id))
        case .nack:
            connections[index].unanswered += 1
            refuse(json, PushMessage.Refusal(.serviceUnavailable, "too many messages wait for their answer"), on: id)
        }
    }

    private mutating func accept(_ json: JSON, on id: ConnectionID) {
        guard let index = index(of: id) else { return }
        connections[index].unanswered += 1
        tally.widestWindow = max(tally.widestWindow, connections[index].unanswered)
        if connections[index].refusesAsDraining {
            return refuse(json, PushMessage.Refusal(.connectionDraining, "the connection is draining"), on: id)
        }
        guard let messageID = json["message_id"]?.stringValue, !messageID.isEmpty else {
            return refuse(
                json,
                PushMessage.Refusal(
                    .invalidJSON, "JSON_TYPE_ERROR : Field \"message_id\" must be a JSON string"), on: id)
        }
        do throws(PushMessage.Refusal) {
            let message = try PushMessage(messageID: messageID, checking: json)
            let canonical = try route(message)
            answer(
                .object([
                    "message_type": .string("ack"), "from": .string(json["to"]?.stringValue ?? ""),
                    "message_id": .string(messageID), "registration_id": canonical.map(JSON.string),
                ]), on: id)
            tally.accepted += 1
            dispatch(message)
        } catch {
            refuse(json, error, on: id)
        }
    }

    /// Whether its target exists and may be sent to; the canonical token when the message named an old one.
    private mutating func route(_ message: PushMessage) throws(PushMessage.Refusal) -> String? {
        let current = currentToken(of: message.to)
        if let index = phoneIndex(of: current) {
            try countRate(of: index)
        } else if current == PushMessage.topic {
            // Somebody may listen.
        } else if revoked.contains(current) {
            throw PushMessage.Refusal(.deviceUnregistered, "the app was removed")
        } else if !settings.takesAnyToken {
            throw PushMessage.Refusal(.badRegistration, "the token is not one of this sender")
        }
        if PushFaults.use(&faults.nack.times) {
            throw PushMessage.Refusal(
                code: faults.nack.code, "refused by the script")
        }
        return current == message.to ? nil : current
    }

    private mutating func countRate(of index: Int) throws(PushMessage.Refusal) {
        let hourAgo = now - .hours(1)
        let minuteAgo = now - .minutes(1)
        phones[index].recent.removeAll { $0 <= hourAgo }
        let inMinute =
            phones[index].recent.count
            - (phones[index].recent.firstIndex { $0 > minuteAgo }
                ?? phones[index].recent.count)
        guard inMinute < settings.messagesPerMinute, phones[index].recent.count < settings.messagesPerHour else {
            throw PushMessage.Refusal(.deviceRateExceeded, "too many messages for this device")
        }
        phones[index].recent.append(now)
    }

    // MARK: - Answers

    private mutating func refuse(_ json: JSON, _ refusal: PushMessage.Refusal, on id: ConnectionID) {
        tally.refused += 1
        let messageID = json["message_id"]?.stringValue
        answer(
            .object([
                "message_type": .string("nack"), "from": json["to"]?.stringValue.map(JSON.string),
                "message_id": messageID.map(JSON.string),
                "error": .string(refusal.code), "error_description": .string(refusal.detail),
            ]), on: id)
    }

    private mutating func answer(_ answer: JSON, on id: ConnectionID) {
        if faults.answerDelay > .zero {
            after(faults.answerDelay, .answer(id, answer))
        } else {
            sendAnswer(answer, on: id)
        }
    }

    mutating func sendAnswer(_ answer: JSON, on id: ConnectionID) {
        guard let index = index(of: id), connections[index].stage != .over else { return }
        connections[index].unanswered -= 1
        send(answer, on: id)
        guard let element = connections[index].stalled, connections[index].unanswered < settings.window else { return }
        connections[index].stalled = nil
        if connections[index].silence == .off { outgoing.append(.resumeReading(id)) }
        takeMessage(element, on: id)
        readOn(id)
    }

    /// The stanza comes back as an error, with what it carried.
    private mutating func refuseStanza(
        _ element: XMLElement, _ code: Int, _ condition: String, _ text: String, on id: ConnectionID
    ) {
        tally.stanzaErrors += 1
        let echo =
            element.child("gcm", in: PushText.mobileData).map {
                "<gcm xmlns=\"\(PushText.mobileData)\">\(XMLElement.escaped($0.text))</gcm>"
            } ?? ""
        let mark = PushText.attribute("id", element["id"].flatMap { $0.isEmpty ? nil : $0 })
        put(
            "<message\(mark) type=\"error\"\(PushText.attribute("to", address(of: id)))>\(echo)"
                + "<error code=\"\(code)\" type=\"modify\"><\(condition) xmlns=\"\(XMPPNamespace.stanzaErrors)\"/>"
                + "<text xmlns=\"\(XMPPNamespace.stanzaErrors)\">\(XMLElement.escaped(text))</text></error></message>",
            on: id)
    }

    // MARK: - Acknowledgements of the client

    private mutating func takeAck(_ json: JSON, _ element: XMLElement, on id: ConnectionID) {
        guard let index = index(of: id) else { return }
        guard let messageID = json["message_id"]?.stringValue, let to = json["to"]?.stringValue else {
            return refuseAck(json, "an ack needs \"to\" and \"message_id\", both strings", on: id)
        }
        if let place = connections[index].unacknowledged.firstIndex(where: { $0.messageID == messageID }) {
            guard connections[index].unacknowledged[place].from == to else {
                return refuseAck(json, "\"to\" is not who sent the message", on: id)
            }
            connections[index].unacknowledged.remove(at: place)
            connections[index].acknowledged.append(messageID)
            if connections[index].acknowledged.count > 1000 { connections[index].acknowledged.removeFirst() }
            flushInbound()
        } else if !connections[index].acknowledged.contains(messageID) {
            tally.strayAcknowledgements += 1
            refuseStanza(
                element, 406, "not-acceptable",
                "InvalidJson: Received acks for messages not sent over this connection", on: id)
        }
    }

    private mutating func refuseAck(_ json: JSON, _ detail: String, on id: ConnectionID) {
        tally.badAcknowledgements += 1
        send(
            .object([
                "message_type": .string("nack"), "from": json["to"]?.stringValue.map(JSON.string),
                "message_id": json["message_id"]?.stringValue.map(JSON.string),
                "error": .string(PushErrorCode.badAck.rawValue), "error_description": .string(detail),
            ]), on: id)
    }
}
