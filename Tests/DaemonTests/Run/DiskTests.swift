import AlarmModel
import ApplianceCore
import EventStore
import Foundation
import PhoneProtocol
import Platform
import Testing

@testable import Daemon

@Suite("The disk thread", .timeLimit(.minutes(1)))
struct DiskTests {
    @Test("what is wrong with the disk is told with one piece of advice, not two")
    func whatIsWrongWithTheDiskIsToldWithOnePieceOfAdvice() {
        let full = StoreError(
            kind: .full, code: 13, extendedCode: 13, activity: "storing events", detail: "disk is full")
        #expect(
            StoreFailure(full).description
                == "the disk is full; delete something or use a bigger card (storing events: disk is full (SQLite 13))")
        let other = StoreError(kind: .other, code: 1, extendedCode: 1, activity: "storing events", detail: "no table")
        #expect(StoreFailure(other).description.contains("please report this"))
    }

    @Test("what waits behind a commit when the disk is stopped is stored as well, in its order")
    func whatWaitsBehindACommitWhenTheDiskIsStoppedIsStoredAsWell() throws {
        let directory = NSTemporaryDirectory() + "disk-" + UUID().uuidString
        try StateFile.makeDirectory(directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let disk = try Disk(directory: directory, options: Journal.Options(run: "0000beef"), loop: try EventLoop())
        var answered: [UInt64] = []
        disk.onCommitted = { id, _ in
            answered.append(id.number)
            // As the core does that has gone on meanwhile.
            disk.commit(Self.batch(9), Self.nothing)
            disk.read(EventQuery()) { _ in }
        }
        disk.onFailed = { _, _, failure in Issue.record("\(failure)") }
        // Nobody fetches the answer to the first one: it is on its way, and the others wait for it.
        for number in 1...4 {
            var batch = Self.batch(number)
            // The phones' file is written before its batch, which therefore begins a transaction.
            if number == 3 { batch.phoneBook = PhoneBook(version: 1, starts: 5) }
            disk.commit(batch, Self.nothing)
        }
        let hasEnded = disk.stop(within: .seconds(10))
        #expect(hasEnded)
        #expect(answered == [1, 2, 4])
        let stored = try JournalReader(directory: directory).page(EventQuery(), slice: .seconds(1))
        #expect(stored.events.map(\.event.message) == ["Event 1", "Event 2", "Event 3", "Event 4"])
        #expect(try PhoneFile.read(in: directory).book.starts == 5)
    }

    @Test("what waits behind a refused transaction is not tried, and the failure is told up to the last of it")
    func whatWaitsBehindARefusedTransactionIsNotTried() throws {
        let directory = NSTemporaryDirectory() + "disk-" + UUID().uuidString
        try StateFile.makeDirectory(directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let loop = try EventLoop()
        let disk = try Disk(directory: directory, options: Journal.Options(run: "0000beef"), loop: loop)
        var told: [UInt64] = []
        disk.onCommitted = { id, _ in told.append(id.number) }
        disk.onFailed = { first, last, failure in
            told += [first.number, last.number]
            #expect(failure.kind == .rejected)
            loop.stop()
        }
        for number in 1...4 {
            var batch = Self.batch(number)
            // There is no counter so high.
            let row = PhoneLedgerRow(
                phone: PhoneID(1), counter: .max, digest: [], time: WallTime(milliseconds: 1000))
            if number == 2 { batch.phoneLedger = [row] }
            if number == 3 { batch.phoneBook = PhoneBook(version: 1, starts: 5) }
            disk.commit(batch, Self.nothing)
        }
        loop.run()
        #expect(told == [1, 2, 4])
        let hasEnded = disk.stop(within: .seconds(10))
        #expect(hasEnded)
        let stored = try JournalReader(directory: directory).page(EventQuery(), slice: .seconds(1))
        #expect(stored.events.map(\.event.message) == ["Event 1"])
    }

    private static let nothing = VaultBytes(KeyVault(crypto: OpenSSLCrypto()), for: Batch(id: BatchID(1)))

    private static func batch(_ number: Int) -> Batch {
        Batch(
            id: BatchID(UInt64(number)),
            events: [
                Event(
                    type: .info, code: "601", raw: "601", message: "Event \(number)",
                    time: WallTime(milliseconds: 1000), isTimeTrusted: true)
            ])
    }
}
