import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("What Home Assistant is told")
struct HomeAssistantTests {
    static let house: HousePicture = {
        let names = SiteNames(
            partitions: [SiteNames.Named(number: 1, name: "House")],
            zones: [
                SiteNames.Zone(number: 1, name: "Front door", partition: 1, deviceClass: "door"),
                SiteNames.Zone(number: 7, name: "Kitchen \"smoke\"", partition: 1, isFire: true),
                SiteNames.Zone(number: 9, name: "Odd", partition: 1, deviceClass: "dragon"),
            ], users: [SiteNames.Named(number: 33, name: "Threatened")])
        var state = PanelState(link: .up)
        state.withPartition(1) { partition in
            partition.status = .known(.ready)
            partition.trouble = .known(false)
            partition.lastChangedBy = .user(33)
            partition.lastChangedByName = "Threatened"
        }
        state.withZone(1) { $0.open = .known(true) }
        state.withZone(2) { $0.open = .known(true) }
        state.withZone(7) { $0.open = .stale(true) }
        state.system[.ac] = .known(.trouble)
        state.system[.battery] = .known(.ok)
        return HousePicture(state: state, names: names, partitions: [1])
    }()

    static func device(_ change: (inout MQTTSettings) -> Void = { _ in }) -> HomeAssistantDevice {
        var settings = MQTTBench.settings
        change(&settings)
        return HomeAssistantDevice(settings: settings, house: house)
    }

    // Keys as listed by Home Assistant's documentation (integrations mqtt, alarm_control_panel.mqtt,
    // binary_sensor.mqtt); true: required.
    private static let rootKeys = ["dev": true, "o": true, "cmps": true, "availability_topic": false]
    private static let deviceKeys = [
        "configuration_url", "connections", "hw_version", "identifiers", "manufacturer", "model", "model_id", "name",
        "serial_number", "suggested_area", "sw_version", "via_device",
    ]
    private static let originKeys = ["name": true, "sw_version": false, "support_url": false]
    private static let commonKeys = [
        "p", "unique_id", "name", "qos", "json_attributes_topic", "entity_category", "value_template", "icon",
        "json_attributes_template", "enabled_by_default", "availability", "availability_mode", "availability_topic",
        "encoding", "state_topic", "payload_available", "payload_not_available",
    ]
    private static let panelKeys = [
        "code", "code_arm_required", "code_disarm_required", "code_trigger_required", "command_template",
        "command_topic", "payload_arm_away", "payload_arm_home", "payload_arm_night", "payload_arm_vacation",
        "payload_arm_custom_bypass", "payload_disarm", "payload_trigger", "retain", "supported_features",
    ]
    private static let sensorKeys = [
        "device_class", "expire_after", "force_update", "off_delay", "payload_off", "payload_on",
    ]
    private static let controlKeys = ["command_topic", "payload_press"]
    private static let eventKeys = ["event_types", "device_class"]
    private static let imageKeys = ["content_type", "image_encoding", "image_topic", "url_template", "url_topic"]
    private static let features = [
        "arm_home", "arm_away", "arm_night", "arm_vacation", "arm_custom_bypass", "trigger",
    ]

