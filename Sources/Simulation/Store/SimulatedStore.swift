import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// The box's store: the disk, the thread that writes to it, the phones' file, and what is wrong with them.
///
/// Guarantees: a phone book's file is written before the transaction that begins with it; what was answered as stored is
/// on the disk, and what was answered as failed is written no more unless it had been already; when the store was bad is
/// known, for what the core may send meanwhile.
struct SimulatedStore: Sendable {
    /// The phone book as its file now holds it, with the secrets of the codes.
    struct PhoneFile: Sendable {
        var book: PhoneBook
        var codes: [CodeSecret] = []
    }

    /// What the disk has said at the end of a transaction.
    struct Answer: Sendable {
        /// nil: there was none.
        var input: Input?
        var stored: [Batch] = []
        var file: PhoneFile?
    }

    private struct Secrets: Sendable {
        var batch: BatchID
        var keys: [PhoneKeys]
        var codes: [CodeSecret]
    }

    private(set) var disk = SimulatedDisk()
    private(set) var thread = DiskThread()
    private(set) var badRows = BadRows()
    /// The keys that go with a waiting phone book.
    private var secrets: [Secrets] = []
    private var healsAt = BootTime.zero
    private var nextStall: Duration = .zero
    /// It has refused a commit, and taken none since.
    private(set) var isRefusing = false
    /// Since when the disk owes an answer.
    private var transactionSince: BootTime?
    /// When a store that had been bad answered last.
    private var wasBadAt: BootTime?
    /// Since when it has taken everything.
    private(set) var goodSince = BootTime.zero

    func isBad(at now: BootTime) -> Bool {
        isRefusing || transactionSince.map { now - $0 >= .milliseconds(1900) } ?? false
    }

    /// Whether it was bad when this channel was given what it sends now: some connect first, and a mail server asks six
    /// questions before it takes the message.
    func wasBad(for kind: ChannelKind, at now: BootTime) -> Bool {
        isBad(at: now) || kind.connectsToSend && wasBadAt.map { now - $0 < .seconds(5) } ?? false
    }

    /// Nothing is wrong with it, nor late.
    func isSound(at now: BootTime) -> Bool { !isBad(at: now) && disk.fault == nil }

    // MARK: What the core orders

    mutating func order(
        _ batch: Batch, keys: [PhoneKeys] = [], codes: [CodeSecret] = [], from here: Standpoint
    ) throws(Violation) {
        if batch.phoneBook != nil {
            secrets.removeAll { $0.batch == batch.id }
            secrets.append(Secrets(batch: batch.id, keys: keys, codes: codes))
        }
        try thread.order(batch, from: here)
    }

    /// When the next transaction is over; nil when one is being written, or nothing waits.
    mutating func beginTransaction(at now: BootTime, _ chance: inout Jitter) -> BootTime? {
        guard thread.begin() != nil else { return nil }
        transactionSince = transactionSince ?? now
        defer { nextStall = .zero }
        return now + chance.duration(in: .milliseconds(2)..<(.milliseconds(40))) + nextStall
    }

    func answer(_ query: EventQuery, at now: BootTime) -> Rows { badRows.answer(.page(disk.page(query)), at: now) }
    func answer(_ query: OutboxQuery, at now: BootTime) -> Rows {
        badRows.answer(.messages(disk.messages(query)), at: now)
    }

