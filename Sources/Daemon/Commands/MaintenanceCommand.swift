import ApplianceCore

/// `maintenance`: test mode.
struct MaintenanceCommand {
    var stateDirectory: String

    func run(_ on: Bool?, on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            switch try DaemonLink.ask(.maintenance(on: on), in: stateDirectory) {
            case .maintenance(let isOn):
                console.print([Self.line(isOn)])
                return HowAlarmingCommand.Status.done
            case .error(let why):
                console.complain(Text.printable(why))
                return HowAlarmingCommand.Status.failed
            case .status, .events, .endOfEvents, .unstored, .panel, .links, .trace, .outcome, .people, .phones,
                .pairing,
                .deadMessages, .changed, .console:
                throw .unexpected
            }
        } catch {
            console.complain(error.description)
            return error.status
        }
    }

    static func line(_ isOn: Bool) -> String {
        isOn
            ? "maintenance is on: events are recorded and nobody is notified"
            : "maintenance is off: events are notified"
    }
}
