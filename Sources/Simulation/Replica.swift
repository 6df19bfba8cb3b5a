import AlarmModel
import ApplianceCore

/// A second core, made apart and told the same at the same moments: its effects must be the same, step by step.
struct Replica {
    private var core: RunningCore?

    /// It takes a third of a run's time, and what it finds hardly depends on the seed.
    static func lives(in seed: UInt64) -> Bool { seed % 4 == 2 }

    /// The daemon starts.
    mutating func meet(_ other: Appliance) { core = RunningCore(other) }

    mutating func follow(
        _ input: Input, at moment: Moment, _ effects: [Effect], from standpoint: Standpoint
    ) throws(Violation) {
        guard let core else { return }
        var own: [Effect] = []
        core.handle(input, at: moment, into: &own)
        guard own == effects else {
            throw standpoint.broken(.sameEffects, "a second core that was told the same says \(own)")
        }
    }
}
