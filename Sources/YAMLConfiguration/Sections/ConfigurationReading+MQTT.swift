import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink

extension ConfigurationReading {
    private static var mqttTimings: [WayTiming<MQTTSettings>] {
        [
            .init("ping_after", \.idleBeforePing, upTo: .hours(1)),
            .init("ping_patience", \.pingPatience, upTo: .minutes(5)),
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
            .init("reconnect_minimum", \.pace.minimum, upTo: .hours(1)),
            .init("reconnect_maximum", \.pace.maximum, upTo: .hours(1)),
            .init("reconnect_urgent", \.pace.urgentMaximum, upTo: .hours(1)),
            .init("refused_wait", \.pace.refusedWait, upTo: .hours(24)),
        ]
    }

    /// `mqtt`: a broker, and Home Assistant behind it.
    mutating func readMQTT(_ section: ConfigurationSection) {
        let host = section["host"].flatMap {
            self.host($0, expected: "the broker's name or IP address, such as homeassistant.local")
        }
        if section["host"] == nil {
            missing(
                "host", in: section, "'mqtt' has no host",
                expected: "'host' in 'mqtt': the broker's name or IP address, such as homeassistant.local")
        }
        let port = port(section["port"])
        let words: [(word: String, value: Bool)] = [("tls", false), ("plain", true)]
        let isPlain = section["security"].flatMap { choice($0, words) } ?? false
        let caFile = authorityFile(section["ca_file"])
        let login = login(section)
        let site = section["site"].flatMap { self.site($0) } ?? "home"
        let verbs = mqttCommands(section, isPlain: isPlain, isHere: host.map { Self.isHere($0) } ?? false)
        let triggers = triggers(section["triggers"], otherwise: [.armed, .disarmed, .alarm, .recovery, .fault])
        var mqtt = MQTTSettings(
            host: host ?? "", port: port, security: isPlain ? .plain : .tls(authorityFile: caFile), user: login?.user,
            password: login?.password, site: site, deviceName: draft.siteName, commandsAllowed: !verbs.allowed.isEmpty)
        mqtt.requiresCode = verbs.code != nil
        if let field = section["base_topic"], let topic = topic(field) { mqtt.baseTopic = topic }
        if let field = section["discovery_prefix"], let topic = topic(field) { mqtt.discoveryPrefix = topic }
        if let field = section["discovery"], let isOn = flag(field), !isOn { mqtt.discoveryPrefix = nil }
        if let field = section["client_id"], let id = clientID(field) { mqtt.clientID = id }
        let levels = MQTTSettings.Level.allCases.map { (word: $0.rawValue, value: $0) }
        if let field = section["version"], let level = choice(field, levels) { mqtt.protocolVersion = level }
        readTiming(section, into: &mqtt, Self.mqttTimings)
        guard let host else { return }
        if isPlain {
            warnOfPlainSecret(
                section["password"], host: host, remedy: "'security: tls' in 'mqtt' if the broker can do it")
        }
        draft.phones.ways.append(.mqtt(mqtt))
        draft.phones.house.append(
            PhoneSettings.HouseTarget(kind: .broker, value: mqtt.eventTopic, triggers: triggers))
        if !verbs.allowed.isEmpty { draft.phones.houseVerbs.append(verbs) }
    }

    /// What the broker may ask for. Never anything but arming and disarming (docs/pairing.md 10).
    private mutating func mqttCommands(
        _ section: ConfigurationSection, isPlain: Bool, isHere: Bool
    ) -> PhoneSettings.HouseVerbs {
        let allowed = section["commands"].map { self.verbs($0, of: [.arm, .disarm]) } ?? []
        let code = section["code"].flatMap { houseCode($0) }
        let inWords = section["plain_commands"].flatMap { flag($0) } ?? false
        if let field = section["commands"], !allowed.isEmpty, isPlain, !inWords, !isHere {
            report(
                at: field.place, field.path,
                "commands are asked for over a connection without encryption, where anybody on the way can give them",
                expected: "'security: tls', or 'plain_commands: true' in 'mqtt' if that is meant")
        }
        if let field = section["commands"], allowed.contains(.disarm), section["code"] == nil {
            report(
                at: field.place, section.path(of: "code"), "'mqtt' allows disarming and has no code",
                expected: "'code' in 'mqtt' or in the secrets file: digits that have to be typed in Home Assistant")
        }
        if let field = section["code"], allowed.isEmpty {
            report(
                .warning, at: field.place, field.path, "'\(field.path)' is set and no command is allowed",
                expected: "'commands' in 'mqtt', such as [arm, disarm]")
        }
        return PhoneSettings.HouseVerbs(way: .mqtt, allowed: allowed, code: code)
    }

    /// A code of its own: Home Assistant keeps what people type, and the broker sees it.
    private mutating func houseCode(_ field: ConfigurationSection.Field) -> Secret? {
        guard
            let code = secret(
                field, expected: "4 to 12 digits",
                isValid: { (4...12).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isDigit) })
        else { return nil }
        guard code != draft.panel.masterCode, code != draft.panel.installerCode else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is a code of the panel",
                expected: "another one: whoever reads it at the broker could use it at the keypad")
            return nil
        }
        return code
    }

    private mutating func site(_ field: ConfigurationSection.Field) -> String? {
        let expected = "a short name for topics: at most 64 letters, digits, '_' and '-'"
        guard let text = text(field, expected: expected) else { return nil }
        guard MQTTSettings.isSite(text) else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' holds \(Self.kind(field.value))",
                expected: expected)
            return nil
        }
        return text
    }

    private mutating func clientID(_ field: ConfigurationSection.Field) -> String? {
        let expected = "1 to 128 characters of printable ASCII, which no other client of the broker uses"
        guard let text = text(field, expected: expected) else { return nil }
        guard text.utf8.count <= 128, text.utf8.allSatisfy({ (33..<127).contains($0) }) else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' holds \(Self.kind(field.value))",
                expected: expected)
            return nil
        }
        return text
    }

    /// Without wildcards, and nothing that the broker keeps for itself.
    private mutating func topic(_ field: ConfigurationSection.Field) -> String? {
        let expected = "a topic such as howalarming/home: at most 200 bytes, no '+' or '#', no slash at either end"
        guard let text = text(field, expected: expected) else { return nil }
        let isTopic =
            text.utf8.count <= 200 && !text.hasPrefix("/") && !text.hasSuffix("/") && !text.hasPrefix("$")
            && text.unicodeScalars.allSatisfy { !Self.isControl($0) && $0 != "+" && $0 != "#" }
        guard isTopic else {
            report(at: place(ofValue: field), field.path, "'\(field.path)' is no topic", expected: expected)
            return nil
        }
        return text
    }
}
