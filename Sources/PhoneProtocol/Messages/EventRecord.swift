package import AlarmModel

/// One event as `events --json` prints it, one object per line.
package struct EventRecord: Codable, Equatable, Sendable {
    package var stored: StoredEvent

    package init(_ stored: StoredEvent) { self.stored = stored }

    /// First, always and in this order: seq, type, code, raw, message, timestamp (seconds since 1970), partition and
    /// zone (numbers or null). After them, only where there is something to say: names, user, `away` (found out after
    /// the link was lost), `maintenance`, `flaps`, `time_untrusted`, `cmd`, `u`; `class` is always there.
    package var json: JSON {
        let event = stored.event
        return .object([
            "seq": .integer(stored.seq.number), "type": .string(event.type.rawValue), "code": .string(event.code),
            "raw": .string(event.raw), "message": .string(event.message), "timestamp": .integer(event.time.seconds),
            "partition": Self.number(event.partition) ?? .null, "zone": Self.number(event.zone) ?? .null,
            "partition_name": event.partitionName.map(JSON.string), "zone_name": event.zoneName.map(JSON.string),
            "user": Self.number(event.user), "user_name": event.userName.map(JSON.string),
            "class": .string(event.priority.name), "away": Self.mark(event.flags.contains(.whileAway)),
            "maintenance": Self.mark(event.flags.contains(.maintenance)), "flaps": Self.number(event.flapCount),
            "time_untrusted": Self.mark(!event.isTimeTrusted),
            "cmd": event.command.map { JSON.unsigned($0.number) }, "u": event.unstored.map { JSON.string($0.text) },
        ])
    }

    private static func number(_ value: Int?) -> JSON? { value.map { .integer(Int64($0)) } }
    private static func mark(_ isSet: Bool) -> JSON? { isSet ? .bool(true) : nil }
}

extension PriorityClass {
    /// The word for it in records and texts.
    package var name: String {
        switch self {
        case .alarm: "alarm"
        case .fault: "fault"
        case .state: "state"
        case .info: "info"
        }
    }
}
