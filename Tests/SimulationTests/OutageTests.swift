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
            check(OutageRun(way, fault, seed: 1), within: .seconds(10), "\(way) \(fault)")
        }
    }

    @Test("dead without an end: noticed within 75 s, and nothing is lost", arguments: WayKind.allCases)
    func halfOpen(way: WayKind) {
        let run = OutageRun(way, .halfOpen, seed: 1)
        // An attempt that began while nothing was heard has to end first.
        check(run, within: .seconds(40), "\(way)")
        #expect(run.longestDead <= .seconds(75), "\(way)")
        #expect(run.longestDead > .zero, "\(way): no connection was dead")
    }

    private func check(_ run: OutageRun, within promise: Duration, _ words: String) {
        #expect(run.violation == nil, "\(words): \(run.violation.map(\.description) ?? "")")
        #expect(run.messages >= 10, "\(words)")
        guard let slowest = run.slowest else {
            Issue.record("\(words): \(run.arrived) of \(run.messages) are there after five minutes")
            return
        }
        #expect(slowest <= promise, "\(words)")
        print("\(words): \(run.messages) messages, the last \(slowest) after the end; dead for \(run.longestDead)")
    }
}
