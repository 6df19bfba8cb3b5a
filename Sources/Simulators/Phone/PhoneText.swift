import AlarmModel
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

    /// One line for each row of a list, and one that says how many there are.
    package static func rows(_ list: BoxList) -> [String] {
        let head = "list \(list.name.rawValue) \(list.isRefused ? "refused" : "\(list.rows.count)")"
        return [head] + list.rows.map { row in row.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ") }
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

    /// The alert while the box is overdue, else when it was heard of last.
    package static func contact(_ memory: PhoneMemory) -> String {
        if let since = memory.view.overdueSince { return overdue(since) }
        return "last contact \(memory.view.lastContact.map { time($0) } ?? "never")"
    }

    package static func overdue(_ since: Int64) -> String {
        "ALERT: the box has not been heard of since \(time(since)); look after its power and its internet"
    }

    /// Seconds since 1970 as date and time of day in UTC.
    static func time(_ seconds: Int64) -> String {
        CivilTime(secondsSince1970: seconds, offset: 0).text + " UTC"
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
