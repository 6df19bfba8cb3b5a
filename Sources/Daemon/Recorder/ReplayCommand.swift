package import CommandKit
import Platform

/// `replay`: runs a recording through the core of this program.
package struct ReplayCommand: Hashable, Sendable {
    /// A segment or a directory of them; nil: those of the state directory.
    package var path: String?
    package var stateDirectory: String
    package var showsSteps: Bool
    package var showsState: Bool
    package var first: UInt64?
    package var last: UInt64?

    package init(
        path: String? = nil, stateDirectory: String, showsSteps: Bool, showsState: Bool, first: UInt64? = nil,
        last: UInt64? = nil
    ) {
        self.path = path
        self.stateDirectory = stateDirectory
        self.showsSteps = showsSteps
        self.showsState = showsState
        self.first = first
        self.last = last
    }

    /// A recording that cannot be read (EX_DATAERR of sysexits).
    static let damaged: Int32 = 65

    package func run(on console: Console) -> Int32 {
        let path = path ?? RecordingFiles.directory(in: stateDirectory)
        let segments: [RecordingSegment]
        do throws(SystemError) {
            segments = try RecordingSegment.read(path)
        } catch {
            console.complain("there is no recording: \(error)")
            return Self.damaged
        }
        var replay = Replay { console.print([$0]) }
        replay.showsSteps = showsSteps
        replay.showsState = showsState
        replay.first = first ?? 0
        replay.last = last
        let verdict = replay.run(segments)
        let what = "\(Text.count(replay.compared, "step")) of \(Text.count(segments.count, "segment"))"
        switch verdict {
        case .same:
            console.print(["\(what): the same orders as then"])
            return ExitStatus.done
        case .differs(let step):
            console.print(["\(what): not the same; the first difference is in step \(step)"])
            return ExitStatus.failed
        case .ofAnotherVersion(let version):
            console.print(["\(what) could be compared, the same as then; the rest needs version \(version)"])
            return Self.damaged
        case .damaged:
            console.print(["\(what) could be compared, the same as then; the recording is damaged"])
            return Self.damaged
        }
    }
}
