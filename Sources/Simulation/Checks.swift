import AlarmModel
import ApplianceCore
import PanelLink

/// What the world remembers to hold the promises about the daemon, its store and the panel's lines against.
///
/// Guarantees: what was acknowledged, shown or reported is remembered from the bytes and batches themselves, over every
/// death of the daemon.
struct Checks {
    /// The timers that the core set, as the shell keeps them.
    var timers: [(id: TimerID, due: BootTime, setAt: BootTime)] = []

    /// Events of this run whose commit was reported to the core, in order.
    private var acknowledgedEvents: [Event] = []
    private var lastAtBoot = SequenceNumber.zero
    /// Commands up to here were given in earlier runs.
    private var lastCommandAtBoot = CommandID(0)
    private var outcomesShown = 0
    /// Lines the panel reported in this run that no batch holds yet: raw line and how many.
    private var unwritten: [(raw: String, count: Int)] = []
    private var partialLine: [UInt8] = []
    private var countedBatches = BatchID(0)
    /// When the box last heard from the panel.
    private(set) var lastHeard = BootTime.zero
    /// When the box last showed the service manager that it lives, or started.
    var lastPing = BootTime.zero

    mutating func setTimer(_ id: TimerID, _ time: BootTime?, at now: BootTime) {
        timers.removeAll { $0.id == id }
        if let time { timers.append((id, time, now)) }
    }

    /// A machine may set its timer for a time that is over: it owes nothing before.
    func owedSince(_ id: TimerID) -> BootTime? { timers.first { $0.id == id }.map { max($0.due, $0.setAt) } }

    /// Codes that no status report contains: each such line is one event.
    private static let liveOnly = [
        "601", "602", "603", "604", "605", "606", "620", "621", "622", "623", "624", "625", "626", "658", "659", "670",
        "672", "700", "701", "702", "750", "751", "800", "801", "802", "803", "806", "807", "814", "815", "829", "830",
        "842", "843",
    ]

    /// While the panel link stands still. Five seconds are forgiven; then no ping is earned, and the service manager does not
    /// wait longer than it says.
    func checkStandstill(from here: Standpoint) throws(Violation) {
        guard let owedSince = owedSince(.panel) else { return }
        let span = here.now - owedSince
        guard span > .seconds(5) + World.watchdog else { return }
        throw here.broken(
            .standstillIsShown, "the panel link has owed something for \(span), and nobody started it anew")
    }

    mutating func fed(_ input: Input, effects: [Effect], at now: BootTime) {
        for case .reply(_, .outcome(_, stored: true)) in effects { outcomesShown += 1 }
        switch input {
        case .received(let connection, _) where connection.number >= World.firstPush: break
        case .connected(let connection) where connection.number >= World.firstPush: break
        case .closed(let connection, _) where connection.number >= World.firstPush: break
        case .received(_, let bytes):
            lastHeard = now
            heard(bytes)
        case .connected:
            partialLine = []
            lastHeard = now
        case .closed: partialLine = []
        case .started, .resolved, .secured, .sent, .accepted, .request, .badRequest, .timer, .committed, .commitFailed,
            .rows, .vault, .computed, .derived, .located, .links, .modem, .found, .reload, .signal:
            break
        }
    }

    private mutating func heard(_ bytes: [UInt8]) {
        for byte in bytes {
            guard byte == 10 else {
                if byte != 13, byte != 0, byte != 32 { partialLine.append(byte) }
                continue
            }
            let line = partialLine
            partialLine = []
            guard line.count >= 5, line.allSatisfy({ (33...126).contains($0) }) else { continue }
            let sum = line.dropLast(2).reduce(UInt8(0)) { $0 &+ $1 }
            let told = UInt8(String(decoding: line.suffix(2), as: UTF8.self), radix: 16)
            let raw = String(decoding: line.dropLast(2), as: UTF8.self)
            guard told == sum, Self.liveOnly.contains(String(raw.prefix(3))) else { continue }
            count(raw, by: 1)
            if let ordinary = Self.disguise(of: raw) { count(ordinary, by: 1) }
        }
    }

