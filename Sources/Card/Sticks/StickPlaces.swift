package import ApplianceCore
import Glibc
import PhoneProtocol
package import Platform

/// Where a stick is, and where what is asked of it and what came of it is written. `rootfs/usr/lib/howalarming/stick`
/// has the same places.
package struct StickPlaces: Equatable, Sendable {
    /// Where it is mounted while the service works with it.
    package var mount = "/run/howalarming-usb/stick"
    /// Why it is not mounted, in a word.
    package var problem = "/run/howalarming-usb/problem"
    /// The daemon's, the console's and the service's own; howalarming-stick.path waits there for `request`.
    package var directory = "/run/howalarming-stick"
    /// Those that cameras took.
    package var pictures = "/data/howalarming-pictures"
    /// udev has a link here for each stick that can be read.
    package var plugged = "/dev/howalarming/stick"

    package init() {}

    package var request: String { "\(directory)/request" }
    package var report: String { "\(directory)/report.json" }
    /// What stands here restarts the machine once the stick is out.
    package var restart: String { "\(directory)/restart" }

    package var isPlugged: Bool { !DirectoryList.names(in: plugged).isEmpty }

    /// Only the daemon may ask, for whoever gave the PIN; on a box without a configuration, where nothing is kept yet,
    /// the console.
    package func ask(_ request: StickRequest) throws(SystemError) {
        try AtomicFile.write(self.request, Array((ControlRequest.stick(request).json.text + "\n").utf8))
    }

    /// Reads it and removes it; nil when there is none that makes sense.
    package func takeRequest() -> StickRequest? {
        let bytes = try? FileReader.read(request, limit: 4096)
        _ = unlink(request)
        guard let line = bytes?.split(separator: 10).first, let known = try? ControlRequest(line: Array(line)),
            case .stick(let request) = known
        else { return nil }
        return request
    }

    package func written() -> StickReport? {
        (try? FileReader.read(report, limit: 64 * 1024)).flatMap { StickReport(file: $0) }
    }

    package func write(_ report: StickReport) {
        // Nobody can be told that it cannot be written.
        try? AtomicFile.write(self.report, Array((report.json.text + "\n").utf8), mode: 0o600)
    }
}
