import AlarmModel

/// The snapshot as rows of table `snapshot`, one for each thing that changes by itself: an event of one zone then costs
/// one small row, not the whole house.
struct SnapshotRows {
    /// What belongs to no zone, partition or trouble.
    struct Box: Codable, Equatable, Sendable {
        var link: PanelLinkState
        var isMaintenance: Bool
        var nextCommand: CommandID
        var addresses: [RememberedAddress]
        /// Not in the rows of earlier versions.
        var seenUpTo: SequenceNumber?
        /// Nor these.
        var linkUsage: [LinkUsage]?
        var refusedPIN: UInt64?
        var console: ConsoleRecord?
        var software: SoftwareRecord?
        var heardCommands: [HeardCommand]?
        var codeLocks: [CodeLockRecord]?
        var acceptedTime: WallTime?
        var ups: UPSRecord?
        var reminders: RemindersRecord?
        var receiver: ReceiverRecord?
        var watch: [WatchRecord]?

        init(_ snapshot: Snapshot) {
            link = snapshot.panel.link
            isMaintenance = snapshot.isMaintenance
            nextCommand = snapshot.nextCommand
            addresses = snapshot.addresses
            seenUpTo = snapshot.seenUpTo
            linkUsage = snapshot.linkUsage
            refusedPIN = snapshot.refusedPIN
            console = snapshot.console
            software = snapshot.software
            heardCommands = snapshot.heardCommands
            codeLocks = snapshot.codeLocks
            acceptedTime = snapshot.acceptedTime
            ups = snapshot.ups
            reminders = snapshot.reminders
            receiver = snapshot.receiver
            watch = snapshot.watch
        }

        /// What was stored holds on where this run began without it: the console's lock, and the highest number of the
        /// host that offers versions.
        mutating func keep(_ stored: Box) {
            console = console ?? stored.console
            guard let known = stored.software?.offer else { return }
            guard let offer = software?.offer else {
                software?.offer = known
                return
            }
            if offer.url == known.url { software?.offer?.seen = max(offer.seen, known.seen) }
        }
    }

    static let box: Int64 = 0
    static let system: Int64 = 1
    /// Zone 1 has the number after this; below, and above `partitions`, come the partitions.
    static let zones: Int64 = 1000
    static let partitions: Int64 = 100

    /// Writes what differs from `written`; everything when that is nil, because the file may hold anything then.
    static func write(
        _ snapshot: Snapshot, over written: Snapshot?, with put: Statement, in database: Database
    ) throws(StoreError) {
        var box = Box(snapshot)
        let isBoxNew = written.map({ Box($0) }) != box
        if isBoxNew, let stored = try readBox(database) { box.keep(stored) }
        if written == nil { try database.execute("DELETE FROM snapshot", doing: activity) }
        let old = written?.panel
        let new = snapshot.panel
        if isBoxNew { try write(box, as: Self.box, with: put) }
        if old?.system != new.system { try write(new.system, as: system, with: put) }
        if old?.partitions != new.partitions {
            for partition in new.partitions where old?.partition(partition.number) != partition {
                try write(partition, as: id(ofPartition: partition.number), with: put)
            }
            for gone in old?.partitions ?? [] where new.partition(gone.number) == nil {
                try remove(id(ofPartition: gone.number), in: database)
            }
        }
        if old?.zones != new.zones {
            for zone in new.zones where old?.zone(zone.number) != zone {
                try write(zone, as: zones + Int64(zone.number), with: put)
            }
            for gone in old?.zones ?? [] where new.zone(gone.number) == nil {
                try remove(zones + Int64(gone.number), in: database)
            }
        }
    }

    static let insertion = "INSERT OR REPLACE INTO snapshot (id, content) VALUES (?1, ?2)"

    /// What the file holds; both nil when nothing was ever written. A part that cannot be read makes the whole
    /// unreadable, because the rest alone would be a state that never was.
    static func read(_ database: Database) throws(StoreError) -> (snapshot: Snapshot?, problem: String?) {
        let statement = try database.prepare(
            "SELECT id, content FROM snapshot ORDER BY id", doing: "reading the snapshot")
        defer { statement.reset() }
        var box: Box?
        var panel = PanelState()
        var isEmpty = true
        while try statement.step() {
            isEmpty = false
            guard let id = statement.integer(0), let text = statement.text(1) else { return (nil, "not a text") }
            let problem =
                switch id {
                case Self.box: take(Box.self, text) { box = $0 }
                case system: take(SystemState.self, text) { panel.system = $0 }
                case ..<zones: take(PartitionState.self, text) { panel.partitions.append($0) }
                default: take(ZoneState.self, text) { panel.zones.append($0) }
                }
            if let problem { return (nil, problem) }
        }
        guard let box else { return (nil, isEmpty ? nil : "its first row is missing") }
        panel.link = box.link
        // The rows' numbers are in order; their contents might not be, in a file that was edited.
        guard isAscending(panel.partitions.map(\.number)), isAscending(panel.zones.map(\.number)) else {
            return (nil, "its rows are in disorder")
        }
        let snapshot = Snapshot(
            panel: panel, isMaintenance: box.isMaintenance, nextCommand: box.nextCommand, addresses: box.addresses,
            seenUpTo: box.seenUpTo, linkUsage: box.linkUsage, refusedPIN: box.refusedPIN, console: box.console,
            software: box.software, heardCommands: box.heardCommands,
            codeLocks: box.codeLocks, acceptedTime: box.acceptedTime, ups: box.ups, reminders: box.reminders,
            receiver: box.receiver, watch: box.watch)
        return (snapshot, nil)
    }

    /// What belongs to the box, also where the rest cannot be read or is to be ignored: neither may open the console's
    /// lock, nor spend another try of the SIM card's PIN, nor let an older offer of an update pass for a new one.
    static func readBox(_ database: Database) throws(StoreError) -> Box? {
        let statement = try database.prepare(
            "SELECT content FROM snapshot WHERE id = \(box)", doing: "reading the snapshot")
        defer { statement.reset() }
        guard try statement.step(), let text = statement.text(0) else { return nil }
        return StoredJSON.value(Box.self, from: text).value
    }

    /// Whether the row of this number can be understood.
    static func isReadable(_ id: Int64, _ text: String) -> Bool {
        switch id {
        case box: StoredJSON.value(Box.self, from: text).value != nil
        case system: StoredJSON.value(SystemState.self, from: text).value != nil
        case ..<zones: StoredJSON.value(PartitionState.self, from: text).value != nil
        default: StoredJSON.value(ZoneState.self, from: text).value != nil
        }
    }

    private static let activity = "storing the snapshot"

    private static func id(ofPartition number: Int) -> Int64 {
        precondition((0..<900).contains(number), "partitions have numbers from 1 to 8")
        return partitions + Int64(number)
    }

    private static func write(_ part: some Encodable, as id: Int64, with put: Statement) throws(StoreError) {
        put.bind(1, id)
        put.bind(2, try StoredJSON.text(of: part, doing: activity))
        try put.run()
    }

    private static func remove(_ id: Int64, in database: Database) throws(StoreError) {
        try database.execute("DELETE FROM snapshot WHERE id = \(id)", doing: activity)
    }

    /// Returns the problem, or nil when the part was taken.
    private static func take<Part: Decodable>(_ type: Part.Type, _ text: String, into place: (Part) -> Void) -> String?
    {
        let (part, problem) = StoredJSON.value(type, from: text)
        if let part { place(part) }
        return problem
    }

    private static func isAscending(_ numbers: [Int]) -> Bool {
        zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    }
}
