import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators

/// Who looks on at each step of the core: a second core that is told the same, a comparison of two runs, whoever records,
/// and the memory for the report of a failure.
///
/// Guarantees: each sees every step once and in order; none changes what the world does.
struct Observers {
    /// Steps of the core so far.
    private(set) var steps = 0
    private var replica = Replica()
    private(set) var recent = RecentInputs()
    /// Sees every step, for whoever records one.
    var witness: ((Input, Moment, [Effect]) -> Void)?
    /// Hears of everything that a service other than FCM's has taken, for whoever compares two runs.
    var listener: ((Arrival, ChannelKind) -> Void)?
    /// Effects of every step, for comparing two runs of one seed.
    var trail: Trail

    init(_ trail: Trail) { self.trail = trail }

    mutating func meet(_ core: Appliance, _ seed: UInt64) { if Replica.lives(in: seed) { replica.meet(core) } }

    mutating func begin(_ input: Input, at now: BootTime) {
        steps += 1
        recent.note(input, at: now)
    }

    mutating func follow(
        _ input: Input, at moment: Moment, _ effects: [Effect], from here: Standpoint
    ) throws(Violation) {
        witness?(input, moment, effects)
        try replica.follow(input, at: moment, effects, from: here)
        try trail.follow(effects, from: here)
    }
}
