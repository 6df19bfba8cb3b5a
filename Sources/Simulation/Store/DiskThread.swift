import AlarmModel

/// The transaction that is being written, and the batches that wait behind it, as the daemon's disk thread has them.
struct DiskThread: Sendable {
    private(set) var transaction: [Batch]?
    private(set) var waiting: [Batch] = []

    var isIdle: Bool { transaction == nil && waiting.isEmpty }

    /// Events that are not on the disk yet.
    var events: [Event] { ((transaction ?? []) + waiting).flatMap(\.events) }

    /// The core wants it stored. Written after a newer one, it would take back what that has made of the same rows.
    mutating func order(_ batch: Batch, from standpoint: Standpoint) throws(Violation) {
        if let before = waiting.last ?? transaction?.last, before.id >= batch.id {
            throw standpoint.broken(
                .batchesKeepTheirOrder, "batch \(batch.id.number) is ordered behind \(before.id.number)")
        }
        waiting.append(batch)
    }

    /// - Returns: the next transaction; nil when one is being written, or nothing waits
    mutating func begin() -> [Batch]? {
        guard transaction == nil, !waiting.isEmpty else { return nil }
        // A phone book begins its group, so that what was ordered before does not fail with its file.
        let end = waiting.dropFirst().prefix(63).firstIndex { $0.phoneBook != nil }
        let batches = Array(waiting.prefix(end ?? 64))
        waiting.removeFirst(batches.count)
        transaction = batches
        return batches
    }

    /// The disk has answered, for better or worse.
    mutating func end() -> [Batch] {
        defer { transaction = nil }
        return transaction ?? []
    }

    /// What of the transaction may still come to the disk when the daemon dies: the phone book's file is written before.
    func interrupted(isFileWritten: Bool) -> [Batch]? {
        isFileWritten || transaction?.first?.phoneBook == nil ? transaction : nil
    }

    /// A transaction failed: what waits behind it is not tried, and the core orders all of it anew.
    ///
    /// - Returns: the last that was not stored
    mutating func drop(behind last: Batch) -> BatchID {
        defer { waiting = [] }
        return waiting.last?.id ?? last.id
    }

    /// The process is gone, and with it what the disk had not taken.
    mutating func clear() {
        transaction = nil
        waiting = []
    }
}
