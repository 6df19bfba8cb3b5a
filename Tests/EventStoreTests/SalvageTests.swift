import AlarmModel
import EventStore
import Testing

/// What people wait for survives the loss of the journal's file, and however often the power goes meanwhile.
@Suite("Salvage")
struct SalvageTests {
    static let house: Snapshot = {
        var snapshot = Snapshot.sample(9)
        for number in 1...64 { snapshot.panel.withZone(number) { $0.open = .known(number % 2 == 0) } }
        snapshot.console = ConsoleRecord(wrongTries: 4)
        return snapshot
    }()

    /// A closed journal of 600 events with an alarm and a duress that wait; its counters make no sense.
    static func damaged() throws -> Workshop {
        let workshop = Workshop()
        let journal = try workshop.open()
        let duress = Event.sample(620, type: .alarm, flags: .duress)
        var batch = Batch(1, .sample(1), duress, snapshot: house)
        batch.outbox = [.sample("alarm", event: 0, priority: .alarm), .sample("duress", event: 1)]
        batch.phoneLedger = [.sample(4)]
        _ = try journal.commit([batch, Batch(id: BatchID(2), events: (2...600).map { .sample($0) })])
        try journal.close()
        try workshop.database().execute("UPDATE meta SET last_seq = 2", doing: "test")
        return workshop
    }

    /// Opens what a start has left of that journal.
    static func check(_ workshop: Workshop, _ place: Comment) throws {
        let report = try workshop.open(run: "check").report
        try #require(DamageTests.salvaged(report) == 600, place)
        try #require(report.log == LogNumber(2) && !report.isRestored, place)
        try #require(report.lastSequence == SequenceNumber(600), place)
        try #require(report.snapshot == house, place)
        try #require(report.phoneCounters.flatMap(\.rows) == [.sample(4)], place)
        let open = try OutboxTests.open(workshop, 1)
        try #require(OutboxTests.names(open) == ["alarm", "duress"], place)
        let events = try workshop.events()
        try #require(events.map(\.event) == (1...600).map { Event.sample($0) }, place)
        let names = try StateFile.names(in: workshop.directory)
        try #require(!names.contains("journal.db.new"), place)
    }

    /// Where the power goes while a new journal takes the place of the damaged one.
    enum Cut: CaseIterable {
        case newIsUnfinished, newIsFinished, damagedIsAside, logIsAside, newIsInPlace
    }

