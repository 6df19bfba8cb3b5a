import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("The house at the broker")
struct MQTTHouseTests {
    static let house = HomeAssistantTests.house
    static let config = "homeassistant/device/howalarming_home/config"

    @Test("after the login everything is kept at the broker, later only what changed")
    func afterTheLoginEverythingIsKeptAtTheBroker() {
        var bench = MQTTBench()
        bench.change(Self.house)
        bench.start()
        bench.connect()
        _ = bench.packets()
        bench.say(.connack(MQTTConnack(reason: 0)))
        var kept = bench.kept()
        // The announcement waits for the one that the broker may have.
        #expect(kept[Self.config] == nil)
        bench.wait(.seconds(2))
        kept.merge(bench.kept()) { $1 }
        let device = HomeAssistantDevice(settings: MQTTBench.settings, house: Self.house)
        #expect(kept[Self.config] == device.announcement().text)
        #expect(kept["howalarming/home/availability"] == "online")
        for state in device.states { #expect(kept[state.topic] == state.payload) }
        #expect(kept.count == 8)

        bench.change(Self.house)
        #expect(bench.kept().isEmpty)
        var changed = Self.house
        changed.state.withZone(1) { $0.open = .known(false) }
        bench.change(changed)
        #expect(Array(bench.kept().keys) == ["howalarming/home/zone/1"])
    }

    @Test("a key for help that the panel calls off in the same moment is shown as pressed for 5 s")
    func aKeyThatIsCalledOffInTheSameMomentIsShownFor5S() {
        var bench = MQTTBench()
        bench.change(Self.house)
        bench.start()
        bench.connect()
        bench.say(.connack(MQTTConnack(reason: 0)))
        bench.wait(.seconds(3))
        _ = bench.kept()
        var pressed = Self.house
        pressed.state.system[.panicKey] = .known(.ok)
        let calm = pressed
        pressed.pressedKeys = [.panicKey]
        func panicKey(_ kept: [String: String]) -> String? {
            kept["howalarming/home/panel"].flatMap { try? JSON(parsing: $0) }?[Trouble.panicKey.key]?.stringValue
        }
        for _ in 1...2 {
            bench.change(pressed)
            bench.change(calm)
            #expect(panicKey(bench.kept()) == "ON")
            bench.wait(.milliseconds(4999))
            #expect(panicKey(bench.kept()) == nil)
            bench.wait(.milliseconds(1))
            #expect(panicKey(bench.kept()) == "OFF")
        }
    }

    @Test("the kind of an alarm by a key stays as long as the alarm, and is not that of the next one")
    func theKindOfAnAlarmByAKeyStaysAsLongAsTheAlarm() {
        var bench = MQTTBench.ready(house: Self.house)
        func kind(_ kept: [String: String]) -> String? {
            kept["howalarming/home/partition/1"].flatMap { try? JSON(parsing: $0) }?["alarm_kind"]?.stringValue
        }
        var house = Self.house
        house.pressedKeys = [.panicKey]
        bench.change(house)
        house.pressedKeys = []
        house.state.withPartition(1) { $0.status = .known(.alarm(nil)) }
        bench.change(house)
        #expect(kind(bench.kept()) == "panic")
        bench.wait(.seconds(50))
        house.state.withPartition(1) { $0.isBusy = true }
        bench.change(house)
        #expect(kind(bench.kept()) == "panic")
        bench.change(Self.house)
        house.state.withPartition(1) {
            $0.incident = Incident(since: WallTime(milliseconds: 0), wasArmed: false, zones: [1])
        }
        bench.change(house)
        #expect(kind(bench.kept()) == "burglary")
    }

    @Test("that the box is there is said when the broker has every state of this connection, and not before")
    func thatTheBoxIsThereIsSaidWhenTheBrokerHasEveryState() throws {
        let availability = "howalarming/home/availability"
        var bench = MQTTBench()
        bench.start()
        for isFirst in [true, false] {
            bench.connect()
            bench.say(.connack(MQTTConnack(reason: 0)))
            bench.wait(.seconds(10))
            if isFirst {
                // Nothing is known of the house: nothing is there to be seen.
                #expect(bench.kept().isEmpty)
                bench.change(Self.house)
            }
            var told: [MQTTPublish] = []
            var open = bench.publishes()
            while !open.isEmpty {
                let next = open.removeFirst()
                if next.topic == availability {
                    #expect(open.isEmpty)
                }
                told.append(next)
                bench.say(.puback(MQTTAnswer(id: try #require(next.id))))
                open += bench.publishes()
            }
            let states = HomeAssistantDevice(settings: MQTTBench.settings, house: Self.house).states.map(\.topic)
            let topics = told.map(\.topic)
            #expect(topics.last == availability && topics.count { $0 == availability } == 1)
            #expect(states.allSatisfy { topics.contains($0) })
            bench.end()
            bench.wait(.minutes(2))
            _ = bench.packets()
        }
    }

    @Test("the panel's state comes behind the announcement: Home Assistant warns of entities that it no longer tells")
    func thePanelsStateComesBehindTheAnnouncement() {
        var bench = MQTTBench()
        bench.change(Self.house)
        bench.start()
        bench.connect()
        bench.say(.connack(MQTTConnack(reason: 0)))
        var topics = bench.publishes().map(\.topic)
        #expect(topics.contains("howalarming/home/partition/1"), "an alarm waits for nothing")
        #expect(!topics.contains("howalarming/home/panel"))
        let old = #"{"cmps":{"uplink_wifi":{"p":"binary_sensor","name":"w"}}}"#
        bench.say(.publish(MQTTPublish(topic: Self.config, payload: Array(old.utf8), isRetained: true)))
        topics = bench.publishes().map(\.topic)
        #expect(Array(topics.prefix(2)) == [Self.config, "howalarming/home/panel"])
    }

    @Test("a state that never rests, and one that the broker refuses, do not keep the house away")
    func aStateThatNeverRests() throws {
        var bench = MQTTBench()
        bench.change(Self.house)
        bench.start()
        bench.connect()
        bench.say(.connack(MQTTConnack(reason: 0)))
        var house = Self.house
        var wasToldOnline = false
        for turn in 0..<20 where !wasToldOnline {
            let open = bench.publishes()
            // The panel's state waits for what the broker may have kept, at most two seconds.
            bench.wait(.milliseconds(200))
            // It changes again before each answer.
            house.state.withZone(1) { $0.open = .known(turn.isMultiple(of: 2)) }
            bench.change(house)
            for publish in open {
                wasToldOnline = wasToldOnline || publish.topic == "howalarming/home/availability"
                let reason: UInt8 = publish.topic.hasSuffix("zone/3") ? 0x87 : 0
                bench.say(.puback(MQTTAnswer(id: try #require(publish.id), reason: reason)))
            }
        }
        #expect(wasToldOnline)
    }

    @Test("a new connection is told everything again", arguments: MQTTVersion.allCases)
    func aNewConnectionIsToldEverythingAgain(version: MQTTVersion) {
        var bench = MQTTBench.ready(MQTTBench.settings, house: Self.house, version: version)
        bench.end()
        bench.wait(.seconds(1))
        _ = bench.take()
        bench.connect()
        _ = bench.packets()
        bench.say(.connack(MQTTConnack(reason: 0)))
        var kept = bench.kept()
        bench.wait(.seconds(2))
        kept.merge(bench.kept()) { $1 }
        #expect(kept.count == 8)
    }

    @Test("few states are under way at a time, and of a state that changes meanwhile the last is sent")
    func fewStatesAreUnderWayAtATime() {
        var bench = MQTTBench.ready()
        var house = Self.house
        house.names = SiteNames(zones: (1...64).map { SiteNames.Zone(number: $0, name: "Z\($0)") })
        bench.change(house)
        let first = bench.packets()
        #expect(first.count == 8)
        let isTaken1 = bench.deliver("alarm")
        #expect(isTaken1)
        #expect(bench.packets().count == 1)
        for isOpen in [true, false, true, false] {
            house.state.withZone(64) { $0.open = .known(isOpen) }
            bench.change(house)
        }
        for case .publish(let publish) in first { if let id = publish.id { bench.say(.puback(MQTTAnswer(id: id))) } }
        let rest = bench.acknowledgeAll().filter { $0.topic == "howalarming/home/zone/64" }
        #expect(rest.count == 1)
        let text = rest.first.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(text?.hasPrefix(#"{"state":"OFF""#) == true)
    }

    @Test("an answer goes to a topic of its own; that the broker refuses it calls nothing broken")
    func anAnswerGoesToATopicOfItsOwn() throws {
        var bench = MQTTBench.ready(house: Self.house)
        for (id, reason) in [("a1", UInt8(0)), ("a2", 0x87)] {
            let isTaken = bench.deliver(id, .info, isAnswer: true)
            #expect(isTaken)
            let sent = try #require(bench.publishes().first)
            #expect(sent.topic == "howalarming/home/answer" && !sent.isRetained)
            bench.say(.puback(MQTTAnswer(id: try #require(sent.id), reason: reason)))
        }
        #expect(bench.logs().contains { $0.contains("allow this user to publish to howalarming/home/answer") })
        let told = bench.take()
        #expect(told.first == .accepted(MessageID("a1"), canonical: nil))
        guard case .refused(MessageID("a2"), let refusal)? = told.last else {
            Issue.record("not refused: \(told)")
            return
        }
        #expect(refusal.reaction == .giveUp)
    }

    @Test("when Home Assistant comes up it is told again, after a moment")
    func whenHomeAssistantComesUpItIsToldAgain() {
        var bench = MQTTBench.ready(MQTTBench.settings, house: Self.house)
        let online = MQTTPublish(topic: "homeassistant/status", payload: Array("online".utf8), id: 3)
        bench.say(.publish(online))
        #expect(bench.packets() == [.puback(MQTTAnswer(id: 3))])
        bench.wait(.milliseconds(999))
        #expect(bench.packets().isEmpty)
        bench.wait(.milliseconds(4_001))
        #expect(Array(bench.kept().keys) == [Self.config])

        for publish in [
            MQTTPublish(topic: "homeassistant/status", payload: Array("online".utf8), isRetained: true),
            MQTTPublish(topic: "homeassistant/status", payload: Array("offline".utf8)),
        ] {
            bench.say(.publish(publish))
            bench.wait(.seconds(6))
            #expect(bench.kept().isEmpty)
        }
    }

    @Test("what an earlier configuration announced is taken back, with its state")
    func whatAnEarlierConfigurationAnnouncedIsTakenBack() throws {
        var settings = MQTTBench.settings
        settings.commandsAllowed = false
        var bench = MQTTBench(settings)
        bench.start()
        bench.connect()
        bench.say(.connack(MQTTConnack(reason: 0)))
        bench.acknowledgeAll()
        let old =
            #"{"dev":{},"o":{},"cmps":{"zone_1":{"p":"binary_sensor","name":"x"},"#
            + #""zone_50":{"p":"binary_sensor","name":"x"},"zone_51":{"p":"binary_sensor"},"#
            + #""partition_2":{"p":"alarm_control_panel","name":"y"},"zone_65":{"p":"binary_sensor","name":"x"},"#
            + #""uplink_wifi":{"p":"binary_sensor","name":"w"},"uplink_ethernet":{"p":"binary_sensor","name":"e"},"#
            + #""uplink_A b":{"p":"binary_sensor","name":"w"},"answer":{"p":"event","name":"a"},"#
            + #""bypass_3":{"p":"switch","name":"b"},"output_1_4":{"p":"button","name":"o"},"#
            + #""output_1_5":{"p":"button","name":"o"},"chime_1":{"p":"switch","name":"c"},"#
            + #""camera_front.door":{"p":"image","name":"f"},"camera_garage":{"p":"image","name":"g"},"#
            + #""camera_A b":{"p":"image","name":"x"},"#
            + #""evil":{"p":"lock","name":"x"},"zone_3":{"p":"lock","name":"x"}}}"#
        bench.say(.publish(MQTTPublish(topic: Self.config, payload: Array(old.utf8), isRetained: true)))
        #expect(bench.packets() == [.unsubscribe(id: 2, [Self.config])])
        var house = Self.house
        house.uplinks = [.init(name: "ethernet", isUp: true)]
        house.cameras = ["Garage"]
        bench.change(house)
        let kept = bench.kept()
        let components = try JSON(parsing: try #require(kept[Self.config]))["cmps"]
        #expect(components?["zone_50"]?.text == #"{"p":"binary_sensor"}"#)
        #expect(components?["zone_51"]?.text == #"{"p":"binary_sensor"}"#)
        #expect(components?["partition_2"]?.text == #"{"p":"alarm_control_panel"}"#)
        #expect(components?["zone_1"]?["unique_id"] != nil)
        #expect(components?["uplink_wifi"]?.text == #"{"p":"binary_sensor"}"#)
        #expect(components?["uplink_ethernet"]?["unique_id"] != nil)
        #expect(components?["answer"]?.text == #"{"p":"event"}"#)
        for key in ["bypass_3", "chime_1"] { #expect(components?[key]?.text == #"{"p":"switch"}"#) }
        #expect(components?["output_1_4"]?.text == #"{"p":"button"}"#)
        #expect(components?["camera_front.door"]?.text == #"{"p":"image"}"#)
        #expect(components?["camera_garage"]?["unique_id"] != nil)
        #expect(kept.allSatisfy { !$0.key.contains("uplink") && !$0.key.contains("camera") })
        for foreign in ["zone_65", "evil", "zone_3", "uplink_A b", "output_1_5", "camera_A b"] {
            #expect(components?[foreign] == nil)
        }
        #expect(kept["howalarming/home/zone/50"]?.isEmpty == true)
        #expect(kept["howalarming/home/partition/2"]?.isEmpty == true)
        #expect(kept["howalarming/home/zone/51"] == nil)
        #expect(kept["howalarming/home/zone/1"]?.isEmpty == false)
    }

    @Test(
        "whatever is kept in place of our announcement, ours replaces it",
        arguments: ["", "x", "[]", #"{"cmps":[]}"#, #"{"cmps":{"zone_50":7,"zone_49":{"p":["binary_sensor"]}}}"#])
    func whateverIsKeptInPlaceOfOurAnnouncement(payload: String) {
        var bench = MQTTBench(MQTTBench.settings)
        bench.change(Self.house)
        bench.start()
        bench.connect()
        bench.say(.connack(MQTTConnack(reason: 0)))
        bench.acknowledgeAll()
        bench.say(.publish(MQTTPublish(topic: Self.config, payload: Array(payload.utf8), isRetained: true)))
        let device = HomeAssistantDevice(settings: MQTTBench.settings, house: Self.house)
        #expect(bench.kept()[Self.config] == device.announcement().text)
    }

    @Test("without a discovery prefix Home Assistant is not told, and the states are kept all the same")
    func withoutADiscoveryPrefixHomeAssistantIsNotTold() {
        var settings = MQTTBench.settings
        settings.discoveryPrefix = nil
        var bench = MQTTBench(settings)
        bench.change(Self.house)
        bench.start()
        bench.connect()
        _ = bench.packets()
        bench.say(.connack(MQTTConnack(reason: 0)))
        #expect(bench.kept().keys.allSatisfy { $0.hasPrefix("howalarming/home/") })
    }

    @Test("a message so large that it is not read does not end the connection and is acknowledged like any other")
    func aMessageSoLargeThatItIsNotReadDoesNotEndTheConnection() {
        var bench = MQTTBench.ready()
        let flood = MQTTPublish(
            topic: "howalarming/home/partition/1/set", payload: [UInt8](repeating: 0x20, count: 200_000), id: 9)
        bench.say(.publish(flood), .pingresp)
        #expect(bench.packets() == [.puback(MQTTAnswer(id: 9))])
        #expect(bench.take().isEmpty)
        let isTaken2 = bench.deliver("m1")
        #expect(isTaken2)
    }
}
