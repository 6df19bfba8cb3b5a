import AlarmModel
import ApplianceCore
import CommandKit
import PhoneProtocol

/// Tells the core what a recording holds, and compares what it orders with what was ordered then.
struct Replay {
    enum Verdict: Equatable {
        case same
        /// The first step whose orders are others.
        case differs(step: UInt64)
        case damaged
        /// Its checkpoint belongs to this version of the program, which alone can read it.
        case ofAnotherVersion(String)
    }

    /// Every step is shown.
    var showsSteps = false
    /// The core's state is shown, at the end or where it differs.
    var showsState = false
    /// Steps before this one are neither compared nor shown, as far as a checkpoint stands behind them.
    var first: UInt64 = 0
    /// nil: to the end.
    var last: UInt64?
    /// Takes a line for people as soon as it is known: a step may end the program.
    let say: (String) -> Void

    /// The version whose checkpoints can be read.
    private let version: String
    private var reached: Reached?
    private(set) var compared = 0
    private(set) var unproven = 0

    init(version: String = Product.version, say: @escaping (String) -> Void) {
        self.version = version
        self.say = say
    }

    mutating func run(_ segments: [RecordingSegment]) -> Verdict {
        var segments = segments
        if first > 0, let start = segments.lastIndex(where: { $0.step < first }) { segments.removeFirst(start) }
        var verdict = Verdict.same
        for segment in segments {
            if let last, segment.step >= last { break }
            switch run(segment) {
            case .same: break
            case .differs(let step): return .differs(step: step)
            case .ofAnotherVersion(let version): verdict = .ofAnotherVersion(version)
            case .damaged: verdict = .damaged
            }
        }
        return verdict
    }

    private mutating func run(_ segment: RecordingSegment) -> Verdict {
        var core: Appliance
        switch beginning(of: segment) {
        case .success(let found): core = found
        case .failure(let why): return why.verdict
        }
        reached = nil
        var form = EffectForm()
        if showsSteps { say("\(segment.name): run \(segment.run), version \(segment.version), step \(segment.step)") }
        var step = segment.step
        var open: (input: RecordedInput, effects: [RecordedEffect])?
        for (index, frame) in segment.frames.enumerated() {
            switch frame {
            case .input(let recorded):
                if let last, recorded.step > last { break }
                let isLast = index == segment.frames.count - 1
                if isLast, recorded.step >= first {
                    say("step \(recorded.step) is the last, and its end was not recorded; it was told:")
                    say("  \(Self.text(recorded))")
                }
                var effects: [Effect] = []
                core.handle(recorded.input, at: recorded.at, into: &effects)
                let own = RecordedEffect.all(effects, in: &form)
                open = (recorded, own)
                step = recorded.step
                if isLast {
                    unproven += 1
                    if showsSteps { show(recorded, own) }
                }
            case .effects(let step, let recorded):
                guard let (input, effects) = open, input.step == step else {
                    if last.map({ step <= $0 }) ?? true {
                        say("\(segment.name): the orders of step \(step) have no input before them")
                        return .damaged
                    }
                    continue
                }
                open = nil
                guard step >= first else { continue }
                if showsSteps { show(input, effects) }
                compared += 1
                if let difference = Self.difference(recorded, effects) {
                    say("step \(step) of \(segment.name) differs; it was told:")
                    say("  \(Self.text(input))")
                    for line in difference { say(line) }
                    tell(core)
                    return .differs(step: step)
                }
            case .gap(let steps):
                say("\(segment.name): \(steps) steps before it are missing, the disk did not take them")
            case .over(let why): say("\(segment.name): the recording ends here: \(why)")
            case .checkpoint:
                say("\(segment.name): there is a second checkpoint")
                return .damaged
            }
        }
        tell(core)
        if case .damaged(let what, let place) = segment.end {
            say("\(segment.name): \(what), \(place) bytes from its beginning; what follows is not read")
            return .damaged
        }
        reached = Reached(segment.run, step, core)
        return .same
    }

    /// The core at the end of a segment, and the run and the step that it has come to. By reference: it is large.
    private final class Reached {
        let run: String
        let step: UInt64
        let core: Appliance

        init(_ run: String, _ step: UInt64, _ core: Appliance) { (self.run, self.step, self.core) = (run, step, core) }
    }

    /// Why a segment cannot be replayed; it was said.
    private struct Unreadable: Error {
        var verdict: Verdict
    }

    /// The core as it was before the segment's first step. A checkpoint is the state of one version's core, and another
    /// version does not read it. It goes on from the segment before, or from a start of the daemon: the first input
    /// says all that the core knew then.
    private func beginning(of segment: RecordingSegment) -> Result<Appliance, Unreadable> {
        guard let state = segment.state else {
            say("\(segment.name): it does not begin with a checkpoint; it was cut off or is no recording")
            return .failure(Unreadable(verdict: .damaged))
        }
        guard segment.recordedFormat == RecordingSegment.format else {
            say("\(segment.name): its form is that of version \(segment.version); replay it with that version")
            return .failure(Unreadable(verdict: .ofAnotherVersion(segment.version)))
        }
        if segment.version != version {
            if segment.step == 0, case .input(let first)? = segment.frames.first, case .started(let start) = first.input
            {
                return .success(Appliance(configuration: start.configuration))
            }
            if let reached, reached.run == segment.run, reached.step == segment.step { return .success(reached.core) }
            say(
                "\(segment.name): its checkpoint is of version \(segment.version), which alone can read it; replay it "
                    + "with that version, or give the whole recording from the start of the daemon on")
            return .failure(Unreadable(verdict: .ofAnotherVersion(segment.version)))
        }
        do {
            return .success(try state.decoding(Appliance.self))
        } catch {
            say("\(segment.name): its checkpoint, of version \(segment.version), cannot be read: \(error)")
            return .failure(Unreadable(verdict: .damaged))
        }
    }

    private func tell(_ core: Appliance) {
        guard showsState else { return }
        say("the core's state, with placeholders for secrets:")
        say(((try? JSON.encoding(core, placeholder: SecretPlaceholder { $0 })) ?? .null).text)
    }

    private func show(_ input: RecordedInput, _ effects: [RecordedEffect]) {
        say("step \(input.step): \(Self.text(input))")
        for effect in effects { say("    \(effect.text)") }
    }

    private static func text(_ recorded: RecordedInput) -> String {
        let seconds = recorded.at.boot.nanoseconds / 1_000_000
        let time = "boot time \(seconds) ms"
        if case .received(let connection, let bytes) = recorded.input {
            let text = Text.printable(String(decoding: bytes.prefix(400), as: UTF8.self))
            return "\(time): received \(bytes.count) bytes from \(connection.number): \(text)"
        }
        let json = ((try? JSON.encoding(recorded.input, placeholder: SecretPlaceholder { $0 })) ?? .null).text
        return "\(time): \(json.utf8.count <= 600 ? json : json.prefix(600) + "…")"
    }

    private static func difference(_ recorded: [RecordedEffect], _ found: [RecordedEffect]) -> [String]? {
        for (index, (old, new)) in zip(recorded, found).enumerated() where old.hash != new.hash || old.kind != new.kind
        {
            return ["  order \(index + 1) then: \(old.text)", "  order \(index + 1) now:  \(new.text)"]
        }
        if recorded.count == found.count { return nil }
        let common = min(recorded.count, found.count)
        let rest = recorded.count > common ? recorded[common].text : found[common].text
        return [
            "  then \(Text.count(recorded.count, "order")), now \(found.count)",
            "  only \(recorded.count > common ? "then" : "now"): \(rest)",
        ]
    }
}