    /// - Parameter lies: it says that it has stored what it has not synced, as a deliberate bug
    mutating func endTransaction(
        at here: Standpoint, lies: Bool, _ chance: inout Jitter, _ phoneChance: inout Jitter
    ) -> Answer {
        let batches = thread.end()
        if isBad(at: here.now) { wasBadAt = here.now }
        guard let first = batches.first, let last = batches.last else { return Answer() }
        var answer = Answer()
        if let fault = disk.fault {
            let end = thread.drop(behind: last)
            isRefusing = true
            goodSince = here.now
            transactionSince = nil
            if phoneChance.next() % 2 == 0 { answer.file = writeFile(of: batches) }
            // Sometimes everything had reached the disk before the error was reported.
            if chance.next() % 5 == 0 {
                answer.file = writeFile(of: batches)
                disk.commit(batches)
            }
            answer.input = .commitFailed(from: first.id, upTo: end, fault)
            return answer
        }
        transactionSince = nil
        answer.file = writeFile(of: batches)
        let isAlone = batches.count == 1 && thread.isIdle
        if let refusal = badRows.refusal(of: batches, isAlone: isAlone, after: disk.newestBatch, run: here.run) {
            let end = thread.drop(behind: last)
            answer.input = .commitFailed(from: first.id, upTo: end, refusal)
            return answer
        }
        isRefusing = false
        if lies {
            disk.commitLater(batches)
            if chance.next() % 4 == 0 { disk.sync() }
        } else {
            disk.commit(batches)
        }
        answer.stored = batches
        answer.input = .committed(upTo: last.id, last: disk.last)
        return answer
    }

    private mutating func writeFile(of batches: [Batch]) -> PhoneFile? {
        guard let first = batches.first, let book = first.phoneBook else { return nil }
        let kept = secrets.first { $0.batch == first.id }
        disk.phones.writeFile(book, kept?.keys ?? [])
        return PhoneFile(book: book, codes: kept?.codes ?? [])
    }

    /// Durable since the last look.
    mutating func takeFresh() -> [Batch] { disk.takeFresh() }

    // MARK: The daemon comes and goes

    /// The journal's own mark.
    var log: String { Int(disk.phones.log).padded(8, radix: 16) }

    /// What the shell finds.
    func start(_ configuration: Configuration, seed: UInt64, bootMark: String) -> Start {
        var start = Start(
            configuration: configuration, snapshot: disk.snapshot, seed: seed, bootMark: bootMark,
            lastSequence: disk.last, newestEvent: disk.newestTrustedTime, unfinished: disk.unfinished)
        start.console = disk.snapshot?.console
        start.offer = disk.snapshot?.software?.offer
        start.lastCommand = disk.lastCommand
        start.log = log
        start.outboxCounts = disk.phones.counts
        start.oldestSequence = disk.oldest
        start.phoneBook = disk.phones.book ?? PhoneBook()
        start.phoneCounters = disk.phones.counters
        return start
    }

    /// A new run: its batches are numbered from 1 again.
    mutating func begin() { disk.begin() }

    /// The daemon is gone in the middle of what it did.
    /// - Returns: the phone book's file, if it was written at last
    mutating func interrupt(cutsPower: Bool, _ chance: inout Jitter, _ phoneChance: inout Jitter) -> PhoneFile? {
        let isFileWritten = thread.transaction != nil && phoneChance.next() % 2 == 0
        let transaction = thread.interrupted(isFileWritten: isFileWritten)
        var file: PhoneFile?
        if isFileWritten, let transaction { file = writeFile(of: transaction) }
        if cutsPower {
            disk.cutPower(during: transaction, frames: &chance)
        } else {
            disk.sync()
            if let transaction, chance.next() % 2 == 0 {
                file = writeFile(of: transaction) ?? file
                disk.commit(transaction)
            }
        }
        return file
    }

    /// What the daemon had not got to the disk is lost with it.
    mutating func forget() {
        thread.clear()
        secrets = []
        isRefusing = false
        transactionSince = nil
    }

    // MARK: What befalls

    mutating func fail(_ failure: StoreFailure, until time: BootTime) {
        disk.fault = failure
        healsAt = time
    }
    mutating func heal(at now: BootTime) { if healsAt <= now { disk.fault = nil } }
    mutating func stall(for span: Duration) { nextStall = span }
    mutating func failReads(until time: BootTime) { badRows.readsBackAt = max(badRows.readsBackAt, time) }
    mutating func refuseRow() { badRows.isRefusing = true }

    /// The faults are over.
    mutating func mend(at now: BootTime) {
        disk.fault = nil
        nextStall = .zero
        badRows.end(at: now)
    }
}

extension ChannelKind {
    fileprivate var connectsToSend: Bool {
        switch self {
        case .mail, .url, .ntfy, .fcm, .webPush: true
        case .ccs, .xmpp, .mqtt, .program, .beanstalk, .receiver: false
        }
    }
}
