import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Trouble with the broker")
struct MQTTTroubleTests {
    private static let set = "howalarming/home/partition/1/set"

    @Test("an attempt that nobody answers is given up with words, and what comes of it too late is closed")
    func anAttemptThatNobodyAnswersIsGivenUpWithWords() throws {
        var bench = MQTTBench()
        bench.start()
        _ = bench.take()
        bench.wait(.seconds(90))
        let problem = try #require(bench.transport.health.problem)
        #expect(bench.take().prefix(2) == [.cancelConnect(DialSlot(0)), .problem(problem)])
        #expect(problem.description == "the MQTT broker broker.example:8883 does not answer; check host and port")
        #expect(bench.transport.health.phase == .waiting)
        bench.connect()
        #expect(bench.take() == [.close(bench.connection)])
    }

    @Test("another network is tried at once, a refusal in its own time; a connection is asked for a sign of life")
    func anotherNetworkIsTriedAtOnce() {
        var bench = MQTTBench.ready()
        bench.transport.networkChanged(at: bench.now, into: &bench.actions)
        bench.transport.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.packets() == [.pingreq])
        bench.end()
        _ = bench.take()
        bench.transport.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.transport.health.phase == .connecting && bench.take().connects == 1)
        bench.connect()
        bench.say(.connack(MQTTConnack(reason: 0x86)))
        bench.transport.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.transport.health.phase == .waiting)
    }

    @Test("a broker that keeps nothing, or takes every message at most once, is none for a house")
    func aBrokerThatKeepsNothing() throws {
        for (words, change) in [
            ("QoS not supported", { (properties: inout MQTTProperties) in properties.maximumQoS = 0 }),
            ("retain not supported", { (properties: inout MQTTProperties) in properties.isRetainAvailable = false }),
        ] {
            var connack = MQTTConnack(reason: 0)
            change(&connack.properties)
            var bench = MQTTBench()
            bench.start()
            bench.connect()
            bench.say(.connack(connack))
            let problem = try #require(bench.transport.health.problem)
            #expect(problem.description.contains("\(words); allow it in the broker's configuration"), "\(problem)")
            #expect(problem.isRefusal && bench.transport.room == .none)
        }
    }

    @Test("a broker that speaks neither version is to be renewed, and is asked with the newer one again")
    func aBrokerThatSpeaksNeitherVersionIsToBeRenewed() throws {
        var bench = MQTTBench()
        bench.start()
        for version in [MQTTVersion.v5, .v311] {
            bench.version = version
            bench.connect()
            bench.say(.connack(MQTTConnack(reason: version == .v5 ? 0x84 : 1)))
            bench.connection = ConnectionID(bench.connection.number + 1)
        }
        let problem = try #require(bench.transport.health.problem)
        #expect(problem.description.contains("it knows neither MQTT 5 nor 3.1.1: renew it") && problem.isRefusal)
        bench.wait(.minutes(5))
        _ = bench.take()
        bench.version = .v5
        bench.connect()
        #expect(
            bench.packets().contains { if case .connect(let connect) = $0 { connect.version == .v5 } else { false } })
    }

    @Test("what nobody asked for ends the connection with words")
    func whatNobodyAskedForEndsTheConnectionWithWords() {
        for (packet, type) in [
            (MQTTPacket.connack(MQTTConnack(reason: 0)), 2), (.auth(reason: 0x18), 15), (.pingreq, 12),
        ] {
            var bench = MQTTBench.ready()
            bench.say(packet)
            let words = "it sent a packet of type \(type), which nobody asked for"
            #expect(bench.transport.health.problem?.description.contains(words) == true, "\(type)")
            #expect(bench.take().prefix(2) == [.close(bench.connection), .notReady])
        }
    }

    @Test("a command without a number, and one beyond those that we asked for, is not acknowledged later")
    func aCommandWithoutANumber() {
        var bench = MQTTBench.ready()
        let payload = Array(#"{"action":"ARM_AWAY"}"#.utf8)
        bench.say(.publish(MQTTPublish(topic: Self.set, payload: payload)))
        for id in 1...17 as ClosedRange<UInt16> {
            bench.say(.publish(MQTTPublish(topic: Self.set, payload: payload, id: id)))
        }
        let inbound = bench.actions.inbound
        #expect(inbound.count == 18 && Set(inbound.map(\.id)).count == 18)
        #expect(inbound.map { $0.connection != nil } == [false] + Array(repeating: true, count: 16) + [false])
        // The last is off the broker's hands.
        #expect(bench.packets() == [.puback(MQTTAnswer(id: 17))])
        for message in inbound { bench.transport.acknowledge(message, at: bench.now, into: &bench.actions) }
        #expect(bench.packets() == (1...16).map { .puback(MQTTAnswer(id: $0)) })
    }

    @Test("what the broker does not keep is told with the remedy, and the rest is kept all the same")
    func whatTheBrokerDoesNotKeepIsToldWithTheRemedy() {
        var properties = MQTTProperties()
        properties.maximumPacketSize = 300
        var bench = MQTTBench.ready(MQTTBench.settings, MQTTConnack(reason: 0, properties: properties))
        bench.change(HomeAssistantTests.house)
        // The announcement is longer than that.
        #expect(bench.logs().contains { $0.contains("takes no packets of this size; allow larger ones") })
        #expect(bench.kept().keys.contains("howalarming/home/zone/1"))

        var other = MQTTBench.ready()
        other.change(HomeAssistantTests.house)
        for packet in other.packets() {
            guard case .publish(let publish) = packet, let id = publish.id else { continue }
            other.say(.puback(MQTTAnswer(id: id, reason: 0x87)))
        }
        let topic = "homeassistant/device/howalarming_home/config"
        #expect(other.logs().contains { $0.contains("allow this user to publish to \(topic)") })
        #expect(other.transport.health.isHealthy)
    }

    @Test("a zone that is taken out of the configuration is taken back, and its state is not kept")
    func aZoneThatIsTakenOutOfTheConfigurationIsTakenBack() throws {
        var bench = MQTTBench.ready(MQTTBench.settings, house: HomeAssistantTests.house)
        var house = HomeAssistantTests.house
        house.names = SiteNames(zones: house.names.zones.filter { $0.number != 9 })
        bench.change(house)
        let kept = bench.kept()
        let announcement = try JSON(parsing: try #require(kept["homeassistant/device/howalarming_home/config"]))
        #expect(announcement["cmps"]?["zone_9"]?.text == #"{"p":"binary_sensor"}"#)
        #expect(kept["howalarming/home/zone/9"]?.isEmpty == true)
        // It is back: announced like any other.
        bench.change(HomeAssistantTests.house)
        let again = try JSON(parsing: try #require(bench.kept()["homeassistant/device/howalarming_home/config"]))
        #expect(again["cmps"]?["zone_9"]?["name"] == .string("Odd"))
    }

    @Test("each channel to the internet shows whether it is up, null while that is not known")
    func eachChannelToTheInternetShowsWhetherItIsUp() throws {
        var house = HomeAssistantTests.house
        house.uplinks = [
            HousePicture.Uplink(name: "dsl", isUp: true), HousePicture.Uplink(name: "lte", isUp: false),
            HousePicture.Uplink(name: "usb", isUp: nil),
        ]
        let device = HomeAssistantDevice(settings: MQTTBench.settings, house: house)
        #expect(
            device.announcement()["cmps"]?["uplink_lte"]?.text
                == #"{"p":"binary_sensor","unique_id":"howalarming_home_uplink_lte","name":"Internet by lte","#
                + #""state_topic":"howalarming/home/panel","value_template":"{{ value_json.uplink_lte }}","#
                + #""device_class":"connectivity","entity_category":"diagnostic","qos":1}"#)
        let state = try #require(device.states.first { $0.topic == "howalarming/home/panel" })
        let json = try JSON(parsing: state.payload)
        #expect(json["uplink_dsl"] == .string("ON") && json["uplink_lte"] == .string("OFF"))
        #expect(json["uplink_usb"] == .null)
    }

    @Test("the name of a site is what a topic can carry")
    func theNameOfASiteIsWhatATopicCanCarry() {
        for name in ["home", "A-1_b", String(repeating: "x", count: 64)] { #expect(MQTTSettings.isSite(name)) }
        for name in ["", "a/b", "a+", "a#", "a b", "ü", String(repeating: "x", count: 65)] {
            #expect(!MQTTSettings.isSite(name), "\(name)")
        }
    }
}
