package import AlarmModel

extension MQTTTransport {
    mutating func connect(at now: Moment, into actions: inout [TransportAction]) {
        attempts.dial(at: now)
        let target = DialTarget(host: settings.host, port: settings.port, security: settings.security)
        actions.append(.connect(Self.slot, target))
    }

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.connected(at: now) else { return actions.append(.close(connection)) }
        self.connection = connection
        reader = MQTTReader(version: version)
        hasHeard = false
        hasToldIgnored = false
        keepAlive = settings.idleBeforePing
        receiveMaximum = 65535
        packetLimit = Int.max
        lastHeard = now.boot
        let seconds = settings.idleBeforePing.milliseconds / 1000
        var connect = MQTTConnect(
            version: version, keepAlive: UInt16(clamping: max(1, seconds)), clientID: settings.clientID,
            will: MQTTConnect.Will(topic: settings.availabilityTopic, payload: Array("offline".utf8)),
            user: settings.user, password: settings.password)
        if version == .v5 {
            connect.properties.receiveMaximum = Self.commandLimit
            connect.properties.maximumPacketSize = UInt32(clamping: reader.limit)
        }
        send(.connect(connect), at: now, into: &actions)
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.isDialing else { return }
        let text = "the MQTT broker \(settings.host):\(settings.port): \(failure)"
        giveUp(TransportProblem(failure.kind, text, isRefusal: !failure.mayPass), at: now, into: &actions)
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard connection == self.connection else { return }
        self.connection = nil
        if !attempts.isReady, !hasHeard {
            // Old brokers hang up on what they do not understand.
            if settings.protocolVersion == .automatic { version = version == .v5 ? .v311 : .v5 }
            let text = "the MQTT broker hung up without an answer (\(end)); check that host and port are a broker's"
            lose(TransportProblem(.hungUp, text), at: now, into: &actions)
            return
        }
        let problem =
            if case .tls(let failure) = end {
                TransportProblem(.lost(failure), "the connection to the MQTT broker ended: \(failure)", isPassing: true)
            } else {
                TransportProblem(
                    .lost(nil), "the connection to the MQTT broker ended (\(end)); it is made again", isPassing: true)
            }
        lose(problem, at: now, into: &actions)
    }

    /// The connection is of no use any more, and is closed where it still stands.
    mutating func lose(_ problem: TransportProblem, at now: Moment, into actions: inout [TransportAction]) {
        if let connection { actions.append(.close(connection)) }
        if attempts.isReady { actions.append(.notReady) }
        // A broker that acknowledges nothing is not steady, however long it stands.
        if owesAnswers { attempts.rest() }
        // Given back before another attempt, so that it is first in line.
        forgetConnection(into: &actions)
        giveUp(problem, at: now, into: &actions)
    }

    /// Waits for the next attempt.
    mutating func giveUp(_ problem: TransportProblem, at now: Moment, into actions: inout [TransportAction]) {
        set(problem, into: &actions)
        attempts.fail(isRefusal: problem.isRefusal, at: now, &jitter)
    }

    mutating func forgetConnection(into actions: inout [TransportAction]) {
        connection = nil
        pingSentAt = nil
        recallUntil = nil
        announceAt = nil
        tell(.unknown, into: &actions)
        unacknowledged = []
        publishing = []
        hasSaidOnline = false
        for index in retained.indices {
            retained[index].isSent = false
            retained[index].isAnswered = false
        }
        guard !underWay.isEmpty else { return }
        actions.append(.returned(underWay.map(\.message)))
        underWay = []
    }

    mutating func set(_ problem: TransportProblem?, into actions: inout [TransportAction]) {
        self.problem = problem
        tellProblem(into: &actions)
    }

    mutating func tellProblem(into actions: inout [TransportAction]) {
        told.tell(problem ?? listenProblem, into: &actions)
    }

    mutating func send(_ packet: MQTTPacket, at now: Moment, into actions: inout [TransportAction]) {
        guard let connection else { return }
        lastSent = now.boot
        actions.append(.send(connection, packet.bytes(version)))
    }

    mutating func ping(at now: Moment, into actions: inout [TransportAction]) {
        guard pingSentAt == nil else { return }
        pingSentAt = now.boot
        send(.pingreq, at: now, into: &actions)
    }

    /// 1…65535, none that is under way.
    mutating func nextPacketID() -> UInt16 {
        repeat {
            lastPacketID = lastPacketID == .max ? 1 : lastPacketID + 1
        } while underWay.contains { $0.id == lastPacketID } || publishing.contains { $0.id == lastPacketID }
        return lastPacketID
    }

    /// Commands that the broker may send before we acknowledge one.
    static let commandLimit: UInt16 = 16
}
