package import PhoneProtocol

extension HouseCommand {
    /// `verb` as on the wire, and what it needs.
    package var form: JSON {
        switch self {
        case .arm(let partition, let mode, let force):
            .object([
                "verb": .string(verb), "partition": .optional(partition), "mode": .string(mode.rawValue),
                "force": .bool(force),
            ])
        case .disarm(let partition): .object(["verb": .string(verb), "partition": .optional(partition)])
        case .bypass(let zone, let on):
            .object(["verb": .string(verb), "zone": .optional(zone), "on": .bool(on)])
        case .panic(let kind): .object(["verb": .string(verb), "kind": .string(kind.rawValue)])
        case .output(let partition, let number):
            .object(["verb": .string(verb), "partition": .optional(partition), "number": .optional(number)])
        case .chime(let partition, let on):
            .object(["verb": .string(verb), "partition": .optional(partition), "on": .bool(on)])
        case .suspend(let phone): .object(["verb": .string(verb), "phone": .string(phone)])
        case .address(let address):
            .object([
                "verb": .string(verb), "kind": .integer(Int64(address.kind.rawValue)), "value": .string(address.value),
            ])
        case .leave: .object(["verb": .string(verb)])
        case .seen(let place):
            .object(["verb": .string(verb), "log": .integer(Int64(place.log)), "seq": .integer(place.seq)])
        }
    }

    package init?(form: JSON) {
        switch form.text("verb") {
        case "arm":
            guard let partition = form.small("partition"),
                let mode = form.text("mode").flatMap({ ArmMode(rawValue: $0) })
            else { return nil }
            self = .arm(partition: partition, mode: mode, force: form["force"]?.boolValue ?? false)
        case "disarm":
            guard let partition = form.small("partition") else { return nil }
            self = .disarm(partition: partition)
        case "bypass":
            guard let zone = form.small("zone"), let on = form["on"]?.boolValue else { return nil }
            self = .bypass(zone: zone, on: on)
        case "panic":
            guard let kind = form.text("kind").flatMap({ Panic(rawValue: $0) }) else { return nil }
            self = .panic(kind)
        case "output":
            guard let partition = form.small("partition"), let number = form.small("number") else { return nil }
            self = .output(partition: partition, number: number)
        case "chime":
            guard let partition = form.small("partition"), let on = form["on"]?.boolValue else { return nil }
            self = .chime(partition: partition, on: on)
        case "suspend":
            guard let phone = form.text("phone") else { return nil }
            self = .suspend(phone: phone)
        case "addr":
            guard let address = ContactAddress(form: form) else { return nil }
            self = .address(address)
        case "leave": self = .leave
        case "seen":
            guard let place = LogPosition(form: form) else { return nil }
            self = .seen(place)
        case _: return nil
        }
    }
}

extension ContactAddress {
    fileprivate var form: JSON {
        .object(["kind": .integer(Int64(kind.rawValue)), "value": .string(value)])
    }

    package init?(form: JSON) {
        guard let kind = form.integer("kind").flatMap({ UInt8(exactly: $0) }).flatMap({ Kind(rawValue: $0) }),
            let value = form.text("value")
        else { return nil }
        self.init(kind: kind, value: value)
    }
}

extension CommandRecord {
    /// `outcome` is a word; `why` is there where it was refused or failed.
    package var form: JSON {
        let (word, why) = outcome.words
        return .object([
            "id": .integer(id), "command": command.form, "counter": .optional(counter), "time": .integer(time),
            "outcome": .string(word), "why": .optional(why),
        ])
    }

    fileprivate init?(form: JSON) {
        guard let id = form.integer("id"), let command = form["command"].flatMap({ HouseCommand(form: $0) }),
            let time = form.integer("time"),
            let outcome = CommandOutcome(out: form.text("outcome"), why: form.text("why"))
        else { return nil }
        self.init(id: id, command: command, counter: form.integer("counter"), time: time, outcome: outcome)
    }
}

extension CommandOutcome {
    fileprivate var words: (word: String, why: String?) {
        switch self {
        case .pending: ("pending", nil)
        case .ok: ("ok", nil)
        case .denied(let why): ("denied", why)
        case .failed(let why): ("failed", why)
        case .expired: ("expired", nil)
        case .timeout: ("timeout", nil)
        }
    }
}

extension PhoneMemory {
    /// Without the numbered rows of the log: whoever stores this form stores each of them once, when it has arrived.
    package var form: JSON {
        .object([
            "name": .string(name), "siteName": .string(siteName),
            "roles": roles.map { .array($0.map { .string($0) }) }, "commandAddresses": .optional(commandAddresses),
            "pushKey": .optional(pushKey), "log": log.form, "view": view.form, "counter": .integer(counter),
            "commands": .array(commands.map { $0.form }), "hasLeft": .bool(hasLeft),
            "nextCommand": .integer(nextCommand), "untoldAddresses": .array(untoldAddresses.map { $0.form }),
        ])
    }

    /// nil when it is something else. A command or an address that only a newer app knows is left out.
    package init?(form: JSON, rows: [HouseEvent]) {
        guard let name = form.text("name"), let siteName = form.text("siteName"),
            let log = form["log"].flatMap({ HouseLog(form: $0, rows: rows) }),
            let view = form["view"].flatMap({ HouseView(form: $0) }), let counter = form.integer("counter"),
            let commands = form["commands"]?.arrayValue, let hasLeft = form["hasLeft"]?.boolValue,
            let nextCommand = form.integer("nextCommand"), let addresses = form["untoldAddresses"]?.arrayValue
        else { return nil }
        self.init(name: name, siteName: siteName)
        roles = form["roles"]?.arrayValue?.compactMap { $0.stringValue }
        commandAddresses = form.text("commandAddresses")
        pushKey = form.text("pushKey")
        self.log = log
        self.view = view
        self.counter = counter
        self.commands = commands.compactMap { CommandRecord(form: $0) }
        self.hasLeft = hasLeft
        self.nextCommand = nextCommand
        untoldAddresses = addresses.compactMap { ContactAddress(form: $0) }
    }
}
