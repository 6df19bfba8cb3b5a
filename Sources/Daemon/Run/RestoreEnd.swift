package import AlarmModel
import Card
import EventStore

/// Puts a backup in place that a stick has brought, before the journal is opened, and keeps for the console what came of
/// it.
///
/// The report names the backup before anything is moved, so that a power cut between two steps makes it tell nothing that
/// is not so.
package enum RestoreEnd {
    package enum Outcome: Equatable, Sendable {
        case nothing, restored
        /// A card that can only be read keeps a backup from being brought back, and nobody from watching.
        case waiting(why: String)
    }

    /// The caller holds the directory's `StateLock`.
    package static func reach(in directory: String, at time: WallTime) -> Outcome {
        var report = RestoreReport.kept(in: directory)
        func keep(_ state: RestoreReport.State, _ why: String = "") {
            let next = RestoreReport(state, file: report?.file ?? "", why: why, at: time)
            next.keep(in: directory)
            report = next
        }
        do throws(StoreError) {
            if try StateArchive.isRestoringPrepared(in: directory) {
                if report?.state != .prepared { keep(.prepared) }
                _ = try StateArchive.finishRestoring(in: directory)
                keep(.restored)
                return .restored
            }
        } catch {
            keep(.waiting, "\(error).")
            return .waiting(why: "\(error)")
        }
        switch report?.state {
        case .begun:
            keep(.failed, "It was cut off while the backup was read: by a power cut, a restart, or for want of memory.")
        // The power failed between the last move and the report of it.
        case .prepared, .waiting: keep(.restored)
        case .failed, .restored, nil: break
        }
        return .nothing
    }
}
