package import CommandKit
import Platform

/// `replay`: runs a recording through the core of this program.
package struct ReplayCommand: Command, Equatable {
    /// A segment or a directory of them; nil: those of the state directory.
    var path: String?
    var stateDirectory: String
    var showsSteps: Bool
    var showsState: Bool
    var first: UInt64?
    var last: UInt64?

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

extension ReplayCommand {
    package static let entry = CommandEntry(
        "replay", "[FILE]", in: .watching, brief: "repeat what was recorded", isListed: false,
        """
        Tells the core of this program what the daemon's was told, as the flight recorder wrote it down with stand-ins
        for secrets, and compares the orders step by step. FILE is a segment of a recording or a directory of them,
        also from a support archive. Ends with status 0 when all are the same, 1 at the first difference, 65 when the
        recording is damaged or another version's.

        --step        show each step and its orders
        --from N      only from step N on
        --to N        only up to step N
        --show-state  show the core's state, too

        howalarming replay
        howalarming replay recorder/segment-3.rec --step --from 4100
        """
    ) { given throws(UsageError) in
        ReplayCommand(
            path: given.operand(0), stateDirectory: given.stateDirectory, showsSteps: given.has("--step"),
            showsState: given.has("--show-state"), first: try given.number("--from", in: 1...Int.max).map(UInt64.init),
            last: try given.number("--to", in: 1...Int.max).map(UInt64.init))
    }
}
