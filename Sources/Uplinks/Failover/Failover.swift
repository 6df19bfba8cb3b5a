package import AlarmModel

/// Decides which of the configured links is in use: probes them all, always, also when all are down.
package struct Failover: Codable, Hashable, Sendable {
    package typealias Action = FailoverAction

    private var settings: UplinkSettings

    /// Connections and questions are numbered upwards from these; nobody else may use numbers above them that this may
    /// reach (2⁴⁰ are plenty).
    package init(_ settings: UplinkSettings, firstConnection: ConnectionID, firstQuestion: ResolveID) {
        self.settings = settings
    }

    /// Once, before all else; `usage` as it was stored last.
    package mutating func start(usage: [LinkUsage] = [], at now: Moment, into actions: inout [Action]) {}

    /// The configuration was read anew; links of the same name and interface keep their state.
    package mutating func reconfigure(_ settings: UplinkSettings, at now: Moment, into actions: inout [Action]) {
        self.settings = settings
    }

    /// Facts of one or more of the watched interfaces; those of others are passed over.
    package mutating func linksChanged(_ facts: [LinkFacts], at now: Moment, into actions: inout [Action]) {}

    /// A modem link got its interface, or lost it.
    package mutating func modemInterface(
        _ name: String, _ interface: String?, at now: Moment, into actions: inout [Action]
    ) {}

    package mutating func resolved(
        _ question: ResolveID, _ answer: Resolution, at now: Moment, into actions: inout [Action]
    ) {}

    package mutating func opened(_ id: ConnectionID, at now: Moment, into actions: inout [Action]) {}

    /// It did not open, or closed before it was told to.
    package mutating func openFailed(
        _ id: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [Action]
    ) {}

    /// The phone connection brought bytes from the other side over this link: as good as a probe.
    package mutating func peerHeard(_ link: Link, at now: Moment, into actions: inout [Action]) {}

    /// The phone connection over this link got no answer in time: the link is suspect and probed at once.
    package mutating func peerSilent(_ link: Link, at now: Moment, into actions: inout [Action]) {}

    /// Whether an alarm waits to go out: then a cold link is woken as soon as the active one is suspect.
    package mutating func needsNow(_ isWaiting: Bool, at now: Moment, into actions: inout [Action]) {}

    /// The owner wants every link probed now; cold ones are woken for it.
    package mutating func test(at now: Moment, into actions: inout [Action]) {}

    package mutating func timerFired(at now: Moment, into actions: inout [Action]) {}

    /// When `timerFired` is due; nil before the start and when no link is configured.
    package var nextDeadline: BootTime? { nil }

    /// To dial on now; `any` when no link is configured.
    package var link: Link { .any }

    /// The links to try in turn for a new connection, `link` first; those that cannot work now are left out, unless that
    /// leaves none.
    package var order: [Link] { [.any] }

    /// The name of the link in use; nil while none is good.
    package var active: String? { nil }

    /// The configured links, in order of preference.
    package var report: [LinkReport] { [] }

    /// What is to be stored.
    package var usage: [LinkUsage] { [] }
}
