package import CommandKit
import Glibc
import Platform
import SoftwareUpdate
import YAMLConfiguration

/// `howalarming card`: once at each start of the appliance, before its network and its daemon.
package struct CardCommand: Command, Equatable {
    var card: String
    var data: String
    var network: String
    var template: String?
    var remounts = true
    /// Whether the machine is given its name.
    var namesMachine = false
    /// Files that the board starts from, in the slot.
    var boot: String?
    var commandLine = "/proc/cmdline"

    package func run(on console: Console) -> Int32 {
        let (lines, status) = run()
        console.print(lines)
        return status
    }

    /// What was found, line by line, and the exit status: 0 if what holds is what stands on the card.
    func run() -> (lines: [String], status: Int32) {
        let directories = CardDirectories(card: card, data: data, network: network, remounts: remounts)
        var lines: [String] = []
        var status = ExitStatus.failed
        do throws(SystemError) {
            try directories.prepare()
            let example = template.flatMap { try? FileReader.read($0, limit: ConfigurationReader.sizeLimit) }
            let report = try CardImport(storage: directories, template: example).run()
            lines = report.problems.map { ($0.isError ? "error: " : "warning: ") + $0.sentence }
            lines.append(report.summary)
            if report.errors.isEmpty { status = ExitStatus.done }
        } catch {
            lines.append("error: data cannot be written, so the card was left as it is: \(error)")
        }
        if let boot { lines += refresh(BootFiles(card: directories, source: boot)) }
        if namesMachine, let complaint = nameMachine() { lines.append("warning: \(complaint)") }
        return (lines, status)
    }

    private func refresh(_ files: BootFiles) -> [String] {
        guard BootWords(file: commandLine).isProved else { return [] }
        do throws(SystemError) {
            let replaced = try files.refresh()
            return replaced.isEmpty ? [] : ["the card starts with this version's \(replaced.joined(separator: ", "))"]
        } catch {
            return ["warning: the files that the board starts from are those of an earlier version: \(error)"]
        }
    }

    private func nameMachine() -> String? {
        let path = "\(network)/\(NetworkFiles.hostNamePath)"
        guard let bytes = try? FileReader.read(path, limit: 256) else { return "the machine has no name" }
        let name = bytes.prefix { $0 != UInt8(ascii: "\n") }.map { CChar(truncatingIfNeeded: $0) }
        guard sethostname(name, name.count) == 0 else { return SystemError.last("sethostname").description }
        return nil
    }
}

extension CardCommand {
    package static let entry = CommandEntry(
        "card", in: .daemon, brief: "take the owner's card", isListed: false,
        needs: ["--card", "--data", "--network-out"],
        """
        Takes howalarming.yaml from the card of the appliance, as the unit howalarming-card.service does at each start:
        checks it, keeps its secrets on data and blanks them on the card, puts it in force, and writes the files for
        the network. Errors are written beside it, and the last good one stays in force. A file named reset-pin on the
        card resets the console's PIN.

        --card DIR         where the card is mounted
        --data DIR         where the configuration is kept
        --network-out DIR  what is /run on the device
        --template FILE    put on a card without a configuration
        --no-remount       the card is mounted for writing
        --set-hostname     give the machine its name
        --boot DIR         boot files that a good version puts on the card

        howalarming card --card /card --data /data/card --network-out /run
        """
    ) { given throws(UsageError) in
        guard let card = given.value("--card"), let data = given.value("--data"),
            let network = given.value("--network-out")
        else { throw given.misuse("--card, --data and --network-out are needed") }
        return CardCommand(
            card: card, data: data, network: network, template: given.value("--template"),
            remounts: !given.has("--no-remount"), namesMachine: given.has("--set-hostname"),
            boot: given.value("--boot"))
    }
}
