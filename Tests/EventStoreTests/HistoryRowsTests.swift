import AlarmModel
import EventStore
import Testing

@Suite("Rows for the history") struct HistoryRowsTests {
    @Test("a brief page has the same rows; only news of the panel lacks its sentence and names")
    func aBriefPageHasTheSameRows() throws {
        let (workshop, journal) = try ReaderTests.filled()
        var own = Event.sample(701)
        own.code = EventCode.test.rawValue
        _ = try journal.commit([Batch(id: BatchID(3), events: [own])])
        let reader = try JournalReader(directory: workshop.directory)
        var query = EventQuery(limit: 1000)
        var count = 0
        while true {
            let full = try reader.page(query, slice: .seconds(5))
            let brief = try reader.page(query, slice: .seconds(5), isBrief: true)
            let expected = full.events.map { stored in
                var stored = stored
                stored.event.raw = ""
                guard stored.event.type == .info, stored.event.code.count == 3 else { return stored }
                stored.event.message = ""
                (stored.event.zoneName, stored.event.partitionName) = (nil, nil)
                return stored
            }
            #expect(brief.events == expected && brief.cursor == full.cursor && brief.hasMore == full.hasMore)
            count += brief.events.count
            guard full.hasMore else { break }
            query.after = full.cursor
        }
        #expect(count == 651)
        #expect(
            try reader.page(EventQuery(order: .newest, limit: 1), isBrief: true).events.first?.event.message
                == "event 701")
    }

    @Test("what became of messages is told without duress; rows that make no sense are passed over")
    func whatBecameOfMessages() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var batch = Batch(
            id: BatchID(1), events: [.sample(1, type: .alarm), .sample(2, type: .alarm, flags: .duress)])
        batch.outbox = ["a", "b", "c", "d", "e"].enumerated().map { index, name in
            .sample(name, event: 0, address: Int64(index + 1), priority: .alarm)
        }
        batch.outbox.append(.sample("secret", event: 1, address: 1, priority: .alarm))
        let created = batch.outbox[0].createdAt
        batch.outboxChanges = [("a", 3), ("b", 5), ("c", -7)].map { name, seconds in
            OutboxChange(message: MessageID(name), state: .received, time: created + .seconds(seconds))
        }
        _ = try journal.commit([batch])
        try workshop.database().execute(
            """
            UPDATE outbox SET state = 'lost' WHERE message = 'd';
            UPDATE outbox SET changed = 9223372036854775807, created = -5 WHERE message = 'e';
            """, doing: "damaging rows")
        let reader = try JournalReader(directory: workshop.directory)
        let found = try reader.deliveries(of: SequenceNumber(1), limit: 64)
        #expect(found.map(\.address.number) == [1, 2, 3])
        #expect(found.map(\.after) == [.seconds(3), .seconds(5), .zero])
        #expect(try reader.deliveries(of: SequenceNumber(1), limit: 2).count == 2)
        #expect(try reader.deliveries(of: SequenceNumber(2), limit: 64).isEmpty)
        let sums = try reader.deliverySums()
        #expect(sums.map(\.address.number) == [1, 2, 3, 5] && sums.allSatisfy { $0.count == 1 })
        #expect(sums.prefix(2).map(\.average) == [.seconds(3), .seconds(5)])
    }

    @Test("a journal of an older program has no messages")
    func aJournalOfAnOlderProgram() throws {
        let workshop = Workshop()
        try workshop.open().close()
        try workshop.database().execute("DROP TABLE outbox", doing: "going back")
        let reader = try JournalReader(directory: workshop.directory)
        #expect(try reader.deliveries(of: SequenceNumber(1), limit: 1).isEmpty)
        #expect(try reader.deliverySums().isEmpty)
    }

    @Test("the phone book is read beside the daemon: of two copies a sound one, and nothing is written")
    func thePhoneBookIsReadBesideTheDaemon() throws {
        let workshop = Workshop()
        #expect(PhoneFile.book(in: workshop.directory) == nil)
        try PhoneFile.write(PhoneFileTests.book(1), PhoneFileTests.keys, in: workshop.directory)
        for name in PhoneFile.names {
            try workshop.write([1, 2, 3], name)
            #expect(
                PhoneFile.book(in: workshop.directory) == (name == PhoneFile.names[0] ? PhoneFileTests.book(1) : nil))
            #expect(try workshop.bytes(name) == [1, 2, 3])
        }
        #expect(try StateFile.names(in: workshop.directory) == PhoneFile.names)
    }
}
