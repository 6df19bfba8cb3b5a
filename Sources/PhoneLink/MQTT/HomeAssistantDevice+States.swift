import AlarmModel
import PhoneProtocol

extension HomeAssistantDevice {
    /// A topic and what is kept there.
    package struct State: Codable, Equatable, Sendable {
        package var topic: String
        package var payload: String
        package init(topic: String, payload: String) {
            self.topic = topic
            self.payload = payload
        }
    }

    /// All states, partitions first.
    package var states: [State] {
        house.partitions.map { State(topic: "\(settings.baseTopic)/partition/\($0)", payload: partitionState($0).text) }
            + [
                State(topic: settings.panelTopic, payload: panelState.text),
                State(topic: settings.boxTopic, payload: boxState.text),
            ]
            + zones.map { State(topic: "\(settings.baseTopic)/zone/\($0)", payload: zoneState($0).text) }
    }

    /// What is not known now is null, and Home Assistant shows it as unknown.
    func partitionState(_ number: Int) -> JSON {
        let partition = house.state.partition(number) ?? PartitionState(number: number)
        let status = partition.shownStatus.current
        let isInAlarm = partition.isInAlarm
        let zones = JSON.array(partition.alarmZones.map { .integer(Int64($0)) })
        return .object([
            "state": Self.text(status.flatMap(Self.state)),
            "ready": Self.bool(partition.status.current.flatMap(Self.isReady)),
            "trouble": Self.bool(partition.trouble.current), "chime": Self.bool(partition.chime.current),
            "busy": .bool(partition.isBusy), "auto_arming": .bool(partition.isAutoArming),
            "armed_with_bypass": .bool(partition.isArmedWithBypass), "alarm_memory": .bool(partition.hasAlarmMemory),
            "alarm_zones": isInAlarm ? zones : .array([]), "memory_zones": isInAlarm ? .array([]) : zones,
            "alarm_kind": Self.text(isInAlarm ? alarmKind(partition) : nil),
            "last_known": Self.text(partition.shownStatus.last.flatMap(Self.state)),
        ])
    }

    /// As notices call it. The panel does not say of which partition a key is.
    private func alarmKind(_ partition: PartitionState) -> String? {
        var subjects = partition.alarmZones.map { house.names.subject(ofZone: $0) }
        if house.state.system[.smoke].current == .trouble { subjects.append(.fire) }
        for key in alarmKeys {
            switch key {
            case .fireKey: subjects.append(.fire)
            case .auxiliaryKey: subjects.append(.medical)
            case .panicKey: subjects.append(.panic)
            case .ac, .battery, .bell, .phoneLine, .failureToCommunicate, .tamper, .fireTrouble, .clock, .service,
                .zoneFault, .zoneTamper, .zoneBattery, .keybus, .smoke:
                break
            }
        }
        let kind = NoticeSubject.gravest(subjects)
        return kind == .carbonMonoxide ? "carbon_monoxide" : kind?.rawValue
    }

    func zoneState(_ number: Int) -> JSON {
        let zone = house.state.zone(number) ?? ZoneState(number: number)
        return .object([
            "state": Self.onOff(zone.open.current), "number": .integer(Int64(number)),
            "alarm": Self.bool(zone.alarm.current), "tamper": Self.bool(zone.tamper.current),
            "fault": Self.bool(zone.fault.current), "low_battery": Self.bool(zone.lowBattery.current),
            "bypassed": Self.bool(zone.bypassed.current),
        ])
    }

    var panelState: JSON {
        let isUp: Bool
        switch house.state.link {
        case .down: isUp = false
        case .resynchronising, .up: isUp = true
        }
        var members = [JSON.Member(key: "link", value: Self.onOff(isUp))]
        for trouble in Trouble.allCases {
            let health = isUp ? shown(trouble) : house.state.system[trouble].current
            members.append(JSON.Member(key: trouble.key, value: Self.onOff(health.map { $0 == .trouble })))
        }
        members.append(JSON.Member(key: "trouble", value: Self.onOff(isAnyTroubleLightOn)))
        for uplink in house.uplinks {
            members.append(JSON.Member(key: "uplink_\(uplink.name)", value: Self.onOff(uplink.isUp)))
        }
        members.append(JSON.Member(key: "installer_mode", value: .bool(house.state.system.isInstallerMode)))
        return .object(members)
    }

    /// The panel speaks of a key only when it is pressed, and of detectors on its two wires only when they see smoke.
    private func shown(_ trouble: Trouble) -> Health? {
        let reading = house.state.system[trouble]
        switch trouble {
        case .fireKey, .auxiliaryKey, .panicKey, .smoke: return reading.last == .trouble ? reading.current : .ok
        case .ac, .battery, .bell, .phoneLine, .failureToCommunicate, .tamper, .fireTrouble, .clock, .service,
            .zoneFault, .zoneTamper, .zoneBattery, .keybus:
            return reading.current
        }
    }

    /// nil: no partition's is known.
    private var isAnyTroubleLightOn: Bool? {
        let lights = house.state.partitions.compactMap(\.trouble.current)
        return lights.isEmpty ? nil : lights.contains(true)
    }

    var boxState: JSON {
        .object([
            "maintenance": Self.onOff(house.isMaintenance), "problem": Self.onOff(!house.faults.isEmpty),
            "faults": .array(house.faults.map { .string($0) }),
        ])
    }

    private static func isReady(_ status: PartitionStatus) -> Bool? {
        switch status {
        case .ready, .readyForce: true
        case .notReady: false
        case .disarmed, .exitDelay, .armed, .entryDelay, .alarm, .notEnabled: nil
        }
    }

    private static func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
    private static func bool(_ value: Bool?) -> JSON { value.map { .bool($0) } ?? .null }
    private static func onOff(_ value: Bool?) -> JSON { value.map { .string($0 ? "ON" : "OFF") } ?? .null }
}
