import AlarmModel
import EventStore
import Foundation
import Testing

@testable import CommandKit
@testable import Daemon
@testable import Subcommands

/// Commands that need no daemon, on real files.
@Suite struct CommandsStoreTests {
    private final class Place {
        let directory: String
        init() throws {
            directory = NSTemporaryDirectory() + "commands-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        deinit { try? FileManager.default.removeItem(atPath: directory) }

        func path(_ name: String) -> String { "\(directory)/\(name)" }
        func write(_ text: String, _ name: String) throws {
            try text.write(toFile: path(name), atomically: true, encoding: .utf8)
        }

        /// Runs a command with its output in files.
        func run(_ body: (Console) -> Int32) throws -> (status: Int32, output: String, errors: String) {
            let out = path("out-" + UUID().uuidString)
            let err = path("err-" + UUID().uuidString)
            for file in [out, err] { try Data().write(to: URL(fileURLWithPath: file)) }
            let output = try #require(FileHandle(forWritingAtPath: out))
            let errors = try #require(FileHandle(forWritingAtPath: err))
            let status = body(Console(output: output.fileDescriptor, errors: errors.fileDescriptor))
            return (
                status, try String(contentsOfFile: out, encoding: .utf8),
                try String(contentsOfFile: err, encoding: .utf8)
            )
        }

        func fill(_ count: Int, in state: String) throws {
            let journal = try Journal(directory: state, options: Journal.Options(run: "run"))
            let events = (1...count).map { number in
                Event(
                    type: number % 2 == 0 ? .alarm : .info, code: "601", raw: "6011003", message: "Event \(number)",
                    time: WallTime(milliseconds: Int64(number) * 1000), isTimeTrusted: true, zone: 3)
            }
            for (index, start) in stride(from: 0, to: count, by: 200).enumerated() {
                _ = try journal.commit([
                    Batch(id: BatchID(UInt64(index + 1)), events: Array(events[start..<min(start + 200, count)]))
                ])
            }
        }
    }

    @Test("without a daemon events come from the journal: the newest that match, oldest first, and status 69")
    func withoutADaemonEventsComeFromTheJournal() throws {
        let place = try Place()
        try StateFile.makeDirectory(place.path("s"))
        try place.fill(2500, in: place.path("s"))
        func run(_ change: (inout EventsSelection) -> Void) throws -> (status: Int32, lines: [String], errors: String) {
            var selection = EventsSelection()
            change(&selection)
            let result = try place.run {
                EventsCommand(selection: selection, stateDirectory: place.path("s"), form: .json).run(on: $0)
            }
            return (result.status, result.output.split(separator: "\n").map(String.init), result.errors)
        }
        let newest = try run { $0.types = [.alarm] }
        #expect(newest.status == 69)
        #expect(newest.errors == "howalarming: no daemon runs here; this is what the journal holds\n")
        #expect(newest.lines.count == 50)
        #expect(newest.lines.first?.hasPrefix(#"{"seq":2402,"type":"alarm","#) == true)
        #expect(newest.lines.last?.hasPrefix(#"{"seq":2500,"#) == true)
        let all = try run { $0.since = .seconds(2) }
        #expect(all.lines.count == 2499)
        #expect(all.lines.first?.hasPrefix(#"{"seq":2,"#) == true)
        let none = try place.run {
            EventsCommand(selection: EventsSelection(), stateDirectory: place.path("nowhere"), form: .json).run(on: $0)
        }
        #expect(none.status == 69 && none.output.isEmpty && none.errors.contains("there is no journal in"))
    }

    @Test("a look at a place without a state makes none, and says which place it was")
    func aLookAtAPlaceWithoutAStateMakesNone() throws {
        let place = try Place()
        for line in ["phones list", "people list"] {
            let words = line.split(separator: " ").map(String.init) + ["--state", place.path("nowhere")]
            let command = try HowAlarmingCommand.parse(words)
            let result = try place.run { command.run(on: $0) }
            #expect(result.status != 0 && result.errors.contains("there is no state in \(place.path("nowhere"))"))
            #expect(!FileManager.default.fileExists(atPath: place.path("nowhere")))
        }
    }

