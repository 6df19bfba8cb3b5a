import AlarmModel
import ApplianceCore
import CommandKit
import PanelLink
import PhoneProtocol
import Platform
import Reports

/// `panel`: the session with the module.
struct PanelReportCommand: Command, Equatable {
    var stateDirectory: String
    var json: Bool

    func run(on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            let report: SessionReport = try DaemonLink.ask(.panel, in: stateDirectory).answer {
                if case .panel(let report) = $0 { report } else { nil }
            }
            let now = SystemClock.bootTime()
            console.print(json ? [PanelText.json(report, now: now).text] : PanelText.lines(report, now: now))
            return ExitStatus.done
        } catch {
            console.complain(error.description)
            return error.status
        }
    }
}

extension PanelReportCommand {
    private enum Part: String, CaseIterable { case trace }

    static let entry = CommandEntry(
        "panel", "[trace]", in: .watching, brief: "the link to the panel",
        """
        Shows the session with the EnvisaLink module, its latencies and counters. 'panel trace' shows the lines of both
        directions as they come, without codes; '<' comes from the panel, '>' goes to it.

        \(CommandSyntax.json)

        howalarming panel
        howalarming panel trace
        """
    ) { given throws(UsageError) in
        let part: Part? = try given.choice(0, what: "the part of 'panel'")
        return part == .trace
            ? TraceCommand(stateDirectory: given.stateDirectory, json: given.json)
            : PanelReportCommand(stateDirectory: given.stateDirectory, json: given.json)
    }
}
