package import AlarmModel
package import ApplianceCore
package import PhoneLink

/// One run of a seed before somebody who sees each step: what the appliance was told, when, and what it ordered.
package enum WitnessedRun {
    /// - Parameters:
    ///   - span: how long faults happen, in simulated time; fifteen minutes of calm follow
    ///   - channels: what the house has beside CCS; nil: as the seed has it
    /// - Returns: the promise that was broken, if one was
    package static func live(
        seed: UInt64, span: Duration, channels: [ChannelKind]? = nil, hasModem: Bool = false,
        witness: @escaping (Input, Moment, [Effect]) -> Void
    ) -> Violation? {
        let world = World(seed: seed, span: span, channels: channels, hasModem: hasModem)
        world.observers.witness = witness
        do {
            try world.live(for: span)
            return nil
        } catch {
            return error
        }
    }
}
