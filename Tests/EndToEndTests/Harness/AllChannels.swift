import Foundation
import PhoneProtocol
import Testing

/// A house whose box tells by every channel, and the services behind them. One token has one channel: of Google's two
/// doors it has FCM over HTTP, with the database for what comes back; for CCS there is a run of its own.
final class AllChannels {
    let house: TopicHouse
    private let fcm: FCMProcess
    private let phone: PhoneProcess
    private let app: TopicHouse.App
    private let web: HouseServer
    private let mail: HouseServer?
    private let broker: BrokerProcess?
    private let ear: Program?
    private let accounts: AccountServer?
    private let chat: AccountServer.Chat?
    private let queue: QueueProcess?
    private let runner: Program
    private var jobs: [Int64] = []
    private var pressed: [TopicHouse.Message.Button] = []
    /// What was seen in the database while the box was away, and how often it was put there again.
    private var lain: [JSON] = []
    private(set) var replays = 0
    /// Commands that were given, by their origin in the ledger; `contact` for all contacts.
    private var given: [String: Int] = [:]

    private static let topics = "ntfy"
    private static let code = "246802"
    private static let secret = "at-least-16-characters"

    var names: [String] {
        ["fcm", Self.topics, "url", "program"] + (mail == nil ? [] : ["mail"]) + (broker == nil ? [] : ["mqtt"])
            + (accounts == nil ? [] : ["xmpp"]) + (queue == nil ? [] : ["beanstalk"])
    }

    init() throws {
        let directory = try TestDirectory()
        fcm = try FCMProcess(in: directory)
        web = try HouseServer.web(secret: Self.secret, in: directory)
        mail = Independents.hasAiosmtpd ? try HouseServer.mail(in: directory) : nil
        broker = Independents.hasMosquitto ? try BrokerProcess(in: directory) : nil
        ear = try broker?.listener()
        accounts = Independents.hasProsody && Independents.hasSlixmpp ? try AccountServer(in: directory) : nil
        queue = Independents.hasBeanstalkd ? try QueueProcess(in: directory) : nil
        let (runner, section) = try Self.program(in: directory)
        self.runner = runner
        let sections =
            fcm.section + ["phones:", "  command_rate: 600"] + section
            + Self.sections(web, mail, broker, accounts, queue)
        house = try TopicHouse(panelArguments: ["--trace"], in: directory) { configuration in
            configuration.timing.append("settle_delay: 0")
            configuration.channels += sections
        }
        try house.start()
        app = try house.pair("Anna", words: ["--allow", "arm", "--tell-arming"])
        // Each of them has one channel: what is no alarm leaves by the preferred way of a person only.
        for person in ["Ben", "Carla"] {
            guard try house.house.run("people", "add", person).status == 0 else { throw HarnessError("people add") }
        }
        phone = try PhoneProcess(in: directory, name: "Ben", phonesPort: fcm.phonesPort)
        try house.house.pair(phone, with: "Ben", roles: "arm")
        chat = try accounts?.app(of: "anna")
        if let chat { try pair(chat) }
    }

    private static func program(in directory: TestDirectory) throws -> (Program, [String]) {
        let programs = "\(directory.path)/hooks"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
        let script = try directory.write("hooks/lights", "#!/bin/sh\n(cat; echo) >> '\(directory.path)/lights.log'\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        let runner = try Program(
            "runner", ["run-hook", "--directory", programs, "--listen", "\(directory.path)/hook"], in: directory)
        try eventually("the runner listens; \(runner.report)") { directory.contains("hook") ? true : nil }
        let section = [
            "hooks:", "  socket: \(directory.path)/hook", "  programs:",
            "    - {program: lights, triggers: [alarm]}",
        ]
        return (runner, section)
    }

