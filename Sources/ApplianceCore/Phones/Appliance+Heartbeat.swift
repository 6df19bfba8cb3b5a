import AlarmModel
import PhoneLink
import PhoneProtocol

/// Signs of life to paired phones, so that they notice the box's death (docs/pairing.md 6: a status without request).
///
/// One for each phone, by the first of its addresses whose way is up; now or never, without sound, in no journal and no
/// outbox, behind everything else that wants to go. Store apps and original apps get none: there each would be a
/// notification.
extension Appliance {
    mutating func beginHeartbeat(_ step: inout Step) {
        hall.heartbeat.begin(every: configuration.phones.heartbeat, at: step.now.boot)
    }

    mutating func heartbeatDue(_ step: inout Step) {
        guard life == .running, let due = hall.heartbeat.nextAt, due <= step.now.boot else { return }
        hall.heartbeat.went(every: configuration.phones.heartbeat, at: step.now.boot)
        hall.heartbeat.missed = []
        #if SABOTAGE
            if sabotage == .heartbeatStops { return }
        #endif
        for phone in hall.book.phones { sendHeartbeat(to: phone, &step) }
    }

    /// A way is up that was not at the last sign of life.
    mutating func sendMissedHeartbeats(by way: WayKind, _ step: inout Step) {
        guard life == .running, hall.heartbeat.missed.contains(way) else { return }
        hall.heartbeat.missed.removeAll { $0 == way }
        for phone in hall.book.phones where places(of: phone).contains(where: { $0.way == way }) {
            sendHeartbeat(to: phone, &step)
        }
    }

    /// Phones expect what they were told last: the change is told at once, also that there will be none.
    mutating func heartbeatChanged(_ step: inout Step) {
        for phone in hall.book.phones { sendHeartbeat(to: phone, &step) }
        hall.heartbeat.went(every: configuration.phones.heartbeat, at: step.now.boot)
    }

    private func places(of phone: Phone) -> [AnswerQueue.Place] {
        phone.addresses.filter { $0.state == .inUse }.compactMap { place(of: $0) }
    }

    private mutating func sendHeartbeat(to phone: Phone, _ step: inout Step) {
        guard hall.entering != phone.id else { return }
        let places = places(of: phone)
        // A way that has something against it may take this one all the same.
        guard let place = places.first(where: { isUp($0.way) }) ?? places.first(where: { isReady($0.way) }) else {
            for way in places.map(\.way) where !hall.heartbeat.missed.contains(way) {
                hall.heartbeat.missed.append(way)
            }
            return
        }
        let id = MessageID(boot: bootMark, counter: hall.nextAnswer)
        hall.nextAnswer += 1
        hall.answers.add(
            .sealed(phone.id, heartbeat(for: phone.id, at: step.now), wantsChallenge: false), to: place, as: id,
            isHeartbeat: true, at: step.now.boot)
    }

    /// As small as an envelope gets: the state of a house with many open zones is left out.
    private func heartbeat(for phone: PhoneID, at now: Moment) -> BoxMessage {
        var members = statusMembers(for: phone, at: now)
        if JSON.object(members).text.utf8.count > Self.heartbeatLimit { members.removeAll { $0.key == "st" } }
        return BoxMessage(.status, content: .object(members))
    }

    /// Bytes of JSON that fit into the smallest envelope, beside kind, request and length.
    private static let heartbeatLimit = 212 - 11

    private func isUp(_ way: WayKind) -> Bool {
        isReady(way) && hall.way(way).map { hall.ways[$0].carrier.transport.health.isHealthy } ?? false
    }

    private func isReady(_ way: WayKind) -> Bool { hall.way(way).map { hall.ways[$0].isReady } ?? false }
}
