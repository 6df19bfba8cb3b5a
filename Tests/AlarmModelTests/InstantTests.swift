import AlarmModel
import Testing

@Suite struct InstantTests {
    private let vienna = TimeZoneRules(
        name: "Europe/Vienna", firstOffset: 3600, transitions: [], footer: "CET-1CEST,M3.5.0,M10.5.0/3")

    @Test("every civil time leads back to its instant, also around the changes of the clock")
    func everyCivilTimeLeadsBackToItsInstant() {
        // 2026-03-28 and 2026-10-24, UTC: a day before each change, two days long, every 20 minutes.
        for start in [1_774_656_000, 1_792_800_000] as [Int64] {
            for seconds in stride(from: start, to: start + 2 * 86_400, by: 1200) {
                let civil = vienna.civilTime(at: WallTime(milliseconds: seconds * 1000))
                let back = vienna.wallTime(
                    year: civil.year, month: civil.month, day: civil.day, hour: civil.hour, minute: civil.minute,
                    second: civil.second
                ).seconds
                // The hour that comes twice is taken the first time.
                let isSecond = seconds >= 1_792_890_000 && seconds < 1_792_893_600
                #expect(back == (isSecond ? seconds - 3600 : seconds))
            }
        }
    }

    @Test("a time that the clock skips is the same span after the leap")
    func aTimeThatTheClockSkipsIsTheSameSpanAfterTheLeap() {
        // 2026-03-29 02:30 does not exist in Vienna; 03:30 CEST is 01:30 UTC.
        #expect(
            vienna.wallTime(year: 2026, month: 3, day: 29, hour: 2, minute: 30, second: 0).seconds == 1_774_747_800)
    }
}
