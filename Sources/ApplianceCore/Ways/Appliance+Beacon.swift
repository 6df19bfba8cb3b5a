import AlarmModel
import PhoneLink

/// The sign of life to a service of the owner's choice. It has a connection like a way to people and is none: nothing
/// is routed to it, and its failure says nothing about phones.
extension Appliance {
    struct BeaconPost: Codable, Hashable, Sendable {
        var beacon: Beacon
        /// Its failure was told.
        var isTold = false
    }

    /// Attempts in vain after which the failure is an event: a router that is restarted is none.
    private static let missesTold = 3

    mutating func startBeacon(seed: UInt64, _ step: inout Step) {
        guard let settings = configuration.beacon else { return }
        post = BeaconPost(beacon: Beacon(settings: settings, seed: seed))
        driveBeacon(&step) { $0.start(at: $1, into: &$2) }
    }

    mutating func stopBeacon(_ step: inout Step) {
        driveBeacon(&step) { $0.stop(at: $1, into: &$2) }
        post = nil
        hall.dialLines.removeAll { $0.owner == .beacon }
    }

    mutating func reconfigureBeacon(_ step: inout Step) {
        guard post?.beacon.settings != configuration.beacon else { return }
        stopBeacon(&step)
        startBeacon(seed: UInt64(bitPattern: startedAt.nanoseconds) &+ hall.nextVaultJob, &step)
    }

    mutating func driveBeacon(
        _ step: inout Step, _ act: (inout any Transport, Moment, inout [TransportAction]) -> Void
    ) {
        guard let beacon = post?.beacon else { return }
        var actions: [TransportAction] = []
        var driven: any Transport = beacon
        act(&driven, step.now, &actions)
        if let same = driven as? Beacon { post?.beacon = same }
        for action in actions { perform(action, &step) }
        tellBeacon(&step)
    }

    private mutating func perform(_ action: TransportAction, _ step: inout Step) {
        switch action {
        case .connect(let slot, let target): connect(.beacon, slot, to: target, &step)
        case .cancelConnect(let slot): cancelConnect(.beacon, slot, &step)
        case .send(let connection, let bytes):
            step.effects.append(.send(connection, bytes))
            flow(on: connection, &step) { $0.ordered += UInt64(bytes.count) }
        case .close(let connection):
            step.effects.append(.close(connection))
            forget(connection)
        case .log(let entry): step.effects.append(.log(entry))
        case .serverTime(let time, let server): heard(time, of: server, &step)
        case .upgrade, .compute, .locate, .ready, .notReady, .accepted, .received, .refused, .returned, .upstream,
            .problem:
            break  // for ways to people
        }
    }

    private mutating func tellBeacon(_ step: inout Step) {
        guard let post else { return }
        let place = post.beacon.settings.place
        if !post.isTold, post.beacon.misses >= Self.missesTold {
            self.post?.isTold = true
            note(
                .fault, .beaconFailed,
                "The sign of life to \(place) failed \(post.beacon.misses) times in a row, so who watches this box there "
                    + "may raise an alert. \(post.beacon.problem ?? "")", &step)
        } else if post.isTold, post.beacon.misses == 0 {
            self.post?.isTold = false
            note(.recovery, .beaconRestored, "The sign of life to \(place) is taken again.", &step)
        }
    }

    var beaconReport: BeaconReport? {
        post.map { post in
            BeaconReport(
                place: post.beacon.settings.place, lastAnswered: post.beacon.lastAnswered,
                misses: post.beacon.misses, problem: post.beacon.problem)
        }
    }
}
