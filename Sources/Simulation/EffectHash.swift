import AlarmModel
import ApplianceCore

/// One number for all effects of a run, with the moment of each: two runs that behave alike have the same.
///
/// Effects are written in a form of their own (`EffectForm`), in which no name of the source code occurs: renaming and
/// moving code keeps the number.
struct EffectHash {
    private var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    private var form = EffectForm()

    mutating func follow(_ input: Input, at moment: Moment, _ effects: [Effect]) {
        if case .started = input { form.beginLife() }
        guard !effects.isEmpty else { return }
        form.write("at \(moment.boot.nanoseconds)")
        for effect in effects { form.write(effect) }
        for byte in form.takeBytes() {
            // FNV-1a: quick, and nobody tries to deceive it.
            sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3
        }
    }

    /// 16 hexadecimal digits.
    var text: String { sum.padded(16, radix: 16) }
}
