import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Testing

@testable import YAMLConfiguration

@Suite struct ConfigurationMQTTTests {
    @Test("every key about the broker arrives in the configuration, and events reach it as a target of the house")
    func everyKeyAboutTheBrokerArrivesInTheConfiguration() throws {
        let phones = try ChannelSample.phones(
            """
            mqtt:
              host: broker.example
              port: 8884
              security: tls
              ca_file: ca.pem
              user: box
              password: w0rd
              site: mill
              base_topic: alarm/mill
              discovery_prefix: ha
              commands: [disarm, arm]
              code: '246810'
              trusted: true
              triggers: [alarm]
              client_id: box-1
              version: 3.1.1
              timing: {ping_after: 5, answer_patience: 6}
            """, ["/etc/ha/ca.pem": ChannelSample.certificate])
        var mqtt = MQTTSettings(
            host: "broker.example", port: 8884, security: .tls(authorityFile: "/etc/ha/ca.pem"), user: "box",
            password: Secret("w0rd"), site: "mill", deviceName: "Test", commandsAllowed: true)
        mqtt.baseTopic = "alarm/mill"
        mqtt.discoveryPrefix = "ha"
        mqtt.clientID = "box-1"
        mqtt.protocolVersion = .v311
        mqtt.requiresCode = true
        mqtt.verbs = [.arm, .disarm]
        mqtt.idleBeforePing = .seconds(5)
        mqtt.answerPatience = .seconds(6)
        #expect(phones.channels == [.mqtt(mqtt)])
        #expect(phones.house == [.init(kind: .broker, value: "alarm/mill/event", triggers: [.alarm])])
        #expect(phones.houseVerbs == [.init(channel: .mqtt, allowed: [.arm, .disarm], code: Secret("246810"))])
    }

