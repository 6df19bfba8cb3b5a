import AlarmModel
import PhoneLink

/// Whom the box can reach at all.
extension Appliance {
    /// Losing the last way to a person is an event of its own. With one way only, its loss says as much.
    mutating func noticeUnreachable(_ step: inout Step) {
        let healthy = hall.healthyWays
        for index in hall.ways.indices {
            let isHealthy = healthy.contains(hall.ways[index].kind)
            hall.ways[index].unhealthySince = isHealthy ? nil : hall.ways[index].unhealthySince ?? step.now.boot
        }
        guard hall.ways.count > 1 else { return }
        for person in hall.book.people {
            let ways = hall.outbox.ways(to: person.id)
            guard !ways.isEmpty else { continue }
            let since = ways.map { kind in hall.way(kind).flatMap { hall.ways[$0].unhealthySince } }
            if since.contains(nil) {
                guard hall.unreachable.contains(person.id) else { continue }
                hall.unreachable.removeAll { $0 == person.id }
                note(.recovery, .pushOnline, "\(person.name) can be reached again.", &step)
            } else if !hall.unreachable.contains(person.id),
                let last = since.compactMap({ $0 }).max(), step.now.boot - last >= Self.offlinePatience
            {
                hall.unreachable.append(person.id)
                let words = ways.map(\.words).joined(separator: ", ")
                note(
                    .fault, .pushOffline,
                    "\(person.name) cannot be reached by any way (\(words)). See 'howalarming phones list'.", &step)
            }
        }
    }

    /// When that is to be looked at again.
    var unreachableDeadline: [BootTime] {
        hall.ways.count > 1 ? hall.ways.compactMap { $0.unhealthySince.map { $0 + Self.offlinePatience } } : []
    }

    /// Somebody has a phone or an app, and the configuration has no way to it: told when it is read, at the start too, and
    /// when somebody is paired or revoked.
    mutating func noticeWayless(_ step: inout Step) {
        guard !isOffline else { return }
        let wayless = hall.book.people.filter { hasAddress($0.id) && hall.outbox.ways(to: $0.id).isEmpty }
        let cut = wayless.filter { !hall.wayless.contains($0.id) }
        let back = hall.book.people.filter { person in
            hall.wayless.contains(person.id) && !hall.outbox.ways(to: person.id).isEmpty
        }
        hall.wayless = wayless.map(\.id)
        if !cut.isEmpty {
            note(
                .fault, .pushOffline,
                "\(cut.map(\.name).joined(separator: ", ")) cannot be told anything: no way of the configuration leads to "
                    + "what is paired. Put its section back, and what waits leaves; or pair again by another way.",
                &step)
        }
        if !back.isEmpty {
            note(
                .recovery, .pushOnline,
                "The configuration has a way to \(back.map(\.name).joined(separator: ", ")) again.", &step)
        }
    }

    private func hasAddress(_ person: PersonID) -> Bool {
        let phones = hall.book.phones.filter { $0.person == person }.flatMap(\.addresses)
        return phones.contains { $0.state == .inUse }
            || hall.book.contacts.contains { $0.person == person && $0.state == .inUse }
    }
}
