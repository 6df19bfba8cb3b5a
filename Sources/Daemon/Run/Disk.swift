import AlarmModel
import ApplianceCore
import EventStore
import Platform

#if SABOTAGE
    import Glibc
#endif

/// The disk thread: owns the journal, commits what the core orders, reads what it asks for.
///
/// Guarantees: batches are committed in the order of their numbers; what waits is merged, at most 256 rows to a
/// transaction; a phone book is on the disk before the batch that carries it; a journal that could not be opened is
/// tried again with every commit.
final class Disk {
    /// Lives on the disk thread only.
    struct State {
        let directory: String
        let options: Journal.Options
        var journal: Journal?
        var reader: JournalReader?

        mutating func open() throws(StoreError) -> Journal {
            if let journal { return journal }
            let opened = try Journal(directory: directory, options: options)
            journal = opened
            return opened
        }

        mutating func close() {
            reader = nil
            try? journal?.close()
            journal = nil
        }

        mutating func openReader() throws(StoreError) -> JournalReader {
            if let reader { return reader }
            let opened = try JournalReader(directory: directory)
            reader = opened
            return opened
        }
    }

    enum Opening: Sendable {
        case opened(OpenReport, SuspectSearch)
        case failed(StoreError)
    }

    var onCommitted: ((BatchID, SequenceNumber) -> Void)?
    var onFailed: ((BatchID, BatchID, StoreFailure) -> Void)?

    /// What is to be committed.
    private struct Order: Sendable {
        var batch: Batch
        /// For the phones' file, where it carries a phone book.
        var content: VaultBytes
    }

    private let thread: WorkerThread<State>
    private let loop: EventLoop
    private var waiting: [Order] = []
    private var isCommitting = false
    /// From `stop` on nothing more is ordered, also not by what the last answers set off.
    private var isStopping = false
    private var checkpoints = CheckpointPlan()
    private var checkpointTimer: (at: BootTime, token: TimerToken)?

    private static let rowLimit = 256
    /// A card may fail to read a place once.
    private static let readTries = 3

    init(directory: String, options: Journal.Options, loop: EventLoop) throws(SystemError) {
        self.loop = loop
        thread = try WorkerThread("disk", on: loop) { State(directory: directory, options: options) }
    }

    /// Opens the journal; in safe mode also sets suspect rows aside.
    func open(safeMode: Bool, then: @escaping (Opening) -> Void) {
        submit(
            { state in
                do throws(StoreError) {
                    let journal = try state.open()
                    let search = safeMode ? try journal.setAsideSuspectRows() : SuspectSearch()
                    return .opened(journal.report, search)
                } catch {
                    return .failed(error)
                }
            }, then: then)
    }

    /// - Parameter content: all keys and codes as of this batch; of use only where it carries a phone book.
    func commit(_ batch: Batch, _ content: VaultBytes) {
        if batch.events.contains(where: { $0.priority == .alarm }) {
            checkpoints.alarmCame(at: SystemClock.bootTime())
        }
        waiting.append(Order(batch: batch, content: content))
        commitNext()
    }

    /// How many of the waiting batches go into one transaction.
    private var nextGroupSize: Int {
        var count = 0
        var rows = 0
        while count < waiting.count {
            let batch = waiting[count].batch
            guard count == 0 || batch.phoneBook == nil && rows + batch.rowCount <= Self.rowLimit else { break }
            rows += batch.rowCount
            count += 1
        }
        return count
    }

    private func commitNext() {
        guard !isCommitting, !isStopping, !waiting.isEmpty else { return }
        isCommitting = true
        commitGroup()
    }

