import AlarmModel
import PhoneLink

/// By which of a person's channels a message leaves first. An alarm goes out by all of them at once; anything else by
/// the preferred one of each app, or of the person where there is no app, and by the others only when nothing has
/// confirmed it in time (`OutboxPolicy.fallbackDelay`).
extension Outbox {
    /// Of these lines, the ones whose messages wait for the others to fail.
    /// - Parameter healthy: channels that may be relied on
    func fallbacks(_ receivers: [Int], healthy: [ChannelKind]) -> [Int] {
        var fallbacks: [Int] = []
        var persons: [PersonID] = []
        for receiver in receivers {
            guard let person = lines[receiver].route.person, !persons.contains(person) else { continue }
            persons.append(person)
            let theirs = receivers.filter { lines[$0].route.person == person && lines[$0].route.retiresAt == nil }
            let chosen = preferred(of: theirs, healthy: healthy)
            fallbacks += theirs.filter { !chosen.contains($0) }
        }
        return fallbacks
    }

    private func preferred(of theirs: [Int], healthy: [ChannelKind]) -> [Int] {
        func best(_ candidates: [Int]) -> Int? {
            candidates.filter { healthy.contains(lines[$0].route.channel) }.min { isPreferred($0, $1) }
        }
        var chosen: [Int] = []
        var phones: [PhoneID] = []
        for index in theirs {
            guard let phone = lines[index].route.phone, !phones.contains(phone) else { continue }
            phones.append(phone)
            if let one = best(theirs.filter { lines[$0].route.phone == phone }) { chosen.append(one) }
        }
        if chosen.isEmpty, let one = best(theirs.filter { lines[$0].route.phone == nil }) { chosen = [one] }
        // None is healthy: whichever comes back first shall have it.
        return chosen.isEmpty ? theirs : chosen
    }

    /// A mail is read later than a push.
    private func isPreferred(_ a: Int, _ b: Int) -> Bool { lines[a].route.channel < lines[b].route.channel }

    /// A message arrived: those that stand in for it need not leave.
    mutating func spareFallbacks(for item: OutboxItem, at now: Moment) {
        guard item.priority != .alarm, let person = lineIndex(item.address).map({ lines[$0].route.person }),
            person != nil
        else { return }
        for message in fallbacks(for: item) {
            guard let index = index(of: message), items[index].stage == .waiting,
                let line = lineIndex(items[index].address), lines[line].route.person == person
            else { continue }
            finish(index, .spared, at: now)
        }
    }

    /// A message was given up: those that stand in for it leave at once.
    mutating func releaseFallbacks(for item: OutboxItem, at now: Moment) {
        guard item.priority != .alarm else { return }
        for message in fallbacks(for: item) {
            guard let index = index(of: message), items[index].stage == .waiting else { continue }
            change(index) { $0.notBefore = min($0.notBefore, now.boot) }
        }
    }

    private func fallbacks(for item: OutboxItem) -> [MessageID] {
        guard let seq = item.seq else { return [] }
        return items.filter { $0.isFallback && $0.seq == seq && $0.message != item.message }.map(\.message)
    }
}
