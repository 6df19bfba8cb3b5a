import AlarmModel
import ApplianceCore
import PanelLink

/// A channel that takes messages and confirms nothing, just when something other than an alarm happens: what a person's
/// other channels are then for.
extension World {
    mutating func drawSilences(for span: Duration) {
        var chance = Jitter(seed: seed ^ 0x73_74_61_6E_64)
        let begin = Duration.minutes(4)
        guard span > begin * 2 else { return }
        for number in 0..<3 {
            let at = BootTime.zero + chance.duration(in: begin..<(span - begin))
            agenda.add(.phoneFault(.outage(.seconds(150))), at: at)
            let trouble: Trouble = [.battery, .bell, .ac][number]
            agenda.add(.fault(.house(.trouble(trouble, true))), at: at + .seconds(1))
            agenda.add(.fault(.house(.trouble(trouble, false))), at: at + .seconds(200))
        }
    }
}
