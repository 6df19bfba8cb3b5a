import AlarmModel
import PhoneLink
import Simulation
import Testing

/// The core with its outbox and the service of one way, on the clock of the simulated world.
@Suite("A way fails while ten alarms happen")
struct OutageTests {
    @Test("down for 20 s: ten of ten are there within 10 s after it is back", arguments: WayKind.allCases)
    func down(way: WayKind) {
        for fault in [OutageRun.Fault.down, .unreachable] {
            check(OutageRun(way, fault, seed: 1), of: way, within: .seconds(10), "\(way) \(fault)")
        }
    }

    @Test("dead without an end: noticed within 75 s, and nothing is lost", arguments: WayKind.allCases)
    func halfOpen(way: WayKind) {
        let run = OutageRun(way, .halfOpen, seed: 1)
        // An attempt that began while nothing was heard has to end first.
        check(run, of: way, within: .seconds(40), "\(way)")
        #expect(run.longestDead <= .seconds(75), "\(way)")
        #expect(run.longestDead > .zero, "\(way): no connection was dead")
    }

    private func check(_ run: OutageRun, of way: WayKind, within promise: Duration, _ words: String) {
        #expect(run.violation == nil, "\(words): \(run.violation.map(\.description) ?? "")")
        #expect(run.alarms >= 10, "\(words)")
        // Each alarm is for every address.
        let receivers = way == .ccs || way == .fcm ? run.phones : 1
        #expect(run.receivers >= receivers, "\(words)")
        #expect(run.messages == run.alarms * run.receivers, "\(words)")
        guard let slowest = run.slowest else {
            Issue.record("\(words): \(run.arrived) of \(run.messages) are there after five minutes")
            return
        }
        #expect(slowest <= promise, "\(words)")
        print("\(words): \(run.messages) messages, the last \(slowest) after the end; dead for \(run.longestDead)")
    }
}
