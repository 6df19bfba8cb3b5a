import AlarmModel
import PhoneLink

/// Whom the box can reach at all.
extension Deliveries {
    /// The channels that have a message to send, or under way, that their service has not accepted.
    ///
    /// - Parameter isUnderWay: whether one is under way; nil where the channel takes none
    func waiting(_ step: Step, _ isUnderWay: (ChannelKind) -> Bool?) -> [LineOwner] {
        step.channels.filter { kind in
            isUnderWay(kind) ?? outbox.items.contains { $0.channel == kind && $0.isToBeSent }
        }.map { .channel($0) }
    }

    /// Losing the last channel to a person is an event of its own. With one channel only, its loss says as much.
    mutating func noticeUnreachable(_ reach: ChannelReach, _ step: inout Step) {
        unhealthy.removeAll { reach.healthy.contains($0.channel) }
        for channel in step.channels where !reach.healthy.contains(channel) {
            guard !unhealthy.contains(where: { $0.channel == channel }) else { continue }
            unhealthy.append(Unhealthy(channel: channel, since: step.now.boot))
        }
        guard step.channels.count > 1 else { return }
        for person in step.book.people {
            let channels = outbox.channels(to: person.id)
            guard !channels.isEmpty else { continue }
            let since = channels.map { kind in unhealthy.first { $0.channel == kind }?.since }
            if since.contains(nil) {
                guard unreachable.contains(person.id) else { continue }
                unreachable.removeAll { $0 == person.id }
                step.note(
                    .recovery, .pushOnline, "\(person.name) can be reached again.", about: .person(person.id))
            } else if !unreachable.contains(person.id), let last = since.compactMap({ $0 }).max(),
                step.now.boot - last >= Self.unreachablePatience
            {
                unreachable.append(person.id)
                let words = channels.map(\.words).joined(separator: ", ")
                step.note(
                    .fault, .pushOffline,
                    "\(person.name) cannot be reached by any channel (\(words)). See \(Hint.phones.atBox).",
                    about: .person(person.id))
            }
        }
    }

    /// The channel is gone; one of its kind that comes after it begins anew.
    mutating func forgetHealth(of channel: ChannelKind) { unhealthy.removeAll { $0.channel == channel } }

    private static let unreachablePatience: Duration = .seconds(90)

    /// When that is to be looked at again.
    func unreachableDeadlines(_ step: Step) -> [BootTime] {
        step.channels.count > 1 ? unhealthy.map { $0.since + Self.unreachablePatience } : []
    }

    /// Somebody has a phone or an app, and the configuration has no channel to it: told when it is read, at the start too,
    /// and when somebody is paired or revoked.
    mutating func noticeChannelless(_ step: inout Step) {
        guard !step.isOffline else { return }
        let cutOff = step.book.people.filter { step.book.hasAddress($0.id) && outbox.channels(to: $0.id).isEmpty }
        let cut = cutOff.filter { !channelless.contains($0.id) }
        let back = step.book.people.filter { person in
            channelless.contains(person.id) && !outbox.channels(to: person.id).isEmpty
        }
        channelless = cutOff.map(\.id)
        if !cut.isEmpty {
            step.note(
                .fault, .pushOffline,
                "\(cut.map(\.name).joined(separator: ", ")) cannot be told anything: no channel of the configuration leads to "
                    + "what is paired. Put its section back, and what waits leaves; or pair again by another channel.")
        }
        if !back.isEmpty {
            step.note(
                .recovery, .pushOnline,
                "The configuration has a channel to \(back.map(\.name).joined(separator: ", ")) again.")
        }
    }

}
