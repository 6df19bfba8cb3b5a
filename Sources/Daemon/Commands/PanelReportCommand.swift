import AlarmModel
import ApplianceCore
import PhoneProtocol
import Platform

/// `panel`: the session with the module.
struct PanelReportCommand {
    var stateDirectory: String
    var json: Bool

    func run(on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            switch try DaemonLink.ask(.panel, in: stateDirectory) {
            case .panel(let report):
                let now = SystemClock.bootTime()
                console.print(json ? [PanelText.json(report, now: now).text] : PanelText.lines(report, now: now))
                return HowAlarmingCommand.Status.done
            case .error(let why):
                console.complain(Text.printable(why))
                return HowAlarmingCommand.Status.failed
            case .status, .events, .endOfEvents, .unstored, .links, .trace, .outcome, .maintenance, .people, .phones,
                .pairing,
                .deadMessages, .changed, .console:
                throw .unexpected
            }
        } catch {
            console.complain(error.description)
            return error.status
        }
    }
}
