import AlarmModel
import ApplianceCore
import Testing
import YAMLConfiguration

@Suite struct ConfigurationPhonesTests {
    private static let certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"

    private func read(_ text: String, _ others: [String: String] = [:]) -> ConfigurationResult {
        var files = FakeFiles(others)
        files.files["/etc/ha/c.yaml"] = ConfigurationFile(
            bytes: Array((ConfigurationSample.valid + text).utf8), mode: 0o600)
        return ConfigurationReader.read(file: "/etc/ha/c.yaml", files: files)
    }

    private func problems(_ text: String, _ others: [String: String] = [:]) -> [String] {
        read(text, others).problems.map { $0.description.replacing("/etc/ha/c.yaml:", with: "") }
    }

    @Test("every key about phones arrives in the configuration")
    func everyKeyAboutPhonesArrivesInTheConfiguration() {
        let result = read(
            """
            alert_gcm: {sender_id: "0123456789", api_key: 'AAAA:bb-_#c'}
            phones:
              fcm: {host: push.example.net, port: 5236, ca_file: ca/push.pem}
              legacy: {enabled: no}
              command_rate: 0
              timing:
                ping_after: 100ms
                ping_patience: 200ms
                setup_deadline: 1.5
                ack_patience: 4
                reconnect_minimum: 10ms
                reconnect_maximum: 5
                reconnect_urgent: 50ms
                refused_wait: 1h
                receipt_patience: 2s
                pairing_life: 10min
            """, ["/etc/ha/ca/push.pem": Self.certificate])
        var timing = PhoneSettings.Timing()
        timing.pingAfter = .milliseconds(100)
        timing.pingPatience = .milliseconds(200)
        timing.setupDeadline = .milliseconds(1500)
        timing.ackPatience = .seconds(4)
        timing.reconnectMinimum = .milliseconds(10)
        timing.reconnectMaximum = .seconds(5)
        timing.reconnectUrgent = .milliseconds(50)
        timing.refusedWait = .hours(1)
        timing.receiptPatience = .seconds(2)
        timing.pairingLife = .minutes(10)
        #expect(result.problems == [])
        #expect(
            result.configuration?.phones
                == PhoneSettings(
                    account: .init(senderID: "0123456789", apiKey: Secret("AAAA:bb-_#c")), host: "push.example.net",
                    port: 5236, authorityFile: "/etc/ha/ca/push.pem", commandRate: 0, timing: timing))
    }

    @Test("without a word about phones there is no account, and nothing is said")
    func withoutAWordAboutPhonesThereIsNoAccount() {
        let result = read("phones:\n")
        #expect(result.problems == [])
        #expect(result.configuration?.phones == PhoneSettings())
    }

    @Test("the account may stand in the secrets file, whole or only its key, and not twice")
    func theAccountMayStandInTheSecretsFile() {
        let main = "phones: {fcm: {host: p.example}}\nsecrets: s.yaml\n"
        let whole = read(main, ["/etc/ha/s.yaml": "alert_gcm: {sender_id: 7, api_key: k}"])
        #expect(whole.problems == [])
        #expect(whole.configuration?.phones.account == .init(senderID: "7", apiKey: Secret("k")))
        let split = read(main + "alert_gcm: {sender_id: 7}\n", ["/etc/ha/s.yaml": "alert_gcm: {api_key: k}"])
        #expect(split.problems == [])
        #expect(split.configuration?.phones.account?.senderID == "7")
        #expect(
            problems(main + "alert_gcm: {sender_id: 7, api_key: k}\n", ["/etc/ha/s.yaml": "alert_gcm: {api_key: k}"])
                == [
                    "/etc/ha/s.yaml:1:13: error: 'alert_gcm.api_key' is set twice: here and at "
                        + "5:27; expected one of the two"
                ])
    }

    @Test("a file that others can read is warned about when its only secret is the server key")
    func aFileThatOthersCanReadIsWarnedAboutWhenItsOnlySecret() {
        var files = FakeFiles(["/s": "alert_gcm: {sender_id: 7, api_key: k}"], mode: 0o644)
        files.files["c"] = ConfigurationFile(
            bytes: Array("\(ConfigurationSample.valid)phones: {fcm: {host: p.example}}\nsecrets: /s\n".utf8),
            mode: 0o600)
        let found = ConfigurationReader.read(file: "c", files: files).problems
        #expect(found.map(\.file) == ["/s"])
        #expect(found.first?.what == "the file holds secrets and everybody on this machine can read it")
    }

    @Test(
        "what is wrong is named with its place and what was expected",
        arguments: [
            (
                "alert_gcm: {sender_id: 1e5, api_key: k}",
                "3:24: error: 'alert_gcm.sender_id' holds a text of 3 characters; expected the project number of the "
                    + "push service: digits only, such as 100200300"
            ),
            (
                "alert_gcm: {api_key: a b, sender_id: 1}",
                "3:22: error: 'alert_gcm.api_key' holds 3 characters that cannot be it; expected the server key of the "
                    + "push service, in printable ASCII without spaces"
            ),
            (
                "alert_gcm: {sender_id: 1}",
                "3:13: error: 'alert_gcm' has a sender_id and no api_key; expected 'api_key' in 'alert_gcm' or in the "
                    + "secrets file, or neither of the two"
            ),
            (
                "alert_gcm: {api_key: k}",
                "3:13: error: 'alert_gcm' has an api_key and no sender_id; expected 'sender_id' in 'alert_gcm', or "
                    + "neither of the two"
            ),
            (
                "alert_gcm: {sender: 1}",
                "3:13: error: unknown key 'sender' in 'alert_gcm'; did you mean 'sender_id'?"
            ),
            (
                "phones: {comand_rate: 1}",
                "3:10: error: unknown key 'comand_rate' in 'phones'; did you mean 'command_rate'?"
            ),
            ("phones: {host: a}", "3:10: error: unknown key 'host' in 'phones'; did you mean 'phones.fcm.host'?"),
            (
                "phones: {reconnect_minimum: 1}",
                "3:10: error: unknown key 'reconnect_minimum' in 'phones'; did you mean 'phones.timing.reconnect_minimum'?"
            ),
            (
                "phones: {legacy: {enable: 1}}",
                "3:19: error: unknown key 'enable' in 'phones.legacy'; did you mean 'enabled'?"
            ),
            (
                "phones: {legacy: {enabled: 1}}",
                "3:28: error: 'phones.legacy.enabled' is neither true nor false; expected true or false"
            ),
            (
                "phones: {command_rate: -1}",
                "3:24: error: 'phones.command_rate' is -1; expected a whole number from 0 to 1000"
            ),
            (
                "phones: {timing: {pairing_life: 601s}}",
                "3:33: error: 'phones.timing.pairing_life' is 601s; expected seconds, or a number with ms, s, min or h, "
                    + "from 10 ms to 10 min"
            ),
            (
                "phones: {timing: {reconnect_maximum: 500ms}}",
                "3:19: error: the shortest wait before a reconnect, 1 s, is above the longest, 500 ms; expected "
                    + "reconnect_minimum up to reconnect_maximum"
            ),
            (
                "phones: {timing: []}",
                "3:18: error: 'phones.timing' holds a list; expected keys such as 'ping_after' with a colon and a space after them"
            ),
        ])
    func whatIsWrongIsNamedWithItsPlaceAndWhatWasExpected(_ text: String, _ expected: String) {
        #expect(problems(text) == [expected])
    }

    @Test("a push server that is no name, and certificates that cannot be used, are errors in their place")
    func aPushServerThatIsNoName() {
        let account = "alert_gcm: {sender_id: 1, api_key: k}\n"
        #expect(
            problems(account + "phones: {fcm: {host: 'a.example:5235', ca_file: ca.pem}}").map { String($0.prefix(88)) }
                == [
                    "4:22: error: 'phones.fcm.host' is neither a host name nor an IP address; the port has a ",
                    "4:49: error: the certificates of 'phones.fcm.ca_file' cannot be read: there is no such f",
                ])
        #expect(
            problems(account + "phones: {fcm: {host: a.example, ca_file: /ca}}", ["/ca": "no"]) == [
                "4:42: error: the file of 'phones.fcm.ca_file' holds no certificate; expected the path of a file with "
                    + "certificates of authorities in PEM form"
            ])
    }

    @Test("Google's own service is warned about wherever it is named, and no other")
    func googlesOwnServiceIsWarnedAboutWhereverItIsNamed() {
        let account = "alert_gcm: {sender_id: 1, api_key: k}\n"
        func warned(_ host: String) -> [String] { problems(account + "phones: {fcm: {host: \(host)}}") }
        #expect(
            problems(account) == [
                "3:13: warning: Google ended its hosted XMPP service in 2024, so nothing can be expected to answer there; "
                    + "expected 'host' in 'phones.fcm': a server that speaks the same protocol"
            ])
        #expect(warned("gcm-XMPP.googleapis.com.").map { String($0.prefix(21)) } == ["4:16: warning: Google"])
        #expect(warned("googleapis.com.example.net") == [])
        #expect(warned("notgoogleapis.com") == [])
    }

    @Test("an owner is told that a push server without account does nothing, and what legacy mode means")
    func anOwnerIsToldThatAPushServerWithoutAccountDoesNothing() {
        #expect(
            problems("phones: {fcm: {host: a.example}}") == [
                "3:10: warning: 'phones.fcm' is set and there is no account, so nothing is pushed to phones; "
                    + "expected 'alert_gcm' with 'sender_id' and 'api_key'"
            ])
        let legacy = problems("phones: {legacy: {enabled: true}}")
        #expect(legacy.count == 2)
        #expect(legacy.contains { $0.hasPrefix("3:19: warning: 'phones.legacy' is set and there is no account") })
        #expect(
            legacy.contains {
                $0.hasPrefix("3:28: warning: ")
                    && $0.contains("everything to these apps is in clear and anybody at the push service can read it")
            })
        let served = read(
            "alert_gcm: {sender_id: 1, api_key: k}\nphones: {fcm: {host: a.example}, legacy: {enabled: true}}")
        #expect(served.problems.map(\.path) == ["phones.legacy.enabled"])
        #expect(served.configuration?.phones.isLegacyEnabled == true)
        #expect(served.configuration?.phones.tellsLegacyTopic == nil)
        let told = read(
            "alert_gcm: {sender_id: 1, api_key: k}\n"
                + "phones: {fcm: {host: a.example}, legacy: {enabled: true, topic: true}}")
        #expect(told.problems.map(\.path) == ["phones.legacy.enabled", "phones.legacy.topic"])
        #expect(told.configuration?.phones.tellsLegacyTopic == true)
        #expect(
            problems("alert_gcm: {sender_id: 1, api_key: k}\nphones: {fcm: {host: a.example}, legacy: {topic: true}}")
                .contains { $0.contains("'phones.legacy.topic' is set and 'phones.legacy.enabled' is not") })
    }
}
