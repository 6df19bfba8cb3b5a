import AlarmModel
import ApplianceCore
import EventStore
import Platform

/// Reads what the core starts with: the phones and the log number first, which takes milliseconds, then the journal, which
/// may take long where it has to be mended.
///
/// Guarantees: the core is started once, when the store is open or has failed, or with what is known by then when it has
/// had time enough. The phones lie in files of their own: they are reached also while the journal cannot be opened.
enum StartReading {
    /// The store is open by then or declared failed (docs/ARCHITECTURE.md 2, READY).
    static let patience = Duration.seconds(10)

    /// - Parameters:
    ///   - crashes: before a start in safe mode
    ///   - late: gets what the journal told after the core was started without it
    static func begin(
        _ plain: Start, from disk: Disk, on loop: EventLoop, crashes: Int? = nil,
        patience: Duration = StartReading.patience, late: @escaping (OpenReport) -> Void,
        then: @escaping (Start, VaultContent) -> Void
    ) {
        var isStarted = false
        // nil: not read yet.
        var phones: Result<PhoneFileContent, StoreError>?
        var log: LogNumber?
        func goOn(with known: Start) {
            var start = known
            var content = VaultContent()
            switch phones {
            case .success(let read)?: content = start.take(read)
            case .failure(let error)?:
                start.phoneBook = nil
                start.findings.append(.phoneFileDamaged(why: error.description))
            case nil: start.phoneBook = nil
            }
            isStarted = true
            then(start, content)
        }
        func beginWithoutStore(why: String) {
            var start = plain
            start.isStoreOpen = false
            if let log { start.log = log.description }
            start.findings.append(.storeUnavailable(why: why))
            goOn(with: start)
        }
        let timer = loop.setTimer(after: patience) {
            beginWithoutStore(why: "the disk did not answer for 10 seconds")
        }
        func end(_ opening: Disk.Opening) {
            loop.cancel(timer)
            switch opening {
            case .opened(let report, _) where isStarted: late(report)
            case .opened(let report, let search):
                var start = plain
                start.take(report)
                if let crashes { start.findings.append(.safeMode(crashes: crashes, setAside: search.moved)) }
                if !search.isComplete { start.findings.append(.searchUnfinished) }
                goOn(with: start)
            case .failed(let error):
                if !isStarted { beginWithoutStore(why: StoreFailure(error).description) }
            }
        }
        disk.readPhones { phones = $0 }
        disk.readLogNumber { log = $0 }
        disk.open(safeMode: crashes != nil) { opening in
            guard !isStarted, case .failure? = phones else { return end(opening) }
            // What the card did not give before it may give now.
            disk.readPhones { again in
                phones = again
                end(opening)
            }
        }
    }
}

extension OpenReport {
    /// What people have to be told of, also after a start that did not wait for it.
    var damage: [StartFinding] {
        var damage: [StartFinding] = []
        if case .damagedSetAside(let file, let why, let salvaged) = outcome {
            damage.append(.storeDamaged(keptAs: file, why: "\(why); \(salvaged) of the newest events were saved"))
        }
        if let logDamage { damage.append(.storeDamaged(keptAs: "a copy beside the journal", why: logDamage)) }
        return damage
    }
}

extension Start {
    /// Takes over what the journal holds.
    mutating func take(_ report: OpenReport) {
        log = report.log.description
        oldestSequence = report.oldestSequence
        phoneCounters = report.phoneCounters
        outboxCounts = report.outboxCounts
        snapshot = report.snapshot
        console = report.console
        refusedPIN = report.refusedPIN
        offer = report.offer
        lastSequence = report.lastSequence
        newestEvent = report.newestTrustedTime
        unfinished = report.unfinished
        lastCommand = report.lastCommand
        findings += report.damage
        if case .opened(quickCheckCompleted: false) = report.outcome { findings.append(.checkUnfinished) }
        if let why = report.snapshotProblem { findings.append(.snapshotUnreadable(why: why)) }
        if report.isRestored { findings.append(.restoredFromBackup) }
    }
}