    private static func sections(
        _ web: HouseServer, _ mail: HouseServer?, _ broker: BrokerProcess?, _ accounts: AccountServer?,
        _ queue: QueueProcess?
    ) -> [String] {
        var lines = [
            "alert_url:", "  triggers: [alarm]", "  urls:",
            "    - {url: 'http://127.0.0.1:\(web.port)/alarm', method: post, secret: \(secret)}",
        ]
        if let mail {
            lines += [
                "alert_email:", "  smtp_host: 127.0.0.1", "  smtp_port: \(mail.port)", "  security: plain",
                "  addr_from: box@mail.test", "  addr_to: [anna@mail.test]", "  triggers: [alarm]",
                "  timing: {reconnect_minimum: 100ms, reconnect_maximum: 500ms}",
            ]
        }
        if let broker { lines += broker.section(commands: "arm", code: code) + ["  triggers: [alarm]"] }
        if let accounts { lines += accounts.section }
        if let queue {
            lines += [
                "beanstalkd:", "  enabled: true", "  host: 127.0.0.1", "  port: \(queue.port)",
                "  tubes: {commands: [commands], events: [cli]}", "  commands: [arm]",
                "  timing: {reconnect_minimum: 100ms, reconnect_maximum: 500ms}",
            ]
        }
        return lines
    }

    private func pair(_ chat: AccountServer.Chat) throws {
        let account = "anna@\(AccountServer.domain)"
        let pairing = try house.house.spawn(
            "pairing-chat", ["phones", "pair", "--person", "Carla", "--xmpp", account, "--allow", "arm"])
        let sent = try eventually("the code; \(chat.program.report) \(pairing.report)") {
            chat.heard.first { $0.contains("code ") }
        }
        let digits = String(sent.drop { $0 != "c" }.drop { !$0.isNumber }.prefix { $0.isNumber })
        let right = try house.house.run("phones", "confirm", digits)
        guard right.status == 0 else { throw HarnessError("phones confirm: \(right.errors)") }
        try chat.wait(for: "paired")
    }

    var report: String { house.house.daemon?.report ?? "" }

    // MARK: Commands

    private func turn(of round: Int) -> String {
        var turns = [Self.topics, "fcm"]
        if broker != nil { turns.append("mqtt") }
        if chat != nil { turns.append("xmpp") }
        if queue != nil { turns.append("beanstalk") }
        return turns[round % turns.count]
    }

    /// Arms by one of the channels, each in its turn.
    func command(_ round: Int) throws {
        switch turn(of: round) {
        case "fcm":
            given["phone", default: 0] += 1
            try phone.say("arm")
        case "mqtt":
            given["house mqtt", default: 0] += 1
            try broker?.publish(
                "howalarming/home/partition/1/set", "{\"action\":\"ARM_AWAY\",\"code\":\"\(Self.code)\"}")
        case "xmpp":
            given["contact", default: 0] += 1
            try chat?.say("arm")
        case "beanstalk":
            given["house beanstalk", default: 0] += 1
            try queue?.put("arm")
        default: try press()
        }
    }

    private func press() throws {
        try house.house.house("keypad 1 arm away", "keypad 1 disarm")
        let known = pressed.map(\.body)
        let offer = try eventually("an offer to arm; \(report)") { () throws -> TopicHouse.Message.Button? in
            try house.messages(to: app).flatMap(\.buttons).last { $0.label == "Arm" && !known.contains($0.body) }
        }
        given["contact", default: 0] += 1
        try house.press(offer)
        pressed.append(offer)
    }

    /// Whoever commanded does it again: the same button, and what once lay in the database under another key.
    func repeatCommands() throws {
        for button in pressed.suffix(2) { try house.press(button) }
        for value in lain.suffix(4) {
            replays += 1
            try fcm.put("replay-\(replays)", value)
        }
    }

    /// The box is gone. Where it was the phone's turn, it commands once more: that lies in the database until the box
    /// is back, with what the box had no time to remove.
    func whileAway(_ round: Int) throws {
        if turn(of: round) == "fcm" {
            given["phone", default: 0] += 1
            let before = try fcm.nodes().map(\.key)
            try phone.say("arm")
            try eventually("the command in the database; \(phone.program.report)") {
                try fcm.nodes().contains { !before.contains($0.key) } ? true : nil
            }
        }
        lain += try fcm.nodes().map(\.value).filter { !lain.contains($0) }
    }

