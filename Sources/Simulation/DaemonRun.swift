import AlarmModel
import ApplianceCore

/// The daemon's process in the simulated machine: which run it is, since when, where it dies, and whether a part of it
/// stands still, as a deadlock or a lost timer would have it.
///
/// Guarantees: no two runs have one number, and what is under way for a run is known to be lost when that is over.
struct DaemonRun: Equatable, Sendable {
    struct Death: Equatable, Sendable {
        var effect: Int
        var cutsPower: Bool
    }

    private(set) var number = 0
    /// When this run began.
    private(set) var since = BootTime.zero
    /// Where in the coming step the process dies.
    private var death: Death?
    /// The run in which the panel link stands still.
    private var stillRun: Int?

    mutating func begin(at now: BootTime) {
        number += 1
        since = now
    }

    mutating func end() { number += 1 }

    mutating func dies(at effect: Int, cutsPower: Bool) { death = Death(effect: effect, cutsPower: cutsPower) }
    /// It does not die in the coming step.
    mutating func outlives() { death = nil }
    mutating func takeDeath() -> Death? {
        defer { death = nil }
        return death
    }

    var isStill: Bool { stillRun == number }
    mutating func standsStill() { stillRun = number }
    mutating func movesOn() { stillRun = nil }

    /// When it stands still: in every third house, once.
    static func drawStandstill(for span: Duration, seed: UInt64) -> BootTime? {
        var chance = Jitter(seed: seed ^ 0x73_74_69_6C_6C)
        let begin = Duration.minutes(2)
        guard chance.next() % 3 == 0, span > begin * 2 else { return nil }
        return .zero + chance.duration(in: begin..<(span - begin))
    }
}

/// The core of the daemon that runs. It is large: what is looked at after each step is kept apart, because to read a part
/// of it is to copy all of it.
final class RunningCore {
    private(set) var appliance: Appliance
    private(set) var panel: PanelState
    private(set) var awaitsPanelReport: Bool
    private(set) var waitingEvents: Int

    init(_ appliance: Appliance) {
        self.appliance = appliance
        (panel, awaitsPanelReport, waitingEvents) = (
            appliance.panel, appliance.awaitsPanelReport, appliance.waitingEvents
        )
    }

    func handle(_ input: Input, at moment: Moment, into effects: inout [Effect]) {
        (panel, awaitsPanelReport, waitingEvents) = Self.handle(input, at: moment, &appliance, into: &effects)
    }

    private static func handle(
        _ input: Input, at moment: Moment, _ appliance: inout Appliance, into effects: inout [Effect]
    ) -> (PanelState, Bool, Int) {
        appliance.handle(input, at: moment, into: &effects)
        return (appliance.panel, appliance.awaitsPanelReport, appliance.waitingEvents)
    }
}
