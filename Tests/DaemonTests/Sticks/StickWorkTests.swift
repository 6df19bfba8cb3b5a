import AlarmModel
import ApplianceCore
import Card
import EventStore
import Foundation
import Glibc
import PhoneProtocol
import Platform
import Testing

@testable import CommandKit
@testable import Subcommands

@Suite("work with a USB stick") struct StickWorkTests {
    /// A stick, a state with a journal, and a place for requests, as directories.
    final class Place {
        let base: String
        var places = StickPlaces()
        init() throws {
            base = NSTemporaryDirectory() + "stick-" + UUID().uuidString
            for name in ["stick", "requests", "state", "other"] {
                try FileManager.default.createDirectory(atPath: "\(base)/\(name)", withIntermediateDirectories: true)
            }
            places.mount = "\(base)/stick"
            places.problem = "\(base)/problem"
            places.directory = "\(base)/requests"
            try fill("state", ["Kitchen window, \"opened\"", "=SUM(A1)"])
        }
        deinit { try? FileManager.default.removeItem(atPath: base) }

        func fill(_ state: String, _ messages: [String]) throws {
            let journal = try Journal(directory: "\(base)/\(state)", options: Journal.Options(run: "run"))
            let events = messages.map { message in
                Event(
                    type: .alarm, code: "601", raw: "6011003", message: message, time: WallTime(milliseconds: 1000),
                    isTimeTrusted: true, partition: 1, zone: 3, zoneName: "Kitchen window")
            }
            var secret = events[0]
            secret.message = "Someone is in danger"
            secret.flags = .duress
            _ = try journal.commit([Batch(id: BatchID(1), events: [secret] + events)])
        }

        func carryOut(_ task: StickRequest.Task, state: String = "state") throws(StickFile.Trouble) -> StickReport {
            let work = StickWork(
                places: places, stateDirectory: "\(base)/\(state)", time: WallTime(milliseconds: 1_795_240_801_250),
                rules: .utc, tell: { _ in })
            return try work.carryOut(task)
        }

