import AlarmModel
import Testing

@testable import EventStore

@Suite("Snapshot in rows")
struct SnapshotRowsTests {
    private static func house(_ change: (inout Snapshot) -> Void = { _ in }) -> Snapshot {
        var panel = PanelState(link: .up)
        for number in 1...64 { panel.withZone(number) { $0.open = .known(number % 2 == 0) } }
        panel.withPartition(1) { $0.status = .stale(.entryDelay(.stay)) }
        panel.withPartition(8) { $0.chime = .known(true) }
        panel.system.isInstallerMode = true
        var snapshot = Snapshot(
            panel: panel, isMaintenance: true, nextCommand: CommandID(7),
            addresses: [IPAddress(bytes: [127, 0, 0, 1])].compactMap { $0 }.map {
                RememberedAddress(name: "envisalink", address: $0)
            })
        change(&snapshot)
        return snapshot
    }

    private static let changes: [@Sendable (inout Snapshot) -> Void] = [
        { $0.panel.withZone(5) { $0.open = .stale(true) } },
        { $0.panel.withZone(64) { $0.lastOpened = WallTime(milliseconds: 5) } },
        { $0.panel.withPartition(8) { $0.chime = .unknown } },
        { $0.panel.withPartition(2) { $0.name = "Workshop" } },
        { $0.panel.zones.removeAll { $0.number == 9 } },
        { $0.panel.partitions.removeAll { $0.number == 1 } },
        { $0.panel.system.isInstallerMode = false },
        { $0.panel.age() },
        { $0.isMaintenance = false },
        { $0.nextCommand = CommandID(8) },
        { $0.addresses = [] },
        { $0.seenUpTo = SequenceNumber(12) },
        { $0.refusedPIN = .max },
        { $0.linkUsage = [] },
        { $0.software = SoftwareRecord(version: "1.1.0", hadSession: true) },
        { $0.console = ConsoleRecord(wrongTries: 3, untoldTries: 1) },
        { $0.heardCommands = [HeardCommand(channel: "xmpp", from: "anna@example.com", id: "7")] },
        {
            $0.reminders = RemindersRecord(armings: [.init(partition: 1, at: WallTime(milliseconds: 7))], toldOpen: [3])
        },
        { $0.reminders = RemindersRecord(toldAbsent: [1, 2]) },
        { $0.watch = [WatchRecord(watcher: "service", month: 24_322, last: WallTime(milliseconds: 7))] },
        { $0 = Snapshot() },
    ]

    @Test("what changes is what is read afterwards", arguments: changes.indices)
    func whatChangesIsWhatIsReadAfterwards(index: Int) throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, snapshot: Self.house())])
        #expect(try JournalReader(directory: workshop.directory).snapshot() == Self.house())
        let second = Self.house(Self.changes[index])
        _ = try journal.commit([Batch(2, snapshot: second)])
        #expect(try JournalReader(directory: workshop.directory).snapshot() == second)
        #expect(try workshop.open(run: "next").report.snapshot == second)
    }

    @Test("the highest offer of a host stays stored where a run began without it, and another host counts by itself")
    func theHighestOfferOfAHostStaysStored() throws {
        let workshop = Workshop()
        func house(_ offer: OfferRecord?) -> Snapshot {
            Self.house { $0.software = SoftwareRecord(version: "1.0.0", hadSession: true, offer: offer) }
        }
        let known = OfferRecord(url: "https://a.example/x", seen: 9, told: "1.1.0")
        _ = try workshop.open().commit([Batch(1, snapshot: house(known))])
        let late = try workshop.open(run: "next")
        func kept(_ number: UInt64, _ offer: OfferRecord?) throws -> OfferRecord? {
            _ = try late.commit([Batch(number, snapshot: house(offer))])
            return try JournalReader(directory: workshop.directory).snapshot()?.software?.offer
        }
        #expect(try kept(1, nil) == known)
        // What is asked for meanwhile is told as new once more; the number stays.
        #expect(try kept(2, OfferRecord(url: "https://a.example/x", seen: 7, version: "1.0.9"))?.seen == 9)
        let other = OfferRecord(url: "https://b.example/x", seen: 1)
        #expect(try kept(3, other) == other)
    }

    @Test("an event of one zone rewrites that zone's row only")
    func anEventOfOneZoneRewritesThatZonesRowOnly() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, snapshot: Self.house())])
        try workshop.database().execute("UPDATE snapshot SET content = 'untouched'", doing: "test")
        _ = try journal.commit([Batch(2, snapshot: Self.house { $0.panel.withZone(5) { $0.open = .stale(true) } })])
        let changed = try workshop.database().text(
            "SELECT group_concat(id) FROM snapshot WHERE content <> 'untouched'", doing: "test")
        #expect(changed == "1005")
    }

    @Test("the first snapshot of a run replaces all rows, whatever the file holds")
    func theFirstSnapshotOfARunReplacesAllRows() throws {
        let workshop = Workshop()
        _ = try workshop.open().commit([Batch(1, snapshot: Self.house())])
        let smaller = Self.house { $0.panel.zones.removeLast(60) }
        _ = try workshop.open(run: "next").commit([Batch(1, snapshot: smaller)])
        #expect(try JournalReader(directory: workshop.directory).snapshot() == smaller)
    }

    @Test("what an error kept from being stored is stored with the next snapshot")
    func whatAnErrorKeptFromBeingStoredIsStoredWithTheNextSnapshot() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, snapshot: Self.house())])
        let second = Self.house { $0.panel.withZone(5) { $0.open = .stale(true) } }
        try workshop.database().execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON snapshot BEGIN SELECT raise(ABORT, 'no'); END", doing: "test")
        #expect(throws: StoreError.self) { _ = try journal.commit([Batch(2, snapshot: second)]) }
        try workshop.database().execute("DROP TRIGGER refuse", doing: "test")
        let third = Self.house {
            $0.panel.withZone(5) { $0.open = .stale(true) }
            $0.panel.withZone(6) { $0.open = .unknown }
        }
        _ = try journal.commit([Batch(3, snapshot: third)])
        #expect(try JournalReader(directory: workshop.directory).snapshot() == third)
    }

    @Test(
        "rows that do not make a whole are no snapshot",
        arguments: [
            "DELETE FROM snapshot WHERE id = 0", "UPDATE snapshot SET content = 5 WHERE id = 1",
            "UPDATE snapshot SET content = x'00' WHERE id = 101", "INSERT INTO snapshot VALUES (5000, '{}')",
            "INSERT INTO snapshot SELECT 2000, content FROM snapshot WHERE id = 1003",
        ])
    func rowsThatDoNotMakeAWholeAreNoSnapshot(damage: String) throws {
        let workshop = Workshop()
        _ = try workshop.open().commit([Batch(1, snapshot: Self.house())])
        try workshop.database().execute(damage, doing: "test")
        let report = try workshop.open(run: "next").report
        #expect(report.snapshot == nil)
        #expect(report.snapshotProblem != nil)
    }
}
