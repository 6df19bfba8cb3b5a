import AlarmModel
import PhoneProtocol

extension MQTTTransport {
    mutating func read(_ publish: MQTTPublish, at now: Moment, into actions: inout [TransportAction]) {
        if HomeAssistantWish.comes(at: publish.topic, baseTopic: settings.baseTopic) {
            return command(publish, at: now, into: &actions)
        }
        acknowledge(publish, at: now, into: &actions)
        if publish.topic == settings.presenceTopic {
            tell(Presence(payload: publish.payload), into: &actions)
        } else if publish.topic == settings.statusTopic {
            // What the broker kept says nothing of now, and we have just announced ourselves.
            guard !publish.isRetained, publish.payload == Array("online".utf8), announceAt == nil else { return }
            let range = settings.announceEarliest..<max(settings.announceLatest, settings.announceEarliest)
            announceAt = now.boot + jitter.duration(in: range)
        } else if publish.topic == settings.discoveryTopic {
            guard publish.isRetained, recallUntil != nil else { return }
            recall(publish.payload)
            endRecall(at: now, into: &actions)
        }
    }

    private mutating func command(_ publish: MQTTPublish, at now: Moment, into actions: inout [TransportAction]) {
        let isFresh = settings.commandsAllowed && !publish.isRetained && !publish.isDuplicate
        #if SABOTAGE
            let isTaken = isFresh || sabotage == .retainedCommandObeyed
        #else
            let isTaken = isFresh
        #endif
        guard isTaken, publish.payload.count <= HomeAssistantCommand.sizeLimit,
            let text = String(validating: publish.payload, as: UTF8.self)
        else {
            acknowledge(publish, at: now, into: &actions)
            let why =
                publish.isRetained
                ? "a command that was kept is not carried out; clear it by publishing an empty retained message"
                : "a command that is repeated, too long, no text or not allowed was not carried out"
            return ignored("\(why) (\(PeerText.printable(publish.topic)))", into: &actions)
        }
        commandCount &+= 1
        var inbound = InboundMessage(
            channel: .mqtt, connection: connection, from: publish.topic, id: "\(mark)-\(commandCount)",
            body: .text(text))
        if let packet = publish.id, unacknowledged.count < Int(Self.commandLimit) {
            unacknowledged.append(Command(id: inbound.id, packet: packet))
        } else {
            // Nothing to acknowledge, or a broker that sends more than we asked for.
            acknowledge(publish, at: now, into: &actions)
            inbound.connection = nil
        }
        actions.append(.inbound(inbound))
    }

    private mutating func acknowledge(
        _ publish: MQTTPublish, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let id = publish.id else { return }
        send(.puback(MQTTAnswer(id: id)), at: now, into: &actions)
    }

    /// The announcement that the broker has kept tells what Home Assistant knows of us.
    private mutating func recall(_ payload: [UInt8]) {
        let limits = JSON.Limits(depth: 8, bytes: reader.limit)
        guard let json = try? JSON(parsing: payload, limits: limits), let members = json["cmps"]?.objectValue else {
            return
        }
        recalled = members.prefix(HomeAssistantDevice.componentLimit).compactMap { member in
            // With a name or a topic it is alive; with nothing but its platform it has been taken back before.
            let isAlive = (member.value.objectValue ?? []).count > 1
            return HomeAssistantDevice.Component(recalled: member).map {
                MQTTRecalled(component: $0, wasAlive: isAlive)
            }
        }
    }
}
