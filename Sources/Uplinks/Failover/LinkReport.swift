package import AlarmModel

/// What a link is in, as it is shown.
package enum LinkState: String, Codable, Equatable, Sendable {
    /// Cold, and not needed now.
    case asleep
    case absent
    case noCarrier
    case noAddress
    /// Has addresses, but not yet enough good passes.
    case connecting
    case up
    /// Up, but the last pass failed or the phone connection fell silent.
    case suspect
    /// Has addresses, but probes are not answered.
    case down
}

/// One link, for people.
package struct LinkReport: Codable, Equatable, Sendable {
    package var name: String
    package var kind: LinkKind
    package var interface: String?
    package var state: LinkState
    package var isActive: Bool
    package var isMetered: Bool
    /// As it is in force: cold when the budget is exceeded.
    package var standby: StandbyPolicy
    /// From 0 to `scoreLimit`.
    package var score: Int
    package var scoreLimit: Int
    /// What is wrong or remarkable, one sentence; nil when nothing is.
    package var why: String?
    /// From the start of the last good pass to its first answer.
    package var latency: Duration?
    /// Since when `state` holds.
    package var since: BootTime
    package var addresses: [IPAddress]
    package var bytesThisMonth: UInt64
    package var budget: UInt64?
    /// What regular probing costs in a month of 30 days while the link stands by.
    package var standbyBytesPerMonth: UInt64
}
