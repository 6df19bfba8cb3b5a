import AlarmModel
import PhoneLink

/// How much somebody without keys may ask for: the relay could speak for him.
struct AskingPace: Codable, Equatable, Sendable {
    enum Asker: Codable, Equatable, Sendable {
        /// Or an original app.
        case contact(AddressID)
        case house(ChannelKind)
        /// Original apps that nobody has approved, together: tokens cost nothing.
        case strangers
    }
    var asker: Asker
    /// Whatever was said.
    var said = Allowance()
    /// What acts on the house.
    var commands = Allowance()

    static let saidAMinute = 30
    static let burst = 10
}

/// The pace of everybody who has asked lately.
struct AskingPaces: Codable, Equatable, Sendable {
    private var paces: [AskingPace] = []

    private mutating func index(of asker: AskingPace.Asker) -> Int {
        if let index = paces.firstIndex(where: { $0.asker == asker }) { return index }
        paces.append(AskingPace(asker: asker))
        return paces.count - 1
    }

    mutating func maySay(_ asker: AskingPace.Asker, at now: BootTime) -> Bool {
        let index = index(of: asker)
        return paces[index].said.take(rate: AskingPace.saidAMinute, burst: AskingPace.burst, at: now)
    }

    /// - Parameter rate: `phones.command_rate`, as for phones with keys; 0 without limit
    mutating func mayCommand(_ asker: AskingPace.Asker, rate: Int, at now: BootTime) -> Bool {
        let index = index(of: asker)
        return rate == 0 || paces[index].commands.take(rate: rate, burst: AskingPace.burst, at: now)
    }

    mutating func forget(_ asker: AskingPace.Asker) { paces.removeAll { $0.asker == asker } }
}

/// What comes in by one channel must not use up what another may bring (docs/pairing.md 7.4).
struct OpeningPace: Codable, Equatable, Sendable {
    var channel: ChannelKind
    var allowance = Allowance()
    static let aSecond = 50
}
