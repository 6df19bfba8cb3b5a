import AlarmModel
import ApplianceCore
import PanelLink
import Simulators

/// A channel that takes messages and confirms nothing, just when something other than an alarm happens: what a person's
/// other channels are then for.
enum Silences {
    static func draw(for span: Duration, seed: UInt64) -> [(BootTime, Happening)] {
        var drawn: [(BootTime, Happening)] = []
        var chance = Jitter(seed: seed ^ 0x73_74_61_6E_64)
        let begin = Duration.minutes(4)
        guard span > begin * 2 else { return [] }
        for number in 0..<3 {
            let at = BootTime.zero + chance.duration(in: begin..<(span - begin))
            drawn.append((at, .phoneFault(.outage(.seconds(150)))))
            let trouble: Trouble = [.battery, .bell, .ac][number]
            drawn.append((at + .seconds(1), .fault(.house(.trouble(trouble, true)))))
            drawn.append((at + .seconds(200), .fault(.house(.trouble(trouble, false)))))
        }
        return drawn
    }
}
