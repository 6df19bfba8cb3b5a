import AlarmModel
import Companion
import Testing

@Suite("The phone's log")
struct HouseLogTests {
    static func event(_ seq: Int64?, log: UInt32 = 1, mark: String? = nil, raw: String? = nil) -> HouseEvent {
        HouseEvent(
            position: seq.map { LogPosition(log: log, seq: $0) }, mark: mark, type: "alarm", code: "601",
            raw: raw ?? "601100\(seq ?? 0)", message: "alarm", timestamp: 1_795_228_190 + (seq ?? 0),
            state: "a=a;r=0;al=1;t=0;z=1;x=")
    }

    @Test("events are in the order of their numbers however they come")
    func eventsAreInTheOrderOfTheirNumbersHoweverTheyCome() {
        var log = HouseLog()
        for seq: Int64 in [5, 1, 4, 2, 3] {
            let arrival = log.add(Self.event(seq))
            #expect(arrival == .new)
        }
        #expect(log.events.compactMap(\.position?.seq) == [1, 2, 3, 4, 5])
        #expect(log.missing.isEmpty)
    }

    @Test("a duplicate changes nothing, another content in its place is told")
    func aDuplicateChangesNothing() {
        var log = HouseLog()
        _ = log.add(Self.event(1))
        let before = log
        let step1 = log.add(Self.event(1))
        #expect(step1 == .duplicate)
        let step2 = log.add(Self.event(1, raw: "6101001"))
        #expect(step2 == .contradiction)
        #expect(log == before)
    }

    @Test("an event without number becomes the numbered one when its row comes, in either order")
    func anEventWithoutNumberBecomesTheNumberedOneWhenItsRowComes() {
        var log = HouseLog()
        _ = log.add(Self.event(1))
        let step3 = log.add(Self.event(nil, mark: "b7-1"))
        #expect(step3 == .new)
        let step4 = log.add(Self.event(nil, mark: "b7-1"))
        #expect(step4 == .duplicate)
        _ = log.add(Self.event(2))
        #expect(log.rows.map(\.mark) == [nil, "b7-1", nil])
        let step5 = log.add(Self.event(3, mark: "b7-1"))
        #expect(step5 == .merged)
        #expect(log.unnumbered.isEmpty)
        #expect(log.rows.map(\.mark) == [nil, nil, "b7-1"])
        let step6 = log.add(Self.event(nil, mark: "b7-1"))
        #expect(step6 == .duplicate)
        let step7 = log.add(Self.event(nil))
        #expect(step7 == .unplaceable)
    }

    @Test("gaps are known, also before the first event held and after the last")
    func gapsAreKnownAlsoBeforeTheFirstEventHeldAndAfterTheLast() {
        var log = HouseLog()
        #expect(log.contiguous == nil)
        let step8 = log.heard(LogPosition(log: 1, seq: 50))
        #expect(step8)
        #expect(log.missing == [1...50])
        #expect(log.contiguous == LogPosition(log: 1, seq: 0))
        for seq: Int64 in [1, 2, 3, 10, 11] { _ = log.add(Self.event(seq)) }
        #expect(log.missing == [4...9, 12...50])
        #expect(log.contiguous == LogPosition(log: 1, seq: 3))
        #expect(log.nextPage == 31...50)
    }

    @Test("what the box has thrown away is no gap, and what is held stays")
    func whatTheBoxHasThrownAwayIsNoGap() {
        var log = HouseLog()
        _ = log.add(Self.event(2))
        _ = log.heard(LogPosition(log: 1, seq: 12), oldestKept: 10)
        #expect(log.missing == [10...12])
        #expect(log.contiguous == LogPosition(log: 1, seq: 9))
        #expect(log.events.count == 1)
    }

    @Test("no more than the depth is asked for, and a huge number is only a number")
    func noMoreThanTheDepthIsAskedFor() {
        var log = HouseLog(depth: 30)
        _ = log.heard(LogPosition(log: 1, seq: 1 << 53))
        let newest: Int64 = 1 << 53
        #expect(log.missing == [(newest - 29)...newest])
        #expect(log.nextPage == (newest - 19)...newest)
    }

    @Test("a new journal archives the old list, an older one is ignored")
    func aNewJournalArchivesTheOldList() {
        var log = HouseLog()
        _ = log.add(Self.event(1, log: 4))
        _ = log.add(Self.event(nil, mark: "b7-1"))
        let step9 = log.add(Self.event(1, log: 5, raw: "6101001"))
        #expect(step9 == .new)
        #expect(log.log == 5)
        #expect(log.archive.map(\.log) == [4])
        #expect(log.archive.first?.events == [Self.event(1, log: 4)])
        let before = log
        let step10 = log.add(Self.event(2, log: 4))
        #expect(step10 == .outdated)
        let step11 = log.heard(LogPosition(log: 4, seq: 90))
        #expect(!step11)
        #expect(log == before)
        // The row of the event without number is stored in the new journal.
        let step12 = log.add(Self.event(2, log: 5, mark: "b7-1"))
        #expect(step12 == .merged)
    }
}