    @Test("a host alone is enough: TLS, the house as 'home', discovery, and nobody commands")
    func aHostAloneIsEnough() throws {
        let phones = try ChannelSample.phones("mqtt: {host: broker.example}")
        var mqtt = MQTTSettings(host: "broker.example", site: "home", deviceName: "Test", commandsAllowed: false)
        mqtt.requiresCode = false
        #expect(phones.channels == [.mqtt(mqtt)])
        #expect(mqtt.port == 8883 && mqtt.discoveryPrefix == "homeassistant")
        #expect(
            phones.house == [
                .init(
                    kind: .broker, value: "howalarming/home/event",
                    triggers: [.armed, .disarmed, .alarm, .recovery, .fault])
            ])
        #expect(phones.houseVerbs == [])
        let quiet = try ChannelSample.phones("mqtt: {host: broker.example, discovery: false}")
        guard case .mqtt(let settings)? = quiet.channels.first else {
            Issue.record("no broker")
            return
        }
        #expect(settings.discoveryPrefix == nil)
    }

    @Test("commands over a plain connection are allowed in words, and to a broker on the same machine")
    func commandsOverAPlainConnectionAreAllowedInWords() throws {
        for text in [
            "mqtt: {host: 192.168.1.2, security: plain, commands: arm, plain_commands: true}",
            "mqtt: {host: 127.0.0.1, security: plain, commands: arm}",
        ] {
            let phones = try ChannelSample.phones(text)
            #expect(phones.houseVerbs == [.init(channel: .mqtt, allowed: [.arm])])
            guard case .mqtt(let settings)? = phones.channels.first else {
                Issue.record("no broker")
                return
            }
            #expect(settings.commandsAllowed && !settings.requiresCode && settings.port == 1883)
        }
    }

    @Test(
        "a code that is always the same disarms at a trusted broker over TLS and on this machine; a one-time code anywhere"
    )
    func aCodeThatIsAlwaysTheSameDisarmsAtATrustedBroker() throws {
        func verbs(_ more: String) throws -> PhoneSettings.HouseVerbs {
            let result = ChannelSample.read("mqtt: {commands: [arm, disarm], \(more)}")
            return try #require(result.configuration?.phones.houseVerbs.first)
        }
        let code = Secret("246810")
        for more in ["host: b, code: '246810', trusted: true", "host: 127.0.0.1, security: plain, code: '246810'"] {
            #expect(try verbs(more) == .init(channel: .mqtt, allowed: [.arm, .disarm], code: code))
        }
        for more in [
            "host: b, code: '246810'", "host: b, security: plain, plain_commands: true, code: '246810', trusted: true",
        ] {
            var withdrawn = PhoneSettings.HouseVerbs(channel: .mqtt, allowed: [.arm], code: code)
            withdrawn.withdrawn = [.disarm]
            #expect(try verbs(more) == withdrawn)
        }
        for more in [
            "host: b, one_time_codes: true", "host: b, security: plain, plain_commands: true, one_time_codes: true",
        ] {
            var once = PhoneSettings.HouseVerbs(channel: .mqtt, allowed: [.arm, .disarm])
            once.takesOneTimeCodes = true
            #expect(try verbs(more) == once)
        }
    }

    @Test("what weakens the house is done only at a trusted broker, and disarming without a code only in words")
    func whatWeakensTheHouseIsDoneOnlyAtATrustedBroker() throws {
        let all: [HouseVerb] = [.arm, .bypass, .output, .chime, .force, .panic]
        let list = all.map(\.rawValue).joined(separator: ", ")
        for more in ["host: b, trusted: true", "host: 127.0.0.1, security: plain"] {
            let phones = try ChannelSample.phones("mqtt: {commands: [\(list)], \(more)}")
            #expect(phones.houseVerbs == [.init(channel: .mqtt, allowed: all)])
            let codeless = try ChannelSample.phones("mqtt: {commands: [disarm], disarm_without_code: true, \(more)}")
            #expect(codeless.houseVerbs == [.init(channel: .mqtt, allowed: [.disarm])])
            guard case .mqtt(let settings)? = codeless.channels.first else {
                Issue.record("no broker")
                return
            }
            #expect(!settings.requiresCode)
        }
        for more in ["host: b", "host: b, security: plain, plain_commands: true, trusted: true"] {
            let result = ChannelSample.read("mqtt: {commands: [\(list)], \(more)}")
            var few = PhoneSettings.HouseVerbs(channel: .mqtt, allowed: [.arm, .chime])
            few.withdrawn = [.bypass, .output, .force, .panic]
            #expect(result.configuration?.phones.houseVerbs == [few])
            let codeless = ChannelSample.read("mqtt: {commands: [disarm], disarm_without_code: true, \(more)}")
            #expect(codeless.configuration?.phones.houseVerbs.first?.allowed == [])
        }
    }

    @Test(
        "what is wrong about the broker is named in its place",
        arguments: [
            (
                "mqtt: {host: b, commands: [arm], code: '246810'}",
                "3:34: warning: 'mqtt.code' serves nothing: arming needs no code, and disarming is not allowed"
            ),
            ("mqtt:", "3:1: error: 'mqtt' has no host; expected 'host' in 'mqtt': the broker's name or IP address"),
            (
                "mqtt: {host: b, security: plain, commands: [arm]}",
                "3:34: error: commands are asked for over a connection without encryption, where anybody on the way"
            ),
            (
                "mqtt: {host: b, commands: [disarm]}",
                "3:17: error: 'mqtt' allows disarming and has no code; expected 'one_time_codes: true', or 'code' in"
            ),
            (
                "mqtt: {host: b, commands: [disarm], code: '2468'}",
                "3:17: warning: disarming with a code that is always the same is not done: whoever reads it once could"
            ),
            (
                "mqtt: {host: b, commands: [disarm], code: '2468', one_time_codes: true}",
                "3:37: error: 'mqtt.code' is set, and one-time codes are asked for; expected one of them"
            ),
            (
                "mqtt: {host: b, commands: [arm, police]}",
                "3:33: error: 'mqtt.commands' holds a word that is not known there; expected one of arm, disarm, bypass"
            ),
            (
                "mqtt: {host: b, commands: [disarm], trusted: true, code: 12ab}",
                "3:58: error: 'mqtt.code' holds 4 characters that cannot be it; expected 4 to 12 digits"
            ),
            (
                "mqtt: {host: b, commands: [arm, bypass, panic]}",
                "3:17: warning: 'bypass', 'panic' by this broker is not done: whoever gets at it could ask for it"
            ),
            (
                "mqtt: {host: b, commands: [disarm], disarm_without_code: true}",
                "3:17: warning: disarming without a code is not done: whoever gets at this broker could do it; expected"
            ),
            (
                "mqtt: {host: b, trusted: true, commands: [disarm], code: '246810', disarm_without_code: true}",
                "3:68: error: 'mqtt.disarm_without_code' is set, and a code is asked for; expected one of them"
            ),
            (
                "mqtt: {host: b, commands: arm, disarm_without_code: true}",
                "3:32: warning: 'mqtt.disarm_without_code' serves nothing: disarming is not allowed"
            ),
            ("mqtt: {host: b, code: '1234'}", "3:17: warning: 'mqtt.code' is set and no command is allowed"),
            ("mqtt: {host: b, base_topic: a/+/c}", "3:29: error: 'mqtt.base_topic' is no topic; expected a topic such"),
            ("mqtt: {host: b, discovery_prefix: /a}", "3:35: error: 'mqtt.discovery_prefix' is no topic"),
            ("mqtt: {host: b, site: a b}", "3:23: error: 'mqtt.site' holds a text of 3 characters; expected a short"),
            ("mqtt: {host: b, user: u}", "3:17: error: 'mqtt' has a user and no password; expected 'password' in"),
            (
                "mqtt: {host: b, security: plain, user: u, password: p}",
                "3:43: warning: 'mqtt.password' goes over a connection without encryption, so everybody on the way can"
            ),
            ("mqtt: {host: b, version: 4}", "3:26: error: 'mqtt.version' holds a word that is not known there"),
            ("mqtt: {host: b, comands: []}", "3:17: error: unknown key 'comands' in 'mqtt'; did you mean 'commands'?"),
        ])
    func whatIsWrongAboutTheBrokerIsNamedInItsPlace(text: String, begins: String) { ChannelSample.check(text, begins) }

    @Test("the panel's own codes are refused as code for the broker, wherever they stand")
    func thePanelsOwnCodesAreRefusedAsCodeForTheBroker() {
        let text =
            "site: {time_zone: UTC}\npanel: {host: a, password: user, code_master: '4711', code_installer: '5555'}\n"
        for code in ["4711", "5555"] {
            let found = ConfigurationSample.complaints(
                text + "mqtt: {host: b, commands: [disarm], trusted: true, code: '\(code)'}\n")
            #expect(
                found == [
                    "c.yaml:3:58: error: 'mqtt.code' is a code of the panel; expected another one: whoever reads it at "
                        + "the broker could use it at the keypad"
                ])
        }
    }

    @Test("a zone says what it watches in Home Assistant's words, and a wrong word is named with the nearest")
    func aZoneSaysWhatItWatchesInHomeAssistantsWords() {
        let result = ChannelSample.read("zones: {1: {name: A, device_class: garage_door}, 2: B}")
        #expect(result.problems == [])
        #expect(result.configuration?.panel.names.zones.map(\.deviceClass) == ["garage_door", nil])
        ChannelSample.check(
            "zones: {1: {name: A, device_class: windo}}",
            "3:36: error: 'zones.1.device_class' holds a word that is not known there; did you mean 'window'?")
        ChannelSample.check(
            "zones: {1: {name: A, device_class: zzz}}",
            "3:36: error: 'zones.1.device_class' holds a word that is not known there; expected one of battery, ")
    }
}
