import AlarmModel
import PhoneProtocol

extension HomeAssistantDevice {
    /// Switches and buttons for what the configuration allows by name.
    var controls: [JSON.Member] {
        var controls: [JSON.Member] = []
        for partition in house.partitions where settings.allows(.chime) {
            controls.append(JSON.Member(key: "chime_\(partition)", value: chime(partition)))
        }
        for partition in house.partitions where settings.allows(.output) {
            for number in HomeAssistantWish.outputs {
                controls.append(
                    JSON.Member(key: "output_\(partition)_\(number)", value: output(number, of: partition)))
            }
        }
        for zone in zones where settings.allows(.bypass) {
            controls.append(JSON.Member(key: "bypass_\(zone)", value: bypass(zone)))
        }
        return controls
    }

    private func chime(_ partition: Int) -> JSON {
        let topic = "\(settings.baseTopic)/partition/\(partition)"
        return control(
            "switch", "chime_\(partition)", name(of: partition, "chime"), command: topic + "/chime",
            [
                "icon": "mdi:bell-ring", "entity_category": "config", "state_topic": topic,
                "value_template": Self.onOff("chime"),
            ])
    }

    private func output(_ number: Int, of partition: Int) -> JSON {
        control(
            "button", "output_\(partition)_\(number)", name(of: partition, "output \(number)"),
            command: "\(settings.baseTopic)/partition/\(partition)/output", ["payload_press": "\(number)"])
    }

    private func bypass(_ zone: Int) -> JSON {
        let topic = "\(settings.baseTopic)/zone/\(zone)"
        return control(
            "switch", "bypass_\(zone)", (house.names.zone(zone)?.name ?? "Zone \(zone)") + " bypass",
            command: topic + "/bypass",
            [
                "state_topic": topic, "value_template": Self.onOff("bypassed"),
            ])
    }

    private func name(of partition: Int, _ what: String) -> String {
        (house.names.partition(partition) ?? "Partition \(partition)") + " " + what
    }

    /// Of what is null Home Assistant shows that it is not known.
    private static func onOff(_ key: String) -> String {
        "{{ {true:'ON',false:'OFF'}.get(value_json.\(key)) }}"
    }

    private func control(
        _ platform: String, _ key: String, _ name: String, command topic: String, _ more: KeyValuePairs<String, String>
    ) -> JSON {
        let members = [
            JSON.Member(key: "p", value: .string(platform)),
            JSON.Member(key: "unique_id", value: .string("\(id)_\(key)")),
            JSON.Member(key: "name", value: .string(name)),
        ]
        let own = more.map { JSON.Member(key: $0.key, value: .string($0.value)) }
        return .object(
            members + own + [
                JSON.Member(key: "command_topic", value: .string(topic)), JSON.Member(key: "qos", value: .integer(1)),
            ])
    }
}
