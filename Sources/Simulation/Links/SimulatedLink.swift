import AlarmModel
import Uplinks

/// A link, and what is wrong with it.
struct SimulatedLink: Equatable, Sendable {
    let name: String
    let interface: String
    /// One channel, at least.
    let latency: Duration
    /// The last byte of its address; another one after each renumbering.
    var host: UInt8
    /// Time at which the link got another address while it carried: what was sent from the old one was lost.
    var renumberedAt = BootTime.zero
    var absentUntil = BootTime.zero
    /// No carrier before.
    var cutUntil = BootTime.zero
    /// Has carrier and address, but carries nothing before.
    var holeUntil = BootTime.zero
    /// Carries the opening of a connection and nothing more before.
    var swallowsUntil = BootTime.zero
    var namesDeadUntil = BootTime.zero
    /// Whether it keeps its address while it has no carrier.
    var keepsAddress = false
    /// Its modem has no data connection.
    var isDetached = false
    var traffic: UInt64 = 0

    private var network: UInt8 { interface == "eth0" ? 1 : 2 }
    var address: IPAddress? { IPAddress(bytes: [198, 18, network, host]) }

    func facts(at now: BootTime) -> LinkFacts {
        let isPresent = absentUntil <= now && !isDetached
        let hasCarrier = isPresent && cutUntil <= now
        let hasAddress = hasCarrier || isPresent && keepsAddress
        return LinkFacts(
            interface: interface, isPresent: isPresent, hasCarrier: hasCarrier,
            addresses: hasAddress ? [address].compactMap { $0 } : [],
            nameServers: [IPAddress(bytes: [198, 18, network, 1])].compactMap { $0 }, traffic: traffic)
    }

    /// The operating system can send on it.
    func canSend(at now: BootTime) -> Bool { absentUntil <= now && cutUntil <= now && !isDetached }
    /// What is sent on it arrives.
    func carries(at now: BootTime) -> Bool { canSend(at: now) && holeUntil <= now }
    /// What is sent on a connection that stands is kept back.
    func swallows(at now: BootTime) -> Bool { swallowsUntil > now }

    /// When the next of its faults ends.
    func nextChange(after now: BootTime) -> BootTime? {
        [absentUntil, cutUntil, holeUntil, swallowsUntil, namesDeadUntil].filter { $0 > now }.min()
    }
}
