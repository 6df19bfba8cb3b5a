import ApplianceCore
import CommandKit
import Reports

/// `maintenance`: test mode.
struct MaintenanceCommand: Command, Equatable {
    /// nil asks only.
    var on: Bool?
    var stateDirectory: String

    func run(on console: Console) -> Int32 {
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
            ? "maintenance is on until 'howalarming maintenance off': events are recorded and nobody is notified"
            : "maintenance is off: events are notified"
    }
}

extension MaintenanceCommand {
    static let entry = CommandEntry(
        "maintenance", "[on|off]", in: .acting, brief: "test mode on or off",
        """
        While maintenance is on, events are recorded and marked, and nobody is notified. Without an argument it says
        whether it is on.

        howalarming maintenance
        howalarming maintenance on
        """
    ) { given throws(UsageError) in
        MaintenanceCommand(on: try given.isOn(0, what: "maintenance"), stateDirectory: given.stateDirectory)
    }
}
