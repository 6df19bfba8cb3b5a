import AlarmModel
import Testing

@testable import Reports

@Suite("The last day as a picture")
struct DayTimelineTests {
    private static let now = WallTime(milliseconds: 1_795_152_000_000)

    private static func event(
        _ type: EventType, hoursAgo: Double, partition: Int? = nil, zone: Int? = nil
    ) -> StoredEvent {
        var event = Event(
            type: type, code: "601", raw: "601", message: "", time: now + .milliseconds(-Int(hoursAgo * 3_600_000)),
            isTimeTrusted: true)
        event.partition = partition
        event.zone = zone
        return StoredEvent(seq: SequenceNumber(Int64(10_000 - hoursAgo * 100)), event: event)
    }

    private static var house: PanelState {
        var panel = PanelState(link: .up)
        panel.withPartition(1) {
            $0.name = "House"
            $0.status = .known(.ready)
        }
        panel.withPartition(2) {
            $0.name = "Garage and workshop"
            $0.status = .known(.armed(.away))
        }
        panel.withPartition(3) { $0.status = .stale(.ready) }
        return panel
    }

    @Test("armed spans, alarms, moved zones and troubles stand at their hours; what is old is not known to be so")
    func theDayStandsAtItsHours() {
        let events =
            [
                Self.event(.armed, hoursAgo: 25, partition: 1), Self.event(.armed, hoursAgo: 20, partition: 1),
                Self.event(.alarm, hoursAgo: 14, partition: 1, zone: 3),
                Self.event(.disarmed, hoursAgo: 12, partition: 1),
                Self.event(.fault, hoursAgo: 6),
                Self.event(.info, hoursAgo: 2, zone: 3),
            ] + (0..<12).map { Self.event(.info, hoursAgo: 1 - Double($0) / 100, zone: 4) }
        let day = DayTimeline(events: events, panel: Self.house, now: Self.now, rules: .utc)
        let lines = day.lines(width: 80)
        let text = lines.map(\.text)
        #expect(
            text == [
                "          06       09       12       15       18       21       00       03",
                "House   ------------AAAAAAAAAAAAAAAAAAAAAAAA------------------------------------",
                "Garage… AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "Part. 3 ????????????????????????????????????????????????????????????????????????",
                "Alarm                                 !                                         ",
                "Zones                                                                     :  #  ",
                "Trouble                                                       x                 ",
                "", "A armed  - disarmed  ? unknown  ! alarm", ": zones moved  # many  x trouble",
            ])
        #expect(lines.filter(\.hasAlarm).count == 1)
    }

    private static func marked(_ code: EventCode, hoursAgo: Double) -> StoredEvent {
        var stored = event(.info, hoursAgo: hoursAgo)
        stored.event.code = code.rawValue
        return stored
    }

    private static func house(_ events: [StoredEvent], link: PanelLinkState = .up) -> String {
        var panel = house
        panel.link = link
        let line = DayTimeline(events: events, panel: panel, now: now, rules: .utc).lines(width: 80)[2].text
        return String(line.dropFirst(8))
    }

    @Test("before the first event, and while the box or the panel was away, nothing is known")
    func whatNobodyKnowsHasAQuestionMark() {
        // A box of two hours: the garage, armed now, was not armed all day for all that is known.
        let young = Self.house([Self.marked(.started, hoursAgo: 2), Self.marked(.panelOnline, hoursAgo: 1.99)])
        #expect(young == String(repeating: "?", count: 66) + String(repeating: "A", count: 6))
        let away = Self.house([
            Self.event(.info, hoursAgo: 25), Self.marked(.panelOffline, hoursAgo: 12),
            Self.marked(.panelOnline, hoursAgo: 6), Self.marked(.stopped, hoursAgo: 3),
            Self.marked(.started, hoursAgo: 2),
            Self.marked(.panelOnline, hoursAgo: 1),
        ])
        let parts: [(Character, Int)] = [("A", 36), ("?", 18), ("A", 9), ("?", 6), ("A", 3)]
        #expect(away == parts.map { String(repeating: $0.0, count: $0.1) }.joined())
        let lost = Self.house(
            [Self.event(.armed, hoursAgo: 25, partition: 2), Self.marked(.panelOffline, hoursAgo: 8)], link: .down)
        #expect(lost.hasSuffix(String(repeating: "?", count: 24)))
    }

    @Test("no line is wider than its terminal, at whatever hour", arguments: [40, 56, 79, 80, 132])
    func noLineIsWiderThanItsTerminal(width: Int) {
        for hour in 0..<24 {
            let day = DayTimeline(
                events: [Self.event(.alarm, hoursAgo: 0), Self.event(.alarm, hoursAgo: 24)], panel: Self.house,
                now: Self.now + .hours(hour), rules: .utc)
            for line in day.lines(width: width) { #expect(line.text.count <= width, "\(line.text)") }
        }
    }

    @Test("a journal that begins within the day says since when it knows")
    func aJournalThatBeginsWithinTheDay() {
        let day = DayTimeline(
            events: [Self.event(.info, hoursAgo: 2)], panel: nil, now: Self.now, rules: .utc)
        #expect(day.lines(width: 80).last?.text.hasPrefix("Known here since 2026-") == true)
    }
}
