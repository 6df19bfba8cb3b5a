import AlarmModel
import PanelLink
import Simulators

/// Compares the outcomes of orders with what the panel did.
struct OrderOracle: Sendable {
    private struct Order: Sendable {
        var id: UInt64
        var command: PanelCommand
        var at: BootTime
    }

    /// Orders without an outcome, and those that armed or disarmed; the oldest are dropped first.
    private var orders: [Order] = []
    /// Disarms that were done, by partition: when the last one was given.
    private var disarms: [Int: BootTime] = [:]
    private var armedUpTo = BootTime.zero

    mutating func ordered(_ command: PanelCommand, _ id: UInt64, at now: BootTime) {
        orders.append(Order(id: id, command: command, at: now))
        if orders.count > 200 { orders.removeFirst() }
    }

    mutating func ended(
        _ id: UInt64, _ outcome: Outcome, _ panel: PanelSimulator, at now: BootTime
    ) -> [IncidentOracle.Untruth] {
        guard outcome == .done, let order = orders.last(where: { $0.id == id }) else { return [] }
        switch order.command {
        case .disarm(let partition):
            disarms[partition] = order.at
            // An alarm that no keypad shows any more does not hinder a disarm.
            guard !panel.ledger.phases(of: partition, since: order.at).contains(.disarmed),
                !(panel.ledger.openIncident(partition)?.isHidden ?? false)
            else { return [] }
            return [untruth("done: disarm", "the panel never was disarmed", order)]
        case .arm(let partition, _, let force):
            let phases = panel.ledger.phases(of: partition, since: order.at)
            guard phases.contains(.exitDelay) || phases.contains(.armed) else {
                return [untruth("done: arm", "the panel never was armed", order)]
            }
            guard !force, panel.leavesZonesOpen(partition) else { return [] }
            return [untruth("done: arm with a zone open", "a zone is open that nobody agreed to leave out", order)]
        case .bypass, .panic, .output, .chime, .silence, .smokeReset, .setClock, .keys, .refresh, .timers: return []
        }
    }

    /// The panel has taken a disarm of the partition, or is about to: an alarm that ends meanwhile counts as disarmed.
    func isDisarming(_ partition: Int?, since time: BootTime) -> Bool {
        orders.contains { order in
            guard case .disarm(let number) = order.command else { return false }
            return number == partition && order.at >= time
        }
    }

    /// No partition arms by an order that is older than a disarm that was done.
    mutating func look(_ ledger: IncidentLedger) -> [IncidentOracle.Untruth] {
        guard let last = ledger.changes.last, last.at > armedUpTo else { return [] }
        let from = armedUpTo
        armedUpTo = last.at
        for change in ledger.changes where change.at > from && change.phase == .exitDelay && change.source == .network {
            guard let disarm = disarms[change.partition] else { continue }
            let isOrdered = orders.contains { order in
                guard case .arm(change.partition, _, _) = order.command else { return false }
                return order.at > disarm
            }
            guard !isOrdered else { continue }
            return [
                IncidentOracle.Untruth(
                    promise: .outcomesAreTrue, what: "armed behind a disarm",
                    detail: "partition \(change.partition) arms at \((change.at - .zero).milliseconds) ms by an order "
                        + "from before the disarm that was done")
            ]
        }
        return []
    }

    private func untruth(_ what: String, _ words: String, _ order: Order) -> IncidentOracle.Untruth {
        IncidentOracle.Untruth(
            promise: .outcomesAreTrue, what: what, detail: "'\(order.command.summary)' is done, and \(words)")
    }
}

extension IncidentLedger {
    /// Everything that a partition has done since then, and what it did at that time.
    fileprivate func phases(of partition: Int, since time: BootTime) -> [Change.Phase] {
        let own = changes.filter { $0.partition == partition }
        let before = own.last { $0.at < time }?.phase ?? .disarmed
        return [before] + own.filter { $0.at >= time }.map(\.phase)
    }
}
