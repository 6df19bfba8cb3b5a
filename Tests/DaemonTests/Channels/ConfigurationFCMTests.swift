import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@testable import YAMLConfiguration

@Suite struct ConfigurationFCMTests {
    static let account = """
        {"type": "service_account", "project_id": "my-house", "private_key_id": "k1",
         "private_key": "-----BEGIN PRIVATE KEY-----\\nS3CRET\\n-----END PRIVATE KEY-----\\n",
         "client_email": "box@my-house.iam.gserviceaccount.com", "token_uri": "https://oauth2.googleapis.com/token"}
        """

    @Test("every key about FCM v1 arrives in the configuration")
    func everyKeyAboutFCMV1ArrivesInTheConfiguration() throws {
        let phones = try ChannelSample.phones(
            """
            fcm_v1:
              service_account: key.json
              database: https://my-house.firebaseio.com/commands
              host: localhost
              port: 8443
              ca_file: /ca.pem
              timing: {answer_patience: 1, reconnect_minimum: 10ms}
            """, ["/etc/ha/key.json": Self.account, "/ca.pem": ChannelSample.certificate])
        var fcm = FCMSettings(
            account: try ServiceAccount(parsing: Array(Self.account.utf8)),
            databaseURL: try HTTPURL("https://my-house.firebaseio.com/commands"), caFile: "/ca.pem")
        fcm.host = "localhost"
        fcm.port = 8443
        fcm.answerPatience = .seconds(1)
        fcm.backoff.minimum = .milliseconds(10)
        #expect(phones.channels == [.fcm(fcm)])
        #expect(phones.account == nil && phones.house == [])
    }

    @Test("without more than the key file, Google's own addresses hold and nothing comes back")
    func withoutMoreThanTheKeyFile() throws {
        let phones = try ChannelSample.phones("fcm_v1: {service_account: /k}", ["/k": Self.account])
        #expect(phones.channels == [.fcm(FCMSettings(account: try ServiceAccount(parsing: Array(Self.account.utf8))))])
    }

    @Test(
        "what is wrong about FCM v1 is named in its place",
        arguments: [
            ("fcm_v1:", "3:1: error: 'fcm_v1' has no service account; expected 'service_account' in 'fcm_v1'"),
            (
                "fcm_v1: {service_account: no.json}",
                "3:27: error: the key file of 'fcm_v1.service_account' cannot be read: there is no such file; expected"
            ),
            (
                "fcm_v1: {service_account: /torn}",
                "3:27: error: the key file of 'fcm_v1.service_account' cannot be used: the file is no service account:"
            ),
            (
                "fcm_v1: {service_account: /poor}",
                "3:27: error: the key file of 'fcm_v1.service_account' cannot be used: private_key: it is missing"
            ),
            (
                "fcm_v1: {service_account: /k, database: http://a.firebaseio.com/x}",
                "3:41: error: 'fcm_v1.database' does not begin with https://"
            ),
            (
                "fcm_v1: {service_account: /k, database: https://a.firebaseio.com/x.json}",
                "3:41: error: 'fcm_v1.database' has a '?' or '.json' behind the place"
            ),
            (
                "fcm_v1: {service_account: /k, database: https://a.firebaseio.com}",
                "3:41: error: 'fcm_v1.database' names the whole database and no place in it; expected the place of the"
            ),
            (
                "fcm_v1: {service_account: /k, database: https://a.firebaseio.com//}",
                "3:41: error: 'fcm_v1.database' names the whole database and no place in it"
            ),
            (
                "fcm_v1: {service_acount: /k}\n",
                "3:1: error: 'fcm_v1' has no service account"
            ),
            ("fcm_v1: {service_account: /k, port: x}", "3:37: error: 'fcm_v1.port' holds a text of 1 characters"),
            ("fcm_v1: {service_account: [k]}", "3:27: error: 'fcm_v1.service_account' holds a list"),
        ])
    func whatIsWrongAboutFCMV1IsNamedInItsPlace(text: String, begins: String) {
        let others = [
            "/k": Self.account, "/torn": String(Self.account.dropLast(60)),
            "/poor": Self.account.replacing("private_key\"", with: "other\""),
        ]
        let found = ChannelSample.problems(text, others)
        #expect(found.first?.hasPrefix(begins) == true, "\(found)")
        #expect(found.allSatisfy { !$0.contains("S3CRET") })
    }

    @Test("a key file that others can read is warned about by its own name")
    func aKeyFileThatOthersCanReadIsWarnedAboutByItsOwnName() {
        let open = ChannelSample.read(
            "fcm_v1: {service_account: key.json}", ["/etc/ha/key.json": Self.account], mode: 0o644)
        #expect(
            open.problems.map(\.description) == [
                "/etc/ha/key.json: warning: the file holds secrets and everybody on this machine can read it; expected "
                    + "permission for its owner alone; type: chmod 600 /etc/ha/key.json"
            ])
    }

    @Test("the original apps are served by FCM v1 as well, and may only ask; a push server without account is doubtful")
    func theOriginalAppsAreServedByFCMV1AsWell() {
        let served = ChannelSample.problems(
            "fcm_v1: {service_account: /k}\nphones: {legacy: {enabled: true}}", ["/k": Self.account])
        #expect(served.count == 2)
        #expect(served.contains { $0.contains("in clear") })
        #expect(served.contains { $0.contains("what else they want is refused") && $0.contains("'alert_gcm'") })
        let doubtful = ChannelSample.problems(
            "fcm_v1: {service_account: /k}\nphones: {fcm: {host: a.example}}", ["/k": Self.account])
        #expect(
            doubtful == [
                "4:10: warning: 'phones.fcm' is set and there is no account, so no phone is served that way; expected "
                    + "'alert_gcm' with 'sender_id' and 'api_key', or no 'phones.fcm'"
            ])
    }
}
