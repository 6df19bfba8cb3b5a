package import Companion

/// What the virtual phone says in words.
package enum PhoneText {
    /// A row of the log: place, type, code, message.
    package static func row(_ event: HouseEvent) -> String {
        let place = event.position.map { "\($0)" } ?? "u=\(event.mark ?? "?")"
        return "\(place) \(event.type) \(event.code) \(event.message)\(event.isRepeat ? " (repeat)" : "")"
    }

    package static func command(_ record: CommandRecord) -> String {
        "command \(record.id) \(record.command.verb) \(outcome(record.outcome))"
    }

    package static func outcome(_ outcome: CommandOutcome) -> String {
        switch outcome {
        case .pending: "pending"
        case .ok: "ok"
        case .denied(let why): "denied \(why)"
        case .failed(let why): "failed \(why)"
        case .expired: "expired"
        case .timeout: "timeout"
        }
    }

    /// One line for each partition; one alone when nothing is known.
    package static func state(_ memory: PhoneMemory, at time: PhoneTime) -> [String] {
        let view = memory.view
        let end = (view.position.map { " at \($0)" } ?? "") + (view.isStale(at: time) ? " stale" : "")
        guard let partitions = view.state?.partitions else { return ["state unknown\(end)"] }
        return partitions.map { partition in
            let arming =
                switch partition.arming {
                case .disarmed: "disarmed"
                case .stay: "stay"
                case .away: "away"
                case .noEntryDelay: "no-entry-delay"
                case .exitDelay: "exit-delay"
                case .entryDelay: "entry-delay"
                case nil: "unknown"
                }
            return "state p\(partition.number) \(arming) ready=\(flag(partition.isReady)) "
                + "alarm=\(flag(partition.isInAlarm)) trouble=\(partition.trouble.map { String($0, radix: 16) } ?? "?") "
                + "open=\(numbers(partition.openZones)) bypassed=\(numbers(partition.bypassedZones))\(end)"
        }
    }

    /// The whole log, oldest first, and how much of it is missing.
    package static func log(_ memory: PhoneMemory) -> [String] {
        memory.log.rows.map { "log \(row($0))" } + [
            "log end rows=\(memory.log.rows.count) missing=\(memory.log.missingCount)"
        ]
    }

    private static func flag(_ value: Bool?) -> String { value.map { $0 ? "1" : "0" } ?? "?" }

    private static func numbers(_ list: [Int]?) -> String {
        list.map { $0.map(String.init).joined(separator: ",") } ?? "?"
    }
}
