import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink

/// `mqtt`: a broker, and Home Assistant behind it.
struct MQTTSection: SettingsSection {
    private var host: String?
    private var port: UInt16?
    private var isPlain = false
    private var caFile: String?
    private var login = Login()
    private var site = "home"
    private var baseTopic: String?
    private var isDiscovered = true
    private var discoveryPrefix: String?
    private var commands: [HouseVerb] = []
    private var code: Secret?
    private var takesOneTimeCodes = false
    private var isCodeless = false
    private var isTrusted = false
    private var allowsPlainCommands = false
    private var triggers: [EventType] = .usualInTheHouse
    private var clientID: String?
    private var version = MQTTSettings.Level.automatic
    private var presenceTopic: String?

    static let table: [Setting<Self>] = {
        let hosts = "the broker's name or IP address, such as homeassistant.local"
        return [
            .init("host", .host(hosts), \.host).required("% has no host", ": \(hosts)"),
            .init("port", .port, \.port),
            .init("security", .word([("tls", false), ("plain", true)]), \.isPlain),
            .init("ca_file", .authorityFile, \.caFile),
        ] + Login.table.within(\.login) + [
            .init("site", .siteInTopics, \.site),
            .init("base_topic", .topic, \.baseTopic),
            .init("discovery", .flag, \.isDiscovered),
            .init("discovery_prefix", .topic, \.discoveryPrefix),
            .init("commands", .verbs([.arm, .disarm, .bypass, .output, .chime, .force, .panic]), \.commands),
            .init("code", .houseCode(at: "at the broker"), \.code).secret,
            .init("one_time_codes", .flag, \.takesOneTimeCodes),
            .init("disarm_without_code", .flag, \.isCodeless),
            .init("trusted", .flag, \.isTrusted),
            .init("plain_commands", .flag, \.allowsPlainCommands),
            .init("triggers", .triggers, \.triggers),
            .init("client_id", .clientID, \.clientID),
            .init("version", .caseName, \.version),
            .init("presence_topic", .topic, \.presenceTopic),
            .later("timing"),
        ]
    }()

