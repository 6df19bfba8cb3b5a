import AlarmModel
import Testing

@testable import Subcommands

@Suite("the zones, one by one") struct ZonesCommandTests {
    private static var zones: [ZoneState] {
        var panel = PanelState(link: .up)
        panel.withZone(1) {
            $0.name = "Front door"
            $0.open = .known(false)
        }
        panel.withZone(3) {
            $0.name = "Kitchen window"
            $0.open = .known(true)
            $0.alarm = .known(true)
            $0.bypassed = .stale(true)
        }
        panel.withZone(5) { $0.open = .stale(true) }
        panel.withZone(6) { $0.open = .known(false) }
        return panel.zones
    }

    @Test("zones with a name and open ones are shown, with what is so of them; all if wanted")
    func zonesWithANameAndOpenOnesAreShown() {
        #expect(
            ZonesCommand.lines(Self.zones, isAll: false, json: false) == [
                "  1  Front door               closed",
                "  3  Kitchen window           open, IN ALARM, bypassed?",
                "  5                           open?",
            ])
        #expect(ZonesCommand.lines(Self.zones, isAll: true, json: false).count == 4)
        #expect(
            ZonesCommand.lines(Self.zones, isAll: false, json: true).first?.hasPrefix(#"{"zone":1,"name":"Front"#)
                == true)
    }

    @Test("where nothing has a name, it says how to see more")
    func whereNothingHasANameItSaysHowToSeeMore() {
        #expect(ZonesCommand.lines([], isAll: false, json: false).first?.contains("--all") == true)
    }
}
