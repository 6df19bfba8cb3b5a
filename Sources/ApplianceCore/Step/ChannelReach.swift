import PhoneLink

/// The channels that can be used now.
struct ChannelReach: Equatable, Sendable {
    /// Take messages.
    var ready: [ChannelKind] = []
    /// Take messages, and nothing is known against them.
    var healthy: [ChannelKind] = []
}