        func text(_ name: String) throws -> String { try String(contentsOfFile: "\(base)/\(name)", encoding: .utf8) }
        var onStick: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: places.mount).sorted() }
        }
        func messages(of state: String) throws -> [String] {
            try JournalReader(directory: "\(base)/\(state)").page(EventQuery(limit: 100)).events.map(\.event.message)
        }
    }

    static let passphrase = Secret("horse battery")

    @Test("a backup of one box is brought back by another at its next start, with the configuration")
    func aBackupOfOneBoxIsBroughtBackByAnother() throws {
        let place = try Place()
        try "site:\n  name: Mill Lane 4\n".write(
            toFile: "\(place.base)/house.yaml", atomically: true, encoding: .utf8)
        try "\(place.base)/house.yaml\n".write(
            toFile: "\(place.base)/state/configuration.path", atomically: true, encoding: .utf8)
        let saved = try place.carryOut(.backup(passphrase: Self.passphrase))
        #expect(saved.phase == .done && saved.message.contains("up to event 2"))
        #expect(saved.message.contains("The configuration is in it"))
        #expect(try place.onStick == ["howalarming-2026-11-21-0600.backup"])

        try place.fill("other", ["before"])
        #expect(try place.carryOut(.look).items.map(\.file) == ["howalarming-2026-11-21-0600.backup"])
        let restore = StickRequest.Task.restore(
            file: "howalarming-2026-11-21-0600.backup", passphrase: Self.passphrase)
        #expect(try place.carryOut(restore, state: "other").message.contains("THE BOX RESTARTS NOW"))
        #expect(FileManager.default.fileExists(atPath: place.places.restart))
        #expect(RestoreReport.kept(in: "\(place.base)/other")?.state == .prepared)
        // Until then all goes on.
        #expect(try place.messages(of: "other") == ["before"])
        #expect(try StateArchive.finishRestoring(in: "\(place.base)/other"))
        #expect(try place.messages(of: "other") == ["Kitchen window, \"opened\"", "=SUM(A1)"])
        #expect(try !StateArchive.finishRestoring(in: "\(place.base)/other"))
        #expect(try place.text("other/card/card-import").contains("Mill Lane 4"))
        let rest = try FileManager.default.contentsOfDirectory(atPath: "\(place.base)/other")
        #expect(!rest.contains { $0.hasSuffix(".restoring") || $0.hasPrefix("saved-") })
    }

    @Test("with a wrong passphrase, another file, or none, nothing is prepared and the machine is not restarted")
    func withAWrongPassphraseNothingIsPrepared() throws {
        let place = try Place()
        _ = try place.carryOut(.backup(passphrase: Self.passphrase))
        try "hello".write(toFile: "\(place.places.mount)/x.backup", atomically: true, encoding: .utf8)
        for (file, passphrase, words) in [
            ("howalarming-2026-11-21-0600.backup", "another one", "passphrase is wrong"),
            ("x.backup", "another one", "not a sealed file"), ("gone.backup", "another one", "pulled out"),
        ] {
            let task = StickRequest.Task.restore(file: file, passphrase: Secret(passphrase))
            let trouble = #expect(throws: StickFile.Trouble.self) { try place.carryOut(task, state: "other") }
            #expect(trouble?.description.contains(words) == true)
            // For the console, after everything.
            let kept = try #require(RestoreReport.kept(in: "\(place.base)/other"))
            #expect(
                kept.state == .failed && kept.file == file
                    && trouble?.description == "Nothing was brought back. \(kept.why)")
        }
        #expect(!FileManager.default.fileExists(atPath: place.places.restart))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(place.base)/other") == [RestoreReport.fileName])
    }

    @Test("a backup that is cut short, changed, of a newer version or not on the stick is told for the console")
    func aBackupThatCannotBeUsedIsToldForTheConsole() throws {
        let place = try Place()
        _ = try place.carryOut(.backup(passphrase: Self.passphrase))
        let good = try Data(
            contentsOf: URL(fileURLWithPath: "\(place.places.mount)/howalarming-2026-11-21-0600.backup"))
        var changed = good
        changed[changed.count - 1] ^= 1
        var newer = StateArchive(files: []).bytes
        newer[9] = 2
        let passphrase = Self.passphrase
        let sealed = try Sealing.seal(newer, passphrase: passphrase)
        for (name, content, words) in [
            ("short.backup", good.prefix(good.count / 2), "passphrase is wrong, or the file is damaged"),
            ("head.backup", good.prefix(20), "the file is damaged"),
            ("changed.backup", changed, "passphrase is wrong, or the file is damaged"),
            ("newer.backup", Data(sealed), "made by a newer program; update this one first"),
        ] {
            try content.write(to: URL(fileURLWithPath: "\(place.places.mount)/\(name)"))
            let task = StickRequest.Task.restore(file: name, passphrase: passphrase)
            #expect(throws: StickFile.Trouble.self) { try place.carryOut(task, state: "other") }
            let kept = try #require(RestoreReport.kept(in: "\(place.base)/other"))
            #expect(kept.state == .failed && kept.file == name && kept.why.contains(words), "\(kept.why)")
        }
        try "none\n".write(toFile: place.places.problem, atomically: true, encoding: .utf8)
        let task = StickRequest.Task.restore(file: "x.backup", passphrase: passphrase)
        #expect(throws: StickFile.Trouble.self) { try place.carryOut(task, state: "other") }
        #expect(RestoreReport.kept(in: "\(place.base)/other")?.why.contains("There is no stick") == true)
    }

    @Test("a restore that fails half-way leaves nothing for the next start")
    func aRestoreThatFailsHalfWayLeavesNothing() throws {
        let place = try Place()
        try "site:\n  name: Mill Lane 4\n".write(
            toFile: "\(place.base)/house.yaml", atomically: true, encoding: .utf8)
        try "\(place.base)/house.yaml\n".write(
            toFile: "\(place.base)/state/configuration.path", atomically: true, encoding: .utf8)
        _ = try place.carryOut(.backup(passphrase: Self.passphrase))
        try place.fill("other", ["before"])
        // In the place of the directory for the configuration.
        try "x".write(toFile: "\(place.base)/other/card", atomically: true, encoding: .utf8)
        let task = StickRequest.Task.restore(
            file: "howalarming-2026-11-21-0600.backup", passphrase: Self.passphrase)
        let trouble = #expect(throws: StickFile.Trouble.self) { try place.carryOut(task, state: "other") }
        #expect(trouble?.description.contains("Nothing was brought back") == true)
        #expect(try !StateArchive.finishRestoring(in: "\(place.base)/other"))
        #expect(try place.messages(of: "other") == ["before"])
        let rest = try FileManager.default.contentsOfDirectory(atPath: "\(place.base)/other")
        #expect(!rest.contains { $0.hasSuffix(".restoring") || $0.hasPrefix("restore.") })
        #expect(RestoreReport.kept(in: "\(place.base)/other")?.state == .failed)
        #expect(!FileManager.default.fileExists(atPath: place.places.restart))
    }

    @Test("the journal is a table and lines, without duress, and no cell is a formula")
    func theJournalIsATableAndLines() throws {
        let place = try Place()
        let report = try place.carryOut(.journal)
        #expect(report.message.hasPrefix("Copied: 2 events as howalarming-journal-2026-11-21-0600.csv and .jsonl"))
        #expect(
            try place.text("stick/howalarming-journal-2026-11-21-0600.csv")
                == "number,time,type,code,partition,zone,user,text,remark\r\n"
                + "1,1970-01-01 00:00:01,alarm,601,1,3 Kitchen window,,\"Kitchen window, \"\"opened\"\"\",\r\n"
                + "2,1970-01-01 00:00:01,alarm,601,1,3 Kitchen window,,'=SUM(A1),\r\n")
        let lines = try place.text("stick/howalarming-journal-2026-11-21-0600.jsonl").split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("{\"seq\":") && !$0.contains("danger") })
    }

    @Test("what is there already is not overwritten: the next file gets a number")
    func whatIsThereAlreadyIsNotOverwritten() throws {
        let place = try Place()
        for _ in 1...3 { _ = try place.carryOut(.backup(passphrase: Self.passphrase)) }
        #expect(
            try place.onStick
                == ["", "-2", "-3"].map { "howalarming-2026-11-21-0600\($0).backup" }.sorted())
    }

    @Test("the history of a year is written as a page and as text, without duress")
    func theHistoryOfAYearIsWritten() throws {
        let place = try Place()
        let journal = try Journal(directory: "\(place.base)/state", options: Journal.Options(run: "run2"))
        let alarm = Event(
            type: .alarm, code: "601", raw: "6011003", message: "Alarm: Kitchen <window>",
            time: WallTime(milliseconds: 1_795_240_000_000), isTimeTrusted: true, partition: 1, zone: 3)
        _ = try journal.commit([Batch(id: BatchID(1), events: [alarm])])
        let report = try place.carryOut(.history)
        #expect(report.phase == .done && report.message.contains("ANYBODY WHO HAS IT CAN READ"))
        let name = "howalarming-history-2026-11-21-0600"
        #expect(try place.onStick == ["\(name).html", "\(name).txt"])
        let page = try place.text("stick/\(name).html")
        #expect(page.contains("Alarm: Kitchen &lt;window&gt;") && page.contains("365 days"))
        try HTMLJudge.check(page)
        let text = try place.text("stick/\(name).txt")
        #expect(text.contains("Alarm: Kitchen <window>\r\n"))
        #expect(!(page + text).contains("Someone is in danger"))
        _ = try place.carryOut(.history)
        #expect(try place.onStick.count == 4)
    }

    @Test(
        "what keeps a stick from being mounted is told with what to do",
        arguments: [
            ("none\n", "There is no stick. Plug one in"), ("several\n", "Leave one in"),
            ("form exfat\n", "not read here (exfat). Format it as FAT32"), ("mount\n", "Try another one"),
        ])
    func whatKeepsAStickFromBeingMounted(problem: String, words: String) throws {
        let place = try Place()
        try problem.write(toFile: place.places.problem, atomically: true, encoding: .utf8)
        let trouble = #expect(throws: StickFile.Trouble.self) { try place.carryOut(.journal) }
        #expect(trouble?.description.contains(words) == true)
        #expect(try place.onStick.isEmpty)
    }

    @Test(
        "a stick that is full, locked or pulled out says so",
        arguments: [(ENOSPC, "is full"), (EROFS, "is locked"), (EIO, "pulled out"), (ENODEV, "pulled out")])
    func aStickThatIsFullLockedOrPulledOutSaysSo(number: Int32, words: String) {
        let error = SystemError(call: "write", number: number, subject: "/run/x")
        #expect(StickFile.Trouble(error).description.contains(words))
    }

    @Test("versions are found, as they call themselves; others are passed over")
    func versionsAreFound() throws {
        let builder = try UpdateBench()
        let place = try Place()
        for (version, number) in [("1.1.0", Int64(1_001_000)), ("0.9.5", 950_000)] {
            let made = try builder.bundle(UpdateBench.release(version, number))
            try FileManager.default.copyItem(atPath: made, toPath: "\(place.places.mount)/\(version).bundle")
        }
        for name in ["other.bundle", "note.txt"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(place.places.mount)/\(name)"))
        }
        let work = StickWork(
            places: place.places, update: builder.places, stateDirectory: "\(place.base)/state",
            time: WallTime(milliseconds: 0), rules: .utc, tell: { _ in })
        let items = try work.carryOut(.look).items
        #expect(items.map(\.version) == ["0.9.5", "1.1.0"] && items.map(\.isOlder) == [true, false])
    }

    @Test("the command takes the request once, and its report has the number of the request")
    func theCommandTakesTheRequestOnce() throws {
        let place = try Place()
        let request = StickRequest(id: 77, task: .backup(passphrase: Self.passphrase))
        try place.places.ask(request)
        let command = StickCommand(places: place.places, stateDirectory: "\(place.base)/state")
        let silent = Console(output: -1, errors: -1)
        #expect(command.run(on: silent) == ExitStatus.done)
        let report = try #require(place.places.written())
        #expect(report.id == 77 && report.phase == .done)
        #expect(StickReport(file: Array(report.json.text.utf8)) == report)
        #expect(command.run(on: silent) == ExitStatus.failed)
    }
}
