package import AlarmModel

extension MQTTTransport {
    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        guard connection == self.connection, !bytes.isEmpty else { return }
        hasHeard = true
        lastHeard = now.boot
        pingSentAt = nil
        reader.append(bytes)
        // What a packet leads to may end the connection.
        while connection == self.connection, let event = reader.next() {
            switch event {
            case .packet(let packet): read(packet, at: now, into: &actions)
            case .passedOver(let bytes, let id):
                if let id, attempts.isReady { send(.puback(MQTTAnswer(id: id)), at: now, into: &actions) }
                // It may have been one of presence.
                tell(.unknown, into: &actions)
                ignored("a message of \(bytes) bytes was not read", into: &actions)
            case .failed(let error): broken("it sent \(error)", at: now, into: &actions)
            }
        }
    }

    private mutating func read(_ packet: MQTTPacket, at now: Moment, into actions: inout [TransportAction]) {
        if !attempts.isReady {
            switch packet {
            case .connack(let connack): welcome(connack, at: now, into: &actions)
            case .auth:
                let detail = MQTTReason.problem(0x8C, detail: "it asks for more than user and password", wasIn: false)
                lose(detail, at: now, into: &actions)
            case .connect, .publish, .puback, .subscribe, .suback, .unsubscribe, .unsuback, .pingreq, .pingresp,
                .disconnect:
                broken("it answered our login with a packet of type \(packet.type)", at: now, into: &actions)
            }
            return
        }
        switch packet {
        case .publish(let publish): read(publish, at: now, into: &actions)
        case .puback(let answer): settle(answer, at: now, into: &actions)
        case .suback(let id, let reasons):
            if id == subscriptionID { subscribed(reasons, into: &actions) }
        case .unsuback, .pingresp: break
        case .disconnect(let reason, let properties):
            lose(
                MQTTReason.problem(reason, detail: shown(properties.reasonText), wasIn: true), at: now, into: &actions)
        case .auth, .connack, .connect, .subscribe, .unsubscribe, .pingreq:
            broken("it sent a packet of type \(packet.type), which nobody asked for", at: now, into: &actions)
        }
    }

    private mutating func welcome(_ connack: MQTTConnack, at now: Moment, into actions: inout [TransportAction]) {
        let reason = MQTTReason.login(connack.reason)
        let properties = connack.properties
        if reason == MQTTReason.unsupportedVersion, settings.protocolVersion == .automatic, version == .v5 {
            version = .v311
            if let connection { actions.append(.close(connection)) }
            connection = nil
            return connect(at: now, into: &actions)
        }
        guard reason == 0 else {
            // The next attempt begins anew: the broker may have been renewed.
            if settings.protocolVersion == .automatic, reason == MQTTReason.unsupportedVersion { version = .v5 }
            let detail = shown(properties.reasonText ?? properties.serverReference)
            return lose(MQTTReason.problem(reason, detail: detail, wasIn: false), at: now, into: &actions)
        }
        guard properties.maximumQoS != 0 else {
            return lose(MQTTReason.problem(0x9B, detail: "", wasIn: false), at: now, into: &actions)
        }
        guard properties.isRetainAvailable != false else {
            return lose(MQTTReason.problem(0x9A, detail: "", wasIn: false), at: now, into: &actions)
        }
        if let seconds = properties.serverKeepAlive, seconds > 0 { keepAlive = .seconds(Int(seconds)) }
        receiveMaximum = properties.receiveMaximum.map { Int($0) } ?? 65535
        packetLimit = properties.maximumPacketSize.map { Int($0) } ?? Int.max
        attempts.becameReady(since: now.boot)
        actions.append(
            .log(
                LogEntry(
                    .notice, "connected to the MQTT broker",
                    [LogEntry.Field("host", settings.host), LogEntry.Field("version", version == .v5 ? "5" : "3.1.1")]
                )))
        if !owesAnswers { set(nil, into: &actions) }
        subscribe(at: now, into: &actions)
        if settings.discoveryPrefix != nil { recallUntil = now.boot + settings.recallPatience }
        actions.append(.ready)
        pump(at: now, into: &actions)
    }

    var subscriptions: [MQTTSubscription] {
        var out: [MQTTSubscription] = []
        // A command that is left there would come again with each session: it is refused the first time, too.
        out += settings.commandFilters.map { MQTTSubscription(filter: $0, qos: 1, showsRetained: true) }
        if let topic = settings.statusTopic { out.append(MQTTSubscription(filter: topic, qos: 1)) }
        if let topic = settings.discoveryTopic {
            out.append(MQTTSubscription(filter: topic, qos: 0, isNoLocal: true))
        }
        if let topic = settings.presenceTopic { out.append(MQTTSubscription(filter: topic, qos: 1)) }
        return out
    }

    private mutating func subscribe(at now: Moment, into actions: inout [TransportAction]) {
        let subscriptions = subscriptions
        guard !subscriptions.isEmpty else { return }
        subscriptionID = nextPacketID()
        send(.subscribe(id: subscriptionID, subscriptions), at: now, into: &actions)
    }

    /// - Parameter reasons: in the order of `subscriptions`
    private mutating func subscribed(_ reasons: [UInt8], into actions: inout [TransportAction]) {
        let refused = zip(subscriptions, reasons).filter { $0.1 >= 0x80 }.map { $0.0.filter }
        let wanted = settings.commandFilters + [settings.presenceTopic].compactMap { $0 }
        let deafTo = wanted.first { refused.contains($0) }
        listenProblem = deafTo.map { filter in
            let loss =
                filter == settings.presenceTopic
                ? "it is not known whether anybody is at home" : "no command arrives there"
            return TransportProblem(
                .forbidden,
                "the MQTT broker does not let us listen to \(filter), so \(loss); allow this user to read it",
                isRefusal: true
            ).inward
        }
        tellProblem(into: &actions)
        let others = refused.filter { !wanted.contains($0) }
        guard !others.isEmpty else { return }
        actions.append(
            .log(
                LogEntry(
                    .warning,
                    "the MQTT broker does not let us listen; allow this user to read these topics, or Home Assistant's "
                        + "restarts are not noticed",
                    [LogEntry.Field("topics", others.joined(separator: " "))])))
    }

    private mutating func settle(_ answer: MQTTAnswer, at now: Moment, into actions: inout [TransportAction]) {
        let detail = shown(answer.properties.reasonText)
        if let index = underWay.firstIndex(where: { $0.id == answer.id }) {
            let entry = underWay.remove(at: index)
            if answer.reason < 0x80 {
                lastAccepted = now.wall
                actions.append(.accepted(entry.message, canonical: nil))
            } else if entry.isAnswer {
                // Alarms may go out all the same: the channel is not called broken for it.
                let refusal = MQTTReason.refusal(answer.reason, topic: settings.answerTopic, detail: detail)
                actions.append(.log(LogEntry(.warning, refusal.why, [LogEntry.Field("topic", settings.answerTopic)])))
                actions.append(.refused(entry.message, Refusal(.giveUp, why: refusal.why)))
            } else {
                let refusal = MQTTReason.refusal(answer.reason, topic: settings.eventTopic, detail: detail)
                actions.append(.refused(entry.message, refusal))
            }
        } else if let index = publishing.firstIndex(where: { $0.id == answer.id }) {
            let entry = publishing.remove(at: index)
            if let kept = retained.firstIndex(where: { $0.topic == entry.topic }) { retained[kept].isAnswered = true }
            if answer.reason >= 0x80 {
                let refusal = MQTTReason.refusal(answer.reason, topic: entry.topic, detail: detail)
                actions.append(.log(LogEntry(.warning, refusal.why, [LogEntry.Field("topic", entry.topic)])))
            }
        } else {
            return
        }
        if owesAnswers {
            owesAnswers = false
            set(nil, into: &actions)
        }
        pump(at: now, into: &actions)
    }

    private mutating func broken(_ what: String, at now: Moment, into actions: inout [TransportAction]) {
        let text = "the MQTT broker does not keep to the protocol: \(what); check that host and port are a broker's"
        lose(TransportProblem(.notTheProtocol, text), at: now, into: &actions)
    }

    mutating func ignored(_ what: String, into actions: inout [TransportAction]) {
        guard !hasToldIgnored else { return }
        hasToldIgnored = true
        actions.append(.log(LogEntry(.notice, "from the MQTT broker: \(what)")))
    }

    private func shown(_ text: String?) -> String {
        guard let text else { return "" }
        guard let password = settings.password else { return PeerText.printable(text) }
        return PeerText.printable(text, hiding: password)
    }
}
