import AlarmModel
import PhoneLink

/// The dead-man ping to a service of the owner's choice. It has a connection like a way to people and is none: nothing is
/// routed to it, and its failure says nothing about phones.
struct DeadManPing: Codable, Hashable, Sendable {
    var beacon: Beacon
    /// Its failure was told.
    var isTold = false
}

extension Channels {
    /// Attempts in vain after which the failure is an event: a router that is restarted is none.
    private static let missesTold = 3

    mutating func startPing(seed: UInt64, _ step: inout Step) {
        guard let settings = step.configuration.beacon else { return }
        ping = DeadManPing(beacon: Beacon(settings: settings, seed: seed))
        drivePing(&step) { $0.start(at: $1, into: &$2) }
    }

    mutating func stopPing(_ step: inout Step) {
        drivePing(&step) { $0.stop(at: $1, into: &$2) }
        ping = nil
        actions.append(.ended(.beacon))
    }

    mutating func reconfigurePing(_ step: inout Step) {
        guard ping?.beacon.settings != step.configuration.beacon else { return }
        stopPing(&step)
        startPing(
            seed: UInt64(bitPattern: step.startedAt.nanoseconds) &+ step.questions.nextVaultJob, &step)
    }

    mutating func drivePing(
        _ step: inout Step, _ act: (inout any Transport, Moment, inout [TransportAction]) -> Void
    ) {
        guard let beacon = ping?.beacon else { return }
        var orders: [TransportAction] = []
        var driven: any Transport = beacon
        act(&driven, step.now, &orders)
        if let same = driven as? Beacon { ping?.beacon = same }
        for order in orders { actions.append(.transport(order, of: .beacon)) }
        actions.append(.pinged)
    }

    mutating func tellPing(_ step: inout Step) {
        guard let ping else { return }
        let place = ping.beacon.settings.place
        if !ping.isTold, ping.beacon.misses >= Self.missesTold {
            self.ping?.isTold = true
            step.note(
                .fault, .beaconFailed,
                "The sign of life to \(place) failed \(ping.beacon.misses) times in a row, so who watches this box there "
                    + "may raise an alert. \(ping.beacon.problem ?? "")")
        } else if ping.isTold, ping.beacon.misses == 0 {
            self.ping?.isTold = false
            step.note(.recovery, .beaconRestored, "The sign of life to \(place) is taken again.")
        }
    }

    var pingReport: BeaconReport? {
        ping.map { ping in
            BeaconReport(
                place: ping.beacon.settings.place, lastAnswered: ping.beacon.lastAnswered,
                misses: ping.beacon.misses, problem: ping.beacon.problem)
        }
    }
}
