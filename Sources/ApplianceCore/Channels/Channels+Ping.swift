import AlarmModel
import PhoneLink

/// The dead-man ping to a service of the owner's choice. It has a connection like a channel to people and is none:
/// nothing is routed to it, and its failure says nothing about phones.
struct ConfiguredPing: Codable, Equatable, Sendable {
    var deadManPing: DeadManPing
    /// Its failure was told.
    var isTold = false
}

extension Channels {
    /// Attempts in vain after which the failure is an event: a router that is restarted is none.
    private static let missesTold = 3

    mutating func startPing(seed: UInt64, _ step: inout Step) {
        guard let settings = step.configuration.deadManPing else { return }
        ping = ConfiguredPing(deadManPing: DeadManPing(settings: settings, seed: seed))
        drivePing(&step) { $0.start(at: $1, into: &$2) }
    }

    mutating func stopPing(_ step: inout Step) {
        drivePing(&step) { $0.stop(at: $1, into: &$2) }
        ping = nil
        actions.append(.ended(.deadManPing))
    }

    mutating func reconfigurePing(_ step: inout Step) {
        guard ping?.deadManPing.settings != step.configuration.deadManPing else { return }
        stopPing(&step)
        startPing(
            seed: UInt64(bitPattern: step.startedAt.nanoseconds) &+ step.questions.nextVaultJob, &step)
    }

    mutating func drivePing(
        _ step: inout Step, _ act: (inout any Transport, Moment, inout [TransportAction]) -> Void
    ) {
        guard let deadManPing = ping?.deadManPing else { return }
        var orders: [TransportAction] = []
        var driven: any Transport = deadManPing
        act(&driven, step.nowForServers, &orders)
        if let same = driven as? DeadManPing { ping?.deadManPing = same }
        if ping?.deadManPing.lastAnswered != deadManPing.lastAnswered { step.tookSignOfLife(.service) }
        for order in orders { actions.append(.transport(order, of: .deadManPing)) }
        actions.append(.pinged)
    }

    mutating func tellPing(_ step: inout Step) {
        guard let ping else { return }
        let place = ping.deadManPing.settings.place
        if !ping.isTold, ping.deadManPing.misses >= Self.missesTold {
            self.ping?.isTold = true
            step.note(
                .fault, .deadManPingFailed,
                "The sign of life to \(place) failed \(ping.deadManPing.misses) times in a row, so who watches this box there "
                    + "may raise an alert. \(ping.deadManPing.problem ?? "")")
        } else if ping.isTold, ping.deadManPing.misses == 0 {
            self.ping?.isTold = false
            step.note(.recovery, .deadManPingRestored, "The sign of life to \(place) is taken again.")
        }
    }

    var pingReport: DeadManPingReport? {
        ping.map { ping in
            DeadManPingReport(
                place: ping.deadManPing.settings.place, lastAnswered: ping.deadManPing.lastAnswered,
                misses: ping.deadManPing.misses, problem: ping.deadManPing.problem)
        }
    }
}
