import AlarmModel
import PanelLink
import Testing

@Suite("What the panel's readiness and its trouble light prove")
struct ReadinessTests {
    private static func up(_ report: String...) -> Script {
        var script = Script()
        script.start()
        script.logIn()
        script.resynchronise(report)
        return script
    }

    @Test("a zone that a report calls closed is closed where its partition is ready, and marked as taken from there")
    func aZoneIsClosedWhereItsPartitionIsReady() {
        var script = Self.up("610003", "610005", "6501", "8411", "51081")
        for number in [3, 5] {
            let zone = script.session.state.zone(number)
            #expect(zone?.open == .known(false) && zone?.isClosedByReport == true)
        }
        #expect(!script.takeEvents().contains { $0.code == "610" })
        // What was never told of is well while no trouble light is on.
        #expect(script.session.state.system[.ac] == .known(.ok) && script.session.state.system[.bell] == .known(.ok))
        // Seen to open and close, it needs no mark any more.
        script.feed("609003", "610003")
        #expect(script.session.state.zone(3)?.isClosedByReport == nil)
    }

    @Test(
        "it proves nothing where zones may be open behind it",
        arguments: [
            ["610003", "6531", "51081"], ["610003", "6511", "51080"], ["610003", "65210", "51082"],
            // The bypass light is on, or was not told of.
            ["610003", "6501", "51089"], ["610003", "6501"],
        ])
    func itProvesNothingWhereZonesMayBeOpen(report: [String]) {
        var script = Script()
        script.start()
        script.logIn()
        script.resynchronise(report)
        #expect(script.session.state.zone(3)?.open == .unknown)
        #expect(script.session.state.system[.ac] == .unknown)
    }

    @Test("a panel that becomes ready later proves it then")
    func aPanelThatBecomesReadyLaterProvesItThen() {
        var script = Self.up("610003", "6511", "51080")
        #expect(script.session.state.zone(3)?.open == .unknown)
        script.feed("6501")
        #expect(script.session.state.zone(3)?.open == .known(false))
    }

    @Test("a line that only repeats a trouble is marked, and one that tells more is not")
    func aLineThatOnlyRepeatsATroubleIsMarked() {
        var script = Self.up("610003", "6501", "8411", "51081")
        _ = script.takeEvents()
        script.feed("802", "8401", "84902", "84906", "803", "84904", "8411", "84900")
        let repeats = script.takeEvents().filter { $0.flags.contains(.repeats) }.map(\.raw)
        // 06 names the phone line besides; 00 ends what nothing else has ended.
        #expect(repeats == ["8401", "84902", "84904"])
    }

    @Test("the line of the partition right behind that of the zone tells no second alarm; any other does")
    func theLineOfThePartitionTellsNoSecondAlarm() {
        func repeats(_ lines: [String], pause: Duration = .zero, then last: String) -> Bool? {
            var script = Self.up("6501", "6502", "51081")
            script.feed("65210", "65220")
            for line in lines { script.feed(line) }
            script.advance(pause)
            _ = script.takeEvents()
            script.feed(last)
            return script.takeEvents().last.map { $0.flags.contains(.repeats) && $0.type == .alarm }
        }
        #expect(repeats(["6011003"], then: "6541") == true)
        #expect(repeats(["6011003"], pause: .milliseconds(4999), then: "6541") == true)
        #expect(repeats(["6011003"], pause: .seconds(5), then: "6541") == false)
        #expect(repeats(["6011003"], then: "6542") == false)
        #expect(repeats(["6541"], then: "6011003") == false, "the zone is news")
        #expect(repeats(["6251"], then: "6541") == true, "one press rings once")
        #expect(repeats(["6251"], pause: .seconds(5), then: "6541") == false)
        #expect(repeats(["6011003", "6551", "6521"], then: "6541") == false, "another alarm")
        #expect(repeats([], then: "6541") == false)
    }

    @Test("the disarming that ends an alarm is marked, whichever line it is, and knows who and since when")
    func theDisarmingThatEndsAnAlarmIsMarked() {
        for line in ["6551", "6501"] {
            var script = Self.up("6501", "51081")
            script.feed("65210")
            script.feed("6011003", "6541")
            script.advance(.seconds(12))
            _ = script.takeEvents()
            script.feed(line, "75010040")
            let ended = script.takeEvents().filter { $0.flags.contains(.endsAlarm) }
            #expect(ended.map(\.raw) == [line] && ended.first?.type == .disarmed)
            let past = script.session.state.partition(1)?.incident
            #expect(past?.end?.person == "Anna" && past?.end?.ending == .disarmed)
            #expect(past.flatMap { incident in incident.end.map { $0.time - incident.since } } == .seconds(12))
            #expect(script.session.state.partition(1)?.alarmZones == [3])
            script.feed("6501", "6561")
            #expect(script.session.state.partition(1)?.alarmZones == [])
        }
    }
}
