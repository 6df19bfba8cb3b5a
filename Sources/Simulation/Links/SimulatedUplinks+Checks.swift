import AlarmModel
import ApplianceCore

/// The promises about the links.
extension SimulatedUplinks {
    /// How long a dead link may be in use, and a few seconds until the connection is left.
    private static let failover = Duration.seconds(33)
    /// The longest hold time, five passes, and the time until it counts.
    private static let failback = Duration.seconds(320)
    /// A connection that the good link did not secure goes by another for the hold time, and is left like the others.
    private static let detour = Duration.seconds(60) + failover
    /// A connection that went by another link because the good one did not answer stays there for the longest hold time.
    private static let longestDetour = Duration.minutes(4) + failover

    /// After each step.
    /// - Parameter wires: to the push service
    func check(_ wires: [SimulatedWire], from here: Standpoint) throws(Violation) {
        guard probes.count <= 2 * links.count * targets.count else {
            throw here.broken(.probesAreBounded, "\(probes.count) probes are open")
        }
        for wire in wires where wire.run == here.run {
            guard let index = path(of: wire.peer) else { continue }
            let path = paths[index]
            let patience = isDetour(by: path.link, since: wire.since) ? Self.detour : Self.failover
            if let dead = path.deadSince, here.now - dead > patience, hasGood(for: Self.failover, at: here.now) {
                throw here.broken(
                    .deadPathsAreLeft,
                    "a connection by \(links[path.link].name) has carried nothing for \(here.now - dead)")
            }
            for preferred in links.indices where preferred < path.link {
                guard wire.isOpen, let since = steadySince(preferred), here.now - since > Self.failback,
                    here.now - wire.since > Self.longestDetour
                else {
                    continue
                }
                throw here.broken(
                    .preferredLinksAreUsed,
                    "\(links[preferred].name) has been good for \(here.now - since), and a connection goes by "
                        + links[path.link].name)
            }
        }
    }

    /// Since when a link has been good and has kept its address; nil while it is not good. One whose address goes twice
    /// within a minute may be left.
    private func steadySince(_ index: Int) -> BootTime? {
        goodSince[index].map { max($0, links[index].renumberedAt) }
    }

    /// What the core writes about links while they are good.
    mutating func checkEvents(of batch: Batch, wall: WallTime, from here: Standpoint) throws(Violation) {
        // What is written late, because the disk failed or because it was held back, was said of another time.
        for event in batch.events
        where abs((event.time - wall).milliseconds) < 1000 && !event.message.hasSuffix("not each is sent.") {
            if event.code == EventCode.linkSwitched.rawValue { switches += 1 }
            if event.code == EventCode.linksLost.rawValue, hasGood(for: Self.failover, at: here.now) {
                throw here.broken(.goodLinksAreNotLost, "'\(event.message)', and one has been good for 30 s")
            }
            // That one cannot be relied on is concluded from connections, which other things end, too.
            guard event.code == EventCode.linkLost.rawValue, event.message.contains(" is lost: ") else { continue }
            for (index, link) in links.enumerated() where event.message.contains(link.name) {
                guard let since = steadySince(index), here.now - since > Self.failover else { continue }
                throw here.broken(
                    .goodLinksAreNotLost, "'\(event.message)', and it has been good for \(here.now - since)")
            }
        }
    }

    /// Every few seconds: no alarm waits longer than it must.
    /// - Parameter isServed: the daemon runs, and has the account that it should have
    mutating func checkLateAlarms(isServed: Bool, _ store: SimulatedStore, from here: Standpoint) throws(Violation) {
        let isSound =
            isServed && store.isSound(at: here.now) && store.badRows.readsBackAt <= here.now
            && hasGood(for: .zero, at: here.now)
        let waiting = store.disk.phones.messages.filter { $0.state == .waiting && $0.row.priority == .alarm }
        lateAlarms.look(at: waiting.map(\.row.message), isSound: isSound, run: here.run, at: here.now)
        guard hasGood(for: LateAlarms.patience, at: here.now) else { return }
        for late in lateAlarms.overdue(at: here.now) {
            guard let message = store.disk.phones.message(late.message),
                let phone = store.disk.phones.owners[message.row.address],
                let address = store.disk.phones.book?.phone(phone)?.addresses.first(where: {
                    $0.id == message.row.address
                }),
                address.state == .inUse
            else { continue }
            throw here.broken(
                .alarmsArriveSoon,
                "\(late.message) has waited for \(here.now - late.since), and all has been well for \(LateAlarms.patience)"
            )
        }
    }
}
