import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Testing
import YAMLConfiguration

@Suite struct ConfigurationLegacyTests {
    @Test("a HowAlarming file is understood as it is, and what is not supported yet is said")
    func aHowAlarmingFileIsUnderstoodAsItIs() throws {
        let result = ConfigurationReader.read(bytes: try ConfigurationSample.legacy(), name: "config.yaml")
        let configuration = try #require(result.configuration, "\(result.problems)")
        #expect(configuration.panelHost == "192.0.2.17")
        #expect(configuration.panelPort == 4025)
        #expect(configuration.panel.password.revealed == "user")
        #expect(configuration.panel.masterCode?.revealed == "1234")
        #expect(configuration.panel.installerCode?.revealed == "5555")
        #expect(
            configuration.panel.names.zones == [
                .init(number: 1, name: "Entrance"), .init(number: 2, name: "Terrace door"),
                .init(number: 3, name: "Cellar stairs"), .init(number: 10, name: "Attic"),
                .init(number: 11, name: "Garage"),
            ])
        #expect(result.errorCount == 0)
        #expect(
            result.problems.map(\.path) == ["site.time_zone", "beanstalkd", "phones.fcm.host", "alert_plivo"])
        var phones = PhoneSettings(account: .init(senderID: "100200300", apiKey: Secret("no-real-key")))
        let hook = "https://example.org/hook?type="
        phones.channels = [
            .mail(
                MailSettings(host: "mail.example.org", port: 587, security: .startTLS, from: "alarm@example.org")),
            .url(URLSettings(targets: [try URLTarget(hook, method: .get)])),
        ]
        phones.house = [
            .init(kind: .mail, value: "owner@example.org", triggers: [.alarm, .fault]),
            .init(kind: .url, value: hook, triggers: [.alarm, .recovery]),
        ]
        #expect(configuration.phones == phones)
        #expect(result.problems[1].what.hasPrefix("'beanstalkd' is not switched on, so programs written for"))
        #expect(result.problems[3].what.hasPrefix("'alert_plivo' calls nobody: "))
        #expect(result.problems[3].what.contains("'beanstalkd.tubes.events'"))
    }

    @Test("both kinds of section are merged as long as they do not set the same thing")
    func bothKindsOfSectionAreMergedAsLongAsTheyDoNotSetTheSame() throws {
        let text = """
            site: {time_zone: UTC}
            envisalinkd: {host: 192.0.2.1, zones: {1: A}}
            panel: {password: user, set_clock: true}
            zones: {2: B}
            """
        let result = ConfigurationReader.read(bytes: Array(text.utf8), name: "c.yaml")
        #expect(result.problems == [])
        #expect(result.configuration?.panel.names.zones.map(\.name) == ["A", "B"])
        #expect(result.configuration?.panel.setsClock == true)
        #expect(result.configuration?.panelHost == "192.0.2.1")
    }

    @Test("what both sections set is an error that names both places")
    func whatBothSectionsSetIsAnErrorThatNamesBothPlaces() {
        let text = """
            site: {time_zone: UTC}
            panel: {host: a, password: user, port: 1}
            envisalinkd: {password: user, port: 1, zones: {'001': A}}
            zones: {1: A}
            """
        #expect(
            ConfigurationSample.complaints(text) == [
                "c.yaml:3:15: error: 'panel.password' is set twice: here and at c.yaml:2:18; expected one of the two",
                "c.yaml:3:31: error: 'panel.port' is set twice: here and at c.yaml:2:34; expected one of the two",
                "c.yaml:4:9: error: zone 1 is set twice: here and at c.yaml:3:48; expected one of the two",
            ])
    }

    @Test("a HowAlarming file without a host or password says what is missing, at its own section")
    func aHowAlarmingFileWithoutAHostOrPasswordSaysWhatIsMissing() {
        #expect(
            ConfigurationSample.complaints("site: {time_zone: UTC}\nenvisalinkd: {}").map { $0.prefix(40) } == [
                "c.yaml:2:1: error: the panel's address i", "c.yaml:2:1: error: the module's password",
            ])
    }
}
