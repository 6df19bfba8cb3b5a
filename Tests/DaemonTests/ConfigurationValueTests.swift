import AlarmModel
import ApplianceCore
import PanelLink
import Testing
import YAMLConfiguration

@Suite struct ConfigurationValueTests {
    private func read(_ text: String) throws -> Configuration {
        let result = ConfigurationReader.read(bytes: Array(text.utf8), name: "c.yaml")
        return try #require(result.configuration, "\(result.problems)")
    }

    @Test("every key arrives in the configuration")
    func everyKeyArrivesInTheConfiguration() throws {
        let configuration = try read(
            """
            site: {name: Mill, time_zone: UTC}
            panel:
              host: evl.lan
              port: 4026
              password: abc123
              code_master: 0123
              code_installer: "654321"
              set_clock: yes
              poll_interval: 30
              loss_is_alarm: always
              code_on_request: never
              timing:
                answer_deadline: 500ms
                confirm_deadline: 0.5
                key_spacing: 2s
                status_cap: 3
                reconnect_minimum: 1.25
                reconnect_maximum: 1min
                slot_held_wait: 40
                refused_wait: 1h
                lockout_pause: 2 min
                settle_delay: 0
                login_deadline: 4s
            partitions: {2: Workshop, 1: {name: Ground floor}}
            zones: {9: Study, '001': {name: Door, partition: 2, fire: true}}
            users: {40: Anna, 2: {name: Ben}}
            journal: {keep_days: 10, keep_events: 0}
            update: {healthy_after: 30, give_up_after: 2min}
            pace: {command_deadline: 10, store_stall: 1500ms, retention_interval: 30}
            """)
        var panel = PanelSettings(
            password: Secret("abc123"), masterCode: Secret("0123"), installerCode: Secret("654321"),
            names: SiteNames(
                partitions: [.init(number: 1, name: "Ground floor"), .init(number: 2, name: "Workshop")],
                zones: [
                    .init(number: 1, name: "Door", partition: 2, isFire: true), .init(number: 9, name: "Study"),
                ],
                users: [.init(number: 2, name: "Ben"), .init(number: 40, name: "Anna")]))
        panel.setsClock = true
        panel.pollInterval = .seconds(30)
        panel.lossIsAlarm = .always
        panel.codeOnRequest = .never
        panel.answerDeadline = .milliseconds(500)
        panel.confirmDeadline = .milliseconds(500)
        panel.keySpacing = .seconds(2)
        panel.statusCap = .seconds(3)
        panel.reconnectMinimum = .milliseconds(1250)
        panel.reconnectMaximum = .seconds(60)
        panel.slotHeldWait = .seconds(40)
        panel.refusedWait = .seconds(3600)
        panel.lockoutPause = .seconds(120)
        panel.settleDelay = .zero
        panel.loginDeadline = .seconds(4)
        panel.partitions = [1, 2]
        var pace = Configuration.Pace()
        pace.commandDeadline = .seconds(10)
        pace.storeStall = .milliseconds(1500)
        pace.retentionInterval = .seconds(30)
        var expected = Configuration(
            siteName: "Mill", panelHost: "evl.lan", panelPort: 4026, panel: panel,
            retention: .init(maximumAge: .seconds(864_000), maximumCount: nil), pace: pace)
        expected.update = TrialSettings(healthyAfter: .seconds(30), giveUpAfter: .minutes(2))
        #expect(configuration == expected)
    }

