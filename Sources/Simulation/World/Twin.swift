import AlarmModel
import ApplianceCore

/// A second core, made apart and told the same at the same moments: its effects must be the same, step by step.
struct Twin: Sendable {
    private var core: Appliance?

    /// The daemon starts.
    mutating func meet(_ other: Appliance) { core = other }

    mutating func follow(
        _ input: Input, at moment: Moment, _ effects: [Effect], from standpoint: Standpoint
    ) throws(Violation) {
        var own: [Effect] = []
        core?.handle(input, at: moment, into: &own)
        guard own == effects else {
            throw standpoint.broken(.sameEffects, "a second core that was told the same says \(own)")
        }
    }
}
