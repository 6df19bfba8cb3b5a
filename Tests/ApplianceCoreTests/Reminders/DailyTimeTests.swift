import AlarmModel
import Testing

@testable import ApplianceCore

@Suite("A time of day comes once each day")
struct DailyTimeTests {
    private static let vienna = TimeZoneRules(
        name: "Europe/Vienna", firstOffset: 3600, transitions: [], footer: "CET-1CEST,M3.5.0,M10.5.0/3")
    private static let toronto = TimeZoneRules(
        name: "America/Toronto", firstOffset: -18_000, transitions: [], footer: "EST5EDT,M3.2.0,M11.1.0")

    /// What is due in 2027, by the clock of the house.
    private static func year(_ time: DailyTime, _ zone: TimeZoneRules) -> [(day: String, time: String)] {
        var now = zone.wallTime(year: 2027, month: 1, day: 1, hour: 0, minute: 0, second: 0) + .seconds(-1)
        let end = zone.wallTime(year: 2028, month: 1, day: 1, hour: 0, minute: 0, second: 0)
        var found: [(day: String, time: String)] = []
        while found.count < 400 {
            now = time.next(after: now, in: zone)
            guard now < end else { break }
            let civil = zone.civilTime(at: now)
            found.append((civil.date, civil.time))
        }
        return found
    }

    @Test("23:00 comes once on each of the 365 days, over both changes of the clock, in two time zones")
    func elevenComesOnceOnEachDay() {
        for zone in [Self.vienna, Self.toronto] {
            let year = Self.year(DailyTime(hour: 23, minute: 0), zone)
            #expect(year.count == 365 && Set(year.map(\.day)).count == 365)
            #expect(year.allSatisfy { $0.time == "23:00:00" })
        }
    }

    @Test("02:30 that is skipped comes an hour later, once")
    func halfPastTwoThatIsSkippedComesAnHourLater() {
        for (zone, day) in [(Self.vienna, "2027-03-28"), (Self.toronto, "2027-03-14")] {
            let year = Self.year(DailyTime(hour: 2, minute: 30), zone)
            #expect(year.count == 365 && Set(year.map(\.day)).count == 365)
            #expect(year.filter { $0.time != "02:30:00" }.map(\.day) == [day])
            #expect(year.first { $0.day == day }?.time == "03:30:00")
        }
    }

    @Test("a time that the clock shows twice comes the first time, and not the second")
    func aTimeThatTheClockShowsTwiceComesTheFirstTime() {
        for (zone, hour, month, day, summer) in [
            (Self.vienna, 2, 10, 31, Int32(7200)), (Self.toronto, 1, 11, 7, -14_400),
        ] {
            let time = DailyTime(hour: hour, minute: 30)
            let midnight = zone.wallTime(year: 2027, month: month, day: day, hour: 0, minute: 0, second: 0)
            let first = time.next(after: midnight, in: zone)
            #expect(zone.civilTime(at: first).offset == summer)
            let next = time.next(after: first, in: zone)
            #expect(next - first == .hours(25))
            // Also between the two.
            #expect(time.next(after: first + .minutes(45), in: zone) == next)
        }
    }

    @Test("a warning comes its whole span before the time, over the change of the clock, too")
    func aWarningComesItsWholeSpanBefore() {
        let zone = Self.vienna
        let midnight = zone.wallTime(year: 2027, month: 3, day: 28, hour: 0, minute: 0, second: 0)
        let due = DailyTime(hour: 3, minute: 10).next(after: midnight, in: zone)
        let warned = DailyTime(hour: 3, minute: 10, lead: .minutes(30)).next(after: midnight, in: zone)
        #expect(due - warned == .minutes(30))
        #expect(zone.civilTime(at: warned).time == "01:40:00")
        // Just after midnight the warning belongs to the evening before.
        let late = DailyTime(hour: 0, minute: 5, lead: .minutes(10)).next(after: midnight + .minutes(-11), in: zone)
        #expect(zone.civilTime(at: late).text == "2027-03-27 23:55:00")
    }

    @Test("the day after: over months, leap days and years; a day that is none is refused")
    func theDayAfter() {
        for (day, next) in [
            ("2027-02-28", "2027-03-01"), ("2028-02-28", "2028-02-29"), ("2027-12-31", "2028-01-01"),
            ("2027-04-30", "2027-05-01"), ("2027-04-29", "2027-04-30"),
        ] {
            let parts = day.split(separator: "-").compactMap { Int($0) }
            #expect(CalendarDay(year: parts[0], month: parts[1], day: parts[2])?.next.text == next)
        }
        #expect(CalendarDay(year: 2027, month: 2, day: 29) == nil && CalendarDay(year: 2027, month: 13, day: 1) == nil)
    }

    @Test("what is due: once, late or missed, not while the clock is not trusted, and after a restart where it was")
    func whatIsDue() {
        let zone = TimeZoneRules.utc
        let rule = DailyTime(hour: 23, minute: 0)
        let due = zone.wallTime(year: 2027, month: 5, day: 1, hour: 23, minute: 0, second: 0)
        func moment(_ minutes: Int, isTrusted: Bool = true) -> Moment {
            Moment(boot: .zero + .minutes(10_000 + minutes), wall: due + .minutes(minutes), isWallTrusted: isTrusted)
        }
        var occasions = Occasions<DailyTime>(lateness: .hours(2))
        #expect(occasions.look(rule, in: zone, isBusy: false, at: moment(-600)) == .nothing)
        #expect(occasions.due == due)
        #expect(occasions.look(rule, in: zone, isBusy: false, at: moment(0, isTrusted: false)) == .nothing)
        #expect(occasions.look(rule, in: zone, isBusy: true, at: moment(1)) == .nothing)
        #expect(occasions.look(rule, in: zone, isBusy: false, at: moment(2)) == .due(due))
        #expect(occasions.look(rule, in: zone, isBusy: false, at: moment(3)) == .nothing)
        #expect(occasions.look(rule, in: zone, isBusy: false, at: moment(1600)) == .missed(due + .hours(24)))
        var next = Occasions<DailyTime>(lateness: .hours(2))
        next.restore(due, of: rule, in: zone)
        #expect(next.look(rule, in: zone, isBusy: false, at: moment(30)) == .due(due))
        // Another time of day begins anew.
        next.restore(due, of: rule, in: zone)
        #expect(next.look(DailyTime(hour: 22, minute: 0), in: zone, isBusy: false, at: moment(30)) == .nothing)
        #expect(next.nextDeadline(nil, at: .zero) == nil)
    }
}
