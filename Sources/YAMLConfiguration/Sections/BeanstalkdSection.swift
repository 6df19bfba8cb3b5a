import AlarmModel
import ApplianceCore
import PhoneLink

/// `beanstalkd`, as in a HowAlarming file; nothing of it is used unless `enabled` says so.
struct BeanstalkdSection: SettingsSection {
    private var isEnabled: Bool?
    private var host = BeanstalkSettings().host
    private var port: UInt16 = 11_300
    private var events: [Target<String>] = []
    private var commands: [Target<String>] = []
    /// What is wrong with a tube is said; nothing more is said of its being missing then.
    private var areTubesWrong = false
    /// Never `ping`: programs have no use for it.
    private var verbs: [HouseVerb] = [.status]
    private var code: Secret?

    static let table: [Setting<Self>] = [
        .init("enabled", .flag.or(false), \.isEnabled),
        .init("host", .host("a host name or an IP address, such as 127.0.0.1").or(""), \.host),
        .init("port", .port, \.port),
        .init("tubes") { reading, field, section in
            let known = reading.problems.count
            Setting("tubes", tubes).read(&reading, field, &section)
            section.areTubesWrong = reading.problems.count > known
        },
        .init("commands", .verbs([.status, .arm, .disarm, .fire, .medical, .police]), \.verbs),
        .init("code", .houseCode(at: "in the queue"), \.code).secret,
        .later("timing"),
    ]

    /// `beanstalkd.tubes`
    private static let tubes: [Setting<Self>] = [
        .init("commands", .tubes, \.commands),
        .init("events", .tubes, \.events),
    ]

    private static let timings: [TimingSetting<BeanstalkSettings>] =
        [
            .init("ping_after", \.idleBeforePing, upTo: .hours(1)),
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
        ] + TimingSetting.reconnects(\.pace).dropLast()

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        var queue = BeanstalkSettings(host: host, port: port)
        reading.readTiming(section["timing"], Self.timings, into: &queue)
        guard let isEnabled else {
            return reading.warning(
                section,
                "'beanstalkd' is not switched on, so programs written for HowAlarming hear nothing and cannot command",
                expected: "'enabled: true' in 'beanstalkd' if such programs still run, 'enabled: false' if not")
        }
        guard isEnabled else { return }
        checkUse(section, &reading)
        for tube in events { addTube(tube, &reading) }
        if !verbs.isEmpty, !commands.isEmpty {
            queue.commandTubes = commands.map(\.value)
            var house = PhoneSettings.HouseVerbs(channel: .beanstalk, allowed: verbs, code: code)
            if mayNotDisarm {
                house.allowed.removeAll { $0 == .disarm }
                house.withdrawn = [.disarm]
            }
            reading.draft.phones.settings.houseVerbs.append(house)
        }
        reading.draft.phones.settings.channels.append(.beanstalk(queue))
    }

    /// Whoever reaches a queue of another machine could disarm: that protocol has no login and no encryption.
    private var mayNotDisarm: Bool { verbs.contains(.disarm) && code == nil && !HostName.isHere(host) }

    private func checkUse(_ section: Mapping, _ reading: inout SettingsReading) {
        if events.isEmpty, commands.isEmpty, !areTubesWrong {
            reading.report(
                at: section.place, section.path(of: "tubes"), "'beanstalkd' is switched on and has no tubes",
                expected: "'tubes' in 'beanstalkd' with lists 'events' and 'commands'")
        }
        if let field = section["host"], !HostName.isHere(host) {
            reading.valueWarning(
                field,
                "the queue is not on this machine, and whoever reaches it reads everything there and can give commands",
                expected: "127.0.0.1, with beanstalkd on this machine")
        }
        if let field = section["commands"], mayNotDisarm {
            reading.warning(
                field,
                "disarming by a queue that is not on this machine needs a code, and is not done without one",
                expected: "'code' in 'beanstalkd' or in the secrets file, digits that programs send with it; or "
                    + "beanstalkd on this machine; or 'commands' without disarm")
        }
        if let field = section["code"], !verbs.contains(.disarm) {
            reading.warning(
                field, "'\(field.path)' is set and disarming is not allowed",
                expected: "'disarm' in 'commands' of 'beanstalkd', or no code")
        }
        if let field = section["commands"], !verbs.isEmpty, commands.isEmpty, !events.isEmpty, !areTubesWrong {
            reading.error(
                field, "commands are allowed and there is no tube that they come from",
                expected: "'commands' in 'beanstalkd.tubes', such as [commands]")
        }
    }

    private func addTube(_ tube: Target<String>, _ reading: inout SettingsReading) {
        let (name, field) = tube
        guard name != BeanstalkSettings.everybodysTube else {
            return reading.valueError(
                field, "every program hears the tube 'default' unless it says otherwise, so events are not put there",
                expected: "another one, which your program watches")
        }
        guard !commands.contains(where: { $0.value == name }) else {
            return reading.valueError(
                field, "the tube '\(name)' is one for commands as well",
                expected: "another one: events would be read as commands")
        }
        // The original programs have tubes of the names of their sections.
        if ["alert_email", "alert_url", "alert_gcm"].contains(name), reading.place(of: name) != nil {
            reading.valueWarning(
                field,
                "'\(name)' is served here, so a program that reads the tube '\(name)' tells everything twice, and without "
                    + "one its jobs pile up", expected: "the tube or the section '\(name)', not both")
        }
        reading.addTarget(.tube, name, EventType.allCases, called: "the tube '\(name)'", by: field)
    }
}

extension ValueKind where Value == [Target<String>] {
    fileprivate static var tubes: Self {
        .list(
            of: .target(
                .text(
                    "names of tubes: 1 to 200 letters, digits and any of - + / ; . $ _ ( ), not beginning with -",
                    otherwise: "holds no name of a tube"
                ) { BeanstalkSettings.isTubeName($0) }))
    }
}
