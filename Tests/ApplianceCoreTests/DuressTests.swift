import AlarmModel
import ApplianceCore
import PanelLink
import Testing

/// docs/ARCHITECTURE.md 1.6: a duress alarm is stored, and seen nowhere in the house.
@Suite struct DuressTests {
    private static let markers = ["duress", "Duress", "6200000", "\"620\"", "(620)"]
    private func isCommit(_ effect: Effect) -> Bool { if case .commit = effect { true } else { false } }

    @Test("a duress alarm is stored with its flag")
    func aDuressAlarmIsStoredWithItsFlag() {
        let bench = Day.whole()
        #expect(bench.duress.count == 3)
        #expect(bench.duress.allSatisfy { $0.code == "620" && $0.priority == .alarm })
    }

    @Test("over a whole day it is in no reply, log, trace, status or service note")
    func overAWholeDayItIsInNoReply() throws {
        let bench = Day.whole()
        for marker in Self.markers { #expect(try bench.places(of: marker) { !isCommit($0) } == []) }
    }

    @Test("it leaves no gap in the numbers and marks of the other events")
    func itLeavesNoGapInTheNumbersAndMarksOfTheOtherEvents() {
        let bench = Day.whole()
        #expect(bench.listed(2) == Array(1...bench.listed(2).count).map(Int64.init))
        let marks = bench.stored.compactMap(\.event.unstored?.counter)
        #expect(marks == Array(1...UInt64(marks.count)))
        let own = bench.duress.compactMap(\.unstored?.counter)
        #expect(Set(own).count == 3)
        #expect(Set(own).isDisjoint(with: marks))
    }

    @Test("clients are told the same with it and without it", arguments: [false, true])
    func clientsAreToldTheSameWithItAndWithoutIt(_ fails: Bool) {
        func replies(_ lines: [String]) -> [ControlReply] {
            var bench = Bench.up()
            bench.ask(.events(EventQuery(), follow: true), as: 1)
            bench.ask(.trace, as: 2)
            if fails { bench.disk = .fails(Bench.broken) }
            bench.panel("609003")
            for line in lines { bench.panel(line) }
            bench.panel("6011003")
            bench.disk = .answers
            bench.advance(.seconds(10))
            return bench.replies.map(\.reply)
        }
        #expect(replies(["6200000"]) == replies([]))
    }

    @Test("a duress alarm that the store refuses is in no reply, log, trace or service note either")
    func aDuressAlarmThatTheStoreRefusesIsInNoReply() throws {
        var bench = Bench.up()
        bench.ask(.events(EventQuery(), follow: true))
        bench.disk = .rejects("620")
        bench.forget()
        bench.panel("6200000")
        bench.panel("609003")
        #expect(bench.events(.eventsDropped).isEmpty)
        #expect(bench.logs.isEmpty)
        #expect(bench.unstored().isEmpty)
        for marker in Self.markers { #expect(try bench.places(of: marker) { !isCommit($0) } == []) }
        #expect(bench.codes.last == "609")
    }
}
