import AlarmModel
package import PhoneProtocol

// The form in which an app without Codable stores things and shows them: JSON whose members are named as the properties.
// What is nil is left out. A reader gives nil for what is none, and passes over members that it does not know.

extension JSON {
    func integer(_ key: String) -> Int64? { self[key]?.integerValue }

    func small(_ key: String) -> Int? { integer(key).flatMap { Int(exactly: $0) } }

    static func optional(_ value: Int64?) -> JSON? { value.map { .integer($0) } }
    static func optional(_ value: Int?) -> JSON? { value.map { .integer(Int64($0)) } }
    static func optional(_ value: String?) -> JSON? { value.map { .string($0) } }
    static func optional(_ value: Bool?) -> JSON? { value.map { .bool($0) } }
}

extension LogPosition {
    package var form: JSON { .object(["log": .integer(Int64(log)), "seq": .integer(seq)]) }

    package init?(form: JSON) {
        guard let log = form.integer("log").flatMap({ UInt32(exactly: $0) }), let seq = form.integer("seq") else {
            return nil
        }
        self.init(log: log, seq: seq)
    }
}

extension HouseEvent {
    package var form: JSON {
        .object([
            "position": position.map { $0.form }, "mark": .optional(mark), "type": .string(type),
            "code": .string(code), "raw": .string(raw), "message": .string(message),
            "timestamp": .integer(timestamp), "partition": .optional(partition), "zone": .optional(zone),
            "zoneName": .optional(zoneName), "kind": .optional(kind), "state": .optional(state),
            "recovers": .optional(recovers), "command": .optional(command), "isRepeat": .bool(isRepeat),
        ])
    }

    /// Names its row, and sorts as the log does; of one without a number it is its mark.
    package var key: String {
        guard let position else { return "u.\(mark ?? "")" }
        return position.logText + "." + position.seq.padded(16)
    }

    package init?(form: JSON) {
        guard let type = form.text("type"), let code = form.text("code"), let raw = form.text("raw"),
            let message = form.text("message"), let timestamp = form.integer("timestamp")
        else { return nil }
        var position: LogPosition?
        if let place = form["position"] {
            guard let read = LogPosition(form: place) else { return nil }
            position = read
        }
        self.init(
            position: position, mark: form.text("mark"), type: type, code: code, raw: raw, message: message,
            timestamp: timestamp, partition: form.small("partition"), zone: form.small("zone"),
            zoneName: form.text("zoneName"), kind: form.text("kind"), state: form.text("state"),
            recovers: form.integer("recovers"), command: form.text("command"),
            isRepeat: form["isRepeat"]?.boolValue ?? false)
    }
}

extension HouseLog {
    /// Without the numbered rows, which are stored one by one.
    var form: JSON {
        .object([
            "log": .optional(log.map { Int64($0) }), "newest": .integer(newest), "oldestKept": .integer(oldestKept),
            "depth": .integer(depth),
            "unnumbered": .array(
                unnumbered.map { .object(["event": $0.event.form, "after": .integer($0.after)]) }),
        ])
    }

    /// `rows` in any order, those of former journals among them.
    init?(form: JSON, rows: [HouseEvent]) {
        guard let newest = form.integer("newest"), let oldestKept = form.integer("oldestKept"),
            let depth = form.integer("depth"), depth > 0, let unnumbered = form["unnumbered"]?.arrayValue
        else { return nil }
        self.init(depth: depth)
        self.newest = newest
        self.oldestKept = oldestKept
        if let number = form.integer("log") {
            guard let number = UInt32(exactly: number) else { return nil }
            log = number
        }
        for row in unnumbered {
            guard let event = row["event"].flatMap({ HouseEvent(form: $0) }), let after = row.integer("after") else {
                return nil
            }
            self.unnumbered.append(Unnumbered(event: event, after: after))
        }
        guard let log else { return }
        var last: LogPosition?
        for row in rows.sorted(by: { Self.isBefore($0, $1) }) {
            guard let place = row.position, place.log <= log, place != last else { continue }
            last = place
            if place.log == log {
                events.append(row)
                self.newest = max(self.newest, place.seq)
            } else if archive.last?.log == place.log {
                archive[archive.count - 1].events.append(row)
            } else {
                archive.append(Archived(log: place.log, events: [row]))
            }
        }
    }

    private static func isBefore(_ a: HouseEvent, _ b: HouseEvent) -> Bool {
        guard let a = a.position, let b = b.position else { return false }
        return a < b
    }
}
