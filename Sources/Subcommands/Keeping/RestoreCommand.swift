import AlarmModel
import Card
import CommandKit
import Daemon
import EventStore
import Platform

/// `restore`: brings the state of a backup into a state directory that no daemon uses.
struct RestoreCommand: Command, Equatable {
    var file: String
    var passphraseFile: String?
    var stateDirectory: String
    var replace: Bool

    private static let largestFile = 2 << 30

    func run(on console: Console) -> Int32 {
        do {
            let sealed = try FileReader.read(file, limit: Self.largestFile)
            let lock = try StateLock(directory: stateDirectory)
            defer { lock.release() }
            let before = try StateFile.names(in: stateDirectory)
            let passphrase = try Passphrase.forOpening(file: passphraseFile)
            let archive = try StateArchive(parsing: try Sealing.open(sealed, passphrase: passphrase))
            try archive.restore(into: stateDirectory, replacing: replace)
            // What came of an earlier one at the console is out of date.
            RestoreReport.remove(in: stateDirectory)
            let known = before + archive.files.map(\.name)
            let kept = try StateFile.names(in: stateDirectory).filter { !known.contains($0) }
            let last = try JournalReader(directory: stateDirectory).lastSequence()
            console.print(
                Self.lines(
                    last: last, files: archive.files.map(\.name), kept: kept, from: file, in: stateDirectory))
            return ExitStatus.done
        } catch StateArchiveError.directoryNotEmpty(let path) {
            console.complain(
                "the state directory \(path) is in use and was left as it is; choose another one with --state, or add "
                    + "--replace (its journal is kept aside)")
        } catch {
            console.complain("nothing was restored: \(error)")
        }
        return ExitStatus.failed
    }

    static func lines(
        last: SequenceNumber, files: [String] = [], kept: [String], from file: String, in directory: String
    ) -> [String] {
        var lines = ["restored: the journal up to event \(last.number), from \(file) into \(directory)"]
        if !kept.isEmpty { lines.append("The journal that was there is kept as \(kept.joined(separator: ", ")).") }
        let saved = [SavedConfiguration.main, SavedConfiguration.secrets].filter(files.contains)
        if !saved.isEmpty {
            lines.append(
                "The configuration lies beside it as \(saved.joined(separator: " and ")): move it where it belongs.")
        }
        let named = files.filter { $0.hasPrefix(SavedConfiguration.prefix) && !saved.contains($0) }
        if !named.isEmpty {
            lines.append(
                "The files that it names lie there as \(named.joined(separator: ", ")): move them to the places that it "
                    + "names.")
        }
        return lines + [
            "Events and settings since the backup are missing. Phones that were paired then hear of alarms again; none may "
                + "act yet.",
            "Look at \(Hint.phones), revoke what is not yours with \(Hint.revoke), let each of the others act again with "
                + "\(Hint.lift).",
            "Start the daemon again: howalarming run --config FILE --state \(directory)",
        ]
    }
}

extension RestoreCommand {
    static let entry = CommandEntry(
        "restore", "FILE", in: .phones, brief: "bring a backup back",
        """
        Brings the state of a backup into the state directory. Stop the daemon first. A directory that is not empty is
        left alone unless --replace is given; its journal is then kept aside. The configuration and the files that it
        names are put beside it for you to move where they belong.

        --passphrase-file FILE  first line instead of asking
        --replace               into a directory in use

        howalarming restore /media/usb/house.backup
        """
    ) {
        RestoreCommand(
            file: $0.operands[0], passphraseFile: $0.value("--passphrase-file"), stateDirectory: $0.stateDirectory,
            replace: $0.has("--replace"))
    }
}
