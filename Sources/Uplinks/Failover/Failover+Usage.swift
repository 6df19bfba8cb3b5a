package import AlarmModel

/// What `usageChanged` was told of last.
struct UsageMark: Codable, Equatable, Sendable {
    var at = BootTime.zero
    /// Bytes of all links, and of the metered ones.
    var all: UInt64 = 0
    var metered: UInt64 = 0
}

extension Failover {
    /// Changed usage is worth storing after so long, or after so much on metered links: flash wears.
    static let usagePace = Duration.minutes(10)
    static let usageStep: UInt64 = 1_000_000

    /// What is to be stored.
    package var usage: [LinkUsage] { links.map(\.usage) }

    mutating func count(_ fact: LinkFacts, on index: Int, at now: Moment) {
        guard fact.isPresent else { return }
        var usage = links[index].usage
        let fresh: UInt64
        if usage.interface == fact.interface {
            // A counter that went back is that of an interface that was made anew.
            fresh = fact.traffic >= usage.counter ? fact.traffic - usage.counter : fact.traffic
        } else {
            // What went over an interface before it was ours does not count; a modem's next one was made for us.
            fresh = usage.interface != nil && links[index].settings.kind == .modem ? fact.traffic : 0
        }
        usage.interface = fact.interface
        usage.counter = fact.traffic
        usage.unplaced = Self.sum(usage.unplaced, fresh)
        if now.isWallTrusted { Self.place(&usage, in: now.wall.month) }
        links[index].usage = usage
    }

    private static func place(_ usage: inout LinkUsage, in month: Int) {
        if usage.month.map({ month > $0 }) ?? true {
            usage.monthBefore = usage.month == month - 1 ? usage.bytes : nil
            usage.month = month
            usage.bytes = 0
            usage.isExceededTold = false
        }
        usage.bytes = sum(usage.bytes, usage.unplaced)
        usage.unplaced = 0
    }

    /// A month has begun. Of a modem that sleeps because of its budget nothing is heard that would tell.
    mutating func turnMonth(at now: Moment) {
        guard now.isWallTrusted, links.contains(where: { $0.usage.month != nil }) else { return }
        let month = now.wall.month
        for index in links.indices where links[index].usage.month.map({ month > $0 }) ?? false {
            Self.place(&links[index].usage, in: month)
        }
    }

    mutating func reviewUsage(at now: BootTime, into actions: inout [Action]) {
        var isExceeded = false
        for index in links.indices {
            let track = links[index]
            guard track.settings.isMetered, let budget = track.settings.budget, track.usage.total > budget,
                !track.usage.isExceededTold
            else { continue }
            links[index].usage.isExceededTold = true
            isExceeded = true
            actions.append(.budgetExceeded(track.settings.name, used: track.usage.total, budget: budget))
        }
        let mark = usageMark(at: now)
        let isMuch = mark.metered > usageTold.metered && mark.metered - usageTold.metered >= Self.usageStep
        let isLong = now >= usageTold.at + Self.usagePace && mark.all != usageTold.all
        guard isExceeded || isMuch || isLong else { return }
        usageTold = mark
        actions.append(.usageChanged)
    }

    func usageMark(at now: BootTime) -> UsageMark {
        UsageMark(
            at: now, all: links.reduce(0) { Self.sum($0, $1.usage.total) },
            metered: links.filter(\.settings.isMetered).reduce(0) { Self.sum($0, $1.usage.total) })
    }

    private static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}
