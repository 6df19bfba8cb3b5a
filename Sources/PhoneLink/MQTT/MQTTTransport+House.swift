package import AlarmModel
import PhoneProtocol

/// Something that the broker keeps for whoever comes.
struct MQTTRetained: Codable, Equatable, Sendable {
    var topic: String
    /// Empty: nothing is to be kept there any more.
    var payload: String
    /// On this connection.
    var isSent = false
    /// The broker answered a value of it on this connection: what it keeps is not from before.
    var isAnswered = false

    struct UnderWay: Codable, Equatable, Sendable {
        var id: UInt16
        var topic: String
        var since: BootTime
    }
}

/// An entity of the announcement that the broker has kept.
struct MQTTRecalled: Codable, Equatable, Sendable {
    var component: HomeAssistantDevice.Component
    /// It had not been taken back.
    var wasAlive: Bool
}

/// A key for help that is shown as pressed for a while, although the panel has called it off.
struct HeldKey: Codable, Equatable, Sendable {
    var key: Trouble
    var until: BootTime

    /// Automations see each change; dashboards show what stays for some seconds.
    static let span: Duration = .seconds(5)
}

extension MQTTTransport {
    package mutating func houseChanged(
        _ house: HousePicture, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard self.house != house else { return }
        if !(self.house?.isInAlarm ?? false) { alarmKeys.removeAll { $0.until <= now.boot } }
        self.house = house
        let pressed = house.pressedKeys.map { HeldKey(key: $0, until: now.boot + HeldKey.span) }
        heldKeys = heldKeys.filter { !house.pressedKeys.contains($0.key) } + pressed
        alarmKeys = alarmKeys.filter { !house.pressedKeys.contains($0.key) } + pressed
        let components = HomeAssistantDevice(settings: settings, house: house).components
        if components != announced {
            let gone = announced.filter { !components.contains($0) }
            // First, for what is still announced is not noted as gone.
            announced = components
            for component in gone { noteFormer(component, wasAlive: true) }
            former.removeAll { old in components.contains { $0.key == old.key } }
        }
        absorbRecalled()
        refresh()
        pump(at: now, into: &actions)
    }

    /// What is to be kept, as the house is now; what has not changed is not sent again.
    mutating func refresh() {
        guard var house else { return }
        for held in heldKeys { house.state.system[held.key] = .known(.trouble) }
        let device = HomeAssistantDevice(settings: settings, house: house, alarmKeys: alarmKeys.map(\.key))
        if let topic = settings.discoveryTopic { keep(device.announcement(former: former).text, at: topic) }
        for state in device.states { keep(state.payload, at: state.topic) }
    }

    private mutating func keep(_ payload: String, at topic: String) {
        guard let index = retained.firstIndex(where: { $0.topic == topic }) else {
            retained.append(MQTTRetained(topic: topic, payload: payload))
            return
        }
        guard retained[index].payload != payload else { return }
        retained[index].payload = payload
        retained[index].isSent = false
    }

    /// Home Assistant is to forget it; the announcement says so from now on, and its state is not kept.
    private mutating func noteFormer(_ component: HomeAssistantDevice.Component, wasAlive: Bool) {
        guard !announced.contains(where: { $0.key == component.key }),
            !former.contains(where: { $0.key == component.key }), former.count < HomeAssistantDevice.componentLimit
        else { return }
        former.append(component)
        former.sort()
        // The others are told together, at the panel's topic.
        guard wasAlive, component.key.hasPrefix("partition_") || component.key.hasPrefix("zone_") else { return }
        keep("", at: settings.baseTopic + "/" + component.key.split(separator: "_").joined(separator: "/"))
    }

    /// Which of what we announced once is no more can be told when the house is known.
    private mutating func absorbRecalled() {
        guard house != nil else { return }
        for entry in recalled { noteFormer(entry.component, wasAlive: entry.wasAlive) }
        recalled = []
    }

    mutating func endRecall(at now: Moment, into actions: inout [TransportAction]) {
        recallUntil = nil
        guard let topic = settings.discoveryTopic else { return }
        // Our own announcements need not come back.
        let id = nextPacketID()
        send(.unsubscribe(id: id, [topic]), at: now, into: &actions)
        absorbRecalled()
        refresh()
        pump(at: now, into: &actions)
    }

    mutating func releaseKeys(at now: Moment, into actions: inout [TransportAction]) {
        heldKeys.removeAll { $0.until <= now.boot }
        refresh()
        pump(at: now, into: &actions)
    }

    mutating func announceAgain() {
        guard let index = retained.firstIndex(where: { $0.topic == settings.discoveryTopic }) else { return }
        retained[index].isSent = false
    }

    /// Sends what is not sent yet, the panel's state behind the announcement, and few at a time: an alarm finds room, and of a state that changes quickly only the
    /// last counts.
    mutating func pump(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isReady else { return }
        for index in retained.indices where !retained[index].isSent {
            let entry = retained[index]
            guard hasRoomToKeep else { return }
            if recallUntil != nil, entry.topic == settings.discoveryTopic || entry.topic == settings.panelTopic {
                continue
            }
            retained[index].isSent = true
            if !publishKept(entry.payload, at: entry.topic, at: now, into: &actions) {
                retained[index].isAnswered = true
            }
        }
        sayOnline(at: now, into: &actions)
    }

    private var hasRoomToKeep: Bool {
        publishing.count < max(1, min(8, receiveMaximum / 2)) && publishing.count + underWay.count < receiveMaximum
    }

    /// Comes after the states: until the broker has them, it keeps those of a former connection. Home Assistant would
    /// take an alarm from before a restart for one of now.
    private mutating func sayOnline(at now: Moment, into actions: inout [TransportAction]) {
        guard house != nil, !hasSaidOnline, hasRoomToKeep,
            retained.allSatisfy({ $0.isAnswered || $0.topic == settings.discoveryTopic })
        else { return }
        hasSaidOnline = true
        publishKept("online", at: settings.availabilityTopic, at: now, into: &actions)
    }

    /// - Returns: false if the broker takes no packet of this size; this is logged
    @discardableResult
    private mutating func publishKept(
        _ payload: String, at topic: String, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        let id = nextPacketID()
        let publish = MQTTPublish(topic: topic, payload: Array(payload.utf8), id: id, isRetained: true)
        guard MQTTPacket.publish(publish).bytes(version).count <= packetLimit else {
            let text = "the MQTT broker takes no packets of this size; allow larger ones there"
            actions.append(.log(LogEntry(.warning, text, [LogEntry.Field("topic", topic)])))
            return false
        }
        publishing.append(MQTTRetained.UnderWay(id: id, topic: topic, since: now.boot))
        send(.publish(publish), at: now, into: &actions)
        return true
    }
}
