import AlarmModel
import ApplianceCore
import PhoneLink
import Testing
import YAMLConfiguration

@Suite struct ConfigurationProgramsTests {
    @Test("programs are names, with triggers of their own where they want them")
    func programsAreNames() throws {
        let phones = try ChannelSample.phones(
            """
            hooks:
              socket: /run/other.sock
              time_limit: 20
              triggers: [alarm, fault]
              programs:
                - lights
                - {program: camera.sh, triggers: alarm}
            """)
        var hooks = ProgramSettings(socket: "/run/other.sock")
        hooks.timeLimit = .seconds(20)
        #expect(phones.channels == [.program(hooks)])
        #expect(
            phones.house == [
                .init(kind: .program, value: "lights", triggers: [.alarm, .fault]),
                .init(kind: .program, value: "camera.sh", triggers: [.alarm]),
            ])
        let short = try ChannelSample.phones("hooks: {programs: lights}")
        #expect(short.channels == [.program(ProgramSettings())])
        #expect(short.house.map(\.triggers) == [[.armed, .disarmed, .alarm, .recovery, .fault]])
    }

    @Test(
        "what is wrong about programs is named in its place",
        arguments: [
            ("hooks:", "3:1: error: 'hooks' has no programs; expected 'programs' in 'hooks': names of programs in"),
            ("hooks: [lights]", "3:8: error: 'hooks' holds a list; expected keys such as 'programs' with a colon"),
            ("hooks: {programs: /bin/sh}", "3:19: error: 'hooks.programs' holds no name of a program; expected the"),
            ("hooks: {programs: []}", "3:19: error: 'hooks.programs' is an empty list"),
            ("hooks: {programs: [a, a]}", "3:23: error: the program 'a' is set twice: here and at 3:20"),
            ("hooks: {programs: [{triggers: alarm}]}", "3:20: error: an entry of 'hooks.programs' has no program;"),
            (
                "hooks: {programs: [{program: a, trigger: alarm}]}",
                "3:33: error: unknown key 'trigger' in 'hooks.programs'; did you mean 'triggers'?"
            ),
            ("hooks: {programs: a, time_limit: 301}", "3:34: error: 'hooks.time_limit' is 301; expected seconds, or a"),
            ("hooks: {programs: a, socket: x}", "3:30: error: 'hooks.socket' holds no such path; expected the path of"),
        ])
    func whatIsWrongAboutProgramsIsNamedInItsPlace(text: String, begins: String) { ChannelSample.check(text, begins) }

    @Test("the queue of an old file is switched on by one line, and may then ask for what is listed")
    func theQueueOfAnOldFileIsSwitchedOnByOneLine() throws {
        let phones = try ChannelSample.phones(
            """
            beanstalkd:
              enabled: true
              host: localhost
              port: 11301
              commands: [arm, status]
              tubes: {commands: [commands], events: [cli, lamp]}
            """)
        #expect(
            phones.channels == [
                .beanstalk(BeanstalkSettings(host: "localhost", port: 11_301, commandTubes: ["commands"]))
            ])
        #expect(
            phones.house == [
                .init(kind: .tube, value: "cli", triggers: EventType.allCases),
                .init(kind: .tube, value: "lamp", triggers: EventType.allCases),
            ])
        #expect(phones.houseVerbs == [.init(channel: .beanstalk, allowed: [.status, .arm])])
    }

    @Test("without a list only the state may be asked for; with an empty one nothing; switched off there is no queue")
    func withoutAListOnlyTheStateMayBeAskedFor() throws {
        let tubes = "tubes: {commands: c, events: e}"
        let usual = try ChannelSample.phones("beanstalkd: {enabled: true, \(tubes)}")
        #expect(usual.houseVerbs == [.init(channel: .beanstalk, allowed: [.status])])
        #expect(usual.channels == [.beanstalk(BeanstalkSettings(commandTubes: ["c"]))])
        let deaf = try ChannelSample.phones("beanstalkd: {enabled: true, commands: [], \(tubes)}")
        #expect(deaf.houseVerbs == [] && deaf.channels == [.beanstalk(BeanstalkSettings())])
        let off = try ChannelSample.phones("beanstalkd: {enabled: false, commands: [arm], \(tubes)}")
        #expect(off == PhoneSettings())
    }

    @Test("disarming by a queue of another machine needs a code; without one it is withdrawn, and the rest goes on")
    func disarmingByAQueueOfAnotherMachineNeedsACode() throws {
        func verbs(_ host: String, _ more: String = "") throws -> [PhoneSettings.HouseVerbs] {
            let tubes = "tubes: {commands: c, events: e}"
            let result = ChannelSample.read(
                "beanstalkd: {enabled: true, host: \(host), commands: [arm, disarm]\(more), \(tubes)}")
            return try #require(result.configuration).phones.houseVerbs
        }
        let both: [HouseVerb] = [.arm, .disarm]
        #expect(try verbs("127.0.0.1") == [.init(channel: .beanstalk, allowed: both)])
        let code = Secret("471100")
        #expect(
            try verbs("192.0.2.3", ", code: 471100") == [.init(channel: .beanstalk, allowed: both, code: code)])
        let withdrawn = try #require(try verbs("192.0.2.3").first)
        #expect(withdrawn.allowed == [.arm] && withdrawn.withdrawn == [.disarm])
    }

    @Test(
        "what is wrong about the queue is named in its place",
        arguments: [
            (
                "beanstalkd: {host: 127.0.0.1, tubes: {events: [cli]}}",
                "3:1: warning: 'beanstalkd' is not switched on, so programs written for HowAlarming hear nothing and"
            ),
            ("beanstalkd: {enabled: true}", "3:1: error: 'beanstalkd' is switched on and has no tubes; expected"),
            (
                "beanstalkd: {enabled: true, host: 192.168.1.3, tubes: {events: e}}",
                "3:35: warning: the queue is not on this machine, and whoever reaches it reads everything there and can"
            ),
            (
                "beanstalkd: {enabled: true, tubes: {events: [a, a]}}",
                "3:49: error: the tube 'a' is set twice: here and at 3:46"
            ),
            (
                "beanstalkd: {enabled: true, tubes: {events: [a], commands: [a]}}",
                "3:46: error: the tube 'a' is one for commands as well; expected another one: events would be read as"
            ),
            (
                "beanstalkd: {enabled: true, tubes: {events: [a, default]}}",
                "3:49: error: every program hears the tube 'default' unless it says otherwise, so events are not put"
            ),
            (
                "beanstalkd: {enabled: true, tubes: {events: [-a]}}",
                "3:46: error: 'beanstalkd.tubes.events' holds no name"
            ),
            (
                "beanstalkd: {enabled: true, tubes: {events: a}, commands: [arm]}",
                "3:49: error: commands are allowed and there is no tube that they come from; expected 'commands' in"
            ),
            (
                "beanstalkd: {enabled: true, tubes: {commands: a}, commands: [ping]}",
                "3:62: error: 'beanstalkd.commands' holds a word that is not known there; expected one of status, arm,"
            ),
            (
                "beanstalkd: {enabled: true, tubs: {}, tubes: {events: a}}",
                "3:29: error: unknown key 'tubs' in 'beanstalkd'; did you mean 'tubes'?"
            ),
            (
                "beanstalkd: {enabled: true, tubes: {events: alert_url}}\nalert_url: {urls: https://a.example/}",
                "3:45: warning: 'alert_url' is served here, so a program that reads the tube 'alert_url' tells everything"
            ),
        ])
    func whatIsWrongAboutTheQueueIsNamedInItsPlace(text: String, begins: String) { ChannelSample.check(text, begins) }

    @Test("each place of the house is there once, also in two sections; the order of the file stays")
    func eachPlaceOfTheHouseIsThereOnce() throws {
        let phones = try ChannelSample.phones(
            """
            hooks: {programs: b}
            alert_url: {urls: [https://z.example/, https://a.example/]}
            alert_email: {smtp_host: localhost, addr_from: a@b.example, addr_to: b@b.example}
            """)
        #expect(phones.house.map(\.value) == ["b", "https://z.example/", "https://a.example/", "b@b.example"])
    }
}
