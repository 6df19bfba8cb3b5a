import AlarmModel
import ApplianceCore
import PhoneLink

extension ConfigurationReading {
    /// Never `ping`: programs have no use for it.
    private static var queueVerbs: [LegacyPhone.Verb] { [.status, .arm, .disarm, .fire, .medical, .police] }

    private static var beanstalkTimings: [WayTiming<BeanstalkSettings>] {
        [
            .init("ping_after", \.idleBeforePing, upTo: .hours(1)),
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
            .init("reconnect_minimum", \.pace.minimum, upTo: .hours(1)),
            .init("reconnect_maximum", \.pace.maximum, upTo: .hours(1)),
            .init("reconnect_urgent", \.pace.urgentMaximum, upTo: .hours(1)),
        ]
    }

    /// `beanstalkd`, as in a HowAlarming file; nothing of it is used unless `enabled` says so.
    mutating func readBeanstalk(_ section: ConfigurationSection) {
        let isEnabled = section["enabled"].map { flag($0) ?? false }
        let host = section["host"].map { self.host($0, expected: "a host name or an IP address, such as 127.0.0.1") }
        let port = port(section["port"])
        let verbs = section["commands"].map { self.verbs($0, of: Self.queueVerbs) }
        let known = problems.count
        let tubes = section["tubes"].flatMap {
            self.section($0.value, path: $0.path, place: $0.place, known: ConfigurationKeys.tubes)
        }
        let events = tubes?["events"].map { self.tubes($0) } ?? []
        let commands = tubes?["commands"].map { self.tubes($0) } ?? []
        // What is wrong with a tube is said; nothing more is said of its being missing then.
        let isMissing = problems.count == known
        var queue = BeanstalkSettings(port: port ?? 11_300)
        if let host { queue.host = host ?? "" }
        readTiming(section, into: &queue, Self.beanstalkTimings)
        guard let isEnabled else {
            return report(
                .warning, at: section.place, section.path,
                "'beanstalkd' is not switched on, so programs written for HowAlarming hear nothing and cannot command",
                expected: "'enabled: true' in 'beanstalkd' if such programs still run, 'enabled: false' if not")
        }
        guard isEnabled else { return }
        if events.isEmpty, commands.isEmpty, isMissing {
            report(
                at: section.place, section.path(of: "tubes"), "'beanstalkd' is switched on and has no tubes",
                expected: "'tubes' in 'beanstalkd' with lists 'events' and 'commands'")
        }
        if let field = section["host"], !Self.isHere(queue.host) {
            report(
                .warning, at: place(ofValue: field), field.path,
                "the queue is not on this machine, and whoever reaches it reads everything there and can give commands",
                expected: "127.0.0.1, with beanstalkd on this machine")
        }
        let allowed = verbs ?? [.status]
        if let field = section["commands"], !allowed.isEmpty, commands.isEmpty, !events.isEmpty, isMissing {
            report(
                at: field.place, field.path, "commands are allowed and there is no tube that they come from",
                expected: "'commands' in 'beanstalkd.tubes', such as [commands]")
        }
        addTubes(events, besides: commands)
        if !allowed.isEmpty, !commands.isEmpty {
            queue.commandTubes = commands.map(\.name)
            draft.phones.houseVerbs.append(PhoneSettings.HouseVerbs(way: .beanstalk, allowed: allowed))
        }
        draft.phones.ways.append(.beanstalk(queue))
    }

    private typealias Tube = (name: String, field: ConfigurationSection.Field)

    private mutating func tubes(_ field: ConfigurationSection.Field) -> [Tube] {
        let expected = "names of tubes: 1 to 200 letters, digits and any of - + / ; . $ _ ( ), not beginning with -"
        return values(field).compactMap { field in
            guard let text = text(field, expected: expected) else { return nil }
            guard BeanstalkSettings.isTubeName(text) else {
                report(
                    at: place(ofValue: field), field.path, "'\(field.path)' holds no name of a tube",
                    expected: expected)
                return nil
            }
            return (text, field)
        }
    }

    private mutating func addTubes(_ events: [Tube], besides commands: [Tube]) {
        for (name, field) in events {
            guard name != BeanstalkSettings.everybodysTube else {
                report(
                    at: place(ofValue: field), field.path,
                    "every program hears the tube 'default' unless it says otherwise, so events are not put there",
                    expected: "another one, which your program watches")
                continue
            }
            guard !commands.contains(where: { $0.name == name }) else {
                report(
                    at: place(ofValue: field), field.path, "the tube '\(name)' is one for commands as well",
                    expected: "another one: events would be read as commands")
                continue
            }
            // The original programs have tubes of the names of their sections.
            if ["alert_email", "alert_url", "alert_gcm"].contains(name), place(of: name) != nil {
                report(
                    .warning, at: place(ofValue: field), field.path,
                    "'\(name)' is served here, so a program that reads the tube '\(name)' tells everything twice, and "
                        + "without one its jobs pile up",
                    expected: "the tube or the section '\(name)', not both")
            }
            addTarget(.tube, name, EventType.allCases, called: "the tube '\(name)'", by: field)
        }
    }
}
