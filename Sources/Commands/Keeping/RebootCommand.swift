import ApplianceCore
import CommandKit
import Reports

/// `reboot`: restarts the machine.
struct RebootCommand {
    var stateDirectory: String

    func run(on console: Console) -> Int32 { DaemonLink.order(.reboot, in: stateDirectory, on: console) }
}
