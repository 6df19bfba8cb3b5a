package import AlarmModel

/// Decides which of the configured links is in use: probes them all, always, also when all are down.
///
/// A pass asks a link's name servers for a name and connects to all targets side by side; it is good when a target
/// accepts. Bytes from the far end of the phone connection count as a good pass. Name servers decide nothing where
/// there are targets: when they are silent the link stays in use (addresses are remembered) and its report says so;
/// when only they answer, the pass has failed, for a name server may stand before the break.
///
/// A link that lost its carrier or its last address is left at once; one that fails passes as in `LinkTrack`. Once no
/// link is good, the first that answers a single pass is used. A preferred link is used again after enough good passes
/// and its hold time, or at once when the one in use is lost.
package struct Failover: Codable, Equatable, Sendable {
    package typealias Action = FailoverAction

    var settings: UplinkSettings
    var links: [LinkTrack] = []
    /// The place of the link in use.
    var activeIndex: Int?
    var startedAt: BootTime?
    /// Some link has been in use since the start.
    var wasEverActive = false
    /// When the link in use was lost and none took its place.
    var lostAt = BootTime.zero
    var isLossTold = false
    /// As it was told last by `needsNow`.
    package internal(set) var isAlarmWaiting = false
    /// Times at which cold links were woken for an alarm that the link in use did not bring out; the last ones.
    var alarmWakes: [BootTime]?
    var nextConnection: ConnectionID
    var nextQuestion: ResolveID
    var watched: [String] = []
    var lastRead = BootTime.zero
    var usageTold = UsageMark()
    /// Until then a call may keep the modem from carrying data: a link of it that is lost meanwhile is told afterwards, if it
    /// still is.
    package var modemCallsUntil = BootTime.zero
    #if SABOTAGE
        package var sabotage: Sabotage?
    #endif

    /// Connections and questions are numbered upwards from these; nobody else may use numbers above them that this may
    /// reach (2⁴⁰ are plenty).
    package init(_ settings: UplinkSettings, firstConnection: ConnectionID, firstQuestion: ResolveID) {
        self.settings = settings
        nextConnection = firstConnection
        nextQuestion = firstQuestion
    }

    var timings: FailoverTimings { settings.timings }

    /// Once, before all else; `usage` as it was stored last.
    package mutating func start(usage: [LinkUsage] = [], at now: Moment, into actions: inout [Action]) {
        precondition(startedAt == nil, "the failover is started once; a new configuration comes by reconfigure")
        startedAt = now.boot
        lastRead = now.boot
        links = settings.links.map { link in
            LinkTrack(link, usage: usage.first { $0.name == link.name }, at: now.boot)
        }
        usageTold = usageMark(at: now.boot)
        guard !links.isEmpty else { return }
        watched = wantedInterfaces
        actions.append(.watch(interfaces: watched))
        actions.append(.readLinks)
        settle(at: now, into: &actions)
    }

    /// Whether an alarm waits to go out: then a cold link is woken as soon as the active one is suspect.
    package mutating func needsNow(_ isWaiting: Bool, at now: Moment, into actions: inout [Action]) {
        isAlarmWaiting = isWaiting
        settle(at: now, into: &actions)
    }

    /// An alarm waits, and the link in use carries it to nobody, although it is good by all probes: a service refuses the box's
    /// address there, or answers nothing. Cold links are woken for it, a few times within half an hour, because each wake
    /// costs a metered link some kilobytes.
    ///
    /// - Returns: true if one of them may answer soon
    package mutating func wakeForAlarm(at now: Moment, into actions: inout [Action]) -> Bool {
        let before = alarmWakes
        let mayAnswer = takeAlarmWake(at: now.boot)
        if alarmWakes != before { settle(at: now, into: &actions) }
        return mayAnswer
    }

    mutating func takeAlarmWake(at now: BootTime) -> Bool {
        guard isAlarmWaiting, let activeIndex else { return false }
        let areAsleep = links.indices.contains {
            $0 != activeIndex && policy(of: links[$0]) == .cold && !links[$0].isAnswering
        }
        guard areAsleep else { return false }
        if isAwakeForAlarm(at: now) { return true }
        let wakes = (alarmWakes ?? []).filter { $0 + Self.wakeWindow > now }
        guard wakes.count < Self.wakesInWindow else { return false }
        alarmWakes = wakes + [now]
        return true
    }

    func isAwakeForAlarm(at now: BootTime) -> Bool {
        alarmWakes?.last.map { now < $0 + Self.wakeSpan } ?? false
    }

    private static let wakeSpan = Duration.minutes(2)
    private static let wakeWindow = Duration.minutes(30)
    private static let wakesInWindow = 3

    /// The owner wants every link probed now; cold ones are woken for it.
    package mutating func test(at now: Moment, into actions: inout [Action]) {
        guard startedAt != nil else { return }
        for index in links.indices {
            links[index].lastNeeded = now.boot
            wake(index, at: now.boot, into: &actions)
            links[index].isDueAtOnce = true
            links[index].extraPasses = max(1, links[index].extraPasses)
        }
        settle(at: now, into: &actions)
    }

    package mutating func timerFired(at now: Moment, into actions: inout [Action]) {
        settle(at: now, into: &actions)
    }

    /// The name of the link in use; nil while none is good.
    package var active: String? { activeIndex.map { links[$0].settings.name } }

    /// To dial on now; `any` when no link is configured.
    package var link: Link { order.first ?? .any }

    /// The links to try in turn for a new connection, `link` first; those that cannot carry anything now are left out.
    /// When that leaves none, whatever way the system has: nothing is bound to a link then, and a wrong interface name
    /// in the configuration does not silence the box.
    package var order: [Link] {
        var ranked: [(rank: Int, link: Link)] = []
        for (index, track) in links.enumerated() where track.canBeProbed {
            guard let link = track.link else { continue }
            ranked.append((rank(of: track, isActive: index == activeIndex), link))
        }
        guard !ranked.isEmpty else { return [.any] }
        return (0...5).flatMap { rank in ranked.filter { $0.rank == rank }.map(\.link) }
    }

    /// nil while it has no interface.
    package func link(named name: String) -> Link? { links.first { $0.settings.name == name }?.link }

    /// Addresses that connections by this link may come from; empty where that is not known.
    package func addresses(of link: Link) -> [IPAddress] {
        links.first { $0.link == link }?.facts?.addresses ?? []
    }

    /// Whether its last pass was good.
    package func isAnswering(_ link: Link) -> Bool {
        links.contains { $0.link == link && $0.canBeProbed && $0.isAnswering }
    }

    /// Whether it carries nothing, or failed after this moment and has not come up again: where it was not up then either,
    /// two passes in a row that fail.
    package func isDown(_ link: Link, since moment: BootTime) -> Bool {
        links.contains { track in
            guard track.link == link else { return false }
            if track.obstacle != nil { return true }
            let hasFallen = track.lastDown.map { $0 > moment } ?? false
            let failsAgain = track.failsInRow >= 2 && track.lastCounted.map { $0 > moment } ?? false
            return track.health != .up && (hasFallen || failsAgain)
        }
    }

    private func rank(of track: LinkTrack, isActive: Bool) -> Int {
        if isActive { return 0 }
        if track.health == .up && !track.isSuspect { return 1 }
        if track.isAnswering { return 2 }
        if track.health == .up { return 3 }
        return track.answersNames ? 4 : 5
    }

    /// Does all that is due, until nothing is left to do at this moment.
    mutating func settle(at now: Moment, into actions: inout [Action]) {
        guard startedAt != nil, !links.isEmpty else { return }
        turnMonth(at: now)
        for index in links.indices {
            links[index].refillExtraPasses(timings, at: now.boot)
            if let pass = links[index].pass, now.boot >= pass.deadline {
                endPass(of: index, at: now.boot, into: &actions)
            }
        }
        decide(at: now.boot, into: &actions)
        // A pass that has nothing to ask is over as it starts.
        if startDuePasses(at: now.boot, into: &actions) { decide(at: now.boot, into: &actions) }
        if now.boot >= lastRead + timings.readLinks {
            lastRead = now.boot
            actions.append(.readLinks)
        }
        for index in links.indices where links[index].shown != links[index].state {
            links[index].shown = links[index].state
            links[index].shownSince = now.boot
        }
    }

    private mutating func decide(at now: BootTime, into actions: inout [Action]) {
        choose(at: now, into: &actions)
        wakeAndSleep(at: now, into: &actions)
        tell(at: now, into: &actions)
    }

    var wantedInterfaces: [String] {
        var names: [String] = []
        for name in links.compactMap(\.interface).sorted() where names.last != name { names.append(name) }
        return names
    }
}
