import AlarmModel
package import Companion

/// What the virtual phone says in words.
package enum PhoneText {
    /// A row of the log: place, type, code, message.
    package static func row(_ event: HouseEvent) -> String {
        let place = event.position.map { "\($0)" } ?? "u=\(event.mark ?? "?")"
        return "\(place) \(event.type) \(event.code) \(event.message)\(event.isRepeat ? " (repeat)" : "")"
    }

    /// Title and text of the notice that the phone shows; nil for what goes to its log alone.
    package static func notice(_ event: HouseEvent, of memory: PhoneMemory) -> (title: String, text: String)? {
        guard !event.isRepeat else { return nil }
        let site = memory.siteName
        let sentence = event.message.hasSuffix(".") ? event.message : event.message + "."
        switch event.type {
        case "alarm": return ("\(site): ALARM, \(event.zoneName ?? place(of: event))", scene(of: event, memory))
        case "recovery":
            guard let zone = event.zoneName else { return (site, sentence) }
            return ("\(site): Restored, \(zone)", "\(zone) is quiet again.")
        case "armed", "disarmed", "fault": return (site, sentence)
        default: return nil
        }
    }

    /// `Ground floor, armed away.`
    private static func scene(of event: HouseEvent, _ memory: PhoneMemory) -> String {
        let partition = event.partition ?? 1
        let told = event.state.flatMap { HouseState($0, partition: partition) }?.partition(partition)?.arming
        let arming: String? =
            switch told ?? memory.view.state?.partition(partition)?.arming {
            case .away: "armed away"
            case .stay: "armed stay"
            case .noEntryDelay: "armed without entry delay"
            case .disarmed, .exitDelay, .entryDelay, nil: nil
            }
        return [place(of: event), arming].compactMap { $0 }.joined(separator: ", ") + "."
    }

    /// The partition's name, which the box writes into its sentence behind the number.
    private static func place(of event: HouseEvent) -> String {
        guard let number = event.partition else { return "the house" }
        let mark = "artition \(number) "
        guard let name = event.message.firstRange(of: mark).map({ event.message[$0.upperBound...] }) else {
            return "partition \(number)"
        }
        return String(name)
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