    /// Sends one command while nothing is killed, and waits for its line at the panel.
    ///
    /// Each earlier command may have been refused for want of freshness, or cut off between ledger and panel. The phone
    /// may sign before it learns of the disarming: the appliance then refuses, and a person tries again.
    func commandInPeace() throws {
        try house.house.house("keypad 1 disarm")
        let before = armLinesAtPanel
        for _ in 0..<8 {
            given["phone", default: 0] += 1
            try phone.say("arm")
            let isDone = try? eventually(within: .seconds(15), "a command by the database") {
                armLinesAtPanel > before ? true : nil
            }
            if isDone == true { return }
        }
        throw HarnessError("no command by the database in eight tries; \(phone.program.report) \(report)")
    }

    private var armLinesAtPanel: Int { house.house.panel.program.lines.count { $0.hasPrefix("> 030") } }

    /// Everything that was put there has been dealt with.
    var hasClearedDatabase: Bool { get throws { try fcm.nodes().isEmpty } }

    /// What the ledger holds, by origin. A phone signs a command anew when it was refused for want of freshness: that
    /// is one command in two rows.
    func orders() throws -> [String: Int] {
        let rows = try house.house.sql(
            "SELECT origin, count(*) FROM ledger WHERE NOT (origin LIKE 'phone %' AND outcome IS 'refused') GROUP BY origin"
        ).split(separator: "\n")
        var orders: [String: Int] = [:]
        for row in rows {
            let parts = row.split(separator: "|")
            guard parts.count == 2, let count = Int(parts[1]) else { continue }
            let origin = ["contact", "phone"].first { parts[0].hasPrefix("\($0) ") }
            orders[origin ?? String(parts[0]), default: 0] += count
        }
        return orders
    }

    /// Also at the panel: none was sent twice.
    func expectFewOrders() throws {
        let orders = try orders()
        for (origin, count) in given {
            #expect(orders[origin] ?? 0 <= count, "\(orders[origin] ?? 0) orders of \(origin), \(count) were given")
        }
        let given = given.values.reduce(0, +)
        let sent = armLinesAtPanel
        #expect(sent <= given, "\(sent) lines at the panel for \(given) commands")
        #expect(sent > 0, "no command came through, so this run means nothing")
    }

    // MARK: Alarms

    func hasAll(_ alarms: [Int64], by name: String) throws -> Bool {
        switch name {
        case "fcm":
            let shown = phone.program.lines.filter { $0.hasPrefix("event ") && $0.contains(" 625 ") }
            return Self.has(
                shown.compactMap { Int64($0.split(separator: " ")[1].split(separator: ".").last ?? "") }, alarms)
        case Self.topics:
            let told = try house.messages(to: app).filter { $0.text.contains("panic key") && $0.priority == 5 }
            return Set(told.map(\.sequence)).count >= alarms.count
        case "xmpp": return (chat?.heard.count { $0.contains("panic key") } ?? 0) >= alarms.count
        case "mail":
            return (mail?.told.count { $0["body"]?.stringValue?.contains("panic key") == true } ?? 0) >= alarms.count
        case "url":
            return Self.has(web.told.compactMap { Self.seq($0["body"]?.stringValue ?? "") }, alarms)
        case "mqtt":
            let mark = "0 howalarming/home/event "
            let told = ear?.lines.filter { $0.hasPrefix(mark) } ?? []
            return Self.has(told.compactMap { Self.seq(String($0.dropFirst(mark.count))) }, alarms)
        case "beanstalk":
            jobs += try queue?.take().compactMap { $0["seq"]?.integerValue } ?? []
            return Self.has(jobs, alarms)
        default:
            let lines = house.directory.read("lights.log").split(separator: "\n")
            return Self.has(lines.compactMap { Self.seq(String($0)) }, alarms)
        }
    }

    private static func has(_ told: [Int64], _ alarms: [Int64]) -> Bool { Set(told).isSuperset(of: alarms) }

    private static func seq(_ text: String) -> Int64? { (try? JSON(parsing: text))?["seq"]?.integerValue }
}