    @Test("a search without a result says so, beside what programs read")
    func aSearchWithoutAResultSaysSo() throws {
        let place = try Place()
        try StateFile.makeDirectory(place.path("s"))
        try place.fill(2, in: place.path("s"))
        func run(_ zone: Int, _ form: EventsCommand.Form) throws -> (status: Int32, output: String, errors: String) {
            try place.run {
                EventsCommand(selection: EventsSelection(zone: zone), stateDirectory: place.path("s"), form: form)
                    .run(on: $0)
            }
        }
        let none = try run(60, .lines)
        #expect(none.output.isEmpty && none.errors.contains("no event matches"))
        #expect(try !run(60, .json).errors.contains("no event matches"))
        #expect(try !run(3, .lines).errors.contains("no event matches"))
    }

    @Test("events are a table for a spreadsheet, with a line of titles")
    func eventsAreATableForASpreadsheet() throws {
        let place = try Place()
        try StateFile.makeDirectory(place.path("s"))
        try place.fill(2, in: place.path("s"))
        let result = try place.run {
            EventsCommand(selection: EventsSelection(), stateDirectory: place.path("s"), form: .table).run(on: $0)
        }
        #expect(
            result.output.split(separator: "\n").map(String.init) == [
                "number,time,type,code,partition,zone,user,text,remark",
                "1,1970-01-01 00:00:01,info,601,,3,,Event 1,", "2,1970-01-01 00:00:02,alarm,601,,3,,Event 2,",
            ])
    }

    @Test("a backup takes the configuration and its secrets along, and a restore puts them beside the journal")
    func aBackupTakesTheConfigurationAndItsSecretsAlong() throws {
        let place = try Place()
        let (first, second, file) = (place.path("first"), place.path("second"), place.path("b"))
        try StateFile.makeDirectory(first)
        try place.fill(1, in: first)
        try place.write("a long passphrase\n", "right")
        try place.write("site: {time_zone: UTC}\nsecrets: more.yaml\npanel: {host: 192.0.2.1}\n", "house.yaml")
        try place.write("panel: {password: user}\n", "more.yaml")
        SavedConfiguration.remember(place.path("house.yaml"), in: first)
        let saved = try place.run {
            BackupCommand(file: file, passphraseFile: place.path("right"), stateDirectory: first, replace: false)
                .run(on: $0)
        }
        #expect(saved.output.contains("The configuration is in it"))
        let sealed = try StateFile.read(file) ?? []
        #expect(!String(decoding: sealed, as: UTF8.self).contains("192.0.2.1"))
        let restored = try place.run {
            RestoreCommand(file: file, passphraseFile: place.path("right"), stateDirectory: second, replace: false)
                .run(on: $0)
        }
        #expect(restored.output.contains("saved-configuration.yaml and saved-secrets.yaml"))
        let main = try StateFile.read("\(second)/saved-configuration.yaml") ?? []
        #expect(String(decoding: main, as: UTF8.self).contains("host: 192.0.2.1"))
        let secrets = try StateFile.read("\(second)/saved-secrets.yaml") ?? []
        #expect(String(decoding: secrets, as: UTF8.self) == "panel: {password: user}\n")
    }

    @Test("a backup takes along what the configuration names, and says what of it cannot be read")
    func aBackupTakesAlongWhatTheConfigurationNames() throws {
        let place = try Place()
        let (first, second, file) = (place.path("first"), place.path("second"), place.path("b"))
        try StateFile.makeDirectory(first)
        try place.fill(1, in: first)
        try place.write("a long passphrase\n", "right")
        for name in ["more", "other"] { try StateFile.makeDirectory(place.path(name)) }
        try place.write("the certificates of the broker", "more/ca.pem")
        try place.write("the certificates of the mail server", "other/ca.pem")
        try place.write("a key", "configuration.yaml")
        let text = """
            site: {time_zone: UTC}
            panel: {host: 192.0.2.1, password: user}
            mqtt: {host: b, user: u, password: p, ca_file: more/ca.pem}
            alert_email: {smtp_host: m, addr_from: a@example.org, addr_to: [b@example.org], ca_file: other/ca.pem}
            ntfy: {server: 'https://n.example.org', ca_file: gone.pem}
            fcm_v1: {service_account: configuration.yaml}

            """
        try place.write(text, "house.yaml")
        SavedConfiguration.remember(place.path("house.yaml"), in: first)
        let saved = try place.run {
            BackupCommand(file: file, passphraseFile: place.path("right"), stateDirectory: first, replace: false)
                .run(on: $0)
        }
        #expect(saved.output.contains("key files and certificates"))
        #expect(saved.output.contains("/gone.pem cannot be read and is not in it"), "\(saved.output)")
        let restored = try place.run {
            RestoreCommand(file: file, passphraseFile: place.path("right"), stateDirectory: second, replace: false)
                .run(on: $0)
        }
        for name in ["saved-ca.pem", "saved-file-1", "saved-file-2"] {
            #expect(restored.output.contains(name), "\(restored.output)")
        }
        let contents = try StateFile.names(in: second).filter { $0.hasPrefix("saved-") }.map { name in
            String(decoding: try StateFile.read("\(second)/\(name)") ?? [], as: UTF8.self)
        }
        let expected = ["a key", text, "the certificates of the broker", "the certificates of the mail server"]
        #expect(contents.sorted() == expected.sorted())
    }

