import AlarmModel
import PhoneLink
import PhoneProtocol

/// Signs of life to paired phones, so that they notice the box's death (docs/pairing.md 6: a status without request).
///
/// One for each phone, by the first of its addresses whose channel is up; now or never, without sound, in no journal
/// and no outbox, behind everything else that wants to go. Store apps, original apps and browsers' pushes get none:
/// there each would be a notification.
extension Deliveries {
    mutating func beginHeartbeat(_ step: inout Step) {
        heartbeat.begin(every: step.configuration.phones.heartbeat, at: step.now.boot)
    }

    mutating func heartbeatDue(_ reach: ChannelReach, _ step: inout Step) {
        guard step.life == .running, let due = heartbeat.nextAt, due <= step.now.boot else { return }
        let number = heartbeat.count
        heartbeat.went(every: step.configuration.phones.heartbeat, at: step.now.boot)
        heartbeat.missed = []
        #if SABOTAGE
            if step.sabotage == .heartbeatStops { return }
        #endif
        for phone in step.book.phones where number % step.heartbeatShare(of: phone.id) == 0 {
            sendHeartbeat(to: phone, reach, &step)
        }
    }

    /// A channel is up that was not at the last sign of life.
    mutating func sendMissedHeartbeats(by channel: ChannelKind, _ reach: ChannelReach, _ step: inout Step) {
        guard step.life == .running, heartbeat.missed.contains(channel) else { return }
        heartbeat.missed.removeAll { $0 == channel }
        for phone in step.book.phones where places(of: phone, step).contains(where: { $0.channel == channel }) {
            sendHeartbeat(to: phone, reach, &step)
        }
    }

    /// Phones expect what they were told last: the change is told at once, also that there will be none.
    mutating func heartbeatChanged(_ reach: ChannelReach, _ step: inout Step) {
        for phone in step.book.phones { sendHeartbeat(to: phone, reach, &step) }
        heartbeat.went(every: step.configuration.phones.heartbeat, at: step.now.boot)
    }

    private func places(of phone: Phone, _ step: Step) -> [Answer.Place] {
        phone.addresses.filter { $0.state == .inUse && $0.kind != .webPush }.compactMap { step.place(of: $0) }
    }

    private mutating func sendHeartbeat(to phone: Phone, _ reach: ChannelReach, _ step: inout Step) {
        guard step.entering != phone.id else { return }
        let places = places(of: phone, step)
        // A channel that has something against it may take this one all the same.
        guard
            let place = places.first(where: { reach.healthy.contains($0.channel) })
                ?? places.first(where: { reach.ready.contains($0.channel) })
        else {
            for channel in places.map(\.channel) where !heartbeat.missed.contains(channel) {
                heartbeat.missed.append(channel)
            }
            return
        }
        step.answer(
            .sealed(phone.id, beat(for: phone.id, step), wantsChallenge: false), to: place, isHeartbeat: true)
    }

    /// As small as an envelope gets: the state of a house with many open zones is left out.
    private func beat(for phone: PhoneID, _ step: Step) -> BoxMessage {
        var members = step.statusMembers(for: phone)
        if JSON.object(members).text.utf8.count > Self.heartbeatLimit { members.removeAll { $0.key == "st" } }
        return BoxMessage(.status, content: .object(members))
    }

    /// Bytes of JSON that fit into the smallest envelope, beside kind, request and length.
    private static let heartbeatLimit = 212 - 11
}
