import AlarmModel
package import PhoneProtocol

/// The form on the wire. The line carries codes, so it is written here and not derived from `Codable`, which hides them.
extension ControlRequest {
    /// Reads one line; every misfit is an error that says which member is wrong and what was expected.
    package init(line: [UInt8]) throws(ControlRequestError) {
        let document: JSON
        do {
            document = try JSON(parsing: line)
        } catch {
            throw ControlRequestError("not a JSON object in one line: \(error)")
        }
        guard case .object = document else { throw ControlRequestError("a request is a JSON object") }
        guard let verb = document["request"]?.stringValue else {
            throw ControlRequestError("member 'request' is missing or not a string")
        }
        let members = RequestMembers(document: document)
        switch verb {
        case "status": self = .status
        case "panel": self = .panel
        case "links": self = .links(isTest: try members.flag("test") ?? false)
        case "trace": self = .trace
        case "reboot": self = .reboot
        case "update":
            self = .update(bundle: try members.bundle(), isOlderConfirmed: try members.flag("older") ?? false)
        case "events": self = .events(try members.query(), follow: try members.flag("follow") ?? false)
        case "maintenance": self = .maintenance(on: try members.flag("on"))
        case "people": self = .people(try members.peopleRequest())
        case "phones": self = .phones(try members.phonesRequest())
        case "console": self = .console(try members.consoleRequest())
        default: self = .command(try members.command(verb), code: try members.code())
        }
        try members.expectOnlyKnown(of: verb)
    }

    /// The line without its end.
    package var json: JSON {
        switch self {
        case .status: .object(["request": .string("status")])
        case .panel: .object(["request": .string("panel")])
        case .links(let isTest): .object(["request": .string("links"), "test": .bool(isTest)])
        case .trace: .object(["request": .string("trace")])
        case .reboot: .object(["request": .string("reboot")])
        case .update(let bundle, let older):
            .object(["request": .string("update"), "bundle": .string(bundle), "older": .bool(older)])
        case .maintenance(let on): .object(["request": .string("maintenance"), "on": on.map(JSON.bool)])
        case .events(let query, let follow): Self.json(of: query, follow: follow)
        case .people(let request): request.json
        case .phones(let request): request.json
        case .console(let request): request.json
        case .command(let command, let code): Self.json(of: command, code: code)
        }
    }

    private static func json(of query: EventQuery, follow: Bool) -> JSON {
        .object([
            "request": .string("events"), "after": .integer(query.after.number),
            "since": query.since.map { .integer($0.milliseconds) },
            "types": query.types.isEmpty ? nil : .array(query.types.map { .string($0.rawValue) }),
            "zone": query.zone.map { .integer(Int64($0)) }, "partition": query.partition.map { .integer(Int64($0)) },
            "order": .string(query.order.rawValue), "limit": .integer(Int64(query.limit)), "follow": .bool(follow),
        ])
    }

    private static func json(of command: PanelCommand, code: Secret?) -> JSON {
        let code: JSON? = code.map { .string($0.revealed) }
        func number(_ value: Int) -> JSON { .integer(Int64(value)) }
        switch command {
        case .arm(let partition, let mode, let force):
            return .object([
                "request": .string("arm"), "partition": number(partition), "mode": .string(mode.rawValue),
                "force": .bool(force), "code": code,
            ])
        case .disarm(let partition):
            return .object(["request": .string("disarm"), "partition": number(partition), "code": code])
        case .bypass(let zone, let bypassed):
            return .object([
                "request": .string("bypass"), "zone": number(zone), "bypassed": .bool(bypassed), "code": code,
            ])
        case .panic(let kind):
            return .object(["request": .string("panic"), "kind": .string(kind.rawValue), "code": code])
        case .output(let partition, let output):
            return .object([
                "request": .string("output"), "partition": number(partition), "output": number(output), "code": code,
            ])
        case .chime(let partition, let on):
            return .object(["request": .string("chime"), "partition": number(partition), "on": .bool(on), "code": code])
        case .silence(let partition):
            return .object(["request": .string("silence"), "partition": number(partition), "code": code])
        case .smokeReset(let partition):
            return .object(["request": .string("smoke-reset"), "partition": number(partition), "code": code])
        case .setClock: return .object(["request": .string("clock"), "code": code])
        case .keys(let partition, let keys, let allowInstaller):
            return .object([
                "request": .string("keys"), "partition": number(partition), "keys": .string(keys.revealed),
                "allow_installer": .bool(allowInstaller), "code": code,
            ])
        case .refresh: return .object(["request": .string("refresh"), "code": code])
        case .timers: return .object(["request": .string("timers"), "code": code])
        }
    }
}