    /// The first of what waits, as one transaction.
    private func commitGroup() {
        let count = nextGroupSize
        let group = waiting.prefix(count).map(\.batch)
        let first = group[0]
        // Begins its group, so that what was ordered before it does not fail with its file.
        let content = waiting[0].content
        waiting.removeFirst(count)
        let last = group[group.count - 1].id
        thread.submit(
            { state -> Result<(SequenceNumber, Int), StoreError> in
                do throws(StoreError) {
                    if let book = first.phoneBook {
                        try PhoneFile.write(book, content.keys, codes: content.codes, in: state.directory)
                    }
                    let journal = try state.open()
                    return .success((try journal.commit(group), journal.walPages))
                } catch {
                    // A file that was opened while the disk was read-only stays so: open it anew the next time.
                    if error.kind == .readOnly { state.close() }
                    return .failure(error)
                }
            },
            then: { [weak self] result in
                guard let self else { return }
                isCommitting = false
                switch result {
                case .success(let (sequence, pages)):
                    checkpoints.committed(pages: pages, at: SystemClock.bootTime())
                    adjustCheckpoint()
                    onCommitted?(last, sequence)
                    commitNext()
                case .failure(let error):
                    // The core orders what waits behind the failure anew, in order.
                    let end = waiting.last?.batch.id ?? last
                    waiting = []
                    onFailed?(first.id, end, StoreFailure(error))
                }
            })
    }

    func readMessages(_ query: OutboxQuery, then: @escaping (Rows) -> Void) {
        submit(
            { state in
                do throws(StoreError) {
                    return .messages(try state.openReader().messages(query))
                } catch {
                    return .failed(StoreFailure(error))
                }
            }, then: then)
    }

    /// The phone book and the phones' keys as the disk holds them.
    func readPhones(then: @escaping (Result<PhoneFileContent, StoreError>) -> Void) {
        let tries = Self.readTries
        submit(
            { state -> Result<PhoneFileContent, StoreError> in
                var triesLeft = tries
                while true {
                    do throws(StoreError) {
                        return .success(try PhoneFile.read(in: state.directory))
                    } catch {
                        triesLeft -= 1
                        if triesLeft == 0 { return .failure(error) }
                    }
                }
            }, then: then)
    }

    /// The log number as it stands beside the journal, which need not be open.
    func readLogNumber(then: @escaping (LogNumber?) -> Void) {
        submit({ state in LogNumber.stored(in: state.directory) }, then: then)
    }

    func read(_ query: EventQuery, then: @escaping (Rows) -> Void) {
        submit(
            { state in
                do throws(StoreError) {
                    return .page(try state.openReader().page(query))
                } catch {
                    return .failed(StoreFailure(error))
                }
            }, then: then)
    }

    /// The timer follows the plan: what is due earlier than it was is not waited for.
    private func adjustCheckpoint() {
        guard let due = checkpoints.due, checkpointTimer.map({ due < $0.at }) ?? true else { return }
        if let checkpointTimer { loop.cancel(checkpointTimer.token) }
        let token = loop.setTimer(at: due) { [weak self] in
            guard let self else { return }
            checkpointTimer = nil
            if let due = checkpoints.due, due > SystemClock.bootTime() { return adjustCheckpoint() }
            submit({ state in _ = try? state.journal?.checkpoint() }, then: {})
        }
        checkpointTimer = (due, token)
    }

    private func submit<Value: Sendable>(
        _ job: @escaping @Sendable (inout State) -> Value, then: @escaping (Value) -> Void
    ) {
        guard !isStopping else { return }
        thread.submit(job, then: then)
    }

    #if SABOTAGE
        /// The disk never answers again.
        func freeze() {
            thread.submit({ _ in while true { sleep(1000) } }, then: {})
        }
    #endif

    /// Commits what waits, closes the journal and ends the thread. False when the disk took longer than `span`. What is
    /// ordered afterwards is not done.
    func stop(within span: Duration) -> Bool {
        isStopping = true
        // Behind what the disk is at. Should that fail, the rest is tried all the same: nobody orders it anew.
        while !waiting.isEmpty { commitGroup() }
        thread.submit(
            { state in state.close() }, then: {})
        return thread.stop(within: span)
    }
}

extension StoreFailure {
    init(_ error: StoreError) {
        let kind: Kind =
            switch error.kind {
            case .full: .full
            case .readOnly: .readOnly
            case .ioError: .inputOutput
            case .corrupt: .damaged
            case .busy: .busy
            case .rejected: .rejected
            case .missing, .interrupted, .other: .other
            }
        switch kind {
        // These say themselves what to do.
        case .full, .readOnly, .inputOutput, .damaged, .busy: self.init(kind, error.reason)
        case .rejected, .other: self.init(kind, error.description)
        }
    }
}