    /// A line with a duress user is told a second time, as one that names nobody.
    private static func disguise(of raw: String) -> String? {
        guard raw.count == 8, raw.hasSuffix("0033") || raw.hasSuffix("0034") else { return nil }
        let partition = raw.dropFirst(3).prefix(1)
        return raw.hasPrefix("750") ? "751\(partition)" : raw.hasPrefix("700") ? "701\(partition)" : nil
    }

    private mutating func count(_ raw: String, by change: Int) {
        if let index = unwritten.firstIndex(where: { $0.raw == raw }) {
            unwritten[index].count += change
            if unwritten[index].count == 0 { unwritten.remove(at: index) }
        } else {
            unwritten.append((raw, change))
        }
    }

    /// An outcome that is said to be stored has its row on the disk when it leaves.
    func checkReplies(_ effects: [Effect], on disk: SimulatedDisk, from here: Standpoint) throws(Violation) {
        let shown = effects.count { effect in
            if case .reply(_, .outcome(_, stored: true)) = effect { true } else { false }
        }
        guard shown > 0 else { return }
        let stored = outcomesStored(on: disk)
        guard stored >= outcomesShown + shown else {
            throw here.broken(
                .outcomesAreStoredFirst,
                "\(outcomesShown + shown) outcomes were shown as stored, and the disk holds \(stored)")
        }
    }

    /// A batch leaves the core: its lines are written down. True when it leaves for the first time.
    mutating func ordered(_ batch: Batch, from standpoint: Standpoint) throws(Violation) -> Bool {
        guard batch.id > countedBatches else { return false }
        countedBatches = batch.id
        for event in batch.events
        where Self.liveOnly.contains(String(event.raw.prefix(3))) && !event.flags.contains(.stormSummary) {
            count(event.raw, by: -1)
            if let entry = unwritten.first(where: { $0.raw == event.raw }), entry.count < 0 {
                throw standpoint.broken(.nothingIsInvented, "event \(event.raw), and the panel sent no such line")
            }
        }
        return true
    }

    mutating func acknowledged(_ batches: [Batch]) {
        for batch in batches {
            acknowledgedEvents += batch.events.filter { !$0.flags.contains(.duress) }
        }
    }

    mutating func died() {
        unwritten = []
        partialLine = []
    }

    /// The daemon starts again: everything that was acknowledged must be on the disk.
    mutating func recovered(_ disk: SimulatedDisk, from here: Standpoint) throws(Violation) {
        let promised = lastAtBoot.number + Int64(acknowledgedEvents.count)
        guard disk.last.number >= promised else {
            throw here.broken(
                .acknowledgedEventsSurvive,
                "\(promised) events were reported as stored, \(disk.last.number) are on the disk")
        }
        for row in disk.rows {
            let index = Int(row.seq.number - lastAtBoot.number) - 1
            guard acknowledgedEvents.indices.contains(index) else { continue }
            guard acknowledgedEvents[index] == row.event else {
                throw here.broken(
                    .acknowledgedEventsSurvive,
                    "number \(row.seq.number) is \(row.event.code), \(acknowledgedEvents[index].code) was reported")
            }
        }
        for (older, newer) in zip(disk.rows, disk.rows.dropFirst()) where newer.seq != older.seq.next {
            throw here.broken(.numbersHaveNoGaps, "\(newer.seq.number) follows \(older.seq.number)")
        }
        acknowledgedEvents = []
        lastAtBoot = disk.last
        lastCommandAtBoot = disk.lastCommand ?? CommandID(0)
        outcomesShown = 0
        countedBatches = BatchID(0)
        unwritten = []
        partialLine = []
    }

    /// How many outcomes of commands that were given at the box in this run are durable.
    private func outcomesStored(on disk: SimulatedDisk) -> Int {
        disk.ledger.count { $0.command > lastCommandAtBoot && $0.origin == "local" && $0.outcome != nil }
    }

    var missingLines: [String] { unwritten.filter { $0.count > 0 }.map(\.raw) }
}
