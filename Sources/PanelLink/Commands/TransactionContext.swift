import AlarmModel

/// What a transaction may know while it decides.
struct TransactionContext {
    let settings: PanelSettings
    let state: PanelState
    let now: Moment
    /// 658 or 502 016 came a short while ago: no code may be sent.
    let isLockedOut: Bool
    /// The panel answered `*1` with a demand for a code in this session.
    let bypassNeedsCode: Bool
    let queue: CommandQueue

    /// Partitions for which an arm command has left that the module has not refused.
    var armsUnderWay: [Int] { queue.armsUnderWay }
    /// Partitions with an arm order that ended as not confirmed moments ago: a slow module may still take it.
    var armsUnconfirmed: [Int] { queue.armsUnconfirmed(at: now.boot) }

    /// Open zones of a partition, ascending; zones of no known partition count for every one.
    func openZones(of partition: Int) -> [Int] {
        state.zones.filter { zone in
            zone.open.current == true && zone.bypassed.current != true
                && (zone.partition == nil || zone.partition == partition)
        }.map(\.number)
    }

    func isInAlarm(_ partition: Int) -> Bool { state.partition(partition)?.isInAlarm ?? false }

    func status(of partition: Int) -> PartitionStatus? { state.partition(partition)?.status.current }

    /// The zone's partition; a zone that nobody assigned belongs to the first one.
    func partition(ofZone zone: Int) -> Int {
        state.zone(zone)?.partition ?? settings.names.zone(zone)?.partition ?? 1
    }
}
