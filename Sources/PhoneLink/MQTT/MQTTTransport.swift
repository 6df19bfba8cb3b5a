package import AlarmModel
import PhoneProtocol

/// A broker as a channel: it gets the events, shows the house to Home Assistant and brings its commands. One
/// connection, clean sessions, QoS 1; what the broker has not acknowledged when a connection ends is given back.
package struct MQTTTransport: Transport {
    struct UnderWay: Codable, Equatable, Sendable {
        var id: UInt16
        var message: MessageID
        var since: BootTime
        var isAnswer = false
    }

    static let slot = DialSlot(0)
    /// Bytes of an event.
    private static let payloadLimit = 32_768

    package let settings: MQTTSettings
    var jitter: Jitter
    /// Makes the ids of what comes in unlike those of other runs.
    let mark: String
    var attempts: Reconnector
    var connection: ConnectionID?
    var reader: MQTTReader
    /// What the next connection, or this one, speaks.
    var version: MQTTVersion
    /// Bytes have come on this connection.
    var hasHeard = false
    var lastHeard = BootTime.zero
    var lastSent = BootTime.zero
    var pingSentAt: BootTime?
    /// The broker's wish, when it has one.
    var keepAlive: Duration
    var receiveMaximum = 65535
    var packetLimit = Int.max
    var lastPacketID: UInt16 = 0
    var problem: TransportProblem?
    /// The broker does not let us hear commands. Over a new connection, too, until it does.
    var listenProblem: TransportProblem?
    var told = ToldProblem()
    /// The broker let us in and acknowledged nothing: nothing is well again before it acknowledges something.
    var owesAnswers = false
    var lastAccepted: WallTime?
    /// In the order in which they were taken.
    var underWay: [UnderWay] = []
    var house: HousePicture?
    var heldKeys: [HeldKey] = []
    /// From these the alarm came that is on, or will be in a moment.
    var alarmKeys: [HeldKey] = []
    var retained: [MQTTRetained] = []
    /// On this connection.
    var hasSaidOnline = false
    /// Retained messages that the broker has not acknowledged.
    var publishing: [MQTTRetained.UnderWay] = []
    var announced: [HomeAssistantDevice.Component] = []
    /// Ascending; announced once and not any more.
    var former: [HomeAssistantDevice.Component] = []
    var recalled: [MQTTRecalled] = []
    /// Until then we wait for the announcement that the broker has kept.
    var recallUntil: BootTime?
    var announceAt: BootTime?
    /// Commands that the core has not acknowledged.
    var unacknowledged: [Command] = []
    var commandCount: UInt64 = 0
    /// Bad commands are told once on each connection.
    var hasToldIgnored = false
    var subscriptionID: UInt16 = 0
    /// As it was told last.
    var presence = Presence.unknown
    #if SABOTAGE
        package var sabotage: Sabotage?
    #endif

    struct Command: Codable, Equatable, Sendable {
        var id: String
        var packet: UInt16
    }

    package init(settings: MQTTSettings, seed: UInt64) {
        self.settings = settings
        var jitter = Jitter(seed: seed)
        mark = String(jitter.next(), radix: 16)
        self.jitter = jitter
        attempts = Reconnector(
            pace: settings.pace, dialPatience: settings.dialPatience, setupPatience: settings.setupDeadline,
            steadyAfter: settings.steadyAfter)
        version = settings.protocolVersion == .v311 ? .v311 : .v5
        reader = MQTTReader(version: .v5)
        keepAlive = settings.idleBeforePing
    }

    package var room: TransportRoom {
        guard attempts.isReady else { return .none }
        let free = max(0, min(settings.window, receiveMaximum - publishing.count) - underWay.count)
        let reserved = min(settings.reservedForAlarms, max(0, min(settings.window, receiveMaximum) - 1))
        return TransportRoom(alarm: free, other: max(0, free - reserved))
    }

    /// `ready` is about events; that commands cannot come in shows as a problem.
    package var health: TransportHealth {
        TransportHealth(
            phase: attempts.shown, problem: problem ?? listenProblem, underWay: underWay.count,
            lastAccepted: lastAccepted)
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !attempts.isRunning else { return }
        connect(at: now, into: &actions)
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isRunning else { return }
        if attempts.isDialing { actions.append(.cancelConnect(Self.slot)) }
        if attempts.isReady {
            // An orderly end takes the last will back, so what it says is said here.
            let farewell = MQTTPublish(
                topic: settings.availabilityTopic, payload: Array("offline".utf8), isRetained: true)
            send(.publish(farewell), at: now, into: &actions)
            send(.disconnect(reason: 0, MQTTProperties()), at: now, into: &actions)
        }
        if let connection { actions.append(.close(connection)) }
        if attempts.isReady { actions.append(.notReady) }
        attempts.stop()
        forgetConnection(into: &actions)
        listenProblem = nil
        owesAnswers = false
        set(nil, into: &actions)
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        let room = room
        guard (delivery.isAlarm ? room.alarm : room.other) > 0 else { return false }
        guard case .event(let event, _) = delivery.content else {
            actions.append(
                .refused(delivery.message, Refusal(.giveUp, why: "the broker is told of events and of nothing else")))
            return true
        }
        let id = nextPacketID()
        let topic = delivery.isAnswer ? settings.answerTopic : settings.eventTopic
        var publish = MQTTPublish(topic: topic, payload: event.utf8, id: id)
        if version == .v5, delivery.timeToLive > 0 {
            publish.properties.messageExpiry = UInt32(clamping: delivery.timeToLive)
        }
        let size = MQTTPacket.publish(publish).bytes(version).count
        guard publish.payload.count <= Self.payloadLimit else {
            actions.append(.refused(delivery.message, Refusal(.giveUp, why: "\(size) bytes are more than we send")))
            return true
        }
        guard size <= packetLimit else {
            // It says so anew with each connection, and may think better of it.
            let why = "the broker takes \(packetLimit) bytes at once, and this is \(size); allow larger packets there"
            actions.append(.refused(delivery.message, Refusal(.retry(first: .minutes(1), attempts: nil), why: why)))
            return true
        }
        underWay.append(UnderWay(id: id, message: delivery.message, since: now.boot, isAnswer: delivery.isAnswer))
        send(.publish(publish), at: now, into: &actions)
        return true
    }

    package mutating func acknowledge(
        _ inbound: InboundMessage, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard inbound.connection == connection, let index = unacknowledged.firstIndex(where: { $0.id == inbound.id })
        else { return }
        let command = unacknowledged.remove(at: index)
        send(.puback(MQTTAnswer(id: command.packet)), at: now, into: &actions)
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) { attempts.setUrgent(isUrgent, at: now) }

    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        if attempts.waitsForNetwork { connect(at: now, into: &actions) }
        if attempts.isReady { ping(at: now, into: &actions) }
    }
}
