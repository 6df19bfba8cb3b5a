import AlarmModel
import PanelLink
import PhoneLink
import Testing

@testable import ApplianceCore

@Suite("Test alarms: the month's, and who got one after how long")
struct TestAlarmTests {
    private func results(_ bench: Bench) -> [Event] {
        bench.stored.map(\.event).filter { $0.code == EventCode.testResult.rawValue }
    }

    @Test("once everybody has it, an event names each and after how long")
    func onceEverybodyHasItAnEventNamesEach() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.ask(.phones(.testAlarm(phone: nil)), as: 70)
        bench.advance(.seconds(5))
        let result = try #require(results(bench).first)
        #expect(result.type == .info)
        #expect(result.message.hasPrefix("The test alarm reached everybody it was sent to. "))
        #expect(result.message.contains("Annas iPhone") && result.message.contains("taken by its service after 0."))
        bench.advance(.minutes(20))
        #expect(results(bench).count == 1)
        bench.ask(.phones(.test(phone: nil)), as: 70)
        bench.advance(.minutes(20))
        #expect(results(bench).count == 1)
    }

    @Test("a paired phone has it when it says so itself", arguments: [true, false])
    func aPairedPhoneHasItWhenItSaysSoItself(isAwake: Bool) throws {
        var (bench, phone) = try Bench.paired()
        bench.ask(.phones(.testAlarm(phone: nil)), as: 70)
        bench.advance(.seconds(3))
        if isAwake { bench.request(phone, "got", ["log": "00000000", "seq": "\(bench.stored.last?.seq.number ?? 0)"]) }
        bench.advance(.minutes(6))
        let result = try #require(results(bench).first)
        #expect(results(bench).count == 1)
        #expect(result.type == (isAwake ? .info : .fault))
        #expect(result.message.contains(isAwake ? "Anna (Pixel): there after 3." : "NOT CONFIRMED"))
    }

    @Test("who did not get it within five minutes is named in a fault")
    func whoDidNotGetItIsNamedInAFault() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.topics.isDead = true
        bench.ask(.phones(.testAlarm(phone: nil)), as: 70)
        bench.advance(.minutes(5) - .seconds(1))
        #expect(results(bench).isEmpty)
        bench.advance(.seconds(2))
        let result = try #require(results(bench).first)
        #expect(result.type == .fault)
        #expect(result.message.contains("did not reach everybody") && result.message.contains("NO ANSWER in 5 min"))
    }

    @Test("the month's goes out at its local time, each month once, and after a restart not again")
    func theMonthsGoesOutAtItsLocalTime() throws {
        let test = MonthlyTime(day: 3, hour: 11, minute: 30)
        var bench = Bench.withTopics { $0.testAlarm = test }
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        let zone = Bench.configuration().panel.timeZone
        let due = test.next(after: bench.now.wall, in: zone)
        let time = zone.civilTime(at: due)
        #expect(time.day == 3 && time.time == "11:30:00")
        func sent() -> Int { bench.topics.published.count { $0.title == "Mill: TEST ALARM" } }
        bench.advance(due - bench.now.wall - .seconds(2))
        #expect(sent() == 0)
        bench.advance(.seconds(4))
        #expect(sent() == 1)
        bench.advance(.seconds(60))
        #expect(results(bench).count == 1)
        let next = test.next(after: due, in: zone)
        #expect(zone.civilTime(at: next).month == time.month % 12 + 1)
        bench.advance(.hours(48))
        #expect(sent() == 1)
    }

    @Test("a restart in its minute leaves it not out, and after it none comes a second time")
    func aRestartInItsMinuteLeavesItNotOut() throws {
        let test = MonthlyTime(day: 3, hour: 11, minute: 30)
        var bench = Bench.withTopics { $0.testAlarm = test }
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        let due = test.next(after: bench.now.wall, in: Bench.configuration().panel.timeZone)
        func sent(_ bench: Bench) -> Int { bench.topics.published.count { $0.title == "Mill: TEST ALARM" } }
        bench.advance(due - bench.now.wall - .seconds(10))
        #expect(bench.snapshot?.reminders?.due.map(\.reminder) == ["testAlarm"])
        var next = bench.off(for: .seconds(60))
        // The time is trusted only a while after a start.
        next.advance(.hours(3))
        // The topic server of the next run is a new one.
        #expect(sent(bench) == 0 && sent(next) == 1)
        var third = next.off(for: .seconds(60))
        third.advance(.minutes(5))
        #expect(sent(third) == 0)
    }

    @Test("what is kept of it is due after a restart, once")
    func whatIsKeptOfItIsDueAfterARestart() throws {
        let test = MonthlyTime(day: 1, hour: 11, minute: 0)
        let zone = TimeZoneRules.utc
        let due = zone.wallTime(year: 2026, month: 12, day: 1, hour: 11, minute: 0, second: 0)
        func isDue(_ tests: inout TestAlarms, _ span: Duration) -> Bool {
            let moment = Moment(boot: .zero + .hours(1), wall: due + span, isWallTrusted: true)
            return tests.isDue(test, in: zone, isBusy: false, at: moment)
        }
        var first = TestAlarms()
        #expect(!isDue(&first, .seconds(-10)))
        var next = TestAlarms()
        next.restore([try #require(first.record(in: zone))], test, in: zone)
        #expect(next.nextDeadline(test, at: .zero + .hours(1)) == .zero + .hours(1))
        #expect(isDue(&next, .seconds(50)))
        var third = TestAlarms()
        third.restore([try #require(next.record(in: zone))], test, in: zone)
        #expect(!isDue(&third, .seconds(110)))
        // Another setting begins anew.
        var other = TestAlarms()
        other.restore([try #require(first.record(in: zone))], MonthlyTime(day: 2, hour: 11, minute: 0), in: zone)
        #expect(other.record(in: zone) == nil)
    }

    @Test("a time that a clock computed while it was ahead is not kept; one that is set back a little repeats nothing")
    func aTimeThatAClockComputedWhileItWasAhead() {
        let test = MonthlyTime(day: 1, hour: 11, minute: 0)
        let zone = TimeZoneRules.utc
        let due = zone.wallTime(year: 2026, month: 12, day: 1, hour: 11, minute: 0, second: 0)
        var tests = TestAlarms()
        var boot = BootTime.zero + .hours(1)
        func isDue(_ wall: WallTime) -> Bool {
            boot = boot + .hours(2)
            return tests.isDue(test, in: zone, isBusy: false, at: Moment(boot: boot, wall: wall, isWallTrusted: true))
        }
        // Half a year ahead.
        #expect(!isDue(due + .hours(24 * 180)))
        #expect(!isDue(due + .hours(-1)))
        #expect(isDue(due + .seconds(1)))
        #expect(!isDue(due + .seconds(-30)))
        #expect(!isDue(due + .hours(2)))
        // Some days ahead, over the next one, which was sent then.
        let next = zone.wallTime(year: 2027, month: 1, day: 1, hour: 11, minute: 0, second: 0)
        #expect(isDue(next + .seconds(5)))
        #expect(!isDue(next + .hours(-48)))
        #expect(!isDue(next + .hours(1)))
    }

    @Test("while an alarm is on it waits; without a clock, or hours late after the clock was set, it is left out")
    func whileAnAlarmIsOnItWaits() {
        let test = MonthlyTime(day: 1, hour: 11, minute: 0)
        let zone = TimeZoneRules.utc
        let due = zone.wallTime(year: 2026, month: 12, day: 1, hour: 11, minute: 0, second: 0)
        /// Hours after the due time, and whether an alarm goes out then.
        func plays(_ looks: [(hours: Int, isBusy: Bool, isTrusted: Bool)], _ wanted: MonthlyTime?) -> [Bool] {
            var tests = TestAlarms()
            return looks.map { look in
                let moment = Moment(
                    boot: .zero + .hours(100 + look.hours), wall: due + .hours(look.hours),
                    isWallTrusted: look.isTrusted)
                return tests.isDue(wanted, in: zone, isBusy: look.isBusy, at: moment)
            }
        }
        #expect(
            plays([(-2, false, true), (0, true, true), (1, false, true), (2, false, true)], test)
                == [false, false, true, false])
        #expect(plays([(-1, false, true), (0, false, false), (19, false, true)], test) == [false, false, false])
        #expect(plays([(0, false, true)], nil) == [false])
        let none = TestAlarms()
        #expect(none.nextDeadline(nil, at: .zero) == nil)
    }
}
