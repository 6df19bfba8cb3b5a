import AlarmModel
import ApplianceCore
import PhoneProtocol

/// What the recorder's thread does: masks what the real core was told, lets a core of its own, which hears fallback
/// deliveries only, do the same, and writes both down. Has no thread and no file itself.
///
/// The core of its own makes the recording safe: a checkpoint is its state, and the effects that a replay is held
/// against are its effects. It never heard a secret. It makes it true, too: its orders are compared with those of the
/// real core at each step; where they are not the same but for secrets, the placeholders have led it another
/// way, and the recording ends there, saying so.
///
/// By reference: it is as large as the core that it holds, and so would be the code that moves it.
final class RecorderWork {
    /// What is to be written.
    enum Piece: Sendable {
        /// A new segment, which begins with these bytes.
        case segment([UInt8])
        case bytes([UInt8])
    }

    private var mask: InputMask
    private var core: Appliance
    private let about: [JSON.Member]
    private var step: UInt64 = 0
    /// Of this segment, so that each can be replayed by itself.
    private var form = EffectForm()
    /// What the real core is being told.
    private var current: (Input, Moment)?
    private var size = 0
    private var lost: UInt64 = 0
    private var needsSegment = true
    private(set) var isOver = false
    /// Bytes after which a new segment begins, with a checkpoint.
    var segmentLimit = 1 << 20
    /// The step before which no segment is begun, after some were refused.
    private var nextTry: UInt64 = 0
    private var triesInVain: UInt64 = 0
    private static let mostWaitingEvents = 1000
    private let put: (Piece) -> Bool

    /// - Parameters:
    ///   - about: who records
    ///   - put: takes what is to be written; false: there is no room for it
    init(
        _ configuration: Configuration, _ placeholders: SecretPlaceholders, about: [JSON.Member],
        put: @escaping (Piece) -> Bool
    ) throws(JSONError) {
        mask = InputMask(placeholders: placeholders)
        core = Appliance(configuration: try mask.coded(configuration).decoding(Configuration.self))
        self.about = about
        self.put = put
    }

    /// The real core is about to be told this.
    func begins(_ input: Input, at moment: Moment) {
        guard !isOver else { return }
        if needsSegment || size > segmentLimit { tryToBeginSegment() }
        step += 1
        do throws(JSONError) {
            let masked = try mask.masked(input, keepsDigits: core.isPairingContact)
            write(.input(RecordedInput(step: step, at: moment, input: masked)))
            current = (masked, moment)
        } catch {
            end("an input cannot be written down: \(error)")
        }
    }

    /// The real core has been told, and has ordered this.
    func ended(_ real: [Effect]) {
        guard !isOver, let (input, moment) = current else { return }
        current = nil
        var effects: [Effect] = []
        core.handle(input, at: moment, into: &effects)
        write(.effects(step: step, RecordedEffect.all(effects, in: &form)))
        if let difference = difference(real, effects) { return end(difference) }
        mask.note(real)
    }

    /// Inputs were lost on their way here: nothing that follows would be true.
    func lostTrack() {
        end("more happened at once than could be recorded; the next recording begins with the next start")
    }

    private func end(_ why: String) {
        guard !isOver else { return }
        write(.over(why))
        isOver = true
    }

    // MARK: Writing

    /// What is lost while the disk does not take it is told, and the next segment can be replayed by itself.
    private func write(_ frame: RecordFrame) {
        guard !needsSegment else { return lost += isStep(frame) ? 1 : 0 }
        let bytes = frame.bytes
        if put(.bytes(bytes)) {
            size += bytes.count
        } else {
            lost += isStep(frame) ? 1 : 0
            needsSegment = true
        }
    }

    private func isStep(_ frame: RecordFrame) -> Bool {
        if case .input = frame { true } else { false }
    }

    /// A checkpoint is work: while the disk refuses, it is made ever more rarely, and never of a core that keeps the
    /// events of days in memory because the journal fails.
    private func tryToBeginSegment() {
        guard step >= nextTry else { return }
        guard core.waitingEvents <= Self.mostWaitingEvents else { return needsSegment = true }
        beginSegment()
        triesInVain = needsSegment ? min(triesInVain + 1, 10) : 0
        nextTry = needsSegment ? step + (1 << triesInVain) : 0
    }

    private func beginSegment() {
        let state =
            (try? JSON.encoding(core, placeholder: SecretPlaceholder { $0 }, bytesAsText: true)) ?? .null
        let members =
            [JSON.Member(key: "format", value: .integer(RecordingSegment.format))] + about + [
                JSON.Member(key: "step", value: .unsigned(step)), JSON.Member(key: "state", value: state),
            ]
        var bytes = RecordFrame.checkpoint(.object(members)).bytes
        if lost > 0 { bytes += RecordFrame.gap(steps: lost).bytes }
        needsSegment = !put(.segment(bytes))
        guard !needsSegment else { return }
        form = EffectForm()
        size = 0
        lost = 0
    }

    // MARK: Comparing

    private func difference(_ real: [Effect], _ own: [Effect]) -> String? {
        guard real.count == own.count else {
            return "the placeholders led to \(own.count) orders where the box gave \(real.count)"
        }
        for (index, (one, other)) in zip(real, own).enumerated() where !isSame(one, other) {
            return "order \(index + 1) is another one with placeholders: \(Self.text(other))"
        }
        return nil
    }

    private static func text(_ effect: Effect) -> String {
        var form = EffectForm()
        return RecordedEffect(effect, in: &form).text
    }

    private func isSame(_ real: Effect, _ own: Effect) -> Bool {
        if real == own { return true }
        switch (real, own) {
        // What is sent, signed and derived holds secrets in forms of many kinds.
        case (.send(let a, let sent), .send(let b, let other)): return a == b && sent.count == other.count
        case (.compute(let a, _), .compute(let b, _)): return a == b
        case (.derive(let a, _), .derive(let b, _)): return a == b
        case (.vault(let a, _), .vault(let b, _)): return a == b
        default: return mask.isSame(real, own)
        }
    }
}