    private static let timings: [TimingSetting<MQTTSettings>] =
        [
            .init("ping_after", \.idleBeforePing, upTo: .hours(1)),
            .init("ping_patience", \.pingPatience, upTo: .minutes(5)),
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
        ] + TimingSetting.reconnects(\.pace)

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        let login = login.checked(section, &reading)
        checkCommands(section, &reading)
        var mqtt = MQTTSettings(
            host: host ?? "", port: port, security: isPlain ? .plain : .tls(authorityFile: caFile), user: login?.user,
            password: login?.password, site: site, deviceName: reading.draft.site.name,
            commandsAllowed: !commands.isEmpty)
        mqtt.requiresCode = code != nil || takesOneTimeCodes
        if let baseTopic { mqtt.baseTopic = baseTopic }
        if let discoveryPrefix { mqtt.discoveryPrefix = discoveryPrefix }
        if !isDiscovered { mqtt.discoveryPrefix = nil }
        if let clientID { mqtt.clientID = clientID }
        mqtt.protocolVersion = version
        mqtt.presenceTopic = checkedPresence(section, mqtt, &reading)
        reading.readTiming(section["timing"], Self.timings, into: &mqtt)
        guard let host else { return }
        if isPlain {
            reading.warnOfPlainSecret(
                section["password"], host: host, remedy: "'security: tls' in 'mqtt' if the broker can do it")
        }
        let withdrawn = withdrawn
        let allowed = commands.filter { !withdrawn.contains($0) }
        if !commands.isEmpty { mqtt.verbs = allowed }
        reading.draft.phones.settings.channels.append(.mqtt(mqtt))
        reading.draft.phones.settings.house.append(.init(kind: .broker, value: mqtt.eventTopic, triggers: triggers))
        guard !commands.isEmpty else { return }
        var verbs = PhoneSettings.HouseVerbs(channel: .mqtt, allowed: allowed, code: code)
        if takesOneTimeCodes { verbs.takesOneTimeCodes = true }
        if !withdrawn.isEmpty { verbs.withdrawn = withdrawn }
        reading.draft.phones.settings.houseVerbs.append(verbs)
    }

    private func checkedPresence(
        _ section: Mapping, _ mqtt: MQTTSettings, _ reading: inout SettingsReading
    ) -> String? {
        guard let presenceTopic, let field = section["presence_topic"] else { return nil }
        guard mqtt.isOwn(presenceTopic) else { return presenceTopic }
        return reading.refuse(
            field, "'\(field.path)' is a topic that the box uses for something else",
            expected: "one of its own, such as house/presence")
    }

    private var isHere: Bool { host.map { HostName.isHere($0) } ?? false }

    private var isTrustedWay: Bool { isHere || !isPlain && isTrusted }

    /// Whoever reads a fixed code once can use it any day: on the way, or at the broker (docs/pairing.md 10).
    private var withdrawn: [HouseVerb] {
        guard !isTrustedWay else { return [] }
        return commands.filter { $0.needsTrust || $0 == .disarm && !takesOneTimeCodes }
    }

    /// What the broker may ask for (docs/pairing.md 10).
    private func checkCommands(_ section: Mapping, _ reading: inout SettingsReading) {
        if let field = section["commands"], !commands.isEmpty, isPlain, !allowsPlainCommands, !isHere {
            reading.error(
                field,
                "commands are asked for over a connection without encryption, where anybody on the way can give them",
                expected: "'security: tls', or 'plain_commands: true' in 'mqtt' if that is meant")
        }
        checkDisarming(section, &reading)
        let untrusted = withdrawn.filter(\.needsTrust).map { "'\($0.rawValue)'" }
        if let field = section["commands"], !untrusted.isEmpty {
            reading.warning(
                field,
                "\(untrusted.joined(separator: ", ")) by this broker is not done: whoever gets at it could ask for it",
                expected: "'security: tls' and 'trusted: true' for a broker that is yours, or 'commands' without it")
        }
        checkCode(section, &reading)
    }

    private func checkDisarming(_ section: Mapping, _ reading: inout SettingsReading) {
        guard let field = section["commands"], commands.contains(.disarm) else { return }
        if section["code"] == nil, !takesOneTimeCodes, !isCodeless {
            reading.report(
                at: field.place, section.path(of: "code"), "'mqtt' allows disarming and has no code",
                expected: "'one_time_codes: true', or 'code' in 'mqtt' or in the secrets file: digits that have to be "
                    + "typed in Home Assistant")
        } else if withdrawn.contains(.disarm) {
            let how = isCodeless ? "without a code" : "with a code that is always the same"
            let why = isCodeless ? "gets at this broker could do it" : "reads it once could use it any day"
            reading.warning(
                field,
                "disarming \(how) is not done: whoever \(why)",
                expected:
                    "'one_time_codes: true' instead of \(isCodeless ? "'disarm_without_code'" : "'code'"); or 'security: "
                    + "tls' and 'trusted: true' for a broker that is yours; or 'commands' without disarm")
        }
    }

    private func checkCode(_ section: Mapping, _ reading: inout SettingsReading) {
        if let field = section["code"], takesOneTimeCodes {
            reading.error(
                field, "'\(field.path)' is set, and one-time codes are asked for",
                expected: "one of them: 'code', or 'one_time_codes: true'")
        }
        if let field = section["disarm_without_code"], isCodeless {
            if section["code"] != nil || takesOneTimeCodes {
                reading.error(
                    field, "'\(field.path)' is set, and a code is asked for",
                    expected: "one of them: 'disarm_without_code', 'code' or 'one_time_codes'")
            } else if !commands.contains(.disarm) {
                reading.warning(
                    field, "'\(field.path)' serves nothing: disarming is not allowed",
                    expected: "'commands: [arm, disarm]' in 'mqtt', or no 'disarm_without_code'")
            }
        }
        if let field = section["code"], !commands.isEmpty, !commands.contains(.disarm) {
            reading.warning(
                field, "'\(field.path)' serves nothing: arming needs no code, and disarming is not allowed",
                expected: "'commands: [arm, disarm]' in 'mqtt', or no 'code'")
        }
        if let field = section["code"], commands.isEmpty {
            reading.warning(
                field, "'\(field.path)' is set and no command is allowed",
                expected: "'commands' in 'mqtt', such as [arm, disarm]")
        }
    }
}

extension ValueKind where Value == Secret {
    /// A code of its own: Home Assistant and programs keep what people type, and the broker or the queue sees it.
    static func houseCode(at place: String) -> Self {
        .digits("4 to 12 digits", 4...12).checked { reading, field, code in
            let panel = reading.draft.panel.settings
            guard code == panel.masterCode || code == panel.installerCode else { return code }
            return reading.refuse(
                field, "'\(field.path)' is a code of the panel",
                expected: "another one: whoever reads it \(place) could use it at the keypad")
        }
    }
}

extension ValueKind where Value == String {
    fileprivate static var siteInTopics: Self {
        .text("a short name for topics: at most 64 letters, digits, '_' and '-'") { MQTTSettings.isSite($0) }
    }

    fileprivate static var clientID: Self {
        .text("1 to 128 characters of printable ASCII, which no other client of the broker uses") {
            ConfigurationText.isPrintable($0, 1...128)
        }
    }

    /// Without wildcards, and nothing that the broker keeps for itself.
    fileprivate static var topic: Self {
        .text(
            "a topic such as howalarming/home: at most 200 bytes, no '+' or '#', no slash at either end",
            otherwise: "is no topic"
        ) { text in
            text.utf8.count <= 200 && !text.hasPrefix("/") && !text.hasSuffix("/") && !text.hasPrefix("$")
                && text.unicodeScalars.allSatisfy { !ConfigurationText.isControl($0) && $0 != "+" && $0 != "#" }
        }
    }
}
