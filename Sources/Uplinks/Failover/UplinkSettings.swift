package import AlarmModel

/// What answers a TCP connect when a link is good: a host that listens day and night.
package struct ProbeTarget: Codable, Equatable, Sendable {
    /// An address, not a name: the probe must not need name servers.
    package var host: IPAddress
    package var port: UInt16

    package init(host: IPAddress, port: UInt16) {
        self.host = host
        self.port = port
    }

    var endpoint: Endpoint { Endpoint(address: host, port: port) }
}

/// All that is configured about the links.
package struct UplinkSettings: Codable, Equatable, Sendable {
    /// In order of preference, the best first; empty: connections take whatever way the system has.
    package var links: [LinkSettings]
    /// Two or more, so that one that is gone takes no link down; asked side by side. With none, the question to the
    /// name servers decides alone.
    package var targets: [ProbeTarget]
    /// The name that is asked of each link's name servers; it need not exist. Empty: none is asked.
    package var probeName: String
    package var timings: FailoverTimings
    /// Losing a path while the house is armed is of class alarm. Only kept here, for who makes the event.
    package var isLossAlarmWhileArmed: Bool

    package init(
        links: [LinkSettings] = [], targets: [ProbeTarget] = [], probeName: String = "",
        timings: FailoverTimings = FailoverTimings(), isLossAlarmWhileArmed: Bool = false
    ) {
        self.links = links
        self.targets = targets
        self.probeName = probeName
        self.timings = timings
        self.isLossAlarmWhileArmed = isLossAlarmWhileArmed
    }

    /// About what one probing of a link costs, both directions with headers: 500 bytes for each TCP connect and close,
    /// 250 for a question to a name server and its answer.
    package var bytesOfPass: UInt64 { UInt64(targets.count) * 500 + (probeName.isEmpty ? 0 : 250) }
}
