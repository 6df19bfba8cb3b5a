import AlarmModel
import PhoneLink
import Simulation
import Testing

/// The core with its outbox and the service of one channel, on the clock of the simulated world.
@Suite("A channel fails while ten alarms happen")
struct OutageTests {
    @Test("down for 20 s: ten of ten are there within 10 s after it is back", arguments: ChannelKind.allCases)
    func downFor20STenOfTenAreThereWithin10SAfterItIsBack(channel: ChannelKind) {
        for fault in [OutageRun.Fault.down, .unreachable] {
            check(OutageRun(channel, fault, seed: 1), of: channel, within: .seconds(10), "\(channel) \(fault)")
        }
    }

    @Test("dead without an end: noticed within 75 s, and nothing is lost", arguments: ChannelKind.allCases)
    func deadWithoutAnEnd(channel: ChannelKind) {
        let run = OutageRun(channel, .halfOpen, seed: 1)
        // An attempt that began while nothing was heard has to end first.
        check(run, of: channel, within: .seconds(40), "\(channel)")
        #expect(run.longestDead <= .seconds(75), "\(channel)")
        #expect(run.longestDead > .zero, "\(channel): no connection was dead")
    }

    private func check(_ run: OutageRun, of channel: ChannelKind, within promise: Duration, _ words: String) {
        #expect(run.violation == nil, "\(words): \(run.violation.map(\.description) ?? "")")
        #expect(run.alarms >= 10, "\(words)")
        // Each alarm is for every address.
        let receivers = channel == .ccs || channel == .fcm ? run.phones : 1
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
