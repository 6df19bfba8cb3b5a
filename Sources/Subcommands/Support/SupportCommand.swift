import AlarmModel
import ApplianceCore
import CommandKit
import EventStore
import Glibc
import PhoneProtocol
import Platform
import Reports

/// `support`: one archive for a bug report, without secrets.
struct SupportCommand: Command, Equatable {
    /// nil: a name with the time, here.
    var file: String?
    /// nil: the one that the daemon used last.
    var configurationFile: String?
    var replace: Bool
    var stateDirectory: String

    func run(on console: Console) -> Int32 {
        let now = SystemClock.wallTime()
        let name = file ?? "howalarming-support-\(FileNameTime.text(now, rules: LocalTime.rules())).tar"
        guard replace || access(name, F_OK) != 0 else {
            console.complain("\(name) is there already; choose another name, or add --replace to overwrite it")
            return ExitStatus.failed
        }
        let archive = SupportFiles(stateDirectory: stateDirectory, configurationFile: configurationFile)
            .archive(at: now)
        do throws(SystemError) {
            try AtomicFile.write(name, archive)
        } catch {
            console.complain("the archive cannot be written: \(error)")
            return ExitStatus.failed
        }
        console.print([
            "packed up: \(archive.count) bytes in \(name)",
            "Passwords, codes and keys are not in it. What happened in the house is: look into it with 'tar -xf', and",
            "give it only to whom you trust with that.",
        ])
        return ExitStatus.done
    }
}

extension SupportCommand {
    static let entry = CommandEntry(
        "support", "[FILE]", in: .phones, brief: "pack up for a bug report",
        """
        Writes one archive (tar) with what helps to find a fault: status, events, links, phones, configuration, log,
        self-test and facts of the machine. Passwords, codes, keys and addresses of phones are left out. It holds what
        happened in the house: give it only to whom you trust with that.

        --replace      overwrite FILE
        --config FILE  the configuration, where no daemon has run yet

        howalarming support
        howalarming support /media/usb/howalarming.tar
        """
    ) {
        SupportCommand(
            file: $0.operand(0), configurationFile: $0.value("--config"), replace: $0.has("--replace"),
            stateDirectory: $0.stateDirectory)
    }
}
