import AlarmModel
import Testing

@testable import Subcommands

@Suite struct CommandsSinceTests {
    private static let vienna = TimeZoneRules(
        name: "Europe/Vienna", firstOffset: 3600, transitions: [], footer: "CET-1CEST,M3.5.0,M10.5.0/3")

    private func seconds(_ text: String) -> Int? {
        (SinceText(text)?.time(now: WallTime(milliseconds: 1_795_240_800_000), in: Self.vienna).seconds).map(Int.init)
    }

    @Test("spans go back from now")
    func spansGoBackFromNow() {
        #expect(seconds("2h") == 1_795_240_800 - 7200)
        #expect(seconds("30min") == 1_795_240_800 - 1800)
        #expect(seconds("90s") == 1_795_240_800 - 90)
        #expect(seconds("3d") == 1_795_240_800 - 259_200)
        #expect(seconds("2w") == 1_795_240_800 - 1_209_600)
        #expect(seconds("10000000w") == 0)
    }

    @Test("dates and times are local, in winter and in summer")
    func datesAndTimesAreLocal() {
        // GNU date: TZ=Europe/Vienna date -d '2026-11-21 06:00' +%s
        #expect(seconds("2026-11-21T06:00") == 1_795_237_200)
        #expect(seconds("2026-11-21 06:00:30") == 1_795_237_230)
        #expect(seconds("2026-11-21") == 1_795_215_600)
        #expect(seconds("2026-07-01T12:00") == 1_782_900_000)
        #expect(seconds("1795237200") == 1_795_237_200)
    }

    @Test("what is no time is none")
    func whatIsNoTimeIsNone() {
        for text in [
            "", "h", "2 h", "-2h", "yesterday", "2026-13-01", "2026-02-29", "2026-11-21T24:00", "2026-11-21T6:00",
            "2026-11", "2026-11-21T", "99999999999999999999", "99999999999999999999h", "9223372036854775807", "+5",
        ] {
            #expect(SinceText(text) == nil, "\(text)")
        }
    }
}
