import AlarmModel
import EventStore
import Glibc

/// A state directory of its own for one test, removed afterwards.
final class Workshop {
    let directory: String

    /// In memory where the system allows it: these tests sync thousands of times.
    init() {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/eventstore-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "a directory for the test can be made")
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(directory) }

    var path: String { "\(directory)/\(Journal.fileName)" }

    func open(run: String = "run", _ change: (inout Journal.Options) -> Void = { _ in }) throws -> Journal {
        var options = Journal.Options(run: run)
        change(&options)
        return try Journal(directory: directory, options: options)
    }

    /// For looking behind the journal's back.
    func database(_ access: Database.Access = .readWrite) throws -> Database {
        try Database(path: path, access: access)
    }

    func bytes(_ name: String) throws -> [UInt8] { try StateFile.read("\(directory)/\(name)") ?? [] }

    func write(_ bytes: [UInt8], _ name: String) throws { try StateFile.write(bytes, to: "\(directory)/\(name)") }

    /// The files of the journal as they are now, as after a power cut, in a directory of their own.
    func copy() throws -> Workshop {
        let other = Workshop()
        for name in try StateFile.names(in: directory) where name != "journal.db-shm" {
            try other.write(try bytes(name), name)
        }
        return other
    }

    /// Everything in the journal, oldest first.
    func events() throws -> [StoredEvent] {
        let reader = try JournalReader(directory: directory)
        var events: [StoredEvent] = []
        var query = EventQuery(limit: 1000)
        while true {
            let page = try reader.page(query)
            events += page.events
            guard page.hasMore else { return events }
            query.after = page.cursor
        }
    }

    static func remove(_ directory: String) {
        for name in (try? StateFile.names(in: directory)) ?? [] {
            if unlink("\(directory)/\(name)") != 0 { remove("\(directory)/\(name)") }
        }
        rmdir(directory)
    }
}

extension Event {
    /// The n-th event of a test: told apart by its message.
    static func sample(_ number: Int, type: EventType = .info, flags: EventFlags = []) -> Event {
        Event(
            type: type, code: "609", raw: "609\(number)", message: "event \(number)",
            time: WallTime(milliseconds: 1_700_000_000_000 + Int64(number) * 1000), isTimeTrusted: true,
            zone: number % 64 + 1, zoneName: "Zone \(number % 64 + 1)", flags: flags)
    }

    /// People are told that a damaged journal was set aside.
    static let damageTold = Event(
        type: .fault, code: EventCode.storeDamaged.rawValue, raw: EventCode.storeDamaged.rawValue,
        message: "the journal was damaged", time: .early, isTimeTrusted: true)

    static let full = Event(
        type: .alarm, code: "601", raw: "6011003", message: "Alarm: Küche \u{1F525}, zone 3",
        time: WallTime(milliseconds: -5), isTimeTrusted: false, partition: 1, partitionName: "House", zone: 3,
        zoneName: "", user: 40, userName: "O'Neil; DROP TABLE events", flags: [.flapping, .whileAway], flapCount: 7,
        command: CommandID(.max), unstored: UnstoredMark(boot: "00c0ffee", counter: .max),
        about: .link("Wi-Fi, the 2nd"))
}

extension Batch {
    init(_ id: UInt64, _ events: Event..., snapshot: Snapshot? = nil) {
        self.init(id: BatchID(id), events: events, snapshot: snapshot)
    }
}

extension Snapshot {
    static func sample(_ next: UInt64) -> Snapshot {
        var panel = PanelState(link: .up)
        panel.withZone(3) { $0.open = .known(true) }
        panel.withPartition(1) { $0.status = .stale(.entryDelay(.stay)) }
        return Snapshot(panel: panel, isMaintenance: true, nextCommand: CommandID(next))
    }
}

extension OutboxRow {
    static func sample(
        _ name: String, event: Int, address: Int64 = 1, priority: PriorityClass = .info
    ) -> OutboxRow {
        OutboxRow(
            message: MessageID(name), address: AddressID(address), event: event, priority: priority, createdAt: .early,
            expiresAt: WallTime(milliseconds: 1_700_000_900_000))
    }
}

extension PhoneLedgerRow {
    static func sample(
        _ counter: UInt64, phone: PhoneID = PhoneID(0xFEED_0000_0000_0001), result: PhoneResult? = nil
    ) -> PhoneLedgerRow {
        PhoneLedgerRow(
            phone: phone, counter: counter, digest: (0..<32).map { UInt8(truncatingIfNeeded: counter) ^ $0 },
            time: .early, result: result)
    }
}

extension WallTime {
    static let early = WallTime(milliseconds: 1_700_000_000_000)
}
