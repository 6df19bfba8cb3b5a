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

    mutating func startBeacon(seed: UInt64, at now: Moment, into effects: inout [Effect]) {
        guard let settings = configuration.beacon else { return }
        post = BeaconPost(beacon: Beacon(settings: settings, seed: seed))
        driveBeacon(at: now, into: &effects) { $0.start(at: now, into: &$1) }
    }

    mutating func stopBeacon(at now: Moment, into effects: inout [Effect]) {
        driveBeacon(at: now, into: &effects) { $0.stop(at: now, into: &$1) }
        post = nil
        hall.dialLines.removeAll { $0.owner == .beacon }
    }

    mutating func reconfigureBeacon(at now: Moment, into effects: inout [Effect]) {
        guard post?.beacon.settings != configuration.beacon else { return }
        stopBeacon(at: now, into: &effects)
        startBeacon(seed: UInt64(bitPattern: startedAt.nanoseconds) &+ hall.nextVaultJob, at: now, into: &effects)
    }

    mutating func driveBeacon(
        at now: Moment, into effects: inout [Effect], _ act: (inout any Transport, inout [TransportAction]) -> Void
    ) {
        guard let beacon = post?.beacon else { return }
        var actions: [TransportAction] = []
        var driven: any Transport = beacon
        act(&driven, &actions)
        if let same = driven as? Beacon { post?.beacon = same }
        for action in actions { perform(action, at: now, into: &effects) }
        tellBeacon(at: now)
    }

    private mutating func perform(_ action: TransportAction, at now: Moment, into effects: inout [Effect]) {
        switch action {
        case .connect(let slot, let target): connect(.beacon, slot, to: target, at: now, into: &effects)
        case .cancelConnect(let slot): cancelConnect(.beacon, slot, at: now, into: &effects)
        case .send(let connection, let bytes):
            effects.append(.send(connection, bytes))
            flow(on: connection, into: &effects) { $0.ordered += UInt64(bytes.count) }
        case .close(let connection):
            effects.append(.close(connection))
            forget(connection)
        case .log(let entry): effects.append(.log(entry))
        case .serverTime(let time, let server): heard(time, of: server, at: now)
        case .upgrade, .compute, .locate, .ready, .notReady, .accepted, .received, .refused, .returned, .inbound,
            .problem:
            break  // for ways to people
        }
    }

    private mutating func tellBeacon(at now: Moment) {
        guard let post else { return }
        let place = post.beacon.settings.place
        if !post.isTold, post.beacon.misses >= Self.missesTold {
            self.post?.isTold = true
            note(
                .fault, .beaconFailed,
                "The sign of life to \(place) failed \(post.beacon.misses) times in a row, so who watches this box there "
                    + "may raise an alert. \(post.beacon.problem ?? "")", at: now)
        } else if post.isTold, post.beacon.misses == 0 {
            self.post?.isTold = false
            note(.recovery, .beaconRestored, "The sign of life to \(place) is taken again.", at: now)
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
