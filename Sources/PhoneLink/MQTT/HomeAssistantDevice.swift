package import AlarmModel
package import PhoneProtocol

/// What Home Assistant is told of the house by its discovery for whole devices: one announcement, and a state for each
/// partition, each zone and the panel. Pure; nothing here knows of duress, nor of who armed or disarmed, which would
/// tell it.
package struct HomeAssistantDevice: Equatable, Sendable {
    /// An entity that was or is announced.
    package struct Component: Codable, Equatable, Comparable, Sendable {
        /// `partition_1`, `zone_12`, `trouble_ac`, `link`, `uplink_ethernet`, `answer`,
        /// `bypass_3`, `chime_1`, `output_1_2`, `camera_garage`.
        package var key: String
        package var platform: String
        package init(key: String, platform: String) {
            self.key = key
            self.platform = platform
        }
        package static func < (a: Component, b: Component) -> Bool {
            (a.key, a.platform) < (b.key, b.platform)
        }
    }

    let settings: MQTTSettings
    let house: HousePicture
    /// Keys for help from which the alarm came that is on.
    let alarmKeys: [Trouble]

    package init(settings: MQTTSettings, house: HousePicture, alarmKeys: [Trouble] = []) {
        self.settings = settings
        self.house = house
        self.alarmKeys = alarmKeys
    }

    /// Announced entities are never more; with all zones and partitions there are fewer.
    package static let componentLimit = 240

    /// What the configuration names; without names, what the panel spoke of.
    var zones: [Int] {
        house.names.zones.isEmpty ? house.state.zones.map(\.number) : house.names.zones.map(\.number)
    }

    /// In the order in which they are announced.
    package var components: [Component] {
        let sensors =
            zones.map { "zone_\($0)" } + Trouble.allCases.map { "trouble_\($0.key)" }
            + ["trouble", "link", "maintenance", "box"] + house.uplinks.map { "uplink_\($0.name)" }
        var components: [Component] = house.partitions.map {
            Component(key: "partition_\($0)", platform: "alarm_control_panel")
        }
        components += sensors.map { Component(key: $0, platform: "binary_sensor") }
        components += images.map { Component(key: $0.key, platform: "image") }
        if settings.commandsAllowed { components.append(Component(key: "answer", platform: "event")) }
        components += controls.map { Component(key: $0.key, platform: $0.value["p"]?.stringValue ?? "") }
        return components
    }

    /// The announcement.
    ///
    /// - Parameter former: entities that are not any more; Home Assistant forgets those that are announced with nothing
    ///   but their platform
    package func announcement(former: [Component] = []) -> JSON {
        var members: [JSON.Member] = []
        for number in house.partitions {
            members.append(JSON.Member(key: "partition_\(number)", value: partition(number)))
        }
        for number in zones { members.append(JSON.Member(key: "zone_\(number)", value: zone(number))) }
        for trouble in Trouble.allCases {
            members.append(JSON.Member(key: "trouble_\(trouble.key)", value: self.trouble(trouble)))
        }
        members.append(JSON.Member(key: "trouble", value: anyTrouble))
        members.append(JSON.Member(key: "link", value: link))
        members.append(JSON.Member(key: "maintenance", value: maintenance))
        members.append(JSON.Member(key: "box", value: box))
        for uplink in house.uplinks {
            members.append(JSON.Member(key: "uplink_\(uplink.name)", value: self.uplink(uplink.name)))
        }
        members += images
        if settings.commandsAllowed { members.append(JSON.Member(key: "answer", value: answer)) }
        members += controls
        let current = Set(members.map(\.key))
        for component in former where !current.contains(component.key) {
            members.append(
                JSON.Member(key: component.key, value: .object(["p": .string(component.platform)])))
        }
        return .object([
            "dev": .object([
                "identifiers": .array([.string(id)]), "name": .string(settings.deviceName),
                "manufacturer": .string(Product.name), "model": .string("Box at a DSC panel with EnvisaLink"),
                "sw_version": .string(Product.version),
            ]),
            "o": .object(["name": .string(Product.name), "sw_version": .string(Product.version)]),
            "availability_topic": .string(settings.availabilityTopic),
            "cmps": .object(members),
        ])
    }

    var id: String { "howalarming_\(settings.site)" }

    private func partition(_ number: Int) -> JSON {
        let topic = "\(settings.baseTopic)/partition/\(number)"
        let needsCode = settings.requiresCode && settings.allows(.disarm)
        let code = needsCode ? ",\"code\":\"{{ code }}\"" : ""
        let features =
            (settings.allows(.arm) ? ["arm_home", "arm_away", "arm_night"] : [])
            + (settings.allows(.force) ? ["arm_custom_bypass"] : []) + (settings.allows(.panic) ? ["trigger"] : [])
        return .object([
            "p": .string("alarm_control_panel"), "unique_id": .string("\(id)_partition_\(number)"),
            "name": .string(house.names.partition(number) ?? "Partition \(number)"), "state_topic": .string(topic),
            "value_template": .string("{{ value_json.state }}"), "json_attributes_topic": .string(topic),
            "command_topic": .string(topic + "/set"),
            "command_template": .string("{\"action\":\"{{ action }}\"\(code)}"),
            "supported_features": .array(features.map { .string($0) }),
            "code": needsCode ? .string("REMOTE_CODE") : nil, "code_arm_required": .bool(false),
            "code_disarm_required": .bool(needsCode),
            "code_trigger_required": settings.allows(.panic) ? .bool(false) : nil, "qos": .integer(1),
            "retain": .bool(false),
        ])
    }

    private func zone(_ number: Int) -> JSON {
        let topic = "\(settings.baseTopic)/zone/\(number)"
        return .object([
            "p": .string("binary_sensor"), "unique_id": .string("\(id)_zone_\(number)"),
            "name": .string(house.names.zone(number)?.name ?? "Zone \(number)"), "state_topic": .string(topic),
            "value_template": .string("{{ value_json.state }}"), "json_attributes_topic": .string(topic),
            "device_class": deviceClass(number).map { .string($0) }, "qos": .integer(1),
        ])
    }

    /// Home Assistant refuses an entity with a class that it does not know.
    private func deviceClass(_ number: Int) -> String? {
        guard let zone = house.names.zone(number) else { return nil }
        guard let named = zone.deviceClass else { return zone.isFire ? "smoke" : nil }
        return Self.deviceClasses.contains(named) ? named : nil
    }

    private func trouble(_ trouble: Trouble) -> JSON {
        let word = trouble.key
        return .object([
            "p": .string("binary_sensor"), "unique_id": .string("\(id)_trouble_\(word)"),
            "name": .string(Self.label(trouble)), "state_topic": .string(settings.panelTopic),
            "value_template": .string("{{ value_json.\(word) }}"),
            "device_class": .string(Self.deviceClass(trouble)), "entity_category": .string("diagnostic"),
            "qos": .integer(1),
        ])
    }

    /// The panel's light tells that something is wrong, and often not what.
    private var anyTrouble: JSON {
        .object([
            "p": .string("binary_sensor"), "unique_id": .string("\(id)_trouble"), "name": .string("Trouble"),
            "state_topic": .string(settings.panelTopic),
            "value_template": .string("{{ value_json.trouble }}"), "device_class": .string("problem"),
            "qos": .integer(1),
        ])
    }

    private var maintenance: JSON {
        .object([
            "p": .string("binary_sensor"), "unique_id": .string("\(id)_maintenance"), "name": .string("Maintenance"),
            "state_topic": .string(settings.boxTopic), "value_template": .string("{{ value_json.maintenance }}"),
            "icon": .string("mdi:wrench"), "entity_category": .string("diagnostic"), "qos": .integer(1),
        ])
    }

    private var box: JSON {
        .object([
            "p": .string("binary_sensor"), "unique_id": .string("\(id)_box"), "name": .string("Box"),
            "state_topic": .string(settings.boxTopic), "value_template": .string("{{ value_json.problem }}"),
            "json_attributes_topic": .string(settings.boxTopic),
            "json_attributes_template": .string("{{ {'faults': value_json.faults} | tojson }}"),
            "device_class": .string("problem"), "entity_category": .string("diagnostic"), "qos": .integer(1),
        ])
    }

    private var answer: JSON {
        .object([
            "p": .string("event"), "unique_id": .string("\(id)_answer"), "name": .string("Last answer"),
            "icon": .string("mdi:message-reply-text"), "state_topic": .string(settings.answerTopic),
            "event_types": .array(HomeAssistantAnswer.allCases.map { .string($0.rawValue) }), "qos": .integer(1),
        ])
    }

    /// The last picture of each camera, as it was sent; the broker keeps none.
    private var images: [JSON.Member] {
        house.cameras.compactMap { name in
            guard let topic = settings.imageTopic(ofCamera: name) else { return nil }
            let key = "camera_\(MQTTSettings.mark(ofCamera: name))"
            return JSON.Member(
                key: key,
                value: .object([
                    "p": .string("image"), "unique_id": .string("\(id)_\(key)"), "name": .string(name),
                    "image_topic": .string(topic), "content_type": .string("image/jpeg"),
                ]))
        }
    }

    private var link: JSON { connection("link", name: "Connection to the panel") }

    private func uplink(_ name: String) -> JSON { connection("uplink_\(name)", name: "Internet by \(name)") }

    private func connection(_ key: String, name: String) -> JSON {
        .object([
            "p": .string("binary_sensor"), "unique_id": .string("\(id)_\(key)"), "name": .string(name),
            "state_topic": .string(settings.panelTopic),
            "value_template": .string("{{ value_json.\(key) }}"), "device_class": .string("connectivity"),
            "entity_category": .string("diagnostic"), "qos": .integer(1),
        ])
    }
}
