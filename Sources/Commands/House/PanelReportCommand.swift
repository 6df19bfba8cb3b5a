import AlarmModel
import ApplianceCore
import CommandKit
import PanelLink
import PhoneProtocol
import Platform
import Reports

/// `panel`: the session with the module.
struct PanelReportCommand {
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
