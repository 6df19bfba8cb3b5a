import Glibc
import Platform

/// Tells that the software that runs has proved itself: by a file in the runtime directory, for which
/// howalarming-good.path waits. The daemon may not write the slot state itself.
struct HealthyMark {
    private let file: String?

    init(runtimeDirectory: String? = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) }) {
        file = runtimeDirectory.map { "\($0)/healthy" }
    }

    func make() throws(SystemError) {
        guard let file else { return }
        try AtomicFile.write(file, [])
    }
}
