import AlarmModel
import PhoneProtocol

/// What somebody says to the box with a one-time code, drawn from the seed before the run begins.
enum CodeUse: Codable, Equatable, Sendable {
    /// The code of now, in so many messages.
    case right(copies: Int)
    /// What was said last, as anybody repeats it who has seen it.
    case again
    /// A code of another day.
    case wrong
    /// The code of some steps ago, which nobody has used.
    case late
    /// The right code from somebody else's account.
    case byAnother

    static func draw(for span: Duration, seed: UInt64) -> [(BootTime, CodeUse)] {
        var chance = Jitter(seed: seed ^ 0x63_6F_64_65_73)
        var uses: [(BootTime, CodeUse)] = []
        let end = BootTime.zero + span
        var at = BootTime.zero + .seconds(90)
        while at < end {
            let use: CodeUse =
                switch chance.next() % 20 {
                case 0..<6: .right(copies: 1)
                case 6..<10: .right(copies: 3)
                case 10..<14: .again
                case 14: .wrong
                case 15..<17: .late
                default: .byAnother
                }
            uses.append((at, use))
            at = at + chance.duration(in: .seconds(10)..<(.seconds(90)))
        }
        return uses
    }
}
