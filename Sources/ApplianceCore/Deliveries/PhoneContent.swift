import AlarmModel
import PhoneProtocol

/// The HA2 messages (docs/messages.md B.6, docs/pairing.md 6): what stands inside the seal.
struct PhoneContent {
    var log: String
    var names: SiteNames

    /// An event. `state` only while it is the newest: a later one would tell the past as the present.
    func event(
        _ event: Event, seq: SequenceNumber?, type: EventType, state: String?, cause: String?, isRepeat: Bool
    ) -> JSON {
        var members = HowAlarmingMessage(event, type: type).pushData.objectValue ?? []
        func add(_ key: String, _ value: String?) {
            if let value { members.append(.init(key: key, value: .string(value))) }
        }
        add("v", "2")
        add("log", log)
        add("seq", seq.map { "\($0.number)" })
        add("part", event.partition.map(String.init))
        add("zone", event.zone.map(String.init))
        add("zn", event.zoneName)
        add("kind", kind(of: event))
        add("st", state)
        // A duress notice looks like any other, but is known by its mark alone.
        if event.unstored != nil { add("u", event.unstored?.text) }
        add("cmd", cause)
        if isRepeat { add("rp", "1") }
        return Self.fitting(members)
    }

    /// The sort of an alarm where it is no burglary.
    private func kind(of event: Event) -> String? {
        guard event.type == .alarm else { return nil }
        let subject = event.noticeSubject(names, partitions: [])
        return NoticeSubject.kindsOfAlarm.contains(subject) ? subject.rawValue : nil
    }

    /// A picture. `log` and `seq`: the row that tells of it.
    func picture(_ picture: PictureReference, seq: SequenceNumber?, time: WallTime) -> JSON {
        .object(
            [
                JSON.Member(key: "v", value: .string("2")), JSON.Member(key: "log", value: .string(log)),
                JSON.Member(key: "seq", value: .string("\(seq?.number ?? 0)")),
                JSON.Member(key: "timestamp", value: .string("\(time.seconds)")),
            ] + (picture.form.objectValue ?? []))
    }

    /// An event for programs: the five members of HowAlarming's own jobs (docs/messages.md B.2), then ours. One that
    /// leaves before it is stored has no number but `u`, which its row repeats later.
    func programEvent(_ event: Event, seq: SequenceNumber?, type: EventType) -> JSON {
        .object([
            "type": .string(type.rawValue), "code": .string(event.code), "raw": .string(event.raw),
            "message": .string(event.message), "timestamp": .integer(event.time.seconds), "log": .string(log),
            "seq": seq.map { .integer($0.number) }, "part": event.partition.map { .integer(Int64($0)) },
            "zone": event.zone.map { .integer(Int64($0)) }, "zn": event.zoneName.map { .string($0) },
            "class": .string(event.type.rawValue), "u": event.unstored.map { .string($0.text) },
        ])
    }

    /// Leaves out what is least missed until the rest fits into the biggest envelope.
    static func fitting(_ members: [JSON.Member]) -> JSON {
        var members = members
        func size() -> Int { JSON.object(members).text.utf8.count }
        for key in ["zn", "kind", "st"] where size() > BoxMessage.contentLimit { members.removeAll { $0.key == key } }
        while size() > BoxMessage.contentLimit, let index = members.firstIndex(where: { $0.key == "message" }),
            case .string(let text) = members[index].value, !text.isEmpty
        {
            members[index].value = .string(String(text.prefix(text.count / 2)))
        }
        return .object(members)
    }

    /// Every partition, also those that the message is not about: the phone takes it for the house as it is now.
    ///
    /// Zones without a partition stand with the first.
    /// - Parameter named: the partition that the message names; nil: none, which is read as the first of the panel
    static func state(_ panel: PanelState, partitions: [Int], named: Int?) -> String {
        let numbers = partitions.isEmpty ? [1] : partitions
        guard numbers != [named ?? 1] else { return state(panel, partition: numbers[0], isFirst: true) }
        return numbers.map { number in
            "p=\(number);" + state(panel, partition: number, isFirst: number == numbers[0])
        }.joined(separator: "|")
    }

    /// `a=d;r=1;al=0;t=2;z=3,7;x=`: arm d s a n x(exit) e(entry), ready, in alarm, troubles as bits, open zones,
    /// bypassed zones. What is not known is `?`.
    private static func state(_ panel: PanelState, partition number: Int, isFirst: Bool) -> String {
        let partition = panel.partition(number)
        let status = panel.link == .up ? partition?.shownStatus.current : nil
        func mode(_ mode: ArmMode?) -> String {
            switch mode {
            case .stay: "s"
            case .zeroEntryAway, .zeroEntryStay: "n"
            case .away, nil: "a"
            }
        }
        var arm = "?"
        var ready = "?"
        var alarm = "?"
        switch status {
        case .disarmed, .ready, .readyForce, .notReady: arm = "d"
        case .exitDelay: arm = "x"
        case .armed(let how): arm = mode(how)
        case .entryDelay: arm = "e"
        case .alarm(let how): arm = partition?.isDisarmedInAlarm ?? true ? "d" : mode(how)
        case .notEnabled, nil: break
        }
        if let status {
            let readiness = partition?.status.current
            ready = readiness == .ready || readiness == .readyForce ? "1" : "0"
            if case .alarm = status { alarm = "1" } else { alarm = "0" }
        }
        let zones = panel.zones.filter { $0.partition.map { $0 == number } ?? isFirst }
        func list(_ wanted: (ZoneState) -> Bool) -> String {
            zones.filter(wanted).map { String($0.number) }.joined(separator: ",")
        }
        let open = panel.link == .up ? list { $0.open.current == true } : "?"
        let bypassed = panel.link == .up ? list { $0.bypassed.current == true } : "?"
        return "a=\(arm);r=\(ready);al=\(alarm);t=\(troubles(panel));z=\(open);x=\(bypassed)"
    }

    /// Bit n is the n-th trouble of `Trouble`; `?` when none was ever told.
    private static func troubles(_ panel: PanelState) -> String {
        guard panel.link == .up else { return "?" }
        var bits: UInt64 = 0
        for (index, trouble) in Trouble.allCases.enumerated() where panel.system[trouble].current == .trouble {
            bits |= UInt64(1) << UInt64(index)
        }
        return String(bits, radix: 16)
    }
}
