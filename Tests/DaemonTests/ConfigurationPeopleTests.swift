import AlarmModel
import ApplianceCore
import Testing
import YAMLConfiguration

@testable import Card

@Suite("People in the configuration")
struct ConfigurationPeopleTests {
    private static let ways = "ntfy:\nxmpp: {jid: house@house.test, password: p}\n"

    private func read(_ text: String, secrets: String? = nil) -> ConfigurationResult {
        var files = FakeFiles(secrets.map { ["/etc/ha/s.yaml": $0] } ?? [:])
        let whole = ConfigurationSample.valid + Self.ways + text + (secrets == nil ? "" : "secrets: s.yaml\n")
        files.files["/etc/ha/c.yaml"] = ConfigurationFile(bytes: Array(whole.utf8), mode: 0o600)
        return ConfigurationReader.read(file: "/etc/ha/c.yaml", files: files)
    }

    private func problems(_ text: String, secrets: String? = nil) -> [String] {
        read(text, secrets: secrets).problems.map { $0.description.replacing("/etc/ha/", with: "") }
    }

    @Test("everything that can be said of a person arrives, and what is not said stays open")
    func everythingThatCanBeSaidOfAPersonArrives() throws {
        let result = read(
            """
            people:
              Anna Maria:
                language: de
                receives: [state]
                duress: true
                roles: [disarm, arm]
                store_apps:
                  Pixel: 0123456789abcdef
                  'My tablet': {topic: ABCDEFGHIJ_klmno-p, commands: [arm], tells_arming: yes}
                accounts:
                  Laptop: anna@house.test
                  Desk: {jid: anna@other.test, commands: []}
              Ben: {}

            """)
        #expect(result.problems == [])
        let people = try #require(result.configuration?.phones.people)
        var anna = PersonSettings(name: "Anna Maria")
        anna.language = .german
        anna.receives = [.alarm, .state]
        anna.isDuressContact = true
        anna.roles = [.view, .arm, .disarm]
        anna.addresses = [
            .init(kind: .topic, name: "Pixel", value: Secret("0123456789abcdef"), allowed: [.seen, .status]),
            .init(
                kind: .topic, name: "My tablet", value: Secret("ABCDEFGHIJ_klmno-p"), allowed: [.arm],
                tellsArming: true),
            .init(kind: .xmpp, name: "Laptop", value: Secret("anna@house.test"), allowed: [.status, .log]),
            .init(kind: .xmpp, name: "Desk", value: Secret("anna@other.test"), allowed: []),
        ]
        #expect(people == [anna, PersonSettings(name: "Ben")])
    }

    @Test("topics and duress marks may stand in the secrets file, and mean the same there")
    func topicsAndDuressMarksMayStandInTheSecretsFile() {
        let main = """
            people:
              Anna:
                duress: ''
                store_apps: {Pixel: '', Tablet: {topic: , commands: [arm]}}

            """
        let secrets = """
            people:
              Anna:
                duress: yes
                store_apps:
                  Pixel: 0123456789abcdef
                  Tablet: {topic: 0123456789abcdef-}

            """
        let whole = main.replacing("duress: ''", with: "duress: yes").replacing(
            "Pixel: ''", with: "Pixel: 0123456789abcdef"
        ).replacing("topic: ,", with: "topic: 0123456789abcdef-,")
        let result = read(main, secrets: secrets)
        #expect(result.problems == [])
        #expect(result.configuration != nil && result.configuration == read(whole).configuration)
    }

    @Test("what is wrong in either file is told with its place, and never shows a topic")
    func whatIsWrongIsToldWithItsPlace() {
        #expect(
            problems("people: {Anna: {store_apps: {Pixel: short}}}\n") == [
                "c.yaml:5:37: error: 'people.Anna.store_apps.Pixel' holds 5 characters that cannot be it; expected 16 to 50 "
                    + "letters and digits, hyphens and underscores among them, that nobody can guess"
            ])
        #expect(
            problems(
                "people: {Anna: {}}\n",
                secrets: "people:\n  Anna: {duress: maybe, language: de}\n  Ben: {duress: yes}\n") == [
                    "s.yaml:2:18: error: 'people.Anna.duress' is neither true nor false; expected true or false",
                    "s.yaml:2:25: error: unknown key 'language' in 'people.Anna'; did you mean 'site.language'?",
                    "s.yaml:3:3: error: 'people.Ben' stands in the secrets file only, so nothing uses it; expected "
                        + "'people.Ben' in the main file, too",
                ])
        #expect(
            problems("people: {Anna: {duress: yes}}\n", secrets: "people: {Anna: {duress: yes}}\n") == [
                "s.yaml:1:25: error: 'people.Anna.duress' is set in both files; expected one of the two"
            ])
        #expect(
            problems("people:\n  Anna: {accounts: {A: anna@house.test}}\n  Ben: {accounts: {B: anna@house.test}}\n")
                == [
                    "c.yaml:7:3: error: 'people.Ben.accounts.B' has the same address as 'people.Anna.accounts.A'; "
                        + "expected another, or one of the two"
                ])
        #expect(
            problems("people: {Anna: {}, anna: {}}\n") == [
                "c.yaml:5:20: error: 'people.anna' is set twice: here and at c.yaml:5:10; expected one of the two"
            ])
        #expect(
            problems("people: {Anna: {store_apps: {A: {topic: 0123456789abcdef, commands: [disarm]}}}}\n") == [
                "c.yaml:5:10: warning: 'people.Anna.store_apps.A' may not disarm: its topic server is not your own; expected "
                    + "'commands' without disarm, or a server of your own in 'ntfy' with 'trusted: true'"
            ])
    }

    @Test("an address whose channel is not in the file is an error, not a silence")
    func anAddressWhoseWayIsNotInTheFileIsAnError() {
        let text = ConfigurationSample.valid + "people: {Anna: {store_apps: {A: 0123456789abcdef}}}\n"
        let result = ConfigurationReader.read(bytes: Array(text.utf8), name: "c.yaml")
        #expect(
            result.problems.map(\.description) == [
                "c.yaml:3:10: error: nothing can be told to 'people.Anna.store_apps.A': its channel is missing; expected a "
                    + "section 'ntfy'; left empty, it is the hosted server"
            ])
    }

    @Test("on the card, topics and duress marks are taken from the file and come into force again at the next start")
    func onTheCardTopicsAndDuressMarksAreTaken() throws {
        let bench = try CardBench()
        let owners =
            ConfigurationSample.valid.replacing("password: user", with: "password: ''") + Self.ways + """
                people:
                  "Anna O'Neil":
                    duress: true   # in need
                    store_apps:
                      Pixel 9: 0123456789abcdef
                      Tablet: {topic: 0123456789abcdef-, commands: [arm]}
                  null: {duress: no}

                """
        try bench.put("card/howalarming.yaml", owners.replacing("password: ''", with: "password: user"))
        let first = try bench.run()
        #expect(first.problems == [])
        #expect(first.inForce == .card)
        let left = bench.text("card/howalarming.yaml") ?? ""
        for secret in ["true", "0123456789abcdef", "duress: no"] { #expect(!left.contains(secret), "\(secret)") }
        let people = try #require(bench.inForce.configuration?.phones.people)
        #expect(people.map(\.name) == ["Anna O'Neil", "null"])
        #expect(people.map(\.isDuressContact) == [true, false])
        #expect(people[0].addresses.map(\.value.revealed) == ["0123456789abcdef", "0123456789abcdef-"])
        let again = try bench.run()
        #expect(again == first && bench.inForce.configuration?.phones.people == people)
        #expect(bench.text("card/howalarming.yaml") == left)
    }
}
