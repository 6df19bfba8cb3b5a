import AlarmModel
import CSQLite
import EventStore
import Glibc
import Testing

/// Power goes, or an operation fails, at every single operation on the disk in turn (reliability.md 1 and R1, R2, R23).
@Suite("A faulty disk", .serialized)
struct FaultyDiskTests {
    /// HOWALARMING_CUTS multiplies the number of cuts for long runs.
    static let rounds = getenv("HOWALARMING_CUTS").flatMap { UInt64(String(cString: $0)) } ?? 3

    static func batch(_ id: Int) -> Batch {
        var batch = Batch(id: BatchID(UInt64(id)), events: (0..<3).map { .sample(id * 3 - 2 + $0) })
        batch.snapshot = .sample(UInt64(id * 3))
        batch.outbox = (0..<3).map { .sample("\(id)-\($0)", event: $0, address: Int64($0 + 1)) }
        if id > 1 {
            batch.outboxChanges = [OutboxChange(message: MessageID("\(id - 1)-1"), state: .accepted, time: .early)]
        }
        batch.phoneLedger = [.sample(UInt64(id), result: PhoneResult(.ok))]
        if id > 1 {
            batch.phoneLedger.insert(.sample(UInt64(id - 1), result: PhoneResult(.failed, why: "late")), at: 0)
        }
        if id > 6 { batch.retention = RetentionStep(olderThan: nil, keepAtMost: 20, limit: 4) }
        return batch
    }

    static let count = 12

    /// Check-points come between commits, as in the daemon.
    static func checkpoint(after id: Int, _ journal: Journal) {
        if id % 4 == 0 { _ = try? journal.checkpoint() }
    }

    @Test("after a power cut at any operation every reported commit is there, and none by halves")
    func powerCuts() throws {
        var cuts = 0
        var place = 0
        var isOver = false
        while !isOver {
            place += 1
            for seed in 1...Self.rounds {
                let workshop = Workshop()
                let disk = FaultyDisk(.cut(at: place), seed: seed &* 1000 &+ UInt64(place))
                var reported = 0
                do throws(StoreError) {
                    var options = Journal.Options(run: "run")
                    options.vfs = FaultyDisk.name
                    let journal = try Journal(directory: workshop.directory, options: options)
                    for id in 1...Self.count {
                        _ = try journal.commit([Self.batch(id)])
                        reported = id
                        Self.checkpoint(after: id, journal)
                    }
                    try journal.close()
                } catch {
                    try #require(disk.image != nil, "\(error)")
                }
                FaultyDisk.current = nil
                guard let image = disk.image else {
                    isOver = true
                    continue
                }
                cuts += 1
                try Self.check(image, in: workshop, reported: reported, "operation \(place), seed \(seed)")
            }
        }
        #expect(cuts > 200)
    }

    static func check(
        _ image: [(path: String, bytes: [UInt8])], in workshop: Workshop, reported: Int, _ comment: Comment
    ) throws {
        let after = Workshop()
        for file in image {
            try after.write(file.bytes, String(file.path.dropFirst(workshop.directory.utf8.count + 1)))
        }
        try after.write(try workshop.bytes("log.number"), "log.number")
        let journal = try after.open(run: "after")
        let isWhole = [.fresh, .opened(quickCheckCompleted: true)].contains(journal.report.outcome)
        try #require(isWhole && journal.report.logDamage == nil, "\(comment): \(journal.report)")
        let last = Int(journal.report.lastSequence.number)
        try #require(last % 3 == 0 && (reported * 3...reported * 3 + 3).contains(last), "\(comment)")
        let events = try after.events()
        let first = Int(events.first?.seq.number ?? 1)
        try #require(events.map(\.seq.number) == (first..<last + 1).map(Int64.init), "\(comment)")
        try #require(events.allSatisfy { $0.event == .sample(Int($0.seq.number)) }, "\(comment)")
        try #require(events.count >= min(last, 20), "\(comment)")
        try #require(journal.report.snapshot?.nextCommand.number == (last == 0 ? nil : UInt64(last)), "\(comment)")
        try Self.checkPhones(journal.report, in: after, batches: last / 3, comment)
        try #require(try journal.commit([Batch(1, .sample(last + 1))]).number == Int64(last + 1), "\(comment)")
    }

