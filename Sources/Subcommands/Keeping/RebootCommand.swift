import ApplianceCore
import CommandKit
import Reports

/// `reboot`: restarts the machine.
struct RebootCommand: Command {
    var stateDirectory: String

    func run(on console: Console) -> Int32 { DaemonLink.order(.reboot, in: stateDirectory, on: console) }
}

extension RebootCommand {
    static let entry = CommandEntry(
        "reboot", in: .phones, brief: "restart the machine",
        """
        Restarts the machine through the service manager. What happened is stored before.

        --yes  yes, restart it (needed)

        howalarming reboot --yes
        """
    ) { given throws(UsageError) in
        guard given.has("--yes") else {
            throw given.misuse(
                "this restarts the machine, and for a minute nobody watches the panel; add --yes if you mean it")
        }
        return RebootCommand(stateDirectory: given.stateDirectory)
    }
}
