import AlarmModel
import ApplianceCore
import Card
import CommandKit
import Daemon
import EventStore
import Glibc
import Platform
import Reports
import SoftwareUpdate

/// Does with a mounted stick what was asked for.
struct StickWork {
    var places: StickPlaces
    var update = UpdatePlaces()
    var stateDirectory: String
    var time: WallTime
    var rules: TimeZoneRules
    /// How far it is.
    var tell: (String) -> Void

    private static let backupEnding = ".backup"
    private static let versionEnding = ".bundle"
    /// Files of a kind that are offered.
    private static let mostItems = 9
    private static let largestBackup = 256 << 20

    func carryOut(_ task: StickRequest.Task) throws(StickFile.Trouble) -> StickReport {
        switch task {
        case .look:
            try needStick()
            return done("The stick was read.", items: items())
        case .backup(let passphrase): return try backup(passphrase)
        case .restore(let file, let passphrase): return try restore(file, passphrase)
        case .journal: return try journal()
        case .support: return try support()
        case .pictures: return try copyPictures()
        case .history: return try history()
        }
    }

    func done(_ message: String, items: [StickReport.Item] = []) -> StickReport {
        StickReport(id: 0, .done, message, items: items)
    }

    func needStick() throws(StickFile.Trouble) {
        if let problem = mountProblem { throw StickFile.Trouble(problem) }
    }

