import ApplianceCore
import CommandKit
import Reports

/// `maintenance`: test mode.
struct MaintenanceCommand {
    var stateDirectory: String

    func run(_ on: Bool?, on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            let isOn: Bool = try DaemonLink.ask(.maintenance(on: on), in: stateDirectory).answer {
                if case .maintenance(let isOn) = $0 { isOn } else { nil }
            }
            console.print([Self.line(isOn)])
            return ExitStatus.done
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
