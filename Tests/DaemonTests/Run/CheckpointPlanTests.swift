import AlarmModel
import Testing

@testable import Daemon

@Suite("When the write-ahead log is copied")
struct CheckpointPlanTests {
    private static let now = BootTime.zero + .seconds(100)

    @Test("a small log is left alone; from 250 pages on a second of quiet is waited for, after an alarm ten")
    func aSmallLogIsLeftAlone() {
        var plan = CheckpointPlan()
        plan.committed(pages: 249, at: Self.now)
        #expect(plan.due == nil)
        plan.committed(pages: 250, at: Self.now)
        #expect(plan.due == Self.now + .seconds(1))
        plan.committed(pages: 260, at: Self.now + .milliseconds(900))
        #expect(plan.due == Self.now + .milliseconds(1900))
        plan.alarmCame(at: Self.now + .seconds(1))
        plan.committed(pages: 261, at: Self.now + .seconds(1))
        #expect(plan.due == Self.now + .seconds(11))
    }

    @Test("from 800 pages on nothing is waited for, however fresh an alarm is")
    func from800PagesOnNothingIsWaitedFor() {
        var plan = CheckpointPlan()
        plan.alarmCame(at: Self.now)
        plan.committed(pages: 799, at: Self.now)
        #expect(plan.due == Self.now + .seconds(10))
        plan.committed(pages: 800, at: Self.now + .seconds(2))
        #expect(plan.due == Self.now + .seconds(2))
    }
}
