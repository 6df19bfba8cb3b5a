import Glibc
import Platform

/// Asks for a restart of the machine: by a file in the runtime directory, for which howalarming-reboot.path waits. So the
/// daemon, which talks to the network, needs no right to restart anything itself.
struct RebootRequest {
    private let file: String?

    init(runtimeDirectory: String? = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) }) {
        file = runtimeDirectory.map { "\($0)/reboot" }
    }

    /// Without a service manager nobody waits for it.
    var isPossible: Bool { file != nil }

    func make() throws(SystemError) {
        guard let file else { return }
        try AtomicFile.write(file, [])
    }
}
