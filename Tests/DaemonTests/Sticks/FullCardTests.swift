import AlarmModel
import ApplianceCore
import CFaultyCalls
import Card
import Daemon
import EventStore
import Foundation
import Glibc
import Platform
import Testing

@testable import Subcommands

/// The n-th call that changes the card is refused, for every n until the work meets no refusal any more.
@Suite("a card that is full in the midst of a restore", .enabled(if: faulty_calls_can() != 0))
struct FullCardTests {
    private static let file = "cheap.backup"
    private static let ofBackup = ["Kitchen window, \"opened\"", "=SUM(A1)"]

    /// A stick with a backup that has a configuration with it, sealed so that it is opened in no time.
    private static func place() throws -> StickWorkTests.Place {
        let place = try StickWorkTests.Place()
        try "site:\n  name: Mill Lane 4\n".write(
            toFile: "\(place.base)/house.yaml", atomically: true, encoding: .utf8)
        try "\(place.base)/house.yaml\n".write(
            toFile: "\(place.base)/state/configuration.path", atomically: true, encoding: .utf8)
        _ = try place.carryOut(.backup(passphrase: StickWorkTests.passphrase))
        let saved = try #require(try place.onStick.first)
        let bytes = try FileReader.read("\(place.places.mount)/\(saved)", limit: 1 << 20)
        let plain = try Sealing.open(bytes, passphrase: StickWorkTests.passphrase)
        let cheap = try Sealing.seal(
            plain, passphrase: StickWorkTests.passphrase, cost: Sealing.Cost(logN: 10, blockSize: 1, parallel: 1))
        try AtomicFile.write("\(place.places.mount)/\(file)", cheap)
        return place
    }

    /// What was refused first, and what came of the body; nothing was refused where `struck` is empty.
    private static func refusing<R>(
        from place: UInt64, once: Bool, _ body: () throws -> R
    ) -> (struck: String, result: Result<R, any Error>) {
        faulty_calls_refuse(place, once ? 1 : 0, ENOSPC)
        let result = Result { try body() }
        faulty_calls_end()
        return (String(cString: faulty_calls_struck()), result)
    }

    private static func leftovers(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory)
            .filter { $0.hasSuffix(".restoring") || $0.contains(".new") || $0.hasPrefix("restore.") }.sorted()
    }

    @Test(
        "whichever call is refused while a backup is prepared: it is brought back whole, or nothing of it",
        arguments: [true, false])
    func whicheverCallIsRefusedWhileItIsPrepared(once: Bool) throws {
        let place = try Self.place()
        let task = StickRequest.Task.restore(file: Self.file, passphrase: StickWorkTests.passphrase)
        var calls: Set<String> = []
        for number in UInt64(1)... {
            let name = "box-\(number)"
            let directory = "\(place.base)/\(name)"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try place.fill(name, ["before"])
            unlink(place.places.restart)
            let (struck, result) = Self.refusing(from: number, once: once) { try place.carryOut(task, state: name) }
            let spot = "\(number): \(struck)"
            guard !struck.isEmpty else {
                #expect(number > 20, "\(number) calls are not all of them")
                break
            }
            calls.insert(String(struck.prefix { $0 != " " }))
            #expect(try place.messages(of: name) == ["before"], "\(spot)")
            let isPrepared: Bool
            switch result {
            case .success:
                isPrepared = true
            case .failure(let error):
                isPrepared = false
                let words = "\(error)"
                #expect(words.hasPrefix("Nothing was brought back. "), "\(spot): \(words)")
                #expect(
                    words.contains("The box's own card is full") || words.contains("The restart cannot be asked for"),
                    "\(spot): \(words)")
                #expect(try Self.leftovers(in: directory) == [], "\(spot)")
                #expect(!FileManager.default.fileExists(atPath: "\(directory)/card/card-import"), "\(spot)")
            }
            #expect(FileManager.default.fileExists(atPath: place.places.restart) == isPrepared, "\(spot)")
            // What the next start makes of it, and tells.
            let outcome = RestoreEnd.reach(in: directory, at: WallTime(milliseconds: 1))
            #expect(outcome == (isPrepared ? .restored : .nothing), "\(spot)")
            #expect(try place.messages(of: name) == (isPrepared ? Self.ofBackup : ["before"]), "\(spot)")
            let told = RestoreReport.kept(in: directory)?.state
            #expect(told == (isPrepared ? .restored : told == nil ? nil : .failed), "\(spot)")
        }
        #expect(calls == ["open", "write", "fsync", "rename", "mkdir"])
    }

    @Test(
        "whichever call is refused while a start puts it in place: the old journal goes on, and the next start has it",
        arguments: [true, false])
    func whicheverCallIsRefusedWhileItIsPutInPlace(once: Bool) throws {
        let place = try Self.place()
        var calls: Set<String> = []
        for number in UInt64(1)... {
            let name = "box-\(number)"
            let directory = "\(place.base)/\(name)"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try place.fill(name, ["before"])
            _ = try place.carryOut(
                .restore(file: Self.file, passphrase: StickWorkTests.passphrase), state: name)
            let (struck, result) = Self.refusing(from: number, once: once) {
                RestoreEnd.reach(in: directory, at: WallTime(milliseconds: 1))
            }
            let spot = "\(number): \(struck)"
            guard !struck.isEmpty else {
                #expect(number > 10, "\(number) calls are not all of them")
                break
            }
            calls.insert(String(struck.prefix { $0 != " " }))
            switch try result.get() {
            case .nothing: Issue.record("nothing was prepared at \(spot)")
            case .restored: #expect(try place.messages(of: name) == Self.ofBackup, "\(spot)")
            case .waiting(let why):
                #expect(why.contains("full"), "\(spot): \(why)")
                // The daemon goes on with what is there.
                let journal = try Journal(directory: directory, options: Journal.Options(run: "on"))
                // Where it can be moved neither away nor back it lies beside a new one.
                let isAway = !once && FileManager.default.fileExists(atPath: "\(directory)/journal.damaged-1.db")
                if journal.report.outcome != .fresh || !isAway {
                    #expect(journal.report.outcome == .opened(quickCheckCompleted: true), "\(spot)")
                    #expect(try [["before"], Self.ofBackup].contains(place.messages(of: name)), "\(spot)")
                }
                try journal.close()
            }
            _ = RestoreEnd.reach(in: directory, at: WallTime(milliseconds: 2))
            #expect(try place.messages(of: name) == Self.ofBackup, "\(spot)")
            #expect(RestoreReport.kept(in: directory)?.state == .restored, "\(spot)")
            #expect(try Self.leftovers(in: directory) == [], "\(spot)")
        }
        #expect(calls.isSuperset(of: ["open", "write", "fsync", "rename"]))
    }
}
