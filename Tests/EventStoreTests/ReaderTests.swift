import AlarmModel
import EventStore
import Glibc
import Testing

@Suite("Pages")
struct ReaderTests {
    static let events: [Event] = {
        var dice = Dice(seed: 3)
        return (1...700).map { number in
            var event = Event.sample(number, type: EventType.allCases[dice.roll(EventType.allCases.count)])
            event.zone = dice.roll(4) == 0 ? nil : dice.roll(5)
            event.partition = dice.roll(3) == 0 ? nil : dice.roll(3)
            event.time.milliseconds += Int64(dice.roll(100_000))
            return event
        }
    }()

    static func filled() throws -> (Workshop, Journal) {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(id: BatchID(1), events: events)])
        _ = try journal.commit([
            Batch(id: BatchID(2), retention: RetentionStep(olderThan: nil, keepAtMost: 650, limit: 100))
        ])
        return (workshop, journal)
    }

    @Test("pages put together are what a full scan finds, for any filter, order, limit and slice")
    func pagesPutTogetherAreWhatAFullScanFinds() throws {
        let (workshop, journal) = try Self.filled()
        let reader = try JournalReader(directory: workshop.directory)
        let all = Self.events.enumerated().map { StoredEvent(seq: SequenceNumber(Int64($0 + 1)), event: $1) }.suffix(
            650)
        var dice = Dice(seed: 11)
        for round in 1...400 {
            var query = EventQuery(limit: 1 + dice.roll(80))
            if dice.roll(2) == 0 { query.types = (0...dice.roll(3)).map { _ in EventType.allCases[dice.roll(9)] } }
            if dice.roll(3) == 0 { query.zone = dice.roll(5) }
            if dice.roll(3) == 0 { query.partition = dice.roll(3) }
            if dice.roll(3) == 0 { query.since = Self.events[dice.roll(700)].time }
            if dice.roll(2) == 0 { query.after = SequenceNumber(Int64(dice.roll(720)) - 5) }
            if dice.roll(4) == 0 { query.before = SequenceNumber(Int64(dice.roll(720)) - 5) }
            if dice.roll(2) == 0 { query.order = .newest }
            let wanted = all.filter { stored in
                stored.seq > query.after && query.before.map { stored.seq < $0 } ?? true
                    && query.since.map { stored.event.time >= $0 } ?? true
                    && (query.types.isEmpty || query.types.contains(stored.event.type))
                    && (query.zone == nil || query.zone == stored.event.zone)
                    && (query.partition == nil || query.partition == stored.event.partition)
            }
            var found: [StoredEvent] = []
            var pages = 0
            while pages < 2000 {
                let page = try reader.page(query, slice: dice.roll(2) == 0 ? .zero : .milliseconds(5))
                pages += 1
                try #require(page.events.count <= query.limit)
                try #require(page.events.allSatisfy { $0.seq <= page.cursor && $0.seq >= page.bottom })
                found = query.order == .newest ? page.events + found : found + page.events
                guard page.hasMore else { break }
                if query.order == .newest { query.before = page.bottom } else { query.after = page.cursor }
            }
            try #require(found == wanted, "round \(round): \(query)")
        }
        withExtendedLifetime(journal) {}
    }

    @Test("the newest events come oldest first, with the cursor that a follower goes on from")
    func theNewestEventsComeOldestFirst() throws {
        let (workshop, journal) = try Self.filled()
        let reader = try JournalReader(directory: workshop.directory)
        let page = try reader.page(EventQuery(order: .newest, limit: 3), slice: .seconds(5))
        #expect(page.events.map(\.seq.number) == [698, 699, 700])
        #expect(page.cursor == SequenceNumber(700))
        #expect(page.hasMore)
        #expect(try reader.page(EventQuery(after: page.cursor)).events.isEmpty)
        _ = try journal.commit([Batch(3, .sample(701))])
        #expect(try reader.page(EventQuery(after: page.cursor)).events.map(\.seq.number) == [701])
        #expect(try reader.lastSequence() == SequenceNumber(701))
    }

    @Test("bounds that no journal has are answered, not trapped on")
    func boundsThatNoJournalHasAreAnswered() throws {
        let (workshop, journal) = try Self.filled()
        let reader = try JournalReader(directory: workshop.directory)
        for order in [EventQuery.Order.oldestFirst, .newest] {
            for number in [Int64.min, -1, 0, 1, .max] {
                var query = EventQuery(after: SequenceNumber(number), order: order, limit: .max)
                _ = try reader.page(query)
                query = EventQuery(before: SequenceNumber(number), order: order, limit: .min)
                _ = try reader.page(query)
            }
        }
        withExtendedLifetime(journal) {}
    }

    @Test("a reader sees only what was committed, and does not keep the writer from check-pointing")
    func aReaderSeesOnlyWhatWasCommitted() throws {
        let (workshop, journal) = try Self.filled()
        let reader = try JournalReader(directory: workshop.directory)
        _ = try reader.page(EventQuery())
        #expect(try journal.checkpoint().isComplete)
        let counts = try reader.countByType()
        #expect(counts.reduce(0) { $0 + $1.count } == 650)
        #expect(counts.map(\.type) == EventType.allCases)
    }

    @Test(
        "the sqlite3 tool reads the journal while the writer has it open",
        .enabled(if: access("/usr/bin/sqlite3", X_OK) == 0))
    func theSqlite3ToolReadsTheJournalWhileTheWriterHasItOpen() throws {
        let (workshop, journal) = try Self.filled()
        let sql = "SELECT seq, code, message, zone FROM log ORDER BY seq DESC LIMIT 1"
        let pipe = try #require(popen("/usr/bin/sqlite3 -readonly '\(workshop.path)' '\(sql)'", "r"))
        var line = [UInt8](repeating: 0, count: 200)
        let count = fread(&line, 1, line.count, pipe)
        #expect(pclose(pipe) == 0)
        #expect(String(decoding: line[..<count], as: UTF8.self) == "700|609|event 700|Zone 61\n")
        #expect(try journal.commit([Batch(3, .sample(701))]) == SequenceNumber(701))
    }
}
