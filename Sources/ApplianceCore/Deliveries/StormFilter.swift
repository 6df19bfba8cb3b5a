import AlarmModel

/// Keeps what happens again and again from using up what a service takes in a day, so that it still takes the alarm.
///
/// A subject is told of a few times at once, then after pauses that grow, with its latest news and how often it
/// happened. All subjects together share a budget for the day. Alarms, arming and what people do are never held back
/// and use up nothing; the journal has everything. What is held back is not kept over a restart.
struct StormFilter: Codable, Equatable, Sendable {
    /// Of one subject, before pauses begin.
    static let atOnce = 4
    /// The first pause; each is twice the one before it.
    static let firstPause: Duration = .minutes(5)
    static let longestPause: Duration = .hours(2)
    /// A subject that was quiet for so long begins anew.
    static let memory: Duration = .hours(4)
    /// The budget: so many at once, one more each interval. Within any 24 hours that is 60.
    static let burst = 36
    static let interval: Duration = .hours(1)
    /// So many of them are kept for what has not been told yet.
    static let reserve = 12
    /// More than a house has zones and channels.
    static let subjectLimit = 256

    private struct Entry: Codable, Equatable, Sendable {
        var subject: StormSubject
        var firstAt: BootTime
        var lastAt: BootTime
        var count = 0
        var told = 0
        var pausedUntil: BootTime = .zero
        /// The latest news, which waits.
        var held: Held?
        /// Leaves in this step.
        var leaving: Event?

        /// It counts no more, and goes when the next new subject comes.
        func isOver(at now: BootTime) -> Bool {
            held == nil && leaving == nil && now - lastAt >= StormFilter.memory
        }
    }

    /// What is told of a subject after a while.
    struct Held: Codable, Equatable, Sendable {
        var event: Event
        var about: EventAbout?
        var audience: OutboxAudience?
    }

    private var entries: [Entry] = []
    private var day = OutboxPace()

    // MARK: Asked

    /// Whether people are told now; what they are not told now is told later.
    mutating func passes(_ event: Event, about: EventAbout?, to audience: OutboxAudience?, at now: BootTime) -> Bool {
        guard let subject = StormSubject(event, about: about) else { return true }
        let index = entry(of: subject, at: now)
        if entries[index].leaving == event {
            entries[index].leaving = nil
            return true
        }
        entries[index].count += 1
        entries[index].lastAt = now
        guard readyAt(entries[index]) <= now else {
            entries[index].held = Held(event: event, about: about, audience: audience)
            return false
        }
        told(index, event, at: now)
        return true
    }

    /// What was held back and may leave now, in words that say how often it happened. Whoever takes it records it in
    /// this step.
    mutating func takeDue(at now: Moment) -> [Held] {
        var due: [Held] = []
        for index in entries.indices {
            guard var held = entries[index].held, readyAt(entries[index]) <= now.boot else { continue }
            let ago = (now.boot - entries[index].lastAt).words
            let span = (now.boot - entries[index].firstAt).words
            held.event.message +=
                "\(held.event.message.hasSuffix(".") ? "" : ".") That was \(ago) ago, number \(entries[index].count) within "
                + "\(span); not each is sent."
            held.event.flags.insert(.stormSummary)
            held.event.time = now.wall
            held.event.isTimeTrusted = now.isWallTrusted
            told(index, held.event, at: now.boot)
            entries[index].leaving = held.event
            due.append(held)
        }
        return due
    }

    /// Asked after every step: no list is made for it.
    var nextDeadline: BootTime? {
        var next: BootTime?
        for index in entries.indices where entries[index].held != nil {
            let ready = readyAt(entries[index])
            next = min(next ?? ready, ready)
        }
        return next
    }

    // MARK: Subjects

    private func readyAt(_ entry: Entry) -> BootTime {
        let burst = entry.told == 0 ? Self.burst : Self.burst - Self.reserve
        return max(entry.pausedUntil, day.ready(burst: burst, interval: Self.interval))
    }

    private mutating func told(_ index: Int, _ event: Event, at now: BootTime) {
        entries[index].told += 1
        entries[index].held = nil
        day.take(interval: Self.interval, at: now)
        // A flapping zone was counted by the panel's session before.
        let beyond = entries[index].told - (event.flags.contains(.flapping) ? 1 : Self.atOnce)
        guard beyond >= 0 else { return }
        entries[index].pausedUntil = now + min(Self.firstPause * (1 << min(beyond, 20)), Self.longestPause)
    }

    private mutating func entry(of subject: StormSubject, at now: BootTime) -> Int {
        if let known = entries.indices.first(where: { entries[$0].subject == subject && !entries[$0].isOver(at: now) })
        {
            return known
        }
        entries.removeAll { $0.isOver(at: now) }
        if entries.count >= Self.subjectLimit {
            // The oldest that keeps nothing back goes first.
            let victim = entries.indices.min {
                (entries[$0].held == nil ? 0 : 1, entries[$0].lastAt) < (
                    entries[$1].held == nil ? 0 : 1, entries[$1].lastAt
                )
            }
            if let victim { entries.remove(at: victim) }
        }
        entries.append(Entry(subject: subject, firstAt: now, lastAt: now))
        return entries.count - 1
    }
}
