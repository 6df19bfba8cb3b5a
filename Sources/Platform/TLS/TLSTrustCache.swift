package import AlarmModel
import Glibc

/// Keeps what was parsed of files with authorities, and parses a file again only when it has changed. Confined to the
/// loop's thread.
package final class TLSTrustCache {
    private struct Entry {
        let caFile: String?
        let stamp: Stamp?
        let trust: TLSTrust
    }

    private struct Stamp: Equatable {
        let device, inode: UInt64
        let size: Int64
        let seconds, nanoseconds: Int64
    }

    private var entries: [Entry] = []

    package init() {}

    /// The authorities of a file; without one, those of the system, which are read once.
    package func trust(caFile: String?) throws(TLSFailure) -> TLSTrust {
        // Before reading: a change in between is then found the next time.
        let stamp = caFile.flatMap(Self.stamp)
        if let known = entries.first(where: { $0.caFile == caFile && $0.stamp == stamp }) { return known.trust }
        let trust = try TLSTrust(caFile: caFile)
        entries.removeAll { $0.caFile == caFile }
        entries.append(Entry(caFile: caFile, stamp: stamp, trust: trust))
        return trust
    }

    private static func stamp(of path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
    }
}
