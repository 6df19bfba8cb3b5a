import AlarmModel
package import PhoneProtocol

/// The form on the wire: each verb is written and read here. The form in a recording is that of `Codable`, which hides
/// secrets.
extension ControlRequest {
    /// Reads one line; every misfit is an error that says which member is wrong and what was expected.
    package init(line: [UInt8]) throws(ControlRequestError) {
        var line = try RequestLine(line)
        guard let verb = line.member("request")?.stringValue else {
            throw ControlRequestError("member 'request' is missing or not a string")
        }
        var others: [String] = []
        switch verb {
        case "status": self = .status
        case "panel": self = .panel
        case "links": self = .links(isTest: try line.flag("test") ?? false)
        case "trace": self = .trace
        case "reboot":
            self = .reboot
            others = ["code"]
        case "update": self = .update(bundle: try line.bundle(), isOlderConfirmed: try line.flag("older") ?? false)
        case "updates":
            self = .updates(try line.needed(try line.choice("do"), "do", "ask or install"))
        case "pictures":
            guard line.member("do")?.stringValue == "forget" else {
                throw ControlRequestError("member 'do' may be forget")
            }
            self = .forgetPictures
        case "events": self = .events(try line.query(), follow: try line.flag("follow") ?? false)
        case "maintenance": self = .maintenance(on: try line.flag("on"))
        case "people":
            self = .people(try PeopleRequest(&line))
            others = ["name", "to", "language", "duress", "receives"]
        case "phones":
            self = .phones(try PhonesRequest(&line))
            others = [
                "phone", "person", "name", "roles", "no_presence", "code", "token", "allow", "limit", "kind", "value",
                "arming",
            ]
        case "stick":
            self = .stick(try StickRequest(&line))
            others = ["file", "passphrase"]
        case "console": self = .console(try ConsoleRequest(&line))
        default: self = .command(try line.command(verb), code: try line.code())
        }
        try line.expectOnlyKnown(others)
    }

    /// The line without its end.
    package var json: JSON {
        switch self {
        case .status: .request("status")
        case .panel: .request("panel")
        case .links(let isTest): .request("links", ["test": isTest])
        case .trace: .request("trace")
        case .reboot: .request("reboot")
        case .update(let bundle, let older): .request("update", ["bundle": bundle, "older": older])
        case .updates(let request): .request("updates", ["do": request.rawValue])
        case .forgetPictures: .request("pictures", ["do": "forget"])
        case .stick(let request):
            .request(
                "stick",
                [
                    "id": request.id, "do": request.line.task, "file": request.line.file,
                    "passphrase": request.line.passphrase,
                ])
        case .maintenance(let on): .request("maintenance", ["on": on])
        case .events(let query, let follow):
            .request(
                "events",
                [
                    "after": query.after.number, "since": query.since?.milliseconds,
                    "types": query.types.isEmpty ? nil : EventTypes(types: query.types), "zone": query.zone,
                    "partition": query.partition, "order": query.order.rawValue, "limit": query.limit,
                    "follow": follow,
                ])
        case .people(let request): request.json
        case .phones(let request): request.json
        case .console(let request): request.json
        case .command(let command, let code): command.json(code)
        }
    }

    private struct EventTypes: LineValue {
        var types: [EventType]
        var inLine: JSON { .array(types.map { .string($0.rawValue) }) }
    }
}

extension PanelCommand {
    fileprivate func json(_ code: Secret?) -> JSON {
        switch self {
        case .arm(let partition, let mode, let force):
            .request("arm", ["partition": partition, "mode": mode.rawValue, "force": force, "code": code])
        case .disarm(let partition): .request("disarm", ["partition": partition, "code": code])
        case .bypass(let zone, let bypassed): .request("bypass", ["zone": zone, "bypassed": bypassed, "code": code])
        case .panic(let kind): .request("panic", ["kind": kind.rawValue, "code": code])
        case .output(let partition, let output):
            .request("output", ["partition": partition, "output": output, "code": code])
        case .chime(let partition, let on): .request("chime", ["partition": partition, "on": on, "code": code])
        case .silence(let partition): .request("silence", ["partition": partition, "code": code])
        case .smokeReset(let partition): .request("smoke-reset", ["partition": partition, "code": code])
        case .setClock: .request("clock", ["code": code])
        case .keys(let partition, let keys, let allowInstaller):
            .request(
                "keys", ["partition": partition, "keys": keys, "allow_installer": allowInstaller, "code": code])
        case .refresh: .request("refresh", ["code": code])
        case .timers: .request("timers", ["code": code])
        }
    }
}

