import AlarmModel
import EventStore
import Testing

@Suite("Counters of phones")
struct PhoneCounterTests {
    static let phone = PhoneID(0xFEED_0000_0000_0001)

    static func batch(_ id: UInt64, _ rows: PhoneLedgerRow..., owners: [PhoneLedgerOwner] = []) -> Batch {
        var batch = Batch(id: BatchID(id))
        batch.phoneLedger = rows
        batch.phoneLedgerOwners = owners
        return batch
    }

    static func report(_ workshop: Workshop) throws -> [PhoneCounters] {
        try workshop.open(run: "look").report.phoneCounters
    }

    @Test("rows are read back as they were, with an outcome in the place of none")
    func rowsAreReadBackAsTheyWere() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        let small = PhoneID(3)
        var odd = PhoneLedgerRow.sample(UInt64(Int64.max), phone: small, result: PhoneResult(.pending))
        odd.digest = []
        _ = try journal.commit([Self.batch(1, .sample(2), .sample(1), odd, owners: [.added(Self.phone)])])
        let ended = PhoneLedgerRow.sample(1, result: PhoneResult(.denied, why: "rôle"))
        _ = try journal.commit([Self.batch(2, ended)])
        #expect(
            try Self.report(workshop) == [
                PhoneCounters(phone: small, rows: [odd]), PhoneCounters(phone: Self.phone, rows: [ended, .sample(2)]),
            ])
    }

    @Test("of each phone the newest 256 are kept, in whatever order they come")
    func ofEachPhoneTheNewest256AreKept() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var batch = Batch(id: BatchID(1))
        batch.phoneLedger = (1...300).reversed().map { .sample($0) } + [.sample(1, phone: PhoneID(5))]
        _ = try journal.commit([batch])
        _ = try journal.commit([Self.batch(2, .sample(1000), .sample(3))])
        let counters = try Self.report(workshop)
        #expect(counters.map(\.phone) == [PhoneID(5), Self.phone])
        #expect(counters[1].rows.map(\.counter) == Array(46...300) + [1000])
        let rows = try workshop.database().integer("SELECT count(*) FROM phone_ledger", doing: "test")
        #expect(rows == 257)
    }

    @Test("a phone is known from its pairing until it is removed")
    func aPhoneIsKnownFromItsPairingUntilItIsRemoved() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Self.batch(1, owners: [.added(Self.phone), .added(PhoneID(2))])])
        #expect(try Self.report(workshop).map(\.rows) == [[], []])
        _ = try journal.commit([Self.batch(2, .sample(9), owners: [.added(Self.phone)])])
        // Its last outcome does not bring it back.
        _ = try journal.commit([
            Self.batch(3, .sample(9, result: PhoneResult(.ok)), owners: [.removed(Self.phone)])
        ])
        #expect(try Self.report(workshop) == [PhoneCounters(phone: PhoneID(2), rows: [])])
        _ = try journal.commit([Self.batch(4, .sample(1), owners: [.removed(Self.phone), .added(Self.phone)])])
        #expect(try Self.report(workshop).map(\.rows.count) == [0, 1])
    }

    @Test("a counter that no phone can have is refused, and nothing of its batch is stored")
    func aCounterThatNoPhoneCanHaveIsRefused() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var batch = Self.batch(1, .sample(UInt64(Int64.max) + 1))
        batch.events = [.sample(1)]
        let failure = thrown(StoreError.self) { try journal.commit([batch]) }
        #expect(failure?.kind == .rejected)
        #expect(try workshop.events().isEmpty)
        #expect(try Self.report(workshop).isEmpty)
    }

    @Test(
        "a phone whose newest counter cannot be read is not known, until it has commanded again",
        arguments: [
            "DELETE FROM phone_ledger WHERE counter = 9", "UPDATE phone_ledger SET digest = 'x' WHERE counter = 9",
            "UPDATE phone_ledger SET out = 'maybe' WHERE counter = 9", "UPDATE phone_counter SET last = 'nine'",
            "UPDATE phone_ledger SET counter = -1 WHERE counter = 9", "DELETE FROM phone_counter",
        ])
    func aPhoneWhoseNewestCounterCannotBeReadIsNotKnown(_ damage: String) throws {
        let workshop = Workshop()
        var journal = try workshop.open()
        _ = try journal.commit([Self.batch(1, .sample(7), .sample(8), .sample(9))])
        try workshop.database().execute(damage, doing: "test")
        #expect(try Self.report(workshop).isEmpty)
        journal = try workshop.open(run: "next")
        #expect(journal.report.phoneCounters.isEmpty)
        let kept = try workshop.database().integer(
            "SELECT count(*) FROM suspect WHERE origin = 'phone_ledger'", doing: "test")
        #expect(kept ?? 0 >= 2)
        _ = try journal.commit([Self.batch(1, .sample(4))])
        #expect(try Self.report(workshop).map { $0.rows.last?.counter } == [4])
    }

    @Test("an old row that cannot be read takes away its answer alone")
    func anOldRowThatCannotBeReadTakesAwayItsAnswerAlone() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Self.batch(1, .sample(7), .sample(8), .sample(9))])
        try workshop.database().execute("UPDATE phone_ledger SET time = 'x' WHERE counter = 8", doing: "test")
        #expect(try Self.report(workshop).map { $0.rows.map(\.counter) } == [[7, 9]])
        #expect(try journal.setAsideSuspectRows().moved == 1)
        #expect(try Self.report(workshop).map { $0.rows.map(\.counter) } == [[7, 9]])
    }

    @Test("after a restored backup no counter is known, at the first start and at later ones")
    func afterARestoredBackupNoCounterIsKnown() throws {
        let workshop = Workshop()
        _ = try workshop.open().commit([Self.batch(1, .sample(7))])
        try LogNumber(9).store(in: workshop.directory)
        let report = try workshop.open(run: "next").report
        #expect(report.isRestored && report.phoneCounters.isEmpty)
        #expect(try Self.report(workshop).isEmpty)
    }
}
