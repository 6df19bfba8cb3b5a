/// Everything that is known of the panel (docs/envisalink.md 4).
package struct PanelState: Codable, Equatable, Sendable {
    package var link: PanelLinkState
    /// Ascending by number; partitions 1…8 that are configured or have been heard of.
    package var partitions: [PartitionState]
    /// Ascending by number; zones 1…64 that are configured or have been heard of.
    package var zones: [ZoneState]
    package var system: SystemState

    package init(
        link: PanelLinkState = .down, partitions: [PartitionState] = [], zones: [ZoneState] = [],
        system: SystemState = SystemState()
    ) {
        self.link = link
        self.partitions = partitions
        self.zones = zones
        self.system = system
    }

    package func partition(_ number: Int) -> PartitionState? { partitions.first { $0.number == number } }
    package func zone(_ number: Int) -> ZoneState? { zones.first { $0.number == number } }

    /// The partition, made when it is heard of for the first time.
    package mutating func withPartition<R>(_ number: Int, _ change: (inout PartitionState) -> R) -> R {
        if let index = partitions.firstIndex(where: { $0.number >= number }) {
            if partitions[index].number != number {
                partitions.insert(PartitionState(number: number), at: index)
            }
            return change(&partitions[index])
        }
        partitions.append(PartitionState(number: number))
        return change(&partitions[partitions.count - 1])
    }

    /// The zone, made when it is heard of for the first time.
    package mutating func withZone<R>(_ number: Int, _ change: (inout ZoneState) -> R) -> R {
        if let index = zones.firstIndex(where: { $0.number >= number }) {
            if zones[index].number != number { zones.insert(ZoneState(number: number), at: index) }
            return change(&zones[index])
        }
        zones.append(ZoneState(number: number))
        return change(&zones[zones.count - 1])
    }

    /// Everything known becomes stale: the link is lost.
    package mutating func age() {
        link = .down
        for index in partitions.indices { partitions[index].age() }
        for index in zones.indices { zones[index].age() }
        system.age()
    }
}

/// How far the session with the panel has come.
package enum PanelLinkState: String, Codable, Hashable, Sendable {
    /// No session; everything known is stale.
    case down
    /// Logged in; the status report is not complete yet.
    case resynchronising
    /// Logged in and in step.
    case up
}
