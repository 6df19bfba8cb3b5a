import AlarmModel
import EventStore
import Testing

/// The n-th operation fails, for every n until the work meets no failure any more (reliability.md 1, R23).
@Suite("A disk whose n-th operation fails")
struct DiskRefusalTests {
    static let groups = 4

    @Test(
        "whichever operation fails, once or for ever: it is said, and nothing is lost or stored twice afterwards",
        arguments: FaultyDisk.Failure.allCases, [true, false])
    func whicheverOperationFails(_ failure: FaultyDisk.Failure, once: Bool) throws {
        var place: UInt64 = 0
        var isMet = true
        while isMet {
            place += 1
            isMet = try Self.run(failure, place, once: once)
        }
        #expect(place > 20)
    }

    /// - Returns: false when the work ended before the fault.
    static func run(_ failure: FaultyDisk.Failure, _ place: UInt64, once: Bool) throws -> Bool {
        let workshop = Workshop()
        let disk = FaultyDisk(workshop.directory, seed: place)
        disk.fault = .refuse(failure, from: place, once: once)
        do {
            var expected = ExpectedJournal()
            let log = try work(on: disk, in: workshop, failure, seed: place, once: once, &expected)
            let isMet = !disk.struck.isEmpty
            guard let log else { return isMet }
            // The card as the daemon sees it, and as the next start would find it without power meanwhile.
            _ = try ImageCheck.check(try workshop.copy(), against: [expected], log: log)
            disk.cut()
            _ = try ImageCheck.check(try disk.image(junk: false), against: [expected], log: log)
            return isMet
        } catch let violation as Violation {
            throw Violation("\(failure) at \(place) (\(disk.struck)), once \(once): \(violation)")
        }
    }

    /// - Returns: the log number; nil when the journal was set aside because it could not be read twice, and that was
    ///   said.
    private static func work(
        on disk: FaultyDisk, in workshop: Workshop, _ failure: FaultyDisk.Failure, seed: UInt64, once: Bool,
        _ expected: inout ExpectedJournal
    ) throws -> LogNumber? {
        var workload = Workload(seed: seed)
        var log = LogNumber(0)
        for life in 1...2 {
            var options = Journal.Options(run: "\(life)")
            options.vfs = disk.name
            let journal = try retrying(disk, failure) { () throws(StoreError) in
                try Journal(directory: workshop.directory, options: options)
            }
            if failure == .unreadable, !once, case .damagedSetAside = journal.report.outcome { return nil }
            guard journal.report.lastSequence.number == expected.lastSequence else {
                throw Violation("opened as \(journal.report.outcome), with last \(journal.report.lastSequence)")
            }
            log = journal.report.log
            workload.restart()
            for number in 1...groups / 2 {
                let group = workload.group(after: expected)
                let last = try retrying(disk, failure) { () throws(StoreError) in try journal.commit(group) }
                expected = expected.after(group)
                guard last.number == expected.lastSequence else { throw Violation("\(last) after a commit") }
                if number == 1 { _ = try? journal.checkpoint() }
            }
            _ = try? journal.close()
        }
        return log
    }

    /// Tries three times against the failing disk, then once with a working one.
    private static func retrying<R>(
        _ disk: FaultyDisk, _ failure: FaultyDisk.Failure, _ body: () throws(StoreError) -> R
    ) throws -> R {
        for _ in 1...3 {
            do throws(StoreError) {
                return try body()
            } catch {
                guard failure.kinds.contains(error.kind) else { throw Violation("reported as \(error.kind): \(error)") }
            }
        }
        disk.fault = .none
        do throws(StoreError) {
            return try body()
        } catch {
            throw Violation("it does not go on with a disk that works again: \(error)")
        }
    }
}

extension FaultyDisk.Failure {
    /// What the store calls it.
    fileprivate var kinds: [StoreError.Kind] {
        switch self {
        case .io: [.ioError]
        case .short: [.full]
        // SQLite does not hand on why a sync failed.
        case .full: [.full, .ioError]
        // What cannot be read is treated as damaged.
        case .unreadable: [.corrupt, .ioError]
        }
    }
}
