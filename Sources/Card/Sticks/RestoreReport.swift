package import AlarmModel
import Glibc
import PhoneProtocol
import Platform

/// How far the last backup that was to be brought back from a stick has come: kept in the state directory, so that the
/// console tells it after a restart, too. No passphrase is in it.
package struct RestoreReport: Equatable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// The backup is being read and checked.
        case begun
        /// It lies beside the state; the next start of the daemon puts it in place.
        case prepared
        /// A start could not put it in place. Each start tries again.
        case waiting
        /// What was there before holds.
        case failed
        case restored
    }

    package var state: State
    /// Its name on the stick; empty where it is not known.
    package var file: String
    /// In one or more whole sentences, of `waiting` and `failed`; else empty.
    package var why: String
    package var time: WallTime

    package init(_ state: State, file: String, why: String = "", at time: WallTime) {
        self.state = state
        self.file = file
        self.why = why
        self.time = time
    }

    /// What is so when the service was killed in the midst of it and could not say that itself; nil where it was not. The
    /// service says what came of a restore before it says that it has ended.
    ///
    /// - Parameter isPrepared: the backup lies beside the state all the same
    package func cutOff(by end: StickReport, isPrepared: Bool) -> RestoreReport? {
        guard state == .begun, end.phase == .failed else { return nil }
        return isPrepared
            ? RestoreReport(.prepared, file: file, at: time)
            : RestoreReport(.failed, file: file, why: end.message, at: time)
    }

    package static let fileName = "restore-report.json"

    /// Nothing follows any more, so that whoever has read it needs it no longer.
    package var isOver: Bool {
        switch state {
        case .begun, .prepared, .waiting: false
        case .failed, .restored: true
        }
    }

    /// nil where none was asked for, or where somebody has put it away.
    package static func kept(in stateDirectory: String) -> RestoreReport? {
        (try? FileReader.read("\(stateDirectory)/\(fileName)", limit: 16 * 1024)).flatMap { RestoreReport(json: $0) }
    }

    /// A card that cannot be written keeps it from being told, and nothing else. What was prepared and is not any more must
    /// not be told by the next start as brought back: then the older report goes.
    package func keep(in stateDirectory: String) {
        do throws(SystemError) {
            try AtomicFile.write("\(stateDirectory)/\(Self.fileName)", Array((json + "\n").utf8))
        } catch {
            guard state == .failed, Self.kept(in: stateDirectory)?.state == .prepared else { return }
            Self.remove(in: stateDirectory)
        }
    }

    package static func remove(in stateDirectory: String) { _ = unlink("\(stateDirectory)/\(fileName)") }

    package var json: String {
        JSON.object([
            "state": .string(state.rawValue), "file": .string(file), "why": .string(why),
            "time": .integer(time.milliseconds),
        ]).text
    }

    /// nil for what is no report.
    package init?(json bytes: [UInt8]) {
        guard let value = try? JSON(parsing: bytes), let file = value["file"]?.stringValue,
            let state = value["state"]?.stringValue.flatMap({ State(rawValue: $0) }),
            let why = value["why"]?.stringValue, let time = value["time"]?.integerValue
        else { return nil }
        self.init(state, file: file, why: why, at: WallTime(milliseconds: time))
    }
}
