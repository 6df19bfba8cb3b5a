import AlarmModel
import PhoneLink
import PhoneProtocol

/// A signed command whose counter is spent.
struct AcceptedCommand: Codable, Equatable, Sendable {
    var phone: PhoneID
    var command: PhoneCommand
    var verdict: CommandVerdict
    /// Its name in the box's own ledger.
    var id: CommandID
    /// The phone's count was lost when this came: only a challenge will do.
    var wasResync: Bool
    /// What the channel it came by waits for.
    var inbound: InboundMessage
}
