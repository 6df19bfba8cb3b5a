import AlarmModel
import EventStore
import PhoneProtocol
import Testing

@Suite("Outbox")
struct OutboxTests {
    static func open(_ workshop: Workshop, _ addresses: Int64..., limit: Int = 100) throws -> OutboxPage {
        try JournalReader(directory: workshop.directory)
            .messages(.open(addresses: addresses.map { AddressID($0) }, limit: limit))
    }

    static func dead(_ workshop: Workshop, limit: Int = 100) throws -> OutboxPage {
        try JournalReader(directory: workshop.directory).messages(.dead(limit: limit))
    }

    static func counts(_ workshop: Workshop) throws -> OutboxCounts {
        try JournalReader(directory: workshop.directory).outboxCounts()
    }

    static func change(_ name: String, _ state: OutboxState, _ detail: String? = nil, at second: Int64 = 0)
        -> OutboxChange
    {
        OutboxChange(
            message: MessageID(name), state: state, detail: detail,
            time: WallTime(milliseconds: WallTime.early.milliseconds + second * 1000))
    }

    static func names(_ page: OutboxPage) -> [String] { page.messages.map(\.message.text) }

    @Test("messages are read back with their events after reopening")
    func messagesAreReadBackWithTheirEventsAfterReopening() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var first = Batch(1, .sample(1), .full)
        first.outbox = [.sample("a", event: 1, address: 5, priority: .alarm), .sample("b", event: 0, address: 5)]
        var second = Batch(2, .sample(3))
        second.outbox = [.sample("c", event: 0, address: -9)]
        _ = try journal.commit([first, second])
        try journal.close()
        #expect(try workshop.open(run: "next").report.outboxCounts == OutboxCounts(waiting: 3))
        let row = first.outbox[0]
        let expected = StoredMessage(
            message: row.message, address: row.address, seq: SequenceNumber(2), event: .full, createdAt: row.createdAt,
            expiresAt: row.expiresAt, state: .waiting)
        let page = try Self.open(workshop, 5)
        #expect(page.messages.first == expected)
        #expect(Self.names(page) == ["a", "b"])
        #expect(page.orphans.isEmpty && !page.hasMore)
        #expect(try Self.open(workshop, -9).messages.map(\.event) == [.sample(3)])
        #expect(try Self.open(workshop).messages.isEmpty)
    }

    @Test("an alarm that waits tells at which other addresses it was taken; other classes and duress do not")
    func anAlarmThatWaitsTellsAtWhichOtherAddressesItWasTaken() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        let events: [Event] = [
            .sample(1, type: .alarm), .sample(2), .sample(3, type: .alarm, flags: .duress),
        ]
        var batch = Batch(id: BatchID(1), events: events)
        for event in 0...2 {
            batch.outbox += (1...6).map { address in
                .sample(
                    "\(event).\(address)", event: event, address: Int64(address), priority: event == 1 ? .state : .alarm
                )
            }
            let states: [OutboxState] = [.accepted, .overdue, .dead, .seen, .spared]
            batch.outboxChanges += states.enumerated().map { Self.change("\(event).\($0 + 2)", $1) }
        }
        _ = try journal.commit([batch])
        let page = try Self.open(workshop, 1, 3)
        let taken = page.messages.map { "\($0.message.text): \($0.takenAt.map(\.number))" }
        #expect(taken.sorted() == ["0.1: [2, 3, 5]", "0.3: []", "1.1: []", "1.3: []", "2.1: []", "2.3: []"])
    }

    @Test("an alarm is read also where the journal cannot tell any more who has taken it")
    func anAlarmIsReadAlsoWhereTheJournalCannotTellAnyMoreWho() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var batch = Batch(id: BatchID(1), events: [.sample(1, type: .alarm)])
        batch.outbox = [.sample("a", event: 0, priority: .alarm), .sample("b", event: 0, address: 2, priority: .alarm)]
        batch.outboxChanges = [Self.change("b", .accepted)]
        _ = try journal.commit([batch])
        try journal.close()
        #expect(try Self.open(workshop, 1).messages.map(\.takenAt) == [[AddressID(2)]])
        let page = try workshop.database().integer(
            "SELECT rootpage FROM sqlite_master WHERE name = 'outbox_event'", doing: "looking for the index")
        let start = (try Int(#require(page)) - 1) * 4096
        var bytes = try workshop.bytes("journal.db")
        bytes.replaceSubrange(start..<start + 4096, with: Array(repeating: 0xFF, count: 4096))
        try workshop.write(bytes, "journal.db")
        let messages = try Self.open(workshop, 1).messages
        #expect(messages.map(\.message) == [MessageID("a")])
        #expect(messages.map(\.takenAt) == [[]])
    }

    @Test("of several changes the last counts, one of an unknown message is nothing, and a finished one is not open")
    func ofSeveralChangesTheLastCounts() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var batch = Batch(1, .sample(1))
        batch.outbox = ["a", "b", "c", "d"].map { .sample($0, event: 0) }
        batch.outboxChanges = [
            Self.change("a", .dead, "no such phone"), Self.change("a", .waiting), Self.change("b", .overdue),
            Self.change("nobody", .dead), Self.change("c", .waiting), Self.change("c", .dead, "why", at: 5),
        ]
        _ = try journal.commit([batch])
        _ = try journal.commit([
            {
                var next = Batch(2); next.outboxChanges = [Self.change("d", .expired, at: 9)]; return next
            }()
        ])
        let page = try Self.open(workshop, 1)
        #expect(Self.names(page) == ["a", "b"])
        #expect(page.messages.map(\.state) == [.waiting, .overdue])
        #expect(page.messages.map(\.detail) == [nil, nil])
        #expect(try Self.counts(workshop) == OutboxCounts(waiting: 1, overdue: 1, dead: 1, expired: 1))
        let dead = try Self.dead(workshop)
        #expect(Self.names(dead) == ["d", "c"])
        #expect(dead.messages.map(\.detail) == [nil, "why"])
        let short = try Self.dead(workshop, limit: 1)
        #expect(Self.names(short) == ["d"] && short.hasMore)
    }

    @Test("a batch given again changes nothing of what became of its messages")
    func aBatchGivenAgainChangesNothingOfWhatBecameOfItsMessages() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var first = Batch(1, .sample(1))
        first.outbox = [.sample("a", event: 0), .sample("b", event: 0)]
        first.phoneLedger = [.sample(1)]
        first.newLog = 2
        var second = Batch(2)
        second.outboxChanges = [Self.change("a", .received)]
        second.phoneLedger = [.sample(1, result: PhoneResult(.ok))]
        _ = try journal.commit([first, second])
        _ = try journal.commit([first])
        _ = try journal.commit([first, second])
        #expect(try Self.names(Self.open(workshop, 1)) == ["b"])
        #expect(journal.log == LogNumber(2))
        let report = try workshop.open(run: "next").report
        #expect(report.phoneCounters.flatMap(\.rows) == second.phoneLedger)
        #expect(report.log == LogNumber(2))
    }

    @Test("duress is sent at its place without a number, and is in no count and no list")
    func duressIsSentAtItsPlaceWithoutANumber() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        let duress = Event.sample(620, type: .alarm, flags: .duress)
        var batch = Batch(1, .sample(1), duress, .sample(2))
        batch.outbox = [
            .sample("late", event: 2, priority: .alarm), .sample("duress", event: 1, priority: .alarm),
            .sample("early", event: 0, priority: .alarm), .sample("gone", event: 1, address: 2),
        ]
        batch.outboxChanges = [Self.change("gone", .dead, "gone")]
        _ = try journal.commit([batch])
        let page = try Self.open(workshop, 1, 2)
        #expect(Self.names(page) == ["early", "duress", "late"])
        #expect(page.messages.map(\.seq) == [SequenceNumber(1), nil, SequenceNumber(2)])
        #expect(page.messages[1].event == duress)
        let expected = OutboxCounts(waiting: 2)
        #expect(try Self.counts(workshop) == expected)
        #expect(try workshop.open(run: "next").report.outboxCounts == expected)
        #expect(try Self.dead(workshop).messages.isEmpty)
    }

    @Test(
        "messages whose event is gone or unreadable, or that make no sense, are orphans; a nameless one is passed over")
    func messagesWhoseEventIsGoneOrUnreadable() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var batch = Batch(id: BatchID(1), events: (1...6).map { .sample($0) })
        batch.outbox = (0..<6).map { .sample("\($0 + 1)", event: $0) }
        _ = try journal.commit([batch])
        try workshop.database().execute(
            """
            DELETE FROM events WHERE seq = 1; UPDATE events SET flags = 'x' WHERE seq = 2;
            UPDATE outbox SET created = 'noon' WHERE seq = 3; UPDATE outbox SET message = x'00' WHERE seq = 4;
            UPDATE events SET type = 'banana' WHERE seq = 5;
            """, doing: "test")
        for round in 1...2 {
            let page = try Self.open(workshop, 1)
            #expect(Self.names(page) == ["6"])
            #expect(page.orphans.map(\.text) == (round == 1 ? ["1", "2", "3", "5"] : ["1", "2", "5"]))
            // Two events and the rows of two messages, which are kept elsewhere.
            #expect(try journal.setAsideSuspectRows().moved == (round == 1 ? 4 : 0))
        }
        var end = Batch(2)
        end.outboxChanges = ["1", "2", "5"].map { Self.change($0, .dead, "event lost") }
        _ = try journal.commit([end])
        #expect(try Self.open(workshop, 1).orphans.isEmpty)
        #expect(try Self.names(Self.dead(workshop)) == ["5", "2", "1"])
    }

    @Test("a page that cannot be read takes the messages about its events, after some tries, and not the others")
    func aPageThatCannotBeReadTakesTheMessagesAboutItsEvents() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var batch = Batch(id: BatchID(1), events: (1...3000).map { .sample($0) })
        batch.outbox = [.sample("early", event: 9), .sample("lost", event: 1499), .sample("late", event: 2999)]
        _ = try journal.commit([batch])
        try journal.close()
        var bytes = try workshop.bytes("journal.db")
        let text = Array("event 1500".utf8)
        let place = try #require(bytes.indices.first { bytes[$0] == text[0] && bytes[$0...].starts(with: text) })
        let page = place / 4096 * 4096
        bytes.replaceSubrange(page..<page + 4096, with: Array(repeating: 0xEE, count: 4096))
        let damaged = Workshop()
        try damaged.write(bytes, "journal.db")
        let reader = try JournalReader(directory: damaged.directory)
        let query = OutboxQuery.open(addresses: [AddressID(1)], limit: 100)
        for _ in 0..<JournalReader.patience {
            let failure = thrown(StoreError.self) { try reader.messages(query) }
            #expect(failure?.kind == .corrupt)
        }
        for _ in 0..<3 {
            let found = try reader.messages(query)
            #expect(Self.names(found) == ["early", "late"])
            #expect(found.orphans == [MessageID("lost")])
        }
        try damaged.database().execute("UPDATE outbox SET state = 'dead' WHERE message = 'lost'", doing: "test")
        #expect(try Self.names(reader.messages(query)) == ["early", "late"])
        #expect(try Self.names(reader.messages(.dead(limit: 9))) == ["lost"])
    }

    @Test("finished messages go with their event, and one step deletes no more than its limit")
    func finishedMessagesGoWithTheirEvent() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var batch = Batch(id: BatchID(1), events: (1...20).map { .sample($0) })
        batch.outbox = (0..<20).map { .sample("\($0 + 1)", event: $0) }
        batch.outboxChanges = (1...20).map { Self.change("\($0)", .received) }
        _ = try journal.commit([batch])
        let database = try workshop.database()
        func rows() throws -> [Int64] {
            let statement = try database.prepare("SELECT seq FROM outbox ORDER BY seq", doing: "test")
            var found: [Int64] = []
            while try statement.step() { found.append(statement.integer(0) ?? 0) }
            return found
        }
        let step = RetentionStep(olderThan: nil, keepAtMost: 10, limit: 4)
        var expected: [[Int64]] = [Array(5...20), Array(9...20), Array(11...20)]
        expected.append(expected[2])
        for id in 2...5 {
            _ = try journal.commit([Batch(id: BatchID(UInt64(id)), retention: step)])
            #expect(try rows() == expected[id - 2])
        }
        // Thirty days after everything else.
        var late = Batch(6, .sample(30 * 86400 + 10))
        late.retention = RetentionStep(olderThan: nil, keepAtMost: 1000, limit: 4)
        _ = try journal.commit([late])
        #expect(try rows() == Array(15...20))
        for id in 7...9 {
            _ = try journal.commit([Batch(id: BatchID(UInt64(id)), retention: late.retention)])
        }
        #expect(try rows().isEmpty)
    }

    @Test("events and duress stay beyond every limit while somebody may still be told of them")
    func eventsAndDuressStayBeyondEveryLimitWhileSomebodyMayStill() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        let duress = Event.sample(620, type: .alarm, flags: .duress)
        var batch = Batch(1, .sample(1), .sample(2), .sample(3), duress, .sample(4), .sample(5))
        batch.outbox = [
            .sample("alarm", event: 2, priority: .alarm), .sample("duress", event: 3, priority: .alarm),
            .sample("ended", event: 0),
        ]
        batch.outboxChanges = [Self.change("ended", .received)]
        _ = try journal.commit([batch])
        let expiry = batch.outbox[0].expiresAt
        var step = RetentionStep(olderThan: Event.sample(86400).time, keepAtMost: 0, limit: 100)
        let times: [WallTime?] = [nil, WallTime(milliseconds: expiry.milliseconds - 1), expiry]
        for (index, now) in times.enumerated() {
            step.now = now
            _ = try journal.commit([Batch(id: BatchID(UInt64(index + 2)), retention: step)])
            let page = try Self.open(workshop, 1)
            let kept: [Int64] = now == expiry ? [] : [3, 4, 5]
            let told: [String] = now == expiry ? [] : ["alarm", "duress"]
            #expect(try workshop.events().map(\.seq.number) == kept)
            #expect(Self.names(page) == told)
            #expect(page.orphans.count == 2 - told.count)
        }
    }

    @Test("pages of an outbox of 100 000 rows are bounded, in order, and read from the index alone")
    func pagesOfAnOutboxOf100000RowsAreBounded() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(id: BatchID(1), events: (1...1000).map { .sample($0) })])
        let database = try workshop.database()
        // One in five is open.
        try database.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
            INSERT INTO outbox SELECT 'm' || i, i % 7, 0, 1 + i * 7919 % 1000, 1 + i * 7919 % 1000, i / 5 % 4, i, i,
            iif(i % 5 = 0, iif(i % 20 = 0, 'overdue', 'waiting'), 'received'), NULL, i FROM n
            """, doing: "test")
        let reader = try JournalReader(directory: workshop.directory)
        let addresses = [AddressID(3), AddressID(1), AddressID(5), AddressID(1)]
        var expected: [String] = []
        let all = try database.prepare(
            """
            SELECT message FROM outbox WHERE address IN (1, 3, 5) AND state IN ('waiting', 'overdue')
            ORDER BY priority, place, rowid LIMIT 3000
            """, doing: "test")
        while try all.step() { expected.append(all.text(0) ?? "") }
        var found: [String] = []
        for id in 2...11 {
            let page = try reader.messages(.open(addresses: addresses, limit: 100))
            #expect(page.messages.count == 100 && page.hasMore)
            found += Self.names(page)
            var batch = Batch(id: BatchID(UInt64(id)))
            batch.outboxChanges = page.messages.map {
                OutboxChange(message: $0.message, state: .accepted, time: .early)
            }
            _ = try journal.commit([batch])
        }
        #expect(found == Array(expected[..<1000]))
        let greedy = try reader.messages(.open(addresses: addresses, limit: .max))
        #expect(greedy.messages.count == OutboxPage.limit && greedy.hasMore)
        #expect(try reader.messages(.open(addresses: addresses, limit: .min)).messages.count == 1)
        #expect(
            try Self.plan(OutboxRows.openSelection, database) == ["SEARCH outbox USING INDEX outbox_open (address=?)"])
        #expect(try Self.plan(OutboxRows.deadSelection, database) == ["SCAN outbox USING INDEX outbox_dead"])
        let plan = try Self.plan(OutboxRows.firstNeededSelection, database)
        #expect(plan.count == 1 && plan.first?.hasSuffix("outbox USING INDEX outbox_open") == true)
    }

    static func plan(_ sql: String, _ database: Database) throws -> [String] {
        let statement = try database.prepare("EXPLAIN QUERY PLAN " + sql, doing: "test")
        var steps: [String] = []
        while try statement.step() { steps.append(statement.text(3) ?? "") }
        return steps
    }

    @Test("a new log number is in the file and the journal, and the next start takes it for no restored backup")
    func aNewLogNumberIsInTheFileAndTheJournal() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var batch = Batch(1, .sample(1))
        batch.newLog = 2
        batch.phoneLedger = [.sample(1)]
        _ = try journal.commit([batch])
        #expect(journal.log == LogNumber(2))
        #expect(LogNumber.stored(in: workshop.directory) == LogNumber(2))
        let report = try workshop.open(run: "next").report
        #expect(report.log == LogNumber(2) && !report.isRestored)
        #expect(report.phoneCounters.count == 1)
    }

    @Test("open messages of a damaged journal are taken over with the events they are about, and no others")
    func openMessagesOfADamagedJournalAreTakenOverWithTheEvents() throws {
        let workshop = try DamageTests.filled()
        let journal = try workshop.open(run: "next")
        let duress = Event.sample(620, type: .alarm, flags: .duress)
        var batch = Batch(1, .sample(3001), duress, .sample(3002), .sample(3003))
        batch.outbox = [
            .sample("alarm", event: 0, priority: .alarm), .sample("duress", event: 1), .sample("ended", event: 2),
            .sample("lost", event: 0), .sample("last", event: 3),
        ]
        batch.outboxChanges = [Self.change("ended", .dead)]
        batch.phoneLedger = [.sample(4), .sample(5)]
        batch.phoneLedgerOwners = [.added(PhoneID(3))]
        _ = try journal.commit([batch])
        try journal.close()
        try workshop.database().execute(
            "UPDATE outbox SET seq = 5000 WHERE message = 'lost'; UPDATE meta SET last_seq = 7", doing: "test")
        let report = try workshop.open(run: "third").report
        #expect(DamageTests.salvaged(report) == 3003)
        let page = try Self.open(workshop, 1)
        #expect(Self.names(page) == ["alarm", "duress", "last"])
        #expect(page.messages.map(\.event) == [.sample(3001), duress, .sample(3003)])
        #expect(page.orphans.isEmpty)
        #expect(report.outboxCounts == OutboxCounts(waiting: 2))
        #expect(report.phoneCounters.map(\.rows.count) == [0, 2])
        #expect(report.oldestSequence == SequenceNumber(1))
    }
}
