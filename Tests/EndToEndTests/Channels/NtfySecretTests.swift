import Foundation
import PhoneProtocol
import Testing

@Suite("secrets of the channel ntfy", .serialized, .timeLimit(.minutes(15)))
struct NtfySecretTests {
    private static let password = "Kp4xZ9"
    private static let master = "739146"
    private static let token = "tk_SECRETofTheBox0123456789"
    /// Travels with the buttons.
    private static let phoneToken = "tk_SECRETofPhones0123456789"

    @Test("token, passwords, digits, buttons and command topics are in nothing that is printed, logged or listed")
    func tokenPasswordsDigitsButtonsAndCommandTopicsAreInNothing() throws {
        let house = try TopicHouse.running(
            panelArguments: ["--password", Self.password, "--master-code", Self.master],
            topicArguments: [
                "--access", "\(Self.token):*:rw", "--access", "tk_app:*:r", "--access", "\(Self.phoneToken):*:w",
            ],
            section: ["token: \(Self.token)", "phone_token: \(Self.phoneToken)"]
        ) {
            $0.password = Self.password
            $0.masterCode = Self.master
        }
        house.credentials = ["-H", "Authorization: Bearer tk_app"]
        let anna = try house.pair("Anna", words: ["--allow", "arm", "--tell-arming"])
        // Wrong digits, and a pairing that nobody ends.
        #expect(try house.house.run("phones", "confirm", anna.digits).status != 0)
        try house.panic()
        let alarm = try house.waitForMessage(to: anna, "the alarm") { $0.text.contains("panic key") }
        for button in alarm.buttons { try house.press(button) }
        try house.waitForMessage(to: anna, "the state") { $0.title.hasSuffix(": status") }
        // The account is refused, and the server says so in many channels.
        for fault in ["status 401 2", "status 403 2", "garbage 1", "page 1", "early-close 1", "status 500 1"] {
            try house.topics.perform(fault)
            try house.topics.perform("close-streams")
            try house.panic()
            usleep(300_000)
        }
        try house.topics.perform("faults off")
        try house.waitUntilReady()
        for words in [
            ["status"], ["status", "--json"], ["phones"], ["phones", "--json"], ["people", "--all", "--json"],
            ["events", "--json"], ["phones", "dead", "--json"], ["phones", "test"],
        ] {
            #expect(try house.house.command(words).status == 0, "\(words)")
        }
        let check = try Program.run(["check", house.house.configurationFile], in: house.directory)
        #expect(check.status == 0, "\(check.errors)")
        try search(house, anna, alarm.buttons, "while it runs")
        #expect(try house.house.stop() == 0)
        try search(house, anna, alarm.buttons, "after it has stopped")
    }

    /// Every file but the configuration and what the server itself hands out.
    private func search(
        _ house: TopicHouse, _ app: TopicHouse.App, _ buttons: [TopicHouse.Message.Button], _ when: String
    ) throws {
        let bodies = buttons.map(\.body)
        #expect(bodies.count >= 2 && bodies.allSatisfy { $0.hasPrefix("HA2B") })
        let commandTopic = try #require(buttons.first?.address.split(separator: "/").last.map(String.init))
        let names = try FileManager.default.subpathsOfDirectory(atPath: house.directory.path)
        #expect(names.contains("state/journal.db") && names.contains { $0.hasPrefix("daemon") })
        var hits = 0
        for name in names where !name.hasSuffix(".yaml") {
            guard let content = FileManager.default.contents(atPath: "\(house.directory.path)/\(name)") else {
                continue
            }
            let text = String(decoding: content, as: UTF8.self)
            // What the app fetched holds its buttons; the box's own store has to know the topics.
            let isFetched = name.hasPrefix("command-") && text.contains("\"event\":\"message\"")
            if isFetched { hits += 1 }
            func look(_ secret: String, _ what: String) {
                #expect(content.range(of: Data(secret.utf8)) == nil, "\(when): \(what) in \(name)")
            }
            look(Self.password, "the module's password")
            look(Self.master, "the master code")
            look(Self.token, "the token")
            look(Data(Self.token.utf8).base64EncodedString(), "the token in base 64")
            guard !isFetched else { continue }
            look(Self.phoneToken, "the token of phones")
            for body in bodies { look(String(body.dropFirst(4)), "a button") }
            if !name.hasPrefix("state/") { look(commandTopic, "the command topic") }
            // The core made them and has to know them again in a replay; once typed they are worth nothing.
            guard !name.hasPrefix("state/recorder/") else { continue }
            let digits = "(?<![0-9A-Za-z.])\(app.digits)(?![0-9A-Za-z])"
            let isShown = text.range(of: digits, options: .regularExpression) != nil
            #expect(!isShown, "\(when): the digits in \(name)")
        }
        #expect(hits > 0, "the search finds what is there")
        house.house.notify.read()
        let said = house.house.notify.lines.joined()
        for secret in bodies + [Self.token, Self.phoneToken, app.digits, commandTopic] {
            #expect(!said.contains(secret))
        }
    }
}
