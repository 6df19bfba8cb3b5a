import AlarmModel
import ApplianceCore
import PanelLink
import Testing

@Suite struct ReaderTests {
    /// A journal of at least this many events.
    private func filled(_ count: Int) -> Bench {
        var bench = Bench.up()
        while bench.stored.count < count { bench.panel("609003", "610003") }
        bench.forget()
        return bench
    }

    @Test("a list comes in pages of 200, in order, and ends", arguments: [Int64.max, 7, 64])
    func aListComesInPagesOf200(_ window: Int64) {
        var bench = filled(900)
        bench.window = window
        bench.ask(.events(EventQuery(limit: 500), follow: false))
        #expect(bench.listed() == Array(1...500))
        #expect(bench.answers().last == .endOfEvents)
        #expect(bench.answers().allSatisfy { if case .events(let events) = $0 { events.count <= 200 } else { true } })
    }

    @Test("a list shorter than its limit ends at the newest event")
    func aListShorterThanItsLimitEndsAtTheNewestEvent() {
        var bench = filled(30)
        let last = bench.lastSequence.number
        bench.ask(.events(EventQuery(after: SequenceNumber(10), limit: 500), follow: false))
        #expect(bench.listed() == Array(11...last))
        bench.ask(.events(EventQuery(after: SequenceNumber(.max), limit: 500), follow: false), as: 2)
        #expect(bench.answers(2) == [.endOfEvents])
    }

    @Test("the newest are complete although a page ends early", arguments: [Int64.max, 1, 7, 64], [1, 50, 200, 450])
    func theNewestAreCompleteAlthoughAPageEndsEarly(_ window: Int64, _ limit: Int) {
        var bench = filled(900)
        bench.window = window
        let last = bench.lastSequence.number
        bench.ask(.events(EventQuery(order: .newest, limit: limit), follow: false))
        #expect(bench.listed() == Array(last - Int64(limit) + 1...last))
        #expect(bench.answers().last == .endOfEvents)
    }

    @Test("the newest of a filter are found however far down they lie", arguments: [Int64.max, 7])
    func theNewestOfAFilterAreFoundHoweverFarDownTheyLie(_ window: Int64) {
        var bench = filled(900)
        bench.window = window
        let wanted = bench.stored.filter { $0.event.type == .info && $0.event.code == "START" }.map(\.seq.number)
        #expect(wanted == [1])
        let query = EventQuery(types: [.command], order: .newest, limit: 50)
        bench.ask(.events(query, follow: false))
        #expect(bench.answers() == [.endOfEvents])
        bench.forget()
        bench.ask(.events(EventQuery(zone: 3, order: .newest, limit: 5000), follow: false))
        #expect(bench.listed() == bench.stored.filter { $0.event.zone == 3 }.map(\.seq.number))
    }

    @Test("a page that does not get any lower ends the search")
    func aPageThatDoesNotGetAnyLowerEndsTheSearch() {
        var bench = filled(300)
        bench.answersReads = false
        bench.ask(.events(EventQuery(order: .newest, limit: 50), follow: false))
        for _ in 0..<3 {
            guard let read = bench.reads.popLast() else { break }
            let page = EventPage(events: [], cursor: SequenceNumber(300), hasMore: true, bottom: SequenceNumber(200))
            bench.feed(.rows(read.id, .page(page)))
        }
        #expect(bench.reads.isEmpty)
        #expect(bench.answers() == [.endOfEvents])
    }

    @Test("the newest, then what follows: no gap and no duplicate", arguments: [Int64.max, 7])
    func theNewestThenWhatFollowsNoGapAndNoDuplicate(_ window: Int64) {
        var bench = filled(300)
        bench.window = window
        let last = bench.lastSequence.number
        bench.ask(.events(EventQuery(order: .newest, limit: 20), follow: true))
        for _ in 0..<10 { bench.panel("609003", "610003") }
        #expect(bench.listed() == Array(last - 19...bench.lastSequence.number))
        #expect(bench.lastSequence.number == last + 20)
    }

    @Test("events stored between a read and its rows come once, in order")
    func eventsStoredBetweenAReadAndItsRowsComeOnce() {
        var bench = filled(10)
        bench.answersReads = false
        bench.ask(.events(EventQuery(), follow: true))
        for _ in 0..<50 {
            guard let read = bench.reads.first else { break }
            bench.reads.removeFirst()
            let page = bench.page(read.query)
            if bench.stored.count < 60 { bench.panel("609003", "610003", "609003", "610003") }
            bench.feed(.rows(read.id, .page(page)))
        }
        #expect(bench.listed() == Array(1...bench.lastSequence.number))
        #expect(bench.reads.isEmpty)
    }