    @Test("wherever the power goes, the next start goes on, and says what happened", arguments: Cut.allCases)
    func whereverThePowerGoes(_ cut: Cut) throws {
        let damaged = try Self.damaged()
        let old = try damaged.bytes("journal.db")
        let finished = try damaged.copy()
        try finished.open(run: "first").close()
        let new = try finished.bytes("journal.db")
        // Of the damaged journal: beside the new one it would be read as the new one's.
        let log = Array("a log of old".utf8)
        let workshop = Workshop()
        try LogNumber(1).store(in: workshop.directory)
        switch cut {
        case .newIsUnfinished:
            try workshop.write(old, "journal.db")
            try workshop.write(Array(new[..<(new.count / 2)]), "journal.db.new")
        case .newIsFinished:
            try workshop.write(old, "journal.db")
            try workshop.write(new, "journal.db.new")
        case .damagedIsAside:
            try workshop.write(old, "journal.damaged-1.db")
            try workshop.write(log, "journal.db-wal")
            try workshop.write(new, "journal.db.new")
        case .logIsAside:
            try workshop.write(old, "journal.damaged-1.db")
            try workshop.write(log, "journal.damaged-1.db-wal")
            try workshop.write(new, "journal.db.new")
        case .newIsInPlace:
            try workshop.write(old, "journal.damaged-1.db")
            try workshop.write(new, "journal.db")
        }
        try Self.check(workshop, "\(cut)")
        #expect(try workshop.bytes("journal.damaged-1.db") == old)
        if cut == .damagedIsAside { #expect(try workshop.bytes("journal.damaged-1.db-wal") == log) }
    }

    @Test("a journal that was set aside is reported until an event tells people of it")
    func aJournalThatWasSetAsideIsReportedUntilAnEventTellsPeople() throws {
        let workshop = try Self.damaged()
        _ = try workshop.open(run: "2").commit([Batch(1, .sample(601))])
        let journal = try workshop.open(run: "3")
        #expect(DamageTests.salvaged(journal.report) == 600)
        _ = try journal.commit([Batch(1, .damageTold)])
        #expect(try workshop.open(run: "4").report.outcome == .opened(quickCheckCompleted: true))
        #expect(try workshop.database().integer("SELECT count(*) FROM suspect", doing: "test") == 0)
    }

    @Test("what people wait for and what guards the box comes first, where there is no room for all events")
    func whatPeopleWaitForAndWhatGuardsTheBoxComesFirst() throws {
        let workshop = try DamageTests.filled()
        let journal = try workshop.open(run: "next")
        var batch = Batch(1, .sample(3001), snapshot: Self.house)
        batch.outbox = (1...200).map { .sample("\($0)", event: 0) }
        batch.ledger = [
            LedgerRow(command: CommandID(7), summary: "arm", origin: "cli", time: .early, outcome: nil)
        ]
        batch.phoneLedger = [.sample(4)]
        _ = try journal.commit([batch])
        try journal.close()
        try workshop.database().execute("UPDATE meta SET last_seq = 7", doing: "test")
        let report = try workshop.open(run: "third") { $0.maximumPages = 62 }.report
        let salvaged = try #require(DamageTests.salvaged(report))
        #expect(salvaged > 500 && salvaged < 3001)
        #expect(report.lastSequence == SequenceNumber(3001))
        #expect(report.snapshot == Self.house)
        #expect(report.unfinished == batch.ledger)
        #expect(report.phoneCounters.flatMap(\.rows) == [.sample(4)])
        #expect(report.outboxCounts == OutboxCounts(waiting: 200))
        #expect(try OutboxTests.open(workshop, 1, limit: 500).messages.count == 200)
    }

    @Test("an alarm that waits is taken over with its event, also from behind a page that cannot be read")
    func anAlarmThatWaitsIsTakenOverWithItsEvent() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var batch = Batch(id: BatchID(1), events: (1...3000).map { .sample($0) })
        batch.outbox = [.sample("alarm", event: 4, priority: .alarm)]
        _ = try journal.commit([batch])
        try journal.close()
        var bytes = try workshop.bytes("journal.db")
        let middle = bytes.count / 4096 / 2 * 4096
        bytes.replaceSubrange(middle..<middle + 4096, with: Array(repeating: 0xEE, count: 4096))
        try workshop.write(bytes, "journal.db")
        let report = try workshop.open(run: "next").report
        let salvaged = try #require(DamageTests.salvaged(report))
        #expect(salvaged > 1000 && salvaged < 3000)
        let page = try OutboxTests.open(workshop, 1)
        #expect(OutboxTests.names(page) == ["alarm"])
        #expect(page.messages.map(\.event) == [.sample(5)])
        let numbers = try workshop.events().map(\.seq.number)
        #expect(numbers.first == 5)
        #expect(numbers.dropFirst().elementsEqual(Int64(3002 - salvaged)...3000))
    }

    @Test("counters of phones are not taken over from a journal that is behind the log number: commits are missing")
    func countersOfPhonesAreNotTakenOverFromAJournalThatIsBehind() throws {
        let workshop = try Self.damaged()
        try LogNumber(2).store(in: workshop.directory)
        let report = try workshop.open(run: "next").report
        #expect(DamageTests.salvaged(report) == 600)
        #expect(report.phoneCounters.isEmpty)
        #expect(report.log == LogNumber(3))
    }
}