    @Test("the place of the configuration is written down once, not at every start, and anew when it is another")
    func thePlaceOfTheConfigurationIsWrittenDownOnce() throws {
        let place = try Place()
        let (state, file, other) = (place.path("state"), place.path("house.yaml"), place.path("other.yaml"))
        try StateFile.makeDirectory(state)
        try place.write("site: {time_zone: UTC}\n", "house.yaml")
        try place.write("site: {time_zone: UTC}\n", "other.yaml")
        let number = {
            try FileManager.default.attributesOfItem(atPath: "\(state)/configuration.path")[.systemFileNumber] as? Int
        }
        SavedConfiguration.remember(file, in: state)
        let first = try number()
        SavedConfiguration.remember(file, in: state)
        #expect(try number() == first)
        #expect(SavedConfiguration.path(of: state)?.hasSuffix("/house.yaml") == true)
        SavedConfiguration.remember(other, in: state)
        #expect(SavedConfiguration.path(of: state)?.hasSuffix("/other.yaml") == true)
    }

    @Test("a backup comes back in another directory; a wrong passphrase, a daemon or a used directory stop it")
    func aBackupComesBackInAnotherDirectory() throws {
        let place = try Place()
        let (first, second, file) = (place.path("first"), place.path("second"), place.path("b"))
        try StateFile.makeDirectory(first)
        try place.fill(5, in: first)
        try place.write("a long passphrase\n", "right")
        try place.write("another passphrase\n", "wrong")
        try place.write("short\n", "short")
        func save(_ passphrase: String, replace: Bool = false) throws -> (status: Int32, output: String, errors: String)
        {
            try place.run {
                BackupCommand(
                    file: file, passphraseFile: place.path(passphrase), stateDirectory: first, replace: replace
                ).run(on: $0)
            }
        }
        func restore(_ passphrase: String, replace: Bool = false) throws -> (
            status: Int32, output: String, errors: String
        ) {
            try place.run {
                RestoreCommand(
                    file: file, passphraseFile: place.path(passphrase), stateDirectory: second, replace: replace
                ).run(on: $0)
            }
        }
        #expect(try save("short").errors.contains("at least 8 characters"))
        #expect(try save("right").status == 0)
        #expect(try save("right").errors.contains("is there already"))
        #expect(try save("right", replace: true).status == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

        #expect(try restore("wrong").errors.contains("the passphrase is wrong"))
        let done = try restore("right")
        #expect(done.status == 0)
        #expect(done.output.contains("up to event 5"))
        #expect(done.output.contains("Phones that were paired"))
        #expect(try JournalReader(directory: second).lastSequence() == SequenceNumber(5))

        let used = try restore("right")
        #expect(used.status == 1 && used.errors.contains("--replace"))
        let lock = try StateLock(directory: second)
        #expect(try restore("right", replace: true).errors.contains("another howalarming uses"))
        lock.release()
        let replaced = try restore("right", replace: true)
        #expect(replaced.status == 0)
        #expect(replaced.output.contains("is kept as journal.damaged"))
    }

    @Test("an output whose reader went away ends quietly")
    func anOutputWhoseReaderWentAwayEndsQuietly() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        let console = Console(output: pipe.fileHandleForWriting.fileDescriptor)
        console.print(["one"])
        #expect(!console.isOutputGone)
        try pipe.fileHandleForReading.close()
        console.noticeOutputEnd()
        #expect(console.isOutputGone)
        console.print(["two"])
    }
}