    /// What kept `rootfs/usr/lib/howalarming/stick` from mounting one.
    private var mountProblem: String? {
        guard let bytes = try? FileReader.read(places.problem, limit: 256) else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }.map(String.init)
        switch words.first {
        case "none": return "There is no stick. Plug one in, wait some seconds and try again."
        case "several": return "There are several sticks. Leave one in and try again."
        case "form":
            let form = words.dropFirst().first.map { " (\(Text.printable($0)))" } ?? ""
            return
                "The stick has a format that is not read here\(form). Format it as FAT32 on a computer and try again."
        default: return "The stick cannot be mounted. Try another one."
        }
    }

    // MARK: What is on it

    private func items() -> [StickReport.Item] {
        let names = DirectoryList.names(in: places.mount).filter { !$0.hasPrefix(".") }
        let installed = try? update.installed()
        // The newest have the latest dates in their names.
        let backups = names.filter { $0.hasSuffix(Self.backupEnding) }.reversed().prefix(Self.mostItems)
            .map { StickReport.Item(kind: .backup, file: $0) }
        var versions: [StickReport.Item] = []
        for name in names.filter({ $0.hasSuffix(Self.versionEnding) }) where versions.count < Self.mostItems {
            guard let header = try? BundleFile("\(places.mount)/\(name)").header() else { continue }
            let release = header.manifest.release
            versions.append(
                StickReport.Item(
                    kind: .version, file: name, version: release.version,
                    isOlder: installed.map { release.number <= $0.number } ?? false))
        }
        return backups + versions
    }

    // MARK: Onto it

    /// `howalarming-2026-11-25-0655`; a number behind it where that is taken.
    func freeName(_ kind: String, endings: [String]) -> String {
        let plain = "howalarming-\(kind)\(FileNameTime.text(time, rules: rules))"
        let taken = DirectoryList.names(in: places.mount)
        let names = [plain] + (2...99).map { "\(plain)-\($0)" }
        return names.first { name in !endings.contains { taken.contains(name + $0) } } ?? plain
    }

    func write(_ name: String, _ bytes: [UInt8]) throws(StickFile.Trouble) -> Int {
        var file = try StickFile(name, in: places.mount)
        try file.write(bytes)
        return try file.finish()
    }

    private func backup(_ passphrase: Secret) throws(StickFile.Trouble) -> StickReport {
        try needStick()
        tell("The backup is sealed …")
        let backup: SealedBackup
        do {
            backup = try SealedBackup(of: stateDirectory) { passphrase }
        } catch {
            throw StickFile.Trouble("Nothing was saved: \(error).")
        }
        tell("The backup is written …")
        let name = freeName("", endings: [Self.backupEnding]) + Self.backupEnding
        let count = try write(name, backup.bytes)
        let words = backup.words.joined(separator: " ")
        return done(
            "Saved: everything up to event \(backup.last.number), as \(name) (\(count) bytes), and read back. \(words) Take the "
                + "stick out. Only the passphrase opens it: keep it apart from the stick.")
    }

    private func journal() throws(StickFile.Trouble) -> StickReport {
        try needStick()
        let name = freeName("journal-", endings: JournalCopy.allCases.map { ".\($0.fileEnding)" })
        var count = 0
        for form in JournalCopy.allCases {
            tell("The journal is copied …")
            var file = try StickFile("\(name).\(form.fileEnding)", in: places.mount)
            try file.write(Array(form.head.utf8))
            count = 0
            var trouble: StickFile.Trouble?
            do throws(StoreError) {
                let reader = StoredEvents(reader: try JournalReader(directory: stateDirectory))
                try reader.read(EventQuery(limit: .max)) { events in
                    count += events.count
                    do throws(StickFile.Trouble) {
                        try file.write(Array(form.text(events, rules: rules).utf8))
                        return true
                    } catch {
                        trouble = error
                        return false
                    }
                }
            } catch {
                throw StickFile.Trouble("The journal cannot be read: \(error).")
            }
            if let trouble { throw trouble }
            _ = try file.finish()
        }
        return done(
            "Copied: \(count) events as \(name).csv and .jsonl, and read back. Take the stick out. ANYBODY WHO HAS IT CAN "
                + "READ when somebody was at home.")
    }

    private func support() throws(StickFile.Trouble) -> StickReport {
        try needStick()
        tell("The support archive is packed: this takes a minute …")
        let archive = SupportFiles(stateDirectory: stateDirectory, configurationFile: nil).archive(at: time)
        tell("The support archive is written …")
        let name = freeName("support-", endings: [".tar"]) + ".tar"
        let count = try write(name, archive)
        return done(
            "Packed: \(name) (\(count) bytes), and read back. Take the stick out. Passwords, codes and keys are not in it; "
                + "what happened in the house is: give it only to whom you trust with that.")
    }

    // MARK: From it

    /// What came of it is kept, too: whoever asked may be gone, and the box restarts.
    private func restore(_ name: String, _ passphrase: Secret) throws(StickFile.Trouble) -> StickReport {
        func keep(_ state: RestoreReport.State, _ why: String = "") {
            RestoreReport(state, file: name, why: why, at: time).keep(in: stateDirectory)
        }
        // One that a start could not put in place is over: what is prepared is what the report names.
        giveUpRestoring()
        keep(.begun)
        do throws(StickFile.Trouble) {
            try prepare(name, passphrase)
            keep(.prepared)
            try askRestart()
        } catch {
            // Half of it must not come into force at the next start.
            giveUpRestoring()
            _ = unlink(places.restart)
            keep(.failed, error.description)
            throw StickFile.Trouble("Nothing was brought back. \(error)")
        }
        return done(
            "The backup is good. THE BOX RESTARTS NOW with what is in it: phones, people, events, the PIN of then. Take the "
                + "stick out once the screen is back.")
    }

    private func askRestart() throws(StickFile.Trouble) {
        do throws(SystemError) {
            try AtomicFile.write(places.restart, [])
        } catch {
            throw StickFile.Trouble("The restart cannot be asked for: \(error). Press R, then try again.")
        }
    }

    private func giveUpRestoring() {
        try? StateArchive.giveUpRestoring(in: stateDirectory)
        RestoredSettings.giveUp(in: "\(stateDirectory)/card")
    }

    private func prepare(_ name: String, _ passphrase: Secret) throws(StickFile.Trouble) {
        try needStick()
        tell("The backup is read …")
        let sealed: [UInt8]
        do throws(SystemError) {
            sealed = try FileReader.read("\(places.mount)/\(name)", limit: Self.largestBackup)
        } catch {
            throw error.number == EFBIG
                ? StickFile.Trouble("\(Text.printable(name)) is too big to be a backup of this box.")
                : StickFile.Trouble(error)
        }
        tell("The backup is opened and checked …")
        do {
            var archive = try StateArchive(parsing: try Sealing.open(sealed, passphrase: passphrase))
            let saved = archive.files.filter { $0.name.hasPrefix(SavedConfiguration.prefix) }
            archive.files.removeAll { $0.name.hasPrefix(SavedConfiguration.prefix) }
            try archive.prepareRestoring(into: stateDirectory)
            if let main = saved.first(where: { $0.name == SavedConfiguration.main }) {
                let named = saved.filter { ![SavedConfiguration.main, SavedConfiguration.secrets].contains($0.name) }
                try RestoredSettings.keep(
                    main: main.content, secrets: saved.first { $0.name == SavedConfiguration.secrets }?.content ?? [],
                    others: named.map { (String($0.name.dropFirst(SavedConfiguration.prefix.count)), $0.content) },
                    in: "\(stateDirectory)/card")
            }
        } catch {
            throw StickFile.Trouble(Self.isFull(error) ? Self.fullCard : "The backup cannot be used: \(error).")
        }
    }

    private static let fullCard =
        "The box's own card is full. Bring the backup back on a new or larger one: flash it, start the box with it, press B."

    private static func isFull(_ error: any Error) -> Bool {
        switch error {
        case StateArchiveError.store(let error): error.kind == .full
        case let error as SystemError: [ENOSPC, EDQUOT].contains(error.number)
        default: false
        }
    }
}
