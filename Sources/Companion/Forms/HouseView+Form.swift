package import PhoneProtocol

extension HouseState.Partition {
    package var form: JSON {
        .object([
            "number": .integer(Int64(number)), "arming": .optional(arming.map { $0.rawValue }),
            "isReady": .optional(isReady), "isInAlarm": .optional(isInAlarm),
            "trouble": trouble.map { .unsigned($0) }, "openZones": openZones.map { Self.list($0) },
            "bypassedZones": bypassedZones.map { Self.list($0) },
        ])
    }

    init?(form: JSON) {
        guard let number = form.small("number") else { return nil }
        self.init(
            number: number, arming: form.text("arming").flatMap { HouseState.Arming(rawValue: $0) },
            isReady: form["isReady"]?.boolValue, isInAlarm: form["isInAlarm"]?.boolValue,
            trouble: form.integer("trouble").map { UInt64(clamping: $0) }
                ?? form.text("trouble").flatMap { UInt64($0) },
            openZones: Self.numbers(form["openZones"]), bypassedZones: Self.numbers(form["bypassedZones"]))
    }

    private static func list(_ zones: [Int]) -> JSON { .array(zones.map { .integer(Int64($0)) }) }

    private static func numbers(_ form: JSON?) -> [Int]? {
        form?.arrayValue?.compactMap { $0.integerValue.flatMap { Int(exactly: $0) } }
    }
}

extension HouseView {
    var form: JSON {
        .object([
            "state": state.map { .array($0.partitions.map { $0.form }) }, "position": position.map { $0.form },
            "asOf": .optional(asOf), "lastContact": .optional(lastContact), "heartbeat": .optional(heartbeat),
            "overdueSince": .optional(overdueSince), "isTwoBoxes": .bool(isTwoBoxes),
            "newestAge": newestAge.map { $0.form }, "startedAt": .optional(startedAt),
            "timesBackwards": .integer(Int64(timesBackwards)),
        ])
    }

    init?(form: JSON) {
        guard let isTwoBoxes = form["isTwoBoxes"]?.boolValue, let timesBackwards = form.small("timesBackwards") else {
            return nil
        }
        self.init()
        self.isTwoBoxes = isTwoBoxes
        self.timesBackwards = timesBackwards
        if let partitions = form["state"]?.arrayValue {
            state = HouseState(partitions: partitions.compactMap { HouseState.Partition(form: $0) })
        }
        position = form["position"].flatMap { LogPosition(form: $0) }
        asOf = form.integer("asOf")
        lastContact = form.integer("lastContact")
        heartbeat = form.integer("heartbeat")
        overdueSince = form.integer("overdueSince")
        newestAge = form["newestAge"].flatMap { BoxAge(form: $0) }
        startedAt = form.integer("startedAt")
    }
}

extension HouseState {
    init(partitions: [Partition]) { self.partitions = partitions }
}

extension BoxAge {
    fileprivate var form: JSON {
        .object([
            "log": .integer(Int64(log)), "boot": .integer(boot), "up": .integer(up),
            "isStartUnstored": .optional(isStartUnstored),
        ])
    }

    fileprivate init?(form: JSON) {
        guard let log = form.integer("log").flatMap({ UInt32(exactly: $0) }), let boot = form.integer("boot"),
            let up = form.integer("up")
        else { return nil }
        self.log = log
        self.boot = boot
        self.up = up
        isStartUnstored = form["isStartUnstored"]?.boolValue
    }
}