    /// Messages, what became of them and counters are those of the batches whose events are there.
    static func checkPhones(_ report: OpenReport, in workshop: Workshop, batches: Int, _ comment: Comment) throws {
        let reader = try JournalReader(directory: workshop.directory)
        let page = try reader.messages(.open(addresses: (1...3).map { AddressID($0) }, limit: 100))
        let changed = max(0, batches - 1)
        try #require(page.messages.count + page.orphans.count == batches * 3 - changed, "\(comment)")
        try #require(report.outboxCounts == OutboxCounts(waiting: batches * 3 - changed), "\(comment)")
        for message in page.messages {
            let numbers = message.message.text.split(separator: "-").compactMap { Int($0) }
            let seq = numbers[0] * 3 - 2 + numbers[1]
            try #require(message.event == .sample(seq) && message.seq?.number == Int64(seq), "\(comment)")
        }
        let counters = report.phoneCounters.flatMap(\.rows)
        try #require(counters.map(\.counter) == (0..<batches).map { UInt64($0 + 1) }, "\(comment)")
        try #require(counters.dropLast().allSatisfy { $0.result?.out == .failed }, "\(comment)")
        try #require(batches == 0 || counters.last?.result?.out == .ok, "\(comment)")
    }

    @Test(
        "whichever operation fails, once or for long, nothing is lost or stored twice when the disk works again",
        arguments: [SQLITE_IOERR, SQLITE_FULL], [true, false])
    func refusals(_ result: Int32, once: Bool) throws {
        var place = 0
        var operations = Int.max
        while place < operations {
            place += 1
            let workshop = Workshop()
            let disk = FaultyDisk(.refuse(from: place, once: once, with: result))
            defer { FaultyDisk.current = nil }
            var options = Journal.Options(run: "run")
            options.vfs = FaultyDisk.name
            let kinds: [StoreError.Kind] = result == SQLITE_FULL ? [.full] : [.ioError]
            let journal = try Self.retrying(disk, kinds) { () throws(StoreError) in
                try Journal(directory: workshop.directory, options: options)
            }
            for id in stride(from: 1, through: Self.count - 1, by: 2) {
                // What waits after a failure is given together.
                _ = try Self.retrying(disk, kinds) { () throws(StoreError) in
                    try journal.commit([Self.batch(id), Self.batch(id + 1)])
                }
                Self.checkpoint(after: id + 1, journal)
            }
            disk.fault = .none
            try journal.close()
            let events = try workshop.events()
            try #require(events.last?.seq.number == Int64(Self.count * 3), "operation \(place)")
            try #require(events.allSatisfy { $0.event == .sample(Int($0.seq.number)) }, "operation \(place)")
            try #require(events.map(\.seq) == events.indices.map { SequenceNumber(events[0].seq.number + Int64($0)) })
            FaultyDisk.current = nil
            let report = try workshop.open(run: "after").report
            try Self.checkPhones(report, in: workshop, batches: Self.count, "operation \(place)")
            operations = disk.operations
        }
        #expect(place > 50)
    }

    /// Tries three times against the failing disk, then once with a working one.
    static func retrying<R>(
        _ disk: FaultyDisk, _ kinds: [StoreError.Kind], _ body: () throws(StoreError) -> R
    ) throws -> R {
        for _ in 1...3 {
            do throws(StoreError) {
                return try body()
            } catch {
                try #require(kinds.contains(error.kind), "\(error)")
            }
        }
        disk.fault = .none
        return try body()
    }
}
