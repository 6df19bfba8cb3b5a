import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

@testable import Daemon

@Suite("a recording in its file")
struct RecordFrameTests {
    private static func tape() throws -> Tape {
        var bench = try RecorderBench(RecorderBench.house())
        bench.connectPanel()
        return bench.tape
    }

    @Test("cut anywhere it is read up to its last whole record, and replays to the same orders")
    func cutAnywhereItIsReadUpToItsLastWholeRecord() throws {
        let bytes = try Self.tape().bytes
        let whole = RecordingSegment(name: "s", bytes: bytes)
        #expect(whole.end == .whole && whole.frames.count >= 10)
        var ends: [Int] = []
        var size = RecordFrame.checkpoint(.object([])).bytes.count
        // Where each record ends: the checkpoint first.
        if case .frame(_, let next) = RecordFrame.read(bytes, at: 0) { size = next }
        ends.append(size)
        for frame in whole.frames {
            size += frame.bytes.count
            ends.append(size)
        }
        #expect(size == bytes.count)
        // Around the end of each record, within each head, and at some places between.
        let around = ends.flatMap { end in [-1, 0, 1, 4, 7, 8, 9].map { end + $0 } }.filter { $0 <= bytes.count }
        for length in Array(stride(from: 0, to: bytes.count, by: 1009)) + around {
            let segment = RecordingSegment(name: "s", bytes: Array(bytes[..<length]))
            #expect(segment.end == .whole)
            #expect(segment.frames == Array(whole.frames.prefix(max(0, ends.count { $0 <= length } - 1))))
            #expect((segment.state != nil) == (length >= ends[0]))
        }
        for frames in stride(from: 1, to: whole.frames.count, by: 3) {
            let tape = Tape()
            tape.segments = [Array(bytes[..<(ends[frames] + 5)])]
            #expect(tape.replay().0 == .same)
        }
    }

    @Test("a changed byte of a record is damage, told with its place, and what is before it is compared")
    func aChangedByteOfARecordIsDamage() throws {
        let bytes = try Self.tape().bytes
        guard case .frame(_, let first) = RecordFrame.read(bytes, at: 0) else {
            Issue.record("no checkpoint")
            return
        }
        for place in stride(from: first, to: bytes.count, by: 331) {
            var damaged = bytes
            damaged[place] ^= 0x10
            let segment = RecordingSegment(name: "s", bytes: damaged)
            if case .damaged(_, let at) = segment.end {
                #expect(at <= place && place < at + 70_000)
            } else {
                // A length that leads behind the end looks like a record that was being written.
                #expect(segment.frames.count < RecordingSegment(name: "s", bytes: bytes).frames.count)
            }
        }
        var damaged = bytes
        damaged[bytes.count - 1] ^= 1
        let tape = Tape()
        tape.segments = [damaged]
        #expect(tape.replay().0 == .damaged)
        tape.segments = [Array("no recording at all, only a text of some length".utf8)]
        #expect(tape.replay().0 == .damaged)
    }

    @Test("zeros at the end are what a power cut leaves, not damage")
    func zerosAtTheEndAreWhatAPowerCutLeaves() throws {
        let bytes = try Self.tape().bytes
        let segment = RecordingSegment(name: "s", bytes: bytes + [UInt8](repeating: 0, count: 4096))
        #expect(segment.end == .whole)
    }

    @Test("an order that was another one is told with its step and what the core was told")
    func anOrderThatWasAnotherOneIsToldWithItsStepAndWhatTheCore() throws {
        let tape = try Self.tape()
        var frames = RecordingSegment(name: "s", bytes: tape.bytes).frames
        guard case .frame(let checkpoint, _) = RecordFrame.read(tape.bytes, at: 0),
            let index = frames.firstIndex(where: { if case .effects(5, _) = $0 { true } else { false } }),
            case .effects(_, var effects) = frames[index]
        else {
            Issue.record("the recording is too short")
            return
        }
        var form = EffectForm()
        effects.append(RecordedEffect(.readLinks, in: &form))
        frames[index] = .effects(step: 5, effects)
        tape.segments = [checkpoint.bytes + frames.flatMap(\.bytes)]
        let (verdict, lines, _) = tape.replay()
        #expect(verdict == .differs(step: 5))
        #expect(lines.contains { $0.contains("step 5") && $0.contains("differs") })
        #expect(lines.contains { $0.contains("only then") && $0.contains("read-links") })
        #expect(tape.replay(from: 6).0 == .same)
    }
}
