import AlarmModel
import ApplianceCore

/// A part of the daemon stands still, as a deadlock or a lost timer would have it, and the service manager, which ends
/// a daemon that sends no sign of life.
struct Standstill: Hashable, Sendable {
    var run: Int
}

extension World {
    /// In every third house, once.
    mutating func drawStandstill(for span: Duration) {
        var chance = Jitter(seed: seed ^ 0x73_74_69_6C_6C)
        let begin = Duration.minutes(2)
        guard chance.next() % 3 == 0, span > begin * 2 else { return }
        agenda.add(.fault(.panelLinkStandsStill), at: .zero + chance.duration(in: begin..<(span - begin)))
    }

    mutating func standStill() {
        guard appliance != nil else { return }
        standstill = Standstill(run: run)
        agenda.add(.watchdogLook(run: run), at: checks.lastPing + World.watchdog)
    }

    var isStandingStill: Bool { standstill?.run == run && appliance != nil }

    func standsStill(_ id: TimerID) -> Bool { id == .panel && isStandingStill }

    mutating func watchdogLooks(at target: Int) {
        guard target == run, isStandingStill else { return }
        let end = checks.lastPing + World.watchdog
        guard end <= now else { return agenda.add(.watchdogLook(run: run), at: end) }
        standstill = nil
        die(cutsPower: false)
    }

    /// The faults are over: what was due is done.
    mutating func moveOn() {
        guard isStandingStill else { return }
        standstill = nil
        beliefChecks.goesOn(at: now)
        if let due = pendingTimer(.panel) { agenda.add(.timer(run: run, .panel, due), at: max(due, now)) }
    }

    /// Five seconds are forgiven; then no ping is earned, and the service manager does not wait longer than it says.
    func checkStandstill() throws(Violation) {
        guard let owedSince = checks.owedSince(.panel) else { return }
        let span = now - owedSince
        guard span > .seconds(5) + World.watchdog else { return }
        throw broken(.standstillIsShown, "the panel link has owed something for \(span), and nobody started it anew")
    }
}
