import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@testable import YAMLConfiguration

@Suite("Cameras in the configuration")
struct ConfigurationCamerasTests {
    private static let pin = String(repeating: "aB:", count: 31) + "0f"

    @Test("everything that can be said of a camera arrives, and what is not said stays as it is meant")
    func everythingThatCanBeSaidOfACameraArrives() throws {
        let result = ChannelSample.read(
            """
            ntfy:
            zones: {3: Garage door, 8: Workshop door}
            pictures: {store_apps: true, days: 7, megabytes: 10}
            cameras:
              Garage: {url: 'http://192.168.1.60/snap?pwd=s3cret', user: alarm, password: s3cret, zones: [3, 8], at_entry: true}
              Street 2: {url: 'https://192.168.1.61/p', fingerprint: '\(Self.pin)'}
            """)
        #expect(result.problems == [])
        let settings = try #require(result.configuration?.cameras)
        var garage = Camera(name: "Garage", url: try HTTPURL("http://192.168.1.60/snap?pwd=s3cret"))
        (garage.user, garage.password, garage.zones, garage.atEntry) = ("alarm", Secret("s3cret"), [3, 8], true)
        var street = Camera(name: "Street 2", url: try HTTPURL("https://192.168.1.61/p"))
        street.fingerprint = [UInt8](repeating: 0xAB, count: 31) + [0x0F]
        #expect(settings.cameras == [garage, street])
        #expect(settings.goToApp && settings.goToStoreApps && settings.keptDays == 7 && settings.keptBytes == 10 << 20)
        #expect(!"\(settings)".contains("s3cret"))
        #expect(ChannelSample.read("pictures: {days: 7}").configuration?.cameras == nil)
    }

    @Test("pictures go sealed to the app where there is a topic server and nobody says no")
    func picturesGoSealedToTheApp() throws {
        let cases = [("ntfy:", true), ("ntfy:\npictures: {app: false}", false), ("zones: {1: Door}", false)]
        for (text, expected) in cases {
            let result = ChannelSample.read("\(text)\ncameras: {Garage: {url: 'http://192.168.1.60/a'}}")
            #expect(result.problems == [] && result.configuration?.cameras?.goToApp == expected, "\(text)")
        }
    }

    @Test("they go by mail and to Home Assistant where there are such servers and nobody says no")
    func theyGoByMailAndToHomeAssistant() throws {
        let mail = "alert_email: {smtp_host: mail.example, addr_from: a@b.example, addr_to: c@d.example}\n"
        let broker = "mqtt: {host: 192.168.1.20, ca_file: ca.pem}\n"
        let outside = "mqtt: {host: broker.example, ca_file: ca.pem}\n"
        let files = ["/etc/ha/ca.pem": "-----BEGIN CERTIFICATE-----\n"]
        let cases = [
            ("", false, false), (mail, true, false), (broker, false, true), (mail + broker, true, true),
            (mail + broker + "pictures: {mail: false, home_assistant: false}\n", false, false),
            ("mqtt: {host: 192.168.1.20, discovery: false, ca_file: ca.pem}\n", false, false),
            // A broker elsewhere would see the pictures: only where the owner says so.
            (outside, false, false), (outside + "pictures: {home_assistant: true}\n", false, true),
        ]
        for (text, byMail, toHomeAssistant) in cases {
            let result = ChannelSample.read("\(text)cameras: {Garage: {url: 'http://192.168.1.60/a'}}", files)
            let settings = try #require(result.configuration?.cameras, "\(text) \(result.problems)")
            #expect(settings.goByMail == byMail && settings.goToHomeAssistant == toHomeAssistant, "\(text)")
            #expect((settings.authorities?[.broker] != nil) == toHomeAssistant && settings.authorities?[.mail] == nil)
        }
    }

    @Test("addresses and passwords may stand in the secrets file, and mean the same there")
    func addressesAndPasswordsMayStandInTheSecretsFile() throws {
        let whole = ChannelSample.read("cameras: {Garage: {url: 'http://192.168.1.60/a', user: u, password: p}}")
        let parted = ChannelSample.read(
            "secrets: s.yaml\ncameras: {Garage: {}}",
            ["/etc/ha/s.yaml": "cameras: {Garage: {url: 'http://192.168.1.60/a', user: u, password: p}}\n"])
        #expect(parted.problems == [] && whole.configuration?.cameras != nil)
        #expect(parted.configuration?.cameras == whole.configuration?.cameras)
        let twice = ChannelSample.read(
            "secrets: s.yaml\ncameras: {Garage: {url: 'http://192.168.1.60/a'}}",
            ["/etc/ha/s.yaml": "cameras: {Garage: {url: 'http://192.168.1.60/b'}, Other: {password: p}}\n"])
        let found = twice.problems.map(\.description)
        #expect(found.contains { $0.includes("'cameras.Garage.url' is set in both files") })
        #expect(found.contains { $0.includes("'cameras.Other' stands in the secrets file only") })
    }

    @Test("on the card the addresses and passwords of cameras are secrets that leave it")
    func onTheCardTheyAreSecrets() throws {
        let root = try YAMLDocument.parse(Array("cameras: {Garage: {url: a, password: b}}".utf8)).root
        let names = SecretPlace.all(in: root).map(\.name)
        #expect(names.contains("cameras.Garage.url") && names.contains("cameras.Garage.password"))
    }

    @Test(
        "what is wrong is named with its place",
        arguments: [
            ("cameras: {Garage: {}}", "'cameras.Garage' has no url"),
            ("cameras: {Garage: {url: ftp://a/b}}", "'cameras.Garage.url' is no URL"),
            ("cameras: {'a/b': {url: http://a/b}}", "is no name for a camera"),
            ("cameras: {Garage: {url: http://a/b, user: u}}", "has a user and no password"),
            (
                "cameras: {Garage: {url: http://a/b, fingerprint: abc}}",
                "'cameras.Garage.fingerprint' holds no fingerprint"
            ),
            (
                "cameras: {Garage: {url: http://a/b, fingerprint: '\(pin)'}}",
                "pins a certificate, and the address begins with http://"
            ),
            ("cameras: {Garage: {url: https://a/b, plain_basic: true}}", "is not needed"),
            (
                "zones: {1: Door}\ncameras: {Garage: {url: http://a/b, zones: [2]}}",
                "sees zone 2, which 'zones' does not name"
            ),
            ("cameras: {Garage: {url: http://a/b}, garage: {url: http://a/c}}", "is set twice"),
            (
                "cameras: {\((1...9).map { "C\($0): {url: http://a/\($0)}" }.joined(separator: ", "))}",
                "there are more than 8 cameras"
            ),
            ("pictures: {store_apps: true}\ncameras: {Garage: {url: http://a/b}}", "there is no 'ntfy'"),
            (
                "pictures: {app: true}\ncameras: {Garage: {url: http://a/b}}",
                "are to go to the app, and there is no 'ntfy'"
            ),
            (
                "pictures: {mail: true}\ncameras: {Garage: {url: http://a/b}}",
                "are to go by mail, and there is no 'alert_email'"
            ),
            (
                "pictures: {home_assistant: true}\ncameras: {Garage: {url: http://a/b}}",
                "are to go to Home Assistant, and there is no 'mqtt'"
            ),
            ("pictures: {socket: run/x}", "'pictures.socket' holds no such path"),
            ("cameras: {Garage: {url: http://a/b, zone: [1]}}", "did you mean 'zones'?"),
        ])
    func whatIsWrongIsNamed(_ text: String, _ expected: String) {
        let found = ChannelSample.problems(text)
        #expect(found.contains { $0.includes(expected) }, "\(found)")
    }
}
