import AlarmModel
import ApplianceCore

/// The promises about the links.
extension World {
    /// How long a dead link may be in use, and a few seconds until the connection is left.
    private static let failover = Duration.seconds(33)
    /// The longest hold time, five passes, and the time until it counts.
    private static let failback = Duration.seconds(320)
    /// A connection that the good link did not secure goes by another for the hold time, and is left like the others.
    private static let detour = Duration.seconds(60) + failover
    /// A connection that went by another link because the good one did not answer stays there for the longest hold time.
    private static let longestDetour = Duration.minutes(4) + failover

    mutating func checkLinks() throws(Violation) {
        guard let uplinks else { return }
        guard uplinks.probes.count <= 2 * uplinks.links.count * uplinks.targets.count else {
            throw broken(.probesAreBounded, "\(uplinks.probes.count) probes are open")
        }
        for wire in pushHost.wires where wire.run == run {
            guard let index = uplinks.path(of: wire.peer) else { continue }
            let path = uplinks.paths[index]
            let patience = uplinks.isDetour(by: path.link, since: wire.since) ? Self.detour : Self.failover
            if let dead = path.deadSince, now - dead > patience, uplinks.hasGood(for: Self.failover, at: now) {
                throw broken(
                    .deadPathsAreLeft,
                    "a connection by \(uplinks.links[path.link].name) has carried nothing for \(now - dead)")
            }
            for (preferred, since) in uplinks.goodSince.enumerated() where preferred < path.link {
                guard wire.isOpen, let since, now - since > Self.failback, now - wire.since > Self.longestDetour else {
                    continue
                }
                throw broken(
                    .preferredLinksAreUsed,
                    "\(uplinks.links[preferred].name) has been good for \(now - since), and a connection goes by "
                        + uplinks.links[path.link].name)
            }
        }
    }

    /// What the core writes about links while they are good.
    mutating func checkLinkEvents(_ batch: Batch) throws(Violation) {
        guard let uplinks else { return }
        // What is written late, because the disk failed or because it was held back, was said of another time.
        for event in batch.events
        where abs((event.time - moment.wall).milliseconds) < 1000 && !event.message.hasSuffix("not each is sent.") {
            if event.code == EventCode.linkSwitched.rawValue { self.uplinks?.switches += 1 }
            if event.code == EventCode.linksLost.rawValue, uplinks.hasGood(for: Self.failover, at: now) {
                throw broken(.goodLinksAreNotLost, "'\(event.message)', and one has been good for 30 s")
            }
            // That one cannot be relied on is concluded from connections, which other things end, too.
            guard event.code == EventCode.linkLost.rawValue, event.message.contains(" is lost: ") else { continue }
            for (link, since) in zip(uplinks.links, uplinks.goodSince) where event.message.contains(link.name) {
                guard let since, now - since > Self.failover else { continue }
                throw broken(.goodLinksAreNotLost, "'\(event.message)', and it has been good for \(now - since)")
            }
        }
    }

    /// Every few seconds: no alarm waits longer than it must.
    mutating func checkLateAlarms() throws(Violation) {
        guard let uplinks else { return }
        let isSound =
            appliance != nil && !store.isBad(at: now) && store.disk.fault == nil && store.badRows.readsBackAt <= now
            && configuration.phones.account == wholeConfiguration.phones.account
            && uplinks.hasGood(for: .zero, at: now)
        let waiting = store.disk.phones.messages.filter { $0.state == .waiting && $0.row.priority == .alarm }
        self.uplinks?.lateAlarms.look(at: waiting.map(\.row.message), isSound: isSound, run: run, at: now)
        guard uplinks.hasGood(for: LateAlarms.patience, at: now) else { return }
        for late in self.uplinks?.lateAlarms.overdue(at: now) ?? [] {
            guard let message = store.disk.phones.message(late.message),
                let phone = store.disk.phones.owners[message.row.address],
                let address = store.disk.phones.book?.phone(phone)?.addresses.first(where: {
                    $0.id == message.row.address
                }),
                address.state == .inUse
            else { continue }
            throw broken(
                .alarmsArriveSoon,
                "\(late.message) has waited for \(now - late.since), and all has been well for \(LateAlarms.patience)")
        }
    }
}