    @Test("a slow reader gets no second page until the first has left")
    func aSlowReaderGetsNoSecondPageUntilTheFirstHasLeft() {
        var bench = filled(900)
        bench.lazyClients = [Bench.client(1)]
        bench.ask(.events(EventQuery(limit: 500), follow: true))
        #expect(bench.answers().count == 1)
        bench.panel("609003")
        #expect(bench.answers().count == 1)
        bench.catchUp()
        #expect(bench.answers().count == 2)
        bench.catchUp()
        #expect(bench.listed() == Array(1...600))
    }

    @Test("a reader that sees nothing new is not asked again until something is stored")
    func aReaderThatSeesNothingNewIsNotAskedAgainUntilSomething() {
        var bench = filled(10)
        bench.answersReads = false
        bench.ask(.events(EventQuery(), follow: true))
        let blind = EventPage(events: [], cursor: .zero, hasMore: false)
        if let read = bench.reads.popLast() { bench.feed(.rows(read.id, .page(blind))) }
        #expect(bench.reads.isEmpty)
        bench.panel("609003")
        #expect(bench.reads.count == 1)
    }

    @Test("filters go to the store as they came")
    func filtersGoToTheStoreAsTheyCame() {
        var bench = filled(10)
        let query = EventQuery(
            after: SequenceNumber(2), since: Bench.start.wall, types: [.alarm], zone: 3, partition: 1, limit: 5)
        bench.ask(.events(query, follow: false))
        #expect(bench.history.contains { if case .read(_, query) = $0 { true } else { false } })
    }

    @Test("a reader that leaves in the middle is forgotten")
    func aReaderThatLeavesInTheMiddleIsForgotten() {
        var bench = filled(900)
        bench.answersReads = false
        bench.ask(.events(EventQuery(limit: 900), follow: false))
        bench.leave()
        bench.forget()
        for read in bench.reads { bench.answer(read) }
        #expect(bench.replies.isEmpty)
        #expect(bench.reads.count == 1)
    }

    @Test("rows that cannot be read are an error, and the client may ask again")
    func rowsThatCannotBeReadAreAnError() {
        var bench = filled(10)
        bench.answersReads = false
        bench.ask(.events(EventQuery(limit: 5), follow: false))
        if let read = bench.reads.popLast() { bench.feed(.rows(read.id, .failed(Bench.broken))) }
        guard case .error(let why)? = bench.answers().first else {
            Issue.record("the client is told")
            return
        }
        #expect(why.contains("replace the card"))
        bench.answersReads = true
        bench.ask(.events(EventQuery(limit: 5), follow: false))
        #expect(bench.listed() == [1, 2, 3, 4, 5])
    }

    @Test("alarms that wait when the disk fails or stalls go out at once, and those that come after too")
    func alarmsThatWaitWhenTheDiskFailsOrStallsGoOutAtOnce() {
        for mode in [Bench.DiskMode.fails(Bench.broken), .silent] {
            var bench = Bench.up()
            bench.ask(.events(EventQuery(after: bench.lastSequence), follow: true))
            bench.disk = mode
            bench.panel("6011003")
            bench.advance(.seconds(2))
            #expect(bench.unstored().map(\.code) == ["601"])
            bench.panel("6542")
            bench.panel("609003")
            #expect(bench.unstored().map(\.code) == ["601", "654"])
            bench.advance(.seconds(20))
            #expect(bench.unstored().count == 2)
            bench.disk = .answers
            bench.answerDisk()
            bench.advance(.seconds(30))
            let rows = bench.stored.map(\.event).filter { $0.type == .alarm }
            #expect(rows.map(\.unstored) == bench.unstored().map(\.unstored))
            #expect(rows.allSatisfy { $0.unstored != nil })
        }
    }

    @Test("an alarm that the store refuses goes out all the same")
    func anAlarmThatTheStoreRefusesGoesOutAllTheSame() {
        var bench = Bench.up()
        bench.ask(.events(EventQuery(after: bench.lastSequence), follow: true))
        bench.disk = .rejects("601")
        bench.panel("6011003")
        #expect(bench.unstored().map(\.code) == ["601"])
    }

    @Test("a follower that asked for another zone hears nothing of an alarm that is not stored")
    func aFollowerThatAskedForAnotherZoneHearsNothingOfAnAlarm() {
        var bench = Bench.up()
        bench.ask(.events(EventQuery(after: bench.lastSequence, zone: 5), follow: true))
        bench.ask(.events(EventQuery(after: bench.lastSequence, types: [.alarm], zone: 3), follow: true), as: 2)
        bench.disk = .fails(Bench.broken)
        bench.panel("6011003")
        #expect(bench.unstored(1).isEmpty)
        #expect(bench.unstored(2).count == 1)
    }
}
