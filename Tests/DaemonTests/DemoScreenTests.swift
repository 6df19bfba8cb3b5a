import AlarmModel
import Testing

@testable import Laboratory

@Suite("What the demo shows")
struct DemoScreenTests {
    private static func at(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }

    @Test("an alarm is stored within the time at which the first of all had it, whoever that was")
    func anAlarmIsStoredWithinTheFirstSight() {
        var alarms = DemoAlarms()
        alarms.happens(at: Self.at(1000))
        alarms.phoneLine(
            "event 00000001.17 alarm 601 Alarm: zone 3 Kitchen window, partition 1 Hall", at: Self.at(1005))
        alarms.seen(by: .ben, zone: "Kitchen window", at: Self.at(1009))
        alarms.seen(by: .reader, zone: "Kitchen window", at: Self.at(1020))
        let cells = alarms.lines.map { $0.split(separator: " ").joined(separator: " ") }
        #expect(cells == ["Alarm stored within Anna's phone Ben's app", "Kitchen window 5 ms 5 ms 9 ms"])
        #expect(alarms.lines.allSatisfy { $0.count <= DemoScreen.width })
    }

    @Test("the first sight of an alarm counts, also where the next thing has happened by then")
    func theFirstSightCounts() {
        var alarms = DemoAlarms()
        alarms.happens(at: Self.at(1000))
        alarms.seen(by: .reader, zone: "Hall", at: Self.at(1003))
        alarms.happens(at: Self.at(2000))
        alarms.seen(by: .anna, zone: "Hall", at: Self.at(2500))
        alarms.seen(by: .anna, zone: "Hall", at: Self.at(9000))
        #expect(alarms.lines.last?.split(separator: " ").joined(separator: " ") == "Hall 3 ms 1.5 s -")
    }

    @Test("after the first picture there is a line for each part of the house that has changed, and no other")
    func thereIsALineForEachChange() {
        var panel = PanelState(link: .up)
        panel.partitions = [PartitionState(number: 1, name: "Ground floor")]
        panel.partitions[0].status = .known(.ready)
        panel.zones = [
            ZoneState(number: 3, name: "Kitchen window", partition: 1),
            ZoneState(number: 4, name: "Hall", partition: 1),
        ]
        #expect(!DemoPicture(panel).isComplete)
        for index in panel.zones.indices { panel.zones[index].open = .known(false) }
        let quiet = DemoPicture(panel)
        #expect(quiet.isComplete && quiet.changes(since: quiet).isEmpty)
        panel.partitions[0].status = .known(.alarm(.away))
        panel.zones[0].alarm = .known(true)
        let changes = DemoPicture(panel).changes(since: quiet).map(\.text)
        #expect(changes == ["→ Ground floor: ALARM away", "→ Kitchen window: ALARM"])
        #expect(Set(quiet.lines.map(\.text.count)).count == 1)
    }

    @Test("a notice is a title and a text; a line of the journal is none")
    func aNoticeIsATitleAndAText() {
        let notice = DemoNotice("notice Mill Lane 4: ALARM, Kitchen window | Ground floor, armed away.")
        #expect(notice?.title == "Mill Lane 4: ALARM, Kitchen window" && notice?.text == "Ground floor, armed away.")
        #expect(notice?.alarmPlace == "Kitchen window")
        #expect(DemoNotice("event 00000001.17 alarm 601 Alarm: zone 3") == nil)
    }
}