    @Test("what is not set keeps its default")
    func whatIsNotSetKeepsItsDefault() throws {
        let configuration = try read("panel: {host: 192.0.2.1, password: user}")
        #expect(
            configuration
                == Configuration(panelHost: "192.0.2.1", panel: PanelSettings(password: Secret("user"))))
    }

    @Test(
        "a zone number is decimal in every spelling",
        arguments: [
            ("1", 1), ("001", 1), ("'001'", 1), ("\"1\"", 1), ("010", 10), ("'010'", 10), ("08", 8), ("064", 64),
        ])
    func aZoneNumberIsDecimalInEverySpelling(key: String, number: Int) throws {
        for section in ["zones", "envisalinkd: {zones"] {
            let text = ConfigurationSample.valid + "\(section): {\(key): Door}" + (section == "zones" ? "" : "}")
            #expect(try read(text).panel.names.zones == [.init(number: number, name: "Door")])
        }
    }

    @Test(
        "quoted and unquoted codes are the same text, leading zeros and all", arguments: ["0012", "'0012'", "\"0012\""])
    func quotedAndUnquotedCodesAreTheSameText(written: String) throws {
        let text = "panel: {host: a, password: \(written), code_master: \(written)}"
        #expect(try read(text).panel.masterCode?.revealed == "0012")
        #expect(try read(text).panel.password.revealed == "0012")
    }

    @Test(
        "hosts are names and addresses of both kinds",
        arguments: ["evl", "evl.lan.", "10.0.0.1", "fe80::1", "4max.lan"])
    func hostsAreNamesAndAddressesOfBothKinds(host: String) throws {
        #expect(try read("panel: {host: \"\(host)\", password: user}").panelHost == host)
    }

    @Test("an empty section is as good as none")
    func anEmptySectionIsAsGoodAsNone() throws {
        let text = ConfigurationSample.valid + "zones:\nusers: {}\njournal: ~\npartitions:\n"
        #expect(ConfigurationSample.complaints(text) == [])
        #expect(try read(text).panel.partitions == [1])
    }

    @Test("a name of 64 characters is taken, one of 65 is not")
    func aNameOf64CharactersIsTaken() throws {
        let name = String(repeating: "ä", count: 64)
        #expect(try read(ConfigurationSample.valid + "users: {1: \(name)}").panel.names.user(1) == name)
        #expect(
            ConfigurationSample.complaints(added: "users: {1: \(name)ä}") == [
                "c.yaml:3:12: error: the name has 65 characters; expected at most 64"
            ])
    }

    @Test(
        "a long password is warned about by the model that refuses it",
        arguments: [(6, nil), (7, "EVL-3 compares only 6"), (10, "EVL-3 compares only 6"), (11, "EVL-4 takes 10")]
            as [(Int, String?)])
    func aLongPasswordIsWarnedAboutByTheModelThatRefusesIt(length: Int, warning: String?) {
        let text = "site: {time_zone: UTC}\npanel: {host: a, password: \(String(repeating: "x", count: length))}"
        let result = ConfigurationReader.read(bytes: Array(text.utf8), name: "c.yaml")
        #expect(result.configuration != nil)
        #expect(result.problems.count == (warning == nil ? 0 : 1))
        if let warning, let problem = result.problems.first {
            #expect(problem.what.contains(warning) && problem.line == 2 && problem.column == 28)
        }
    }

    @Test("without a time zone UTC is used and a warning says so")
    func withoutATimeZoneUTCIsUsedAndAWarningSaysSo() throws {
        let result = ConfigurationReader.read(
            bytes: Array("panel: {host: a, password: b}".utf8), name: "c.yaml")
        #expect(result.configuration?.panel.timeZone == .utc)
        #expect(result.problems.map(\.path) == ["site.time_zone"] && result.errorCount == 0)
    }

    @Test("reload says what changed, and no secret")
    func reloadSaysWhatChanged() throws {
        let old = try read(ConfigurationSample.valid)
        let new = try read(
            """
            site: {name: Mill, time_zone: UTC}
            panel: {host: b, port: 1, password: hunter2, code_master: 8642, set_clock: true, poll_interval: 5,
              loss_is_alarm: never, code_on_request: always}
            zones: {1: Door}
            journal: {keep_days: 1}
            """)
        #expect(
            new.changes(from: old) == [
                "site.name: Test → Mill", "panel.host: 192.0.2.1 → b", "panel.port: 4025 → 1", "panel.password changed",
                "panel.code_master changed", "names of partitions, zones or users changed",
                "panel.set_clock: false → true", "panel.poll_interval: 20.0 seconds → 5.0 seconds",
                "panel.loss_is_alarm: armed → never", "panel.code_on_request: outputs → always", "retention changed",
            ])
        #expect(new.changes(from: new) == [])
    }
}