extension RequestLine {
    fileprivate mutating func command(_ verb: String) throws(ControlRequestError) -> PanelCommand {
        switch verb {
        case "arm":
            return .arm(
                partition: try partition(), mode: try choice("mode") ?? .away, force: try flag("force") ?? false)
        case "disarm": return .disarm(partition: try partition())
        case "silence": return .silence(partition: try partition())
        case "smoke-reset": return .smokeReset(partition: try partition())
        case "chime":
            let on = try needed(try flag("on"), "on", "true or false")
            return .chime(partition: try partition(), on: on)
        case "bypass":
            return .bypass(
                zone: try needed(try number("zone", in: 1...64), "zone", "a number from 1 to 64"),
                bypassed: try flag("bypassed") ?? true)
        case "panic": return .panic(try needed(try choice("kind"), "kind", "fire, ambulance or police"))
        case "output":
            let output = try needed(try number("output", in: 1...4), "output", "a number from 1 to 4")
            return .output(partition: try partition(), output: output)
        case "keys":
            let limit = PanelCommand.keyLimit
            let keys = try needed(
                member("keys")?.stringValue.flatMap { (1...limit).contains($0.utf8.count) ? Secret($0) : nil }, "keys",
                "1 to \(limit) of 0-9 * #")
            return .keys(
                partition: try partition(), keys: keys, allowInstaller: try flag("allow_installer") ?? false)
        case "clock": return .setClock
        case "refresh": return .refresh
        case "timers": return .timers
        default: throw ControlRequestError("unknown request \(Self.quoted(verb))")
        }
    }

    private mutating func partition() throws(ControlRequestError) -> Int { try number("partition", in: 1...8) ?? 1 }

    fileprivate mutating func query() throws(ControlRequestError) -> EventQuery {
        var query = EventQuery()
        query.after = SequenceNumber(try integer("after", in: 0...Int64.max) ?? 0)
        query.since = try integer("since", in: 0...Int64.max).map(WallTime.init(milliseconds:))
        query.zone = try number("zone", in: 1...64)
        query.partition = try number("partition", in: 1...8)
        query.order = try choice("order") ?? .oldestFirst
        query.limit = try number("limit", in: 1...1_000_000) ?? 100
        guard let value = member("types") else { return query }
        guard let names = value.arrayValue else { throw ControlRequestError("member 'types' is not an array") }
        query.types = names.compactMap { $0.stringValue.flatMap(EventType.init(rawValue:)) }
        guard query.types.count == names.count else {
            throw ControlRequestError(
                "member 'types' may hold \(EventType.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return query
    }

    /// A place in the file system.
    fileprivate mutating func bundle() throws(ControlRequestError) -> String {
        guard let path = member("bundle")?.stringValue, path.hasPrefix("/"), (2...4000).contains(path.utf8.count),
            path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw ControlRequestError("member 'bundle' is not the full path of a file") }
        return path
    }
}

/// What the serial console asks: member `do` says what.
extension ConsoleRequest {
    fileprivate var json: JSON {
        switch self {
        case .begin: .request("console", ["do": "begin"])
        case .state: .request("console", ["do": "state"])
        case .lock: .request("console", ["do": "lock"])
        case .unlock(let pin): .request("console", ["do": "unlock", "pin": pin])
        case .setPIN(let old, let new): .request("console", ["do": "set_pin", "pin": new, "old": old])
        }
    }

    fileprivate init(_ line: inout RequestLine) throws(ControlRequestError) {
        func pin(_ key: String) throws(ControlRequestError) -> Secret? {
            try line.read(key, "is not a text of 1 to 64 bytes") { value in
                value.stringValue.flatMap { (1...64).contains($0.utf8.count) ? Secret($0) : nil }
            }
        }
        let what = line.member("do")?.stringValue
        switch what {
        case "begin", "state", "lock":
            guard try pin("pin") == nil, try pin("old") == nil else {
                throw ControlRequestError("members 'pin' and 'old' belong to 'unlock' and 'set_pin'")
            }
            self = what == "begin" ? .begin : what == "state" ? .state : .lock
        case "unlock":
            guard let new = try pin("pin"), try pin("old") == nil else {
                throw ControlRequestError("member 'pin' is missing, or 'old' is there")
            }
            self = .unlock(pin: new)
        case "set_pin":
            guard let new = try pin("pin") else { throw ControlRequestError("member 'pin' is missing") }
            self = .setPIN(old: try pin("old"), new: new)
        default: throw ControlRequestError("member 'do' may be begin, state, unlock, lock or set_pin")
        }
    }
}
