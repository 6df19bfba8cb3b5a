import AlarmModel
import ApplianceCore
import EventStore
import PhoneProtocol
import Platform

/// For: a fault in the field can be repeated at a desk: what the core was told, step by step, with its state at the
/// beginning and its orders at each step, in a ring on disk (`tools/replay`).
///
/// Guarantees: the loop hands over values and never waits; masking, encoding and writing are done on two threads of
/// their own, behind the others, and begin a twentieth of a second later: an alarm has left by then. Every input is
/// handed over before the core is told, so the one that ends the process is in the recording: a crash (also that by the
/// watchdog's SIGABRT) is held up for a fifth of a second until it is written; `kill -9` loses less than a tenth. No secret
/// is written (`InputMask`, `RecorderWork`). What the disk does not take in time is left out and counted, and a new
/// segment with a new checkpoint follows.
///
/// Knows not: the core. The decision: the core's state can be encoded, but the real one holds secrets in many forms,
/// also half-read; so a second core, told the same with placeholders, gives checkpoints and effects. That costs
/// each step once more, on another thread, when the loop has been quiet or much waits. Where it cannot follow (512 KiB of
/// inputs that wait, or placeholders that led it another way), the recording ends and says why; the next start begins a
/// new one.
final class FlightRecorder {
    private enum Fact: Sendable {
        case begins(Input, Moment)
        case ended([Effect])
        case lost
    }

    private struct Writer {
        var files: RecordingFiles
    }

    private let thread: SpoolThread<RecorderWork?, Fact>
    private let writer: SpoolThread<Writer, RecorderWork.Piece>
    private var hasLost = false

    /// Bytes that may wait for masking, and for the disk.
    private static let inputLimit = 512 << 10
    private static let outputLimit = 256 << 10
    /// An alarm takes some milliseconds; a crash lingers for longer than this and what is done behind it.
    private static let pause = Duration.milliseconds(50)
    /// The disk's thread is woken once for what an alarm leaves behind, and not for each step of it.
    private static let writingPause = Duration.milliseconds(20)
    private static let crashLinger = Duration.milliseconds(200)

    /// - Parameters:
    ///   - run: names this run in the recording
    ///   - version: of this program
    init(
        _ configuration: Configuration, stateDirectory: String, run: String, version: String
    ) throws {
        let directory = RecordingFiles.directory(in: stateDirectory)
        try StateFile.makeDirectory(directory)
        let writer = try SpoolThread<Writer, RecorderWork.Piece>(
            "recorder-disk", limit: Self.outputLimit, pause: Self.writingPause
        ) {
            Writer(files: RecordingFiles(directory: directory))
        } work: { state, piece in
            // A disk that refuses costs the recording and nothing else; the next segment tries again.
            switch piece {
            case .segment(let bytes)?: try? state.files.begin(bytes)
            case .bytes(let bytes)?: try? state.files.write(bytes)
            case nil: break
            }
        }
        self.writer = writer
        let placeholders = SecretPlaceholders(key: Random.bytes(16))
        let about = [
            JSON.Member(key: "version", value: .string(version)),
            JSON.Member(key: "run", value: .string(run)),
        ]
        thread = try SpoolThread("recorder", limit: Self.inputLimit, pause: Self.pause) {
            try? RecorderWork(configuration, placeholders, about: about) { piece in
                switch piece {
                case .segment(let bytes), .bytes(let bytes): writer.post(piece, cost: bytes.count + 64)
                }
            }
        } work: { work, fact in
            switch fact {
            case .begins(let input, let moment)?: work?.begins(input, at: moment)
            case .ended(let effects)?: work?.ended(effects)
            case .lost?: work?.lostTrack()
            case nil: break
            }
        }
        CrashHandler.linger(Self.crashLinger)
    }

    /// The core is about to be told this.
    func begins(_ input: Input, at moment: Moment) {
        hand(.begins(input, moment), input.recordedCost)
    }

    /// The core has ordered this.
    func ended(_ effects: [Effect]) {
        hand(.ended(effects), effects.reduce(64) { $0 + $1.recordedCost })
    }

    private func hand(_ fact: Fact, _ cost: Int) {
        if hasLost { return }
        guard !thread.post(fact, cost: cost) else { return }
        hasLost = true
        thread.end(with: .lost)
    }

    /// Writes what waits.
    func stop() { _ = thread.stop(within: .seconds(2)) && writer.stop(within: .seconds(2)) }
}
