import Glibc
import Platform

/// Remembers that the daemon restarted itself because of the disk: until the machine boots, or the unit is stopped or has
/// failed, whichever comes first.
///
/// The mark lies in the service manager's runtime directory, which is memory and is kept from one run to the next; without
/// a service manager nobody would start us again, and so nothing is planned.
struct PlannedRestart {
    private let mark: String?

    init(runtimeDirectory: String? = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) }) {
        mark = runtimeDirectory.map { "\($0)/restarted-for-the-disk" }
    }

    var isAllowed: Bool { mark.map { access($0, F_OK) != 0 } ?? false }

    /// Without the mark there must be no restart, or it would have no end.
    func remember() throws(SystemError) {
        guard let mark else { return }
        try AtomicFile.write(mark, [])
    }
}
