import AlarmModel
import EventStore
import Testing

@Suite("Commit and read")
struct CommitTests {
    @Test("what was committed is read back as it was, by another connection and after reopening")
    func whatWasCommittedIsReadBackAsItWas() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        #expect(journal.report.outcome == .fresh)
        #expect(try journal.commit([Batch(1, .full, .sample(2))]) == SequenceNumber(2))
        let expected = [
            StoredEvent(seq: SequenceNumber(1), event: .full), StoredEvent(seq: SequenceNumber(2), event: .sample(2)),
        ]
        #expect(try workshop.events() == expected)
        try journal.close()
        let again = try workshop.open(run: "next")
        #expect(again.report.outcome == .opened(quickCheckCompleted: true))
        #expect(again.report.lastSequence == SequenceNumber(2))
        #expect(again.report.newestTrustedTime == Event.sample(2).time)
        #expect(try workshop.events() == expected)
    }

    @Test("numbers go on without a gap over reopening, and a group keeps its order")
    func numbersGoOnWithoutAGapOverReopening() throws {
        let workshop = Workshop()
        var next = 1
        for run in 1...4 {
            let journal = try workshop.open(run: "run \(run)")
            let batches = (1...5).map { id in
                defer { next += 2 }
                return Batch(UInt64(id), .sample(next), .sample(next + 1))
            }
            #expect(try journal.commit(batches) == SequenceNumber(Int64(next - 1)))
            if run % 2 == 0 { try journal.close() }
        }
        let events = try workshop.events()
        #expect(events.map(\.seq.number) == Array(1...40))
        #expect(events.map(\.event.message) == (1...40).map { "event \($0)" })
    }

    @Test("numbers are not used again after retention has deleted every event")
    func numbersAreNotUsedAgainAfterRetentionHasDeletedEveryEvent() throws {
        let workshop = Workshop()
        var journal = try workshop.open()
        _ = try journal.commit([Batch(1, .sample(1), .sample(2), .sample(3))])
        let step = RetentionStep(olderThan: nil, keepAtMost: 0, limit: 100)
        #expect(try journal.commit([Batch(id: BatchID(2), retention: step)]) == SequenceNumber(3))
        #expect(try workshop.events().isEmpty)
        try journal.close()
        journal = try workshop.open(run: "next")
        #expect(journal.report.lastSequence == SequenceNumber(3))
        #expect(try journal.commit([Batch(1, .sample(4))]) == SequenceNumber(4))
        #expect(try workshop.events().map(\.seq.number) == [4])
    }

    @Test("retention by count and by age takes the oldest, at most so many at a time")
    func retentionByCountAndByAgeTakesTheOldest() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(id: BatchID(1), events: (1...20).map { .sample($0) })])
        let byCount = RetentionStep(olderThan: nil, keepAtMost: 10, limit: 3)
        _ = try journal.commit([Batch(id: BatchID(2), retention: byCount)])
        #expect(try workshop.events().first?.seq == SequenceNumber(4))
        for id in 3...9 { _ = try journal.commit([Batch(id: BatchID(UInt64(id)), retention: byCount)]) }
        #expect(try workshop.events().map(\.seq.number) == Array(11...20))
        let byAge = RetentionStep(olderThan: Event.sample(15).time, keepAtMost: nil, limit: 100)
        _ = try journal.commit([Batch(id: BatchID(10), retention: byAge)])
        #expect(try workshop.events().map(\.seq.number) == Array(15...20))
    }

    @Test("retention by age leaves no gap behind an old event amid young ones, and passes over a clock in the future")
    func retentionByAgeLeavesNoGapBehindAnOldEventAmidYoungOnes() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var future = Event.sample(9_000_000)
        future.isTimeTrusted = false
        _ = try journal.commit([Batch(1, .sample(1), future, .sample(2), .sample(30), .sample(3), .sample(31))])
        let step = RetentionStep(olderThan: Event.sample(10).time, keepAtMost: nil, limit: 100)
        _ = try journal.commit([Batch(id: BatchID(2), retention: step)])
        #expect(try workshop.events().map(\.seq.number) == [4, 5, 6])
    }

    @Test("of a group only the last snapshot is kept")
    func ofAGroupOnlyTheLastSnapshotIsKept() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([
            Batch(1, .sample(1), snapshot: .sample(1)), Batch(2, snapshot: .sample(2)), Batch(3, .sample(3)),
        ])
        #expect(try JournalReader(directory: workshop.directory).snapshot() == .sample(2))
        _ = try journal.commit([Batch(4, snapshot: .sample(7))])
        #expect(try workshop.open(run: "next").report.snapshot == .sample(7))
    }

    @Test("what a group says of the console's lock stays, also behind a snapshot that knows nothing of it")
    func whatAGroupSaysOfTheConsolesLockStays() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        let known = Snapshot(nextCommand: CommandID(1), console: ConsoleRecord(wrongTries: 4))
        let unknown = Snapshot(nextCommand: CommandID(2))
        _ = try journal.commit([Batch(1, snapshot: known), Batch(2, snapshot: unknown)])
        _ = try journal.commit([Batch(3, snapshot: .sample(3))])
        #expect(try JournalReader(directory: workshop.directory).snapshot()?.console == known.console)
    }

    @Test("the ledger keeps the outcome of a command and reports those without one")
    func theLedgerKeepsTheOutcomeOfACommandAndReportsThose() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        let first = LedgerRow(
            command: CommandID(1), summary: "arm away", origin: "cli", time: WallTime(milliseconds: 1), outcome: nil)
        var second = first
        second.command = CommandID(2)
        _ = try journal.commit([Batch(id: BatchID(1), ledger: [first, second])])
        var ended = first
        ended.outcome = .refused(.notReady(openZones: [3]))
        _ = try journal.commit([Batch(id: BatchID(2), ledger: [ended])])
        let report = try workshop.open(run: "next").report
        #expect(report.unfinished == [second])
        #expect(report.lastCommand == CommandID(2))
        let detail = try workshop.database().text("SELECT outcome FROM ledger WHERE command = 1", doing: "test")
        #expect(detail == "refused")
    }

    @Test("a batch given again after a failure report is stored once; the same number of another run is another batch")
    func aBatchGivenAgainAfterAFailureReportIsStoredOnce() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, .sample(1)), Batch(2, .sample(2))])
        #expect(try journal.commit([Batch(2, .sample(2)), Batch(3, .sample(3))]) == SequenceNumber(3))
        #expect(try journal.commit([Batch(1, .sample(1))]) == SequenceNumber(3))
        #expect(try workshop.open(run: "next").commit([Batch(1, .sample(4))]) == SequenceNumber(4))
        #expect(try workshop.events().map(\.event.message) == (1...4).map { "event \($0)" })
    }

    @Test("duress has a journal of its own, and no gap or page shows it")
    func duressHasAJournalOfItsOwn() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, .sample(1), .sample(620, type: .alarm, flags: .duress), .sample(2))])
        let events = try workshop.events()
        #expect(events.map(\.seq.number) == [1, 2])
        #expect(events.map(\.event.message) == ["event 1", "event 2"])
        let database = try workshop.database()
        #expect(try database.text("SELECT seq || message FROM duress", doing: "test") == "1event 620")
        #expect(try database.integer("SELECT count(*) FROM log WHERE message LIKE '%620%'", doing: "test") == 0)
        #expect(try JournalReader(directory: workshop.directory).countByType().map(\.count) == [2])
    }

    @Test("check-points empty the log, and a clean end leaves nothing in it")
    func checkPointsEmptyTheLog() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        for id in 1...50 { _ = try journal.commit([Batch(UInt64(id), .sample(id))]) }
        #expect(journal.walPages >= 50)
        #expect(try journal.checkpoint().isComplete)
        #expect(journal.walPages == 0)
        _ = try journal.commit([Batch(51, .sample(51))])
        try journal.close()
        #expect(try workshop.bytes("journal.db-wal").isEmpty)
        #expect(try workshop.events().count == 51)
    }

    @Test("an alarm with one phone costs seven pages of the log: event, counters, snapshot, and four for its message")
    func anAlarmWithOnePhoneCostsSevenPages() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var pages: [Int] = []
        for id in 1...200 {
            var batch = Batch(UInt64(id), .sample(id, type: .alarm))
            batch.outbox = [.sample("00000001-\(id)", event: 0, address: 1, priority: .alarm)]
            batch.snapshot = .sample(UInt64(id))
            let before = journal.walPages
            _ = try journal.commit([batch])
            pages.append(journal.walPages - before)
        }
        // A page that is full is split now and then.
        #expect(pages.sorted()[100] <= 7)
        #expect(pages.reduce(0, +) <= 200 * 8)
    }
}
