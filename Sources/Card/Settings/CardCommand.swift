import CommandKit
import Glibc
import Platform
import YAMLConfiguration

/// `howalarming card`: once at each start of the appliance, before its network and its daemon.
package struct CardCommand: Hashable, Sendable {
    package var card: String
    package var data: String
    package var network: String
    package var template: String?
    package var remounts: Bool
    /// Whether the machine is given its name.
    package var namesMachine: Bool

    package init(
        card: String, data: String, network: String, template: String? = nil, remounts: Bool = true,
        namesMachine: Bool = false
    ) {
        self.card = card
        self.data = data
        self.network = network
        self.template = template
        self.remounts = remounts
        self.namesMachine = namesMachine
    }

    /// What was found, line by line, and the exit status: 0 if what holds is what stands on the card.
    package func run() -> (lines: [String], status: Int32) {
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
        if namesMachine, let complaint = nameMachine() { lines.append("warning: \(complaint)") }
        return (lines, status)
    }

    private func nameMachine() -> String? {
        let path = "\(network)/\(NetworkFiles.hostNamePath)"
        guard let bytes = try? FileReader.read(path, limit: 256) else { return "the machine has no name" }
        let name = bytes.prefix { $0 != UInt8(ascii: "\n") }.map { CChar(truncatingIfNeeded: $0) }
        guard sethostname(name, name.count) == 0 else { return SystemError.last("sethostname").description }
        return nil
    }
}
