import Foundation
import PhoneProtocol

/// A house whose box tells store apps by a simulated topic server.
final class TopicHouse {
    let directory: TestDirectory
    let topics: TopicProcess
    let house: Appliance
    /// What the app has to send along, for `curl`.
    var credentials: [String] = []
    private var pairings = 0

    /// A message as the server keeps it, with the buttons as an app gets them.
    struct Message {
        struct Button {
            var label: String
            var address: String
            var body: String
            /// Sent along, as `Name: value`.
            var headers: [String] = []
        }
        var title: String
        var text: String
        var priority: Int64
        /// The same for copies of one message; empty for what is told once.
        var sequence: String
        var buttons: [Button]

        init?(_ line: String) {
            guard let json = try? JSON(parsing: line), json["event"] == .string("message") else { return nil }
            title = json["title"]?.stringValue ?? ""
            text = json["message"]?.stringValue ?? ""
            priority = json["priority"]?.integerValue ?? 0
            let id = json["id"]?.stringValue ?? ""
            sequence = json["sequence_id"]?.stringValue.flatMap { $0 == id ? nil : $0 } ?? ""
            buttons = (json["actions"]?.arrayValue ?? []).map { button in
                Button(
                    label: button["label"]?.stringValue ?? "", address: button["url"]?.stringValue ?? "",
                    body: button["body"]?.stringValue ?? "",
                    headers: (button["headers"]?.objectValue ?? []).map { "\($0.key): \($0.value.stringValue ?? "")" })
            }
        }

        func button(_ label: String) throws -> Button {
            guard let found = buttons.first(where: { $0.label == label }) else {
                throw HarnessError("no button '\(label)' on '\(title)'")
            }
            return found
        }
    }

    /// A store app that has subscribed to one topic.
    struct App {
        var name: String
        /// Without the server's name.
        var topic: String
        /// What arrived there for the pairing.
        var digits: String
    }

    /// - Parameters:
    ///   - section: further keys of `ntfy`
    ///   - settings: changes to the configuration
    init(
        panelArguments: [String] = [], topicArguments: [String] = [], section: [String] = [],
        in given: TestDirectory? = nil,
        _ settings: (inout Configuration) -> Void = { _ in }
    ) throws {
        let directory = try given ?? TestDirectory()
        self.directory = directory
        topics = try TopicProcess(in: directory, arguments: ["--keepalive", "1"] + topicArguments)
        var configuration = Configuration()
        configuration.channels =
            [
                "ntfy:", "  server: 'https://localhost:\(topics.port)'", "  ca_file: '\(topics.authorityFile)'",
                "  timing: {answer_patience: 2s, setup_deadline: 2s, silence: 3s, reconnect_minimum: 50ms,",
                "           reconnect_maximum: 1s, reconnect_urgent: 500ms, refused_wait: 1s}",
            ] + section.map { "  \($0)" }
        settings(&configuration)
        house = try Appliance(configuration, panelArguments: panelArguments, in: directory)
    }

    static func running(
        panelArguments: [String] = [], topicArguments: [String] = [], section: [String] = [],
        _ settings: (inout Configuration) -> Void = { _ in }
    ) throws -> TopicHouse {
        let house = try TopicHouse(
            panelArguments: panelArguments, topicArguments: topicArguments, section: section, settings)
        try house.start()
        return house
    }

    func start() throws {
        try house.start()
        try house.waitUntilUp()
        try waitUntilReady()
    }

    func phones() throws -> JSON { try JSON(parsing: try house.run("phones", "list", "--json").output) }

    func phase() throws -> String? {
        let channels = try phones()["ways"]?.arrayValue ?? []
        return channels.first { $0["kind"] == .string("ntfy") }?["phase"]?.stringValue
    }

    func waitUntilReady(within span: Duration = .patience) throws {
        try eventually(within: span, "the topic server; \(house.daemon?.report ?? "")") {
            (try? phase()) == "ready" ? true : nil
        }
    }

    /// Pairs a store app: the topic is read from the screen, the digits at the server.
    func pair(_ person: String, words: [String] = []) throws -> App {
        pairings += 1
        guard try house.run("people", "add", person).status == 0 else { throw HarnessError("people add \(person)") }
        let name = "\(person)s app"
        // A pipe that stays open and empty, as at a box where nobody types.
        let pairing = try house.spawn(
            "pairing-\(pairings)", ["phones", "pair", "--person", person, "--ntfy", "--name", name] + words)
        let topic = try eventually("a topic to subscribe; \(pairing.report)") { () throws -> String? in
            pairing.lines.compactMap { line in
                let words = line.split(separator: " ")
                return words.count == 2 && words[0] == "topic" ? String(words[1]) : nil
            }.first
        }
        let digits = try eventually("the digits; \(topics.program.report)") { () throws -> String? in
            try messages(topic).compactMap { message in
                message.title.range(of: "code ").map { String(message.title[$0.upperBound...].prefix(6)) }
            }.last
        }
        let confirmed = try house.run("phones", "confirm", digits)
        guard confirmed.status == 0 else { throw HarnessError("phones confirm: \(confirmed.errors)") }
        guard try pairing.waitForExit() == 0 else { throw HarnessError("phones pair: \(pairing.report)") }
        let app = App(name: name, topic: topic, digits: digits)
        try waitForMessage(to: app, "paired") { $0.title.hasSuffix(": paired") }
        try eventually("the box listens") { try topics.truth()["streams"]?.arrayValue?.isEmpty == false ? true : nil }
        return app
    }

    // MARK: The app

    /// Everything that the server keeps for this topic.
    func messages(_ topic: String) throws -> [Message] {
        try curl(credentials + ["https://localhost:\(topics.port)/\(topic)/json?poll=1&since=all"])
            .split(separator: "\n").compactMap { Message(String($0)) }
    }

    func messages(to app: App) throws -> [Message] { try messages(app.topic) }

    @discardableResult
    func waitForMessage(
        to app: App, within span: Duration = .patience, _ what: String, _ isWanted: (Message) -> Bool
    ) throws -> Message {
        try eventually(within: span, "\(what) at the app; \(house.daemon?.report ?? "")") {
            try messages(to: app).last(where: isWanted)
        }
    }

    /// What the app does when somebody presses it.
    func press(_ button: Message.Button) throws {
        let headers = button.headers.flatMap { ["-H", $0] }
        let answer = try curl(headers + ["-d", button.body, button.address])
        guard answer.contains("\"event\":\"message\"") else { throw HarnessError("the button was refused: \(answer)") }
    }

    func curl(_ words: [String]) throws -> String {
        let result = try Program.run(
            ["curl", "-s", "--max-time", "10", "--cacert", topics.authorityFile] + words, in: directory,
            executable: "/usr/bin/env")
        guard result.status == 0 else { throw HarnessError("curl ended with \(result.status): \(result.errors)") }
        return result.output
    }

    // MARK: The house

    /// The panic keys at the keypad; an alarm, which lasts until somebody disarms.
    func panic() throws { try house.house("key panic") }

    /// The alarms of the panic keys that are in the journal.
    func alarms() throws -> [Record] { try house.records().filter { $0.code == "625" } }
}
