import AlarmModel
import ApplianceCore

/// A card that can be written but not read, and a store that refuses one row of many: the two ways in which the disk is
/// bad for some and good for others.
struct BadRows: Sendable {
    /// Every query fails before.
    var readsBackAt = BootTime.zero
    /// The next batch with an event is refused, whatever comes with it.
    var isRefusing = false
    private var refused: (run: Int, batch: BatchID)?
    /// Alarms that were refused: they leave with their mark instead of a number.
    private var marks: Set<String> = []
    private var messages: Set<MessageID> = []

    func holds(mark: String) -> Bool { marks.contains(mark) }
    func holds(_ message: MessageID) -> Bool { messages.contains(message) }

    func answer(_ rows: Rows, at now: BootTime) -> Rows {
        readsBackAt > now ? .failed(StoreFailure(.inputOutput, "simulated")) : rows
    }

    /// What the store says of these; nil when it takes them. Of a batch that is refused alone the core gives up
    /// the events.
    /// - Parameters:
    ///   - isAlone: nothing is ordered beside it
    ///   - durable: the newest batch that is on the disk, whatever was said of it
    mutating func refusal(of batches: [Batch], isAlone: Bool, after durable: BatchID, run: Int) -> StoreFailure? {
        let batches = batches.filter { $0.id > durable }
        if isRefusing, let batch = batches.first(where: { !$0.events.isEmpty }) {
            isRefusing = false
            refused = (run, batch.id)
            marks.formUnion(batch.events.compactMap { $0.unstored?.text })
            messages.formUnion(batch.outbox.map(\.message))
        }
        guard let refused, refused.run == run,
            batches.contains(where: { $0.id == refused.batch && !$0.events.isEmpty })
        else { return nil }
        if isAlone { self.refused = nil }
        return StoreFailure(.rejected, "simulated")
    }

    /// What goes wrong with them, in every second house.
    static func draw(for span: Duration, seed: UInt64) -> [(BootTime, WorldFault)] {
        var chance = Jitter(seed: seed ^ 0x72_6F_77_73)
        guard chance.next() % 2 == 0 else { return [] }
        var faults: [(BootTime, WorldFault)] = []
        var at = BootTime.zero + .seconds(30)
        while true {
            at = at + chance.duration(in: .seconds(10)..<(.minutes(10)))
            guard at < .zero + span else { return faults }
            if chance.next() % 2 == 0 {
                faults.append((at, .rowIsRefused))
            } else {
                faults.append((at, .readsFail(chance.duration(in: .seconds(1)..<(.minutes(2))))))
            }
        }
    }

    /// The faults are over.
    mutating func end(at now: BootTime) {
        readsBackAt = now
        isRefusing = false
        refused = nil
    }
}
