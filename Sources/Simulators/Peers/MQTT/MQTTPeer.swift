package import AlarmModel
import PhoneLink
import PhoneProtocol

/// A broker with Home Assistant behind it, as far as the box meets them.
package struct MQTTPeer: ChannelPeer {
    private struct Session: Sendable {
        var id: ConnectionID
        var reader = MQTTReader(version: .v5)
        var isIn = false
        var will: MQTTConnect.Will?
        var filters: [MQTTSubscription] = []
        var nextPacket: UInt16 = 1
    }
    private struct Kept: Sendable {
        var topic: String
        var payload: [UInt8]
    }

    package static let site = "house"
    package static let code = Secret("2468")
    package static let events = "howalarming/house/event"

    private let password: Secret
    private var port = PeerPort()
    private var sessions: [Session] = []
    private var retained: [Kept] = []
    private var arrivals: [Arrival] = []

    package init(password: Secret) { self.password = password }

    package var nextDeadline: BootTime? { port.nextDeadline }

    package mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.accepted(id)
        sessions.append(Session(id: id))
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard port.hears(id), let index = sessions.firstIndex(where: { $0.id == id }) else { return }
        sessions[index].reader.append(bytes)
        while let index = sessions.firstIndex(where: { $0.id == id }), let event = sessions[index].reader.next() {
            guard case .packet(let packet) = event else { return end(id, at: now, into: &actions) }
            read(packet, index, at: now, into: &actions)
        }
    }

    package mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.closed(id)
        vanished(id)
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.timerFired(at: now, into: &actions)
    }

    package mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    private mutating func read(
        _ packet: MQTTPacket, _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let id = sessions[index].id
        switch packet {
        case .connect(let connect):
            sessions[index].reader.version = connect.version
            sessions[index].will = connect.will
            let isKnown = connect.password?.revealed == password.revealed
            let reason: UInt8 = PeerPort.take(&port.failures) ? 0x88 : isKnown ? 0 : 0x86
            sessions[index].isIn = reason == 0
            send(.connack(MQTTConnack(reason: reason)), to: index, at: now, into: &actions)
            if reason != 0 { end(id, at: now, into: &actions) }
        case .publish(let publish): take(publish, index, at: now, into: &actions)
        case .subscribe(let packet, let filters):
            sessions[index].filters = filters
            send(.suback(id: packet, filters.map(\.qos)), to: index, at: now, into: &actions)
            for kept in retained where filters.contains(where: { Self.covers($0.filter, kept.topic) }) {
                deliver(kept.payload, kept.topic, isRetained: true, to: index, at: now, into: &actions)
            }
        case .unsubscribe(let packet, let filters):
            sessions[index].filters.removeAll { filters.contains($0.filter) }
            send(.unsuback(id: packet, filters.map { _ in 0 }), to: index, at: now, into: &actions)
        case .pingreq: if !port.isSilent { send(.pingresp, to: index, at: now, into: &actions) }
        case .disconnect:
            sessions[index].will = nil
            end(id, at: now, into: &actions)
        case .puback: break
        case .connack, .suback, .unsuback, .pingresp, .auth: end(id, at: now, into: &actions)
        }
    }

    private mutating func take(
        _ publish: MQTTPublish, _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard sessions[index].isIn else { return }
        let isEvent = publish.topic == Self.events
        var reason: UInt8 = 0
        if isEvent, PeerPort.take(&port.tooMany) || !port.takes() { reason = 0x97 }
        if isEvent, reason == 0, PeerPort.take(&port.lies) { reason = 0x80 }
        // 3.1.1 has no word for it: the message is dropped, and the connection ends.
        if reason != 0, sessions[index].reader.version == .v311 {
            return end(sessions[index].id, at: now, into: &actions)
        }
        if reason == 0 {
            if publish.isRetained {
                retained.removeAll { $0.topic == publish.topic }
                if !publish.payload.isEmpty { retained.append(Kept(topic: publish.topic, payload: publish.payload)) }
            }
            let text = String(decoding: publish.payload, as: UTF8.self)
            arrivals.append(Arrival(address: publish.topic, message: nil, text: text))
        }
        if isEvent, PeerPort.take(&port.noAnswer) { return }
        if isEvent, PeerPort.take(&port.closesMidway) { return end(sessions[index].id, at: now, into: &actions) }
        guard let packet = publish.id else { return }
        send(.puback(MQTTAnswer(id: packet, reason: reason)), to: index, at: now, into: &actions)
    }

    private mutating func send(
        _ packet: MQTTPacket, to index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        port.send(sessions[index].id, packet.bytes(sessions[index].reader.version), at: now, into: &actions)
    }

    private mutating func deliver(
        _ payload: [UInt8], _ topic: String, isRetained: Bool, isDuplicate: Bool = false, to index: Int,
        at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        sessions[index].nextPacket = sessions[index].nextPacket % 60_000 + 1
        let publish = MQTTPublish(
            topic: topic, payload: payload, id: sessions[index].nextPacket, isRetained: isRetained,
            isDuplicate: isDuplicate)
        send(.publish(publish), to: index, at: now, into: &actions)
    }

    /// Somebody presses a button of Home Assistant, or has a message kept.
    package mutating func publish(
        _ text: String, to topic: String, isRetained: Bool, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        if isRetained {
            retained.removeAll { $0.topic == topic }
            retained.append(Kept(topic: topic, payload: Array(text.utf8)))
        }
        for index in sessions.indices.reversed() {
            guard let filter = sessions[index].filters.first(where: { Self.covers($0.filter, topic) }) else { continue }
            let shows = isRetained && filter.showsRetained && sessions[index].reader.version == .v5
            deliver(Array(text.utf8), topic, isRetained: shows, to: index, at: now, into: &actions)
            guard PeerPort.take(&port.repeats) else { continue }
            deliver(
                Array(text.utf8), topic, isRetained: shows, isDuplicate: true, to: index, at: now, into: &actions)
        }
    }

    /// Whether everybody who hears of the topic is shown that a message is kept, which 3.1.1 does not while it is new
    /// (MQTT-3.3.1-9).
    package func showsRetained(_ topic: String) -> Bool {
        sessions.allSatisfy { session in
            guard let filter = session.filters.first(where: { Self.covers($0.filter, topic) }) else { return true }
            return filter.showsRetained && session.reader.version == .v5
        }
    }

    private static func covers(_ filter: String, _ topic: String) -> Bool {
        let wanted = filter.split(separator: "/", omittingEmptySubsequences: false)
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == levels.count else { return false }
        return zip(wanted, levels).allSatisfy { $0 == "+" || $0 == $1 }
    }

    private mutating func end(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.close(id, at: now, into: &actions)
        vanished(id)
    }

    /// Its last will is done.
    private mutating func vanished(_ id: ConnectionID) {
        guard let index = sessions.firstIndex(where: { $0.id == id }) else { return }
        guard let will = sessions.remove(at: index).will, will.isRetained else { return }
        // Another session of the same client has said since that it is there.
        guard !sessions.contains(where: \.isIn) else { return }
        retained.removeAll { $0.topic == will.topic }
        retained.append(Kept(topic: will.topic, payload: will.payload))
    }

    package mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        for id in port.perform(fault, at: now, into: &actions) { vanished(id) }
    }
}
