import AlarmModel
import PhoneProtocol

/// Reads the members of a request and says what is wrong with them.
struct RequestMembers {
    let document: JSON

    func command(_ verb: String) throws(ControlRequestError) -> PanelCommand {
        switch verb {
        case "arm":
            return .arm(
                partition: try partition(), mode: try choice("mode") ?? .away, force: try flag("force") ?? false)
        case "disarm": return .disarm(partition: try partition())
        case "silence": return .silence(partition: try partition())
        case "smoke-reset": return .smokeReset(partition: try partition())
        case "chime":
            guard let on = try flag("on") else { throw ControlRequestError("member 'on' is missing: true or false") }
            return .chime(partition: try partition(), on: on)
        case "bypass":
            guard let zone = try number("zone", in: 1...64) else {
                throw ControlRequestError("member 'zone' is missing: a number from 1 to 64")
            }
            return .bypass(zone: zone, bypassed: try flag("bypassed") ?? true)
        case "panic":
            guard let kind: PanelCommand.Panic = try choice("kind") else {
                throw ControlRequestError("member 'kind' is missing: fire, ambulance or police")
            }
            return .panic(kind)
        case "output":
            guard let output = try number("output", in: 1...4) else {
                throw ControlRequestError("member 'output' is missing: a number from 1 to 4")
            }
            return .output(partition: try partition(), output: output)
        case "keys":
            guard let keys = document["keys"]?.stringValue, (1...64).contains(keys.utf8.count) else {
                throw ControlRequestError("member 'keys' is missing: 1 to 64 of 0-9 * #")
            }
            return .keys(
                partition: try partition(), keys: Secret(keys), allowInstaller: try flag("allow_installer") ?? false)
        case "clock": return .setClock
        case "refresh": return .refresh
        case "timers": return .timers
        default: throw ControlRequestError("unknown request \(Self.quoted(verb))")
        }
    }

    /// A member that nobody reads is a slip of the asker; passed over, it would arm another partition than was meant.
    func expectOnlyKnown(of verb: String) throws(ControlRequestError) {
        guard case .object(let all) = document else { return }
        var seen: [String] = []
        for member in all {
            let key = member.key
            guard key == "request" || Self.members(of: verb).contains(key) else {
                throw ControlRequestError("member \(Self.quoted(key)) is not known in this request")
            }
            guard !seen.contains(key) else { throw ControlRequestError("member '\(key)' stands there twice") }
            seen.append(key)
        }
    }

    private static func members(of verb: String) -> [String] {
        switch verb {
        case "status", "panel", "trace": []
        case "links": ["test"]
        case "events": ["after", "since", "types", "zone", "partition", "order", "limit", "follow"]
        case "maintenance": ["on"]
        case "update": ["bundle", "older"]
        case "people": ["do", "name", "to", "language", "duress", "receives"]
        case "phones":
            [
                "do", "phone", "person", "name", "roles", "no_presence", "code", "token", "allow", "limit", "kind",
                "value",
                "arming",
            ]
        case "console": ["do", "pin", "old"]
        case "arm": ["partition", "mode", "force", "code"]
        case "disarm", "silence", "smoke-reset": ["partition", "code"]
        case "chime": ["partition", "on", "code"]
        case "bypass": ["zone", "bypassed", "code"]
        case "panic": ["kind", "code"]
        case "output": ["partition", "output", "code"]
        case "keys": ["partition", "keys", "allow_installer", "code"]
        default: ["code"]
        }
    }

    /// Text of the asker in an error; digits are left out, for a code may have slipped there.
    private static func quoted(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 || $0 == 95 }
        return isWord && !text.isEmpty ? "'\(text.prefix(40))'" : "that is not a word"
    }

    /// The code is never repeated in an error.
    func code() throws(ControlRequestError) -> Secret? {
        guard let value = document["code"], value != .null else { return nil }
        guard let text = value.stringValue, (4...6).contains(text.utf8.count),
            text.utf8.allSatisfy({ (48...57).contains($0) })
        else { throw ControlRequestError("member 'code' is not 4 to 6 digits") }
        return Secret(text)
    }

    func query() throws(ControlRequestError) -> EventQuery {
        var query = EventQuery()
        query.after = SequenceNumber(try integer("after", in: 0...Int64.max) ?? 0)
        query.since = try integer("since", in: 0...Int64.max).map(WallTime.init(milliseconds:))
        query.zone = try number("zone", in: 1...64)
        query.partition = try number("partition", in: 1...8)
        query.order = try choice("order") ?? .oldestFirst
        query.limit = try number("limit", in: 1...1_000_000) ?? 100
        if let value = document["types"] {
            guard let names = value.arrayValue else { throw ControlRequestError("member 'types' is not an array") }
            for name in names {
                guard let type = name.stringValue.flatMap(EventType.init(rawValue:)) else {
                    throw ControlRequestError(
                        "member 'types' may hold \(EventType.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                query.types.append(type)
            }
        }
        return query
    }

    /// A place in the file system.
    func bundle() throws(ControlRequestError) -> String {
        guard let path = document["bundle"]?.stringValue, path.hasPrefix("/"), (2...4000).contains(path.utf8.count),
            path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw ControlRequestError("member 'bundle' is not the full path of a file") }
        return path
    }

    func flag(_ key: String) throws(ControlRequestError) -> Bool? {
        guard let value = document[key], value != .null else { return nil }
        guard let flag = value.boolValue else { throw ControlRequestError("member '\(key)' is not true or false") }
        return flag
    }

    private func partition() throws(ControlRequestError) -> Int { try number("partition", in: 1...8) ?? 1 }

    func number(_ key: String, in range: ClosedRange<Int>) throws(ControlRequestError) -> Int? {
        try integer(key, in: Int64(range.lowerBound)...Int64(range.upperBound)).map(Int.init)
    }

    private func integer(_ key: String, in range: ClosedRange<Int64>) throws(ControlRequestError) -> Int64? {
        guard let value = document[key], value != .null else { return nil }
        guard let number = value.integerValue, range.contains(number) else {
            throw ControlRequestError(
                "member '\(key)' is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(_ key: String) throws(ControlRequestError) -> Choice?
    where Choice.RawValue == String {
        guard let value = document[key], value != .null else { return nil }
        guard let choice = value.stringValue.flatMap(Choice.init(rawValue:)) else {
            throw ControlRequestError(
                "member '\(key)' is one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }
}
