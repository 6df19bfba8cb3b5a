import ApplianceCore

/// `reboot`: restarts the machine.
struct RebootCommand {
    var stateDirectory: String

    func run(on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            switch try DaemonLink.ask(.reboot, in: stateDirectory) {
            case .changed(let what):
                console.print([Text.printable(what)])
                return HowAlarmingCommand.Status.done
            case .error(let why):
                console.complain(Text.printable(why))
                return HowAlarmingCommand.Status.failed
            case .status, .events, .endOfEvents, .unstored, .panel, .links, .trace, .outcome, .maintenance, .people,
                .phones, .pairing, .deadMessages, .console:
                throw .unexpected
            }
        } catch {
            console.complain(error.description)
            return error.status
        }
    }
}
