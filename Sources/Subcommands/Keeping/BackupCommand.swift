import AlarmModel
import CommandKit
import Daemon
import EventStore
import Glibc
import Platform

/// `backup`: everything that is needed to go on with a new card, sealed. The daemon may run meanwhile.
struct BackupCommand: Command, Equatable {
    var file: String
    var passphraseFile: String?
    var stateDirectory: String
    var replace: Bool

    func run(on console: Console) -> Int32 {
        do {
            guard replace || access(file, F_OK) != 0 else {
                console.complain("\(file) is there already; choose another name, or add --replace to overwrite it")
                return ExitStatus.failed
            }
            let backup = try SealedBackup(of: stateDirectory) { try Passphrase.forSealing(file: passphraseFile) }
            try AtomicFile.write(file, backup.bytes)
            console.print(
                [
                    "saved: the state of \(stateDirectory) up to event \(backup.last.number), \(backup.bytes.count) bytes in "
                        + file
                ] + backup.words + ["Only the passphrase opens it: keep both away from this machine, and apart."])
            return ExitStatus.done
        } catch let error as StoreError where error.kind == .missing {
            console.complain("there is no journal in \(stateDirectory); name the state directory with --state")
        } catch {
            console.complain("nothing was saved: \(error)")
        }
        return ExitStatus.failed
    }
}

extension BackupCommand {
    static let entry = CommandEntry(
        "backup", "FILE", in: .phones, brief: "save the state, sealed",
        """
        Writes everything that is needed to go on with a new card into FILE, sealed with a passphrase. The daemon may
        run meanwhile; the configuration that it used last is part of it, with its secrets and the key files and
        certificates that it names.

        --passphrase-file FILE  first line instead of asking
        --replace               overwrite FILE

        howalarming backup /media/usb/house.backup
        """
    ) {
        BackupCommand(
            file: $0.operands[0], passphraseFile: $0.value("--passphrase-file"), stateDirectory: $0.stateDirectory,
            replace: $0.has("--replace"))
    }
}
