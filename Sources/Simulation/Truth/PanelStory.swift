import AlarmModel
import ApplianceCore
import Simulators

/// Story of one run, for whoever looks into a broken promise: acts of the panel, lines of its module, events of the box.
struct PanelStory: Sendable {
    private var entries: [(at: BootTime, words: String)] = []

    /// A step of the core.
    ///
    /// - Parameter isModule: true if the connection leads to the panel's module
    mutating func follow(_ input: Input, at now: BootTime, _ effects: [Effect], isModule: (ConnectionID) -> Bool) {
        switch input {
        case .received(let connection, let bytes) where isModule(connection):
            let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            // Most lines of a status report say nothing: closed zones, trouble lights that are off, missing partitions.
            let telling = lines.filter { !$0.hasPrefix("610") && !$0.hasPrefix("841") && !$0.hasPrefix("673") }
            if !telling.isEmpty { entries.append((now, "module: \(telling.joined(separator: " "))")) }
        case .closed(let connection, _) where isModule(connection): entries.append((now, "module: closed"))
        default: break
        }
        for case .commit(let batch) in effects {
            for (index, event) in batch.events.enumerated() {
                let count = batch.outbox.count { $0.event == index }
                entries.append((now, "box: \(event.type.rawValue) \(event.raw) to \(count): \(event.message)"))
            }
        }
    }

    /// In the order of their times, with what the ledger has.
    func words(_ ledger: IncidentLedger) -> [String] {
        var all = entries
        for change in ledger.changes {
            let flags = (change.isArming ? ", arming" : "") + (change.isDisarming ? ", disarming" : "")
            all.append((change.at, "panel: partition \(change.partition) \(change.phase.rawValue)\(flags)"))
        }
        for incident in ledger.incidents {
            let name = "incident \(incident.number) of partition \(incident.partition)"
            all.append((incident.began, "panel: \(name) begins, \(incident.kind.rawValue), zones \(incident.zones)"))
            if let time = incident.sirenStopped { all.append((time, "panel: siren of \(name) stops")) }
            if let time = incident.endedAt, let end = incident.end { all.append((time, "panel: \(name) ends: \(end)")) }
        }
        return all.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map { "\(($0.element.at - .zero).milliseconds) ms \($0.element.words)" }
    }
}
