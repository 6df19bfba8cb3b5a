import AlarmModel
import Testing
import Uplinks

@testable import ApplianceCore

@Suite("Alarms that no service accepts")
struct UnacceptedAlarmsTests {
    private static let id = WaitingAlarmID(7)

    private static func second(_ seconds: Int) -> BootTime { .zero + .seconds(seconds) }

    private static var waiting: UnacceptedAlarms {
        var alarms = UnacceptedAlarms()
        waits(&alarms, at: 0)
        return alarms
    }

    private static func waits(_ alarms: inout UnacceptedAlarms, at seconds: Int) {
        let event = Event(
            type: .alarm, code: "601", raw: "6011003", message: "Alarm", time: WallTime(milliseconds: 0),
            isTimeTrusted: true)
        alarms.waits(id, event, at: second(seconds))
    }

    /// Time at which an alarm is due, by the deadlines that are named.
    private static func due(_ alarms: UnacceptedAlarms) -> [BootTime] {
        var (alarms, times) = (alarms, [BootTime]())
        while let next = alarms.nextDeadline, times.count < 5 {
            times += alarms.takeDue(at: next).map { _ in next }
        }
        return times
    }

    @Test("an alarm is due once, a minute after it came about")
    func anAlarmIsDueOnceAfterAMinute() {
        #expect(Self.due(Self.waiting) == [Self.second(60)])
        var early = Self.waiting
        #expect(early.takeDue(at: Self.second(59)).isEmpty)
    }

    @Test("one that a service has for good is never due; one that it may send back counts from when all have")
    func oneThatAServiceHasForGoodIsNeverDue() {
        var taken = Self.waiting
        taken.accepted(Self.id, until: nil)
        #expect(Self.due(taken).isEmpty)
        var back = Self.waiting
        back.accepted(Self.id, until: Self.second(30))
        back.accepted(Self.id, until: Self.second(30))
        back.cameBack(Self.id, at: Self.second(10))
        #expect(Self.due(back).isEmpty)
        back.cameBack(Self.id, at: Self.second(20))
        #expect(Self.due(back) == [Self.second(80)])
    }

    @Test("an alarm that is told twice counts once, also after it was due or accepted")
    func anAlarmThatIsToldTwiceCountsOnce() {
        var due = Self.waiting
        #expect(due.takeDue(at: Self.second(60)).count == 1)
        Self.waits(&due, at: 61)
        #expect(Self.due(due).isEmpty)
        var taken = Self.waiting
        taken.accepted(Self.id, until: nil)
        Self.waits(&taken, at: 5)
        #expect(Self.due(taken).isEmpty)
    }
}
