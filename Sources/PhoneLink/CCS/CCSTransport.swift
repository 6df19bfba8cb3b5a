package import AlarmModel
import PhoneProtocol

/// FCM's XMPP connection server as a way to phones: `CCSLink` behind the seam.
package struct CCSTransport: Transport {
    package var link: CCSLink
    static let slot = DialSlot(0)

    package init(settings: CCSSettings, seed: UInt64) { link = CCSLink(settings: settings, seed: seed) }

    package var room: TransportRoom {
        TransportRoom(alarm: link.room(forAlarm: true), other: link.room(forAlarm: false))
    }
    package var health: TransportHealth {
        let report = link.report
        return TransportHealth(
            phase: report.phase, problem: report.problem.map(\.forPeople), underWay: report.underWay,
            lastAccepted: report.lastAccepted)
    }
    package var nextDeadline: BootTime? { link.nextDeadline }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        drive(into: &actions) { $0.start(at: now, into: &$1) }
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        drive(into: &actions) { $0.stop(at: now, into: &$1) }
    }

    /// Another account or server: everything ends and begins anew. Only other patience: taken over as it is.
    package mutating func reconfigure(
        _ settings: CCSSettings, at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(into: &actions) { $0.reconfigure(settings, at: now, into: &$1) }
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard let message = CCSMessage(delivery) else {
            guard delivery.isAlarm ? room.alarm > 0 : room.other > 0 else { return false }
            let why = "the push service carries messages for apps only, not \(delivery.content.kindInWords)"
            actions.append(.refused(delivery.message, Refusal(.giveUp, why: why)))
            return true
        }
        var wasTaken = false
        drive(into: &actions) { wasTaken = $0.push(message, isAlarm: delivery.isAlarm, at: now, into: &$1) }
        return wasTaken
    }

    package mutating func acknowledge(
        _ upstream: Upstream, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let connection = upstream.connection else { return }
        let theirs = CCSUpstream(
            connection: connection, from: upstream.from, messageID: upstream.id, category: upstream.category,
            data: .object([:]))
        drive(into: &actions) { $0.acknowledge(theirs, at: now, into: &$1) }
    }

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(into: &actions) { $0.connected(connection, at: now, into: &$1) }
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(into: &actions) { $0.connectFailed(failure, at: now, into: &$1) }
    }

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(into: &actions) { $0.received(connection, bytes, at: now, into: &$1) }
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(into: &actions) { $0.closed(connection, end, at: now, into: &$1) }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        drive(into: &actions) { $0.timerFired(at: now, into: &$1) }
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) { link.setUrgent(isUrgent, at: now) }

    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        drive(into: &actions) { $0.networkChanged(at: now, into: &$1) }
    }

    private mutating func drive(
        into actions: inout [TransportAction], _ act: (inout CCSLink, inout [CCSAction]) -> Void
    ) {
        var theirs: [CCSAction] = []
        act(&link, &theirs)
        for action in theirs { actions.append(translated(action)) }
    }

    private func translated(_ action: CCSAction) -> TransportAction {
        switch action {
        case .connect:
            return .connect(
                Self.slot,
                DialTarget(
                    host: link.settings.host, port: link.settings.port,
                    security: .tls(authorityFile: link.settings.caFile)))
        case .cancelConnect: return .cancelConnect(Self.slot)
        case .send(let connection, let bytes): return .send(connection, bytes)
        case .close(let connection): return .close(connection)
        case .ready: return .ready
        case .notReady: return .notReady
        case .upstream(let upstream):
            return .upstream(
                Upstream(
                    way: .ccs, connection: upstream.connection, from: upstream.from, id: upstream.messageID,
                    body: .data(upstream.data), category: upstream.category))
        case .accepted(let message, let canonical): return .accepted(message, canonical: canonical)
        case .refused(let message, let error, let text):
            let why = text.isEmpty ? error.description : "\(error) (\(text))"
            return .refused(message, Refusal(error.reaction, why: why))
        case .returned(let messages): return .returned(messages)
        case .received(let message, _): return .received(message)
        case .problem(let problem): return .problem(problem.map(\.forPeople))
        case .log(let entry): return .log(entry)
        }
    }
}

extension CCSProblem {
    /// A wrong certificate and what only a person can change is told at once; everything else when it lasts.
    var forPeople: TransportProblem {
        var isLasting = isRefusal
        if case .tls = self { isLasting = true }
        return TransportProblem(description, isRefusal: isRefusal, isPassing: !isLasting)
    }
}