    @Test("every key of the announcement is one that Home Assistant documents, and every required one is there")
    func everyKeyOfTheAnnouncementIsOneThatHomeAssistantDocuments() throws {
        var settings = MQTTBench.settings
        settings.verbs = HouseVerb.allCases
        var house = Self.house
        house.cameras = ["Garage", "Front door"]
        let announcement = HomeAssistantDevice(settings: settings, house: house).announcement()
        let members = try #require(announcement.objectValue)
        #expect(members.allSatisfy { Self.rootKeys[$0.key] != nil })
        for (key, isRequired) in Self.rootKeys where isRequired { #expect(announcement[key] != nil) }
        let device = try #require(announcement["dev"]?.objectValue)
        #expect(device.allSatisfy { Self.deviceKeys.contains($0.key) })
        #expect(announcement["dev"]?["identifiers"]?.arrayValue == [.string("howalarming_home")])
        let origin = try #require(announcement["o"]?.objectValue)
        #expect(origin.allSatisfy { Self.originKeys[$0.key] != nil })
        #expect(announcement["o"]?["name"]?.stringValue == "HowAlarming")
        var ids = Set<String>()
        for member in try #require(announcement["cmps"]?.objectValue) {
            let component = member.value
            let platform = try #require(component["p"]?.stringValue)
            let id = try #require(component["unique_id"]?.stringValue)
            #expect(ids.insert(id).inserted)
            let places = ["button": "command_topic", "image": "image_topic"]
            let topic = component[places[platform] ?? "state_topic"]?.stringValue
            #expect(topic?.hasPrefix("howalarming/home/") == true)
            let keys = [
                "alarm_control_panel": Self.panelKeys, "event": Self.eventKeys, "switch": Self.controlKeys,
                "button": Self.controlKeys, "image": Self.imageKeys,
            ]
            let own = keys[platform] ?? Self.sensorKeys
            for part in try #require(component.objectValue) {
                #expect(Self.commonKeys.contains(part.key) || own.contains(part.key), "\(part.key)")
            }
            if platform == "alarm_control_panel" {
                #expect(component["command_topic"]?.stringValue != nil)
                let supported = component["supported_features"]?.arrayValue?.compactMap(\.stringValue) ?? ["?"]
                #expect(supported.allSatisfy { Self.features.contains($0) })
            } else if platform == "switch" || platform == "button" {
                #expect(component["command_topic"]?.stringValue?.hasPrefix("howalarming/home/") == true)
            } else if platform == "image" {
                #expect(component["content_type"] == .string("image/jpeg"))
            } else if platform == "event" {
                #expect(component["event_types"]?.arrayValue?.isEmpty == false)
            } else {
                #expect(platform == "binary_sensor")
                let named = component["device_class"]?.stringValue
                #expect(named.map { HomeAssistantDevice.deviceClasses.contains($0) } ?? true)
            }
        }
        #expect(ids.count == 1 + 3 + Trouble.allCases.count + 4 + 1 + (1 + 4 + 3) + 2)
    }

    @Test("each camera is an image whose topic and id hold no blank")
    func eachCameraIsAnImage() {
        var house = Self.house
        house.cameras = ["Front Door 2"]
        let device = HomeAssistantDevice(settings: MQTTBench.settings, house: house)
        let wanted =
            #"{"p":"image","unique_id":"howalarming_home_camera_front.door.2","name":"Front Door 2","#
            + #""image_topic":"howalarming/home/camera/front.door.2","content_type":"image/jpeg"}"#
        #expect(device.announcement()["cmps"]?["camera_front.door.2"]?.text == wanted)
        #expect(device.components.contains(.init(key: "camera_front.door.2", platform: "image")))
    }

    @Test("a partition is an alarm control panel whose code is checked here")
    func aPartitionIsAnAlarmControlPanelWhoseCodeIsCheckedHere() throws {
        let wanted =
            #"{"p":"alarm_control_panel","unique_id":"howalarming_home_partition_1","name":"House","#
            + #""state_topic":"howalarming/home/partition/1","value_template":"{{ value_json.state }}","#
            + #""json_attributes_topic":"howalarming/home/partition/1","#
            + #""command_topic":"howalarming/home/partition/1/set","#
            + #""command_template":"{\"action\":\"{{ action }}\",\"code\":\"{{ code }}\"}","#
            + #""supported_features":["arm_home","arm_away","arm_night"],"code":"REMOTE_CODE","#
            + #""code_arm_required":false,"code_disarm_required":true,"qos":1,"retain":false}"#
        #expect(Self.device().announcement()["cmps"]?["partition_1"]?.text == wanted)
        let open = try #require(Self.device { $0.requiresCode = false }.announcement()["cmps"]?["partition_1"])
        #expect(open["code"] == nil)
        #expect(open["code_arm_required"] == .bool(false))
        #expect(open["command_template"]?.stringValue == #"{"action":"{{ action }}"}"#)
        let shown = try #require(Self.device { $0.commandsAllowed = false }.announcement()["cmps"]?["partition_1"])
        #expect(shown["supported_features"] == .array([]))
        #expect(shown["code"] == nil)
    }

    @Test("only what may be asked for is offered: arming by its verb, a code where disarming is allowed")
    func onlyWhatMayBeAskedForIsOffered() throws {
        let arming = Self.device { $0.verbs = [.arm] }.announcement()["cmps"]
        #expect(arming?["partition_1"]?["supported_features"]?.arrayValue?.count == 3)
        #expect(arming?["partition_1"]?["code"] == nil)
        #expect(arming?["partition_1"]?["code_disarm_required"] == .bool(false))
        let disarming = Self.device { $0.verbs = [.disarm] }.announcement()["cmps"]
        #expect(disarming?["partition_1"]?["supported_features"] == .array([]))
        #expect(disarming?["partition_1"]?["code_disarm_required"] == .bool(true))
        let wanted =
            #"{"p":"event","unique_id":"howalarming_home_answer","name":"Last answer","#
            + #""icon":"mdi:message-reply-text","state_topic":"howalarming/home/answer","#
            + #""event_types":["done","refused","failed","not_confirmed","locked"],"qos":1}"#
        #expect(arming?["answer"]?.text == wanted)
        #expect(Self.device { $0.commandsAllowed = false }.announcement()["cmps"]?["answer"] == nil)
    }

    @Test("a switch for each zone's bypass and each chime, a button for each output, where they are named")
    func aSwitchForEachZonesBypass() {
        let named = Self.device { $0.verbs = [.bypass, .output, .chime] }.announcement()["cmps"]
        let bypass =
            #"{"p":"switch","unique_id":"howalarming_home_bypass_1","name":"Front door bypass","#
            + #""state_topic":"howalarming/home/zone/1","#
            + #""value_template":"{{ {true:'ON',false:'OFF'}.get(value_json.bypassed) }}","#
            + #""command_topic":"howalarming/home/zone/1/bypass","qos":1}"#
        #expect(named?["bypass_1"]?.text == bypass)
        let output =
            #"{"p":"button","unique_id":"howalarming_home_output_1_4","name":"House output 4","payload_press":"4","#
            + #""command_topic":"howalarming/home/partition/1/output","qos":1}"#
        #expect(named?["output_1_4"]?.text == output)
        #expect(named?["chime_1"]?["command_topic"]?.stringValue == "howalarming/home/partition/1/chime")
        let usual = Self.device().announcement()["cmps"]
        for key in ["bypass_1", "output_1_4", "chime_1"] { #expect(usual?[key] == nil) }
        let risky = Self.device { $0.verbs = [.force, .panic] }.announcement()["cmps"]?["partition_1"]
        #expect(risky?["supported_features"] == .array([.string("arm_custom_bypass"), .string("trigger")]))
        #expect(risky?["code_trigger_required"] == .bool(false))
    }

    @Test(
        "a wish is read at the topic that was announced for it, and in no other form",
        arguments: [
            ("b/zone/64/bypass", "ON", .bypass(zone: 64, isOn: true)),
            ("b/zone/7/bypass", "OFF", .bypass(zone: 7, isOn: false)), ("b/zone/65/bypass", "ON", nil),
            ("b/zone/07/bypass", "ON", nil), ("b/zone/7/bypass", "on", nil), ("b/zone/7/bypass", "", nil),
            ("b/partition/2/chime", "OFF", .chime(partition: 2, isOn: false)), ("b/partition/9/chime", "ON", nil),
            ("b/partition/2/output", "4", .output(partition: 2, number: 4)), ("b/partition/2/output", "5", nil),
            ("b/partition/2/output", "01", nil), ("b/zone/2/output", "1", nil), ("c/zone/2/bypass", "ON", nil),
            ("b/partition/2/bypass", "ON", nil),
        ] as [(String, String, HomeAssistantWish?)])
    func aWishIsReadAtTheTopicThatWasAnnouncedForIt(topic: String, payload: String, wish: HomeAssistantWish?) {
        #expect(HomeAssistantWish(topic: topic, payload: payload, baseTopic: "b") == wish)
    }

    @Test("a zone is a binary sensor of its class; a fire zone is a smoke detector; a class nobody knows is left out")
    func aZoneIsABinarySensorOfItsClass() {
        let components = Self.device().announcement()["cmps"]
        let wanted =
            #"{"p":"binary_sensor","unique_id":"howalarming_home_zone_1","name":"Front door","#
            + #""state_topic":"howalarming/home/zone/1","value_template":"{{ value_json.state }}","#
            + #""json_attributes_topic":"howalarming/home/zone/1","device_class":"door","qos":1}"#
        #expect(components?["zone_1"]?.text == wanted)
        #expect(components?["zone_7"]?["device_class"]?.stringValue == "smoke")
        #expect(components?["zone_9"]?["device_class"] == nil)
        #expect(components?["zone_2"] == nil)
        #expect(components?["trouble_ac"]?["device_class"]?.stringValue == "problem")
        #expect(components?["link"]?["device_class"]?.stringValue == "connectivity")
    }

    @Test("states say what is known and null for the rest")
    func statesSayWhatIsKnownAndNullForTheRest() {
        let states = Dictionary(uniqueKeysWithValues: Self.device().states.map { ($0.topic, $0.payload) })
        #expect(
            states["howalarming/home/partition/1"]
                == #"{"state":"disarmed","ready":true,"trouble":false,"chime":null,"busy":false,"auto_arming":false,"#
                + #""armed_with_bypass":false,"alarm_memory":false,"alarm_zones":[],"#
                + #""memory_zones":[],"alarm_kind":null,"last_known":"disarmed"}"#)
        #expect(
            states["howalarming/home/zone/1"]
                == #"{"state":"ON","number":1,"alarm":null,"tamper":null,"fault":null,"low_battery":null,"#
                + #""bypassed":null}"#)
        #expect(states["howalarming/home/zone/7"]?.hasPrefix(#"{"state":null,"#) == true)
        let panel = states["howalarming/home/panel"]
        #expect(panel?.hasPrefix(#"{"link":"ON","ac":"ON","battery":"OFF","bell":null,"#) == true)
        #expect(panel?.contains(#""smoke":"OFF","trouble":"OFF","#) == true)
        #expect(panel?.contains(#""fire_key":"OFF","auxiliary_key":"OFF","panic_key":"OFF""#) == true)
        #expect(states["howalarming/home/box"] == #"{"maintenance":"OFF","problem":"OFF","faults":[]}"#)
        #expect(states.count == 6)
    }

    private static func state(
        _ topic: String, alarmKeys: [Trouble] = [], _ change: (inout HousePicture) -> Void
    ) throws -> JSON {
        var house = house
        change(&house)
        let device = HomeAssistantDevice(settings: MQTTBench.settings, house: house, alarmKeys: alarmKeys)
        let state = try #require(device.states.first { $0.topic == "howalarming/home/\(topic)" })
        return try JSON(parsing: state.payload)
    }

    @Test(
        "an alarm tells of what kind it is, its zones apart from those of the panel's memory",
        arguments: [
            ([1], [], "burglary"), ([1, 7], [], "fire"), ([7], [], "fire"), ([], [.panicKey], "panic"),
            ([1], [.panicKey], "panic"), ([], [.auxiliaryKey], "medical"), ([], [.fireKey], "fire"), ([], [], nil),
            ([9, 10], [], "carbon_monoxide"),
        ] as [([Int], [Trouble], String?)])
    func anAlarmTellsOfWhatKindItIs(zones: [Int], keys: [Trouble], kind: String?) throws {
        let numbers = JSON.array(zones.map { .integer(Int64($0)) })
        func change(_ house: inout HousePicture, _ status: PartitionStatus) {
            house.names.zones[2].deviceClass = "carbon_monoxide"
            house.state.withPartition(1) { partition in
                partition.status = .known(status)
                var incident = Incident(since: WallTime(milliseconds: 0), wasArmed: true, zones: zones)
                if !status.isAlarm { incident.end = Incident.End(.disarmed, at: incident.since) }
                partition.incident = incident
                partition.hasAlarmMemory = true
            }
        }
        let alarm = try Self.state("partition/1", alarmKeys: keys) { change(&$0, .alarm(.away)) }
        #expect(alarm["alarm_kind"]?.stringValue == kind)
        #expect(alarm["alarm_zones"] == numbers && alarm["memory_zones"] == .array([]))
        let after = try Self.state("partition/1", alarmKeys: keys) { change(&$0, .ready) }
        #expect(after["alarm_kind"] == .null)
        #expect(after["alarm_zones"] == .array([]) && after["memory_zones"] == numbers)
    }

    @Test("maintenance and the box's own faults are told, and the panel's trouble light though nobody says what for")
    func maintenanceAndTheBoxsOwnFaultsAreTold() throws {
        let box = try Self.state("box") { house in
            house.isMaintenance = true
            house.faults = ["storage: full"]
        }
        #expect(box.text == #"{"maintenance":"ON","problem":"ON","faults":["storage: full"]}"#)
        let lit = try Self.state("panel") { house in house.state.withPartition(1) { $0.trouble = .known(true) } }
        #expect(lit["trouble"]?.stringValue == "ON")
        let stale = try Self.state("panel") { $0.state.age() }
        #expect(stale["trouble"] == .null && stale["panic_key"] == .null)
    }

    @Test(
        "the panel's words become Home Assistant's",
        arguments: [
            (.disarmed, "disarmed"), (.notReady, "disarmed"), (.exitDelay(.away), "arming"),
            (.armed(.away), "armed_away"), (.armed(.stay), "armed_home"), (.armed(.zeroEntryStay), "armed_night"),
            (.armed(nil), "armed_away"), (.entryDelay(.stay), "pending"), (.alarm(nil), "triggered"),
            (.notEnabled, nil),
        ] as [(PartitionStatus, String?)])
    func thePanelsWordsBecomeHomeAssistants(status: PartitionStatus, word: String?) {
        #expect(HomeAssistantDevice.state(status) == word)
    }

    @Test("nothing tells of duress, nor who armed or disarmed")
    func nothingTellsOfDuress() {
        let device = Self.device()
        let all = device.announcement().text + device.states.map(\.payload).joined()
        for word in ["duress", "Duress", "Threatened", "33", "changed"] { #expect(!all.contains(word)) }
    }

    @Test("what is no more is announced with nothing but its platform")
    func whatIsNoMoreIsAnnouncedWithNothingButItsPlatform() {
        let old = [
            HomeAssistantDevice.Component(key: "zone_12", platform: "binary_sensor"),
            HomeAssistantDevice.Component(key: "zone_1", platform: "binary_sensor"),
        ]
        let components = Self.device().announcement(former: old)["cmps"]
        #expect(components?["zone_12"]?.text == #"{"p":"binary_sensor"}"#)
        #expect(components?["zone_1"]?["unique_id"] != nil)
    }

    @Test("the largest house fits into a packet that we would read")
    func theLargestHouseFitsIntoAPacketThatWeWouldRead() {
        var house = Self.house
        house.names = SiteNames(
            zones: (1...64).map {
                SiteNames.Zone(number: $0, name: String(repeating: "ß", count: 32), deviceClass: "garage_door")
            })
        house.partitions = Array(1...8)
        var settings = MQTTBench.settings
        settings.verbs = HouseVerb.allCases
        let device = HomeAssistantDevice(settings: settings, house: house)
        let size = device.announcement().text.utf8.count
        #expect(size < 60_000, "\(size)")
        #expect(device.components.count <= HomeAssistantDevice.componentLimit)
    }

    @Test(
        "a command is read in the announced form and in no other",
        arguments: [
            (#"{"action":"ARM_AWAY","code":"123456"}"#, .armAway, "123456"),
            (#"{"action":"DISARM","code":123456}"#, .disarm, "123456"), (#"{"action":"ARM_HOME"}"#, .armHome, nil),
            (#"{"action":"ARM_NIGHT","code":"None"}"#, .armNight, nil),
            (#"{"action":"ARM_NIGHT","code":null}"#, .armNight, nil), (#"{"action":"TRIGGER"}"#, .trigger, nil),
            (#"{"action":"ARM_CUSTOM_BYPASS"}"#, .armForce, nil),
            (#"{"action":"ARM_VACATION"}"#, nil, nil),
            (#"{"action":"disarm"}"#, nil, nil), ("DISARM", nil, nil), (#"{"action":"DISARM","code":[1]}"#, nil, nil),
            (#"{"action":"DISARM","code":-1}"#, nil, nil), ("", nil, nil),
            (#"{"action":"DISARM","x":"\#(String(repeating: "y", count: 600))"}"#, nil, nil),
        ] as [(String, HomeAssistantCommand.Action?, String?)])
    func aCommandIsReadInTheAnnouncedFormAndInNoOther(
        payload: String, action: HomeAssistantCommand.Action?, code: String?
    ) {
        let command = HomeAssistantCommand(topic: "b/partition/2/set", payload: payload, baseTopic: "b")
        #expect(command?.action == action)
        #expect(command?.code?.revealed == code)
        #expect(action == nil || command?.partition == 2)
    }

    @Test(
        "a command for what is no partition is none",
        arguments: [
            "b/partition/9/set", "b/partition/0/set", "b/partition/10/set", "b/partition//set", "c/partition/1/set",
            "b/partition/+/set", "b/partition/1/sett", "b/zone/1/set", "b/partition/١/set",
        ])
    func aCommandForWhatIsNoPartitionIsNone(topic: String) {
        #expect(HomeAssistantCommand(topic: topic, payload: #"{"action":"DISARM"}"#, baseTopic: "b") == nil)
    }
}
