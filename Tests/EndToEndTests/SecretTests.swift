import Foundation
import Glibc
import Testing

@Suite("secrets and duress", .serialized, .timeLimit(.minutes(15)))
struct SecretTests {
    private static let password = "Kp4xZ9"
    private static let master = "739146"
    private static let wrong = "628417"
    private static let keys = "51938275"
    private static let given = "864209"
    private static let all = [password, master, wrong, keys, given]

    @Test("the password and the codes appear nowhere but in the configuration")
    func thePasswordAndTheCodesAppearNowhereButInTheConfiguration() throws {
        var configuration = Configuration()
        configuration.password = Self.password
        configuration.masterCode = Self.master
        configuration.codeOnRequest = "always"
        configuration.timing += ["answer_deadline: 1s", "confirm_deadline: 1s"]
        let house = try Appliance(
            configuration, panelArguments: ["--password", Self.password, "--master-code", Self.master, "--trace"])
        let good = house.directory.read("howalarming.yaml")
        // Before anything else, configurations with mistakes beside and inside the secrets.
        for (index, broken) in Self.broken(good).enumerated() {
            let file = try house.directory.write("broken-\(index).yaml", broken)
            #expect(try Program.run(["check", file], in: house.directory).status != 0, "\(broken)")
            #expect(try Program.run(["check", file, "--json"], in: house.directory).status != 0)
            #expect(
                try Program.run(["run", "--config", file, "--state", house.stateDirectory], in: house.directory).status
                    == 1)
        }
        try house.start()
        try house.waitUntilUp()
        let trace = try house.spawn("trace", ["panel", "trace"])
        let traceJSON = try house.spawn("trace-json", ["panel", "trace", "--json"])
        let follower = try house.follow()
        try day(house)
        try requests(house)
        for words in [
            ["status"], ["status", "--json"], ["panel"], ["panel", "--json"], ["events"], ["events", "--json"],
        ] {
            #expect(try house.command(words).status == 0)
        }
        _ = try trace.waitForLine(containing: "200")
        #expect(!traceJSON.lines.isEmpty && !follower.lines.isEmpty)
        try search(house, "while it runs")
        try reload(house, good)
        try house.house("fault wrongpassword on", "drop close")
        try eventually("the password is refused") {
            try house.run("panel").output.contains("password") ? true : nil
        }
        #expect(try house.stop() == 0)
        try search(house, "after it has stopped")
        // The search finds what is there.
        #expect(good.contains(Self.password) && good.contains(Self.master))
        #expect(Self.found(in: Data(("x" + Self.given).utf8)) == [Self.given])
    }

    private static func broken(_ good: String) -> [String] {
        [
            good.replacingOccurrences(of: "code_master: '\(master)'", with: "code_master: '\(master)x'"),
            good.replacingOccurrences(of: "code_master: '\(master)'", with: "code_mster: '\(master)'"),
            good.replacingOccurrences(of: "password: '\(password)'", with: "password: ['\(password)']"),
            good.replacingOccurrences(of: "password: '\(password)'", with: "password: {\(password): \(password)}"),
            good.replacingOccurrences(of: "password: '\(password)'", with: "password: '\(password)"),
            good.replacingOccurrences(of: "host: 127.0.0.1", with: "host: user:\(password)@127.0.0.1"),
            good.replacingOccurrences(
                of: "password: '\(password)'", with: "password: '\(password)'\n  password: '\(password)'"),
        ]
    }

    /// Everything in which a code travels, in both directions.
    private func day(_ house: Appliance) throws {
        try house.house("fault code900 on")
        let armed = try house.run("arm", "away")
        #expect(armed.status == 0, "\(armed.output)\(armed.errors)")
        try house.house("fault code900 off", "keypad 1 code \(Self.wrong)")
        try house.waitForRecord("a wrong code at the keypad") { $0.code == "670" }
        let file = try house.directory.write("code", Self.given + "\n")
        #expect(try house.run("disarm", "--code-file", file).status == 1)
        let disarmed = try house.run("disarm")
        #expect(disarmed.status == 0, "\(disarmed.output)\(disarmed.errors)")
        try house.run("keys", "-", input: Self.keys + "\n")
        try house.run("keys", "-", input: Self.keys + "x\n")
        try house.run("bypass", "3")
        try house.run("output", "1")
    }

    /// Wrong usage and wrong requests that carry codes.
    private func requests(_ house: Appliance) throws {
        let usage = [
            ["disarm", Self.master], ["arm", "--code", Self.master], ["disarm", "--code=\(Self.master)"],
            ["keys", Self.keys], ["arm", Self.master], ["bypass", Self.master], ["output", Self.master],
            ["disarm", "--pin", Self.given], ["backup", "--passphrase", Self.password, "file"],
        ]
        for words in usage { #expect(try house.command(words).status == 64, "\(words)") }
        let control = try ControlConnection(stateDirectory: house.stateDirectory)
        for line in [
            #"{"request":"disarm","partition":99,"code":"\#(Self.master)"}"#,
            #"{"request":"disarm","partition":1,"code":\#(Self.master)}"#,
            #"{"request":"disarm","partition":1,"code":"\#(Self.master)x"}"#,
            #"{"request":"disarm","partition":"\#(Self.master)"}"#,
            #"{"request":"keys","partition":1,"keys":"\#(Self.keys)x"}"#,
            #"{"request":"disarm","code":"\#(Self.master)""#,
            #"{"code":"\#(Self.master)"}"#, #""\#(Self.password)""#, Self.master,
        ] {
            try control.send(line: line)
            let answer = try control.line()
            #expect(answer.contains("error") || answer.contains("refused"), "\(line): \(answer)")
        }
    }

    private func reload(_ house: Appliance, _ good: String) throws {
        _ = try house.directory.write("howalarming.yaml", Self.broken(good)[0])
        house.daemon?.signal(SIGHUP)
        try house.waitForRecord("the configuration is refused") { $0.code == "CONFIG" && $0.type == "fault" }
        _ = try house.directory.write(
            "howalarming.yaml", good.replacingOccurrences(of: Self.master, with: Self.given))
        house.daemon?.signal(SIGHUP)
        try house.waitForRecord("the configuration is taken") { $0.code == "CONFIG" && $0.type == "info" }
    }

    /// Every file of the house: what all programs printed, the whole state directory; and what the daemon told systemd.
    private func search(_ house: Appliance, _ when: String) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: house.directory.path)
        let input = [".in", ".yaml", "code"]
        let searched = names.filter { name in !input.contains { name.hasSuffix($0) } }
        #expect(searched.contains("state/journal.db"))
        for name in searched {
            guard let content = FileManager.default.contents(atPath: "\(house.directory.path)/\(name)") else {
                continue
            }
            let found = Self.found(in: content)
            #expect(found.isEmpty, "\(when): \(found) in \(name): \(Self.context(found, content))")
        }
        house.notify.read()
        #expect(Self.found(in: Data(house.notify.lines.joined(separator: "\n").utf8)).isEmpty)
    }

    private static func found(in content: Data) -> [String] { all.filter { content.range(of: Data($0.utf8)) != nil } }

    private static func context(_ found: [String], _ content: Data) -> String {
        found.compactMap { content.range(of: Data($0.utf8)) }.map { range in
            String(
                decoding: content[max(0, range.lowerBound - 80)..<min(content.count, range.upperBound + 20)],
                as: UTF8.self)
        }.joined(separator: " | ")
    }

    @Test("duress is in the journal, in its own table, and on no local surface")
    func duressIsInTheJournal() throws {
        let house = try Appliance.running()
        let trace = try house.spawn("trace", ["panel", "trace"])
        let traceJSON = try house.spawn("trace-json", ["panel", "trace", "--json"])
        let follower = try house.follow()
        let texts = try house.spawn("follower-text", ["events", "--follow"])
        #expect(try house.run("arm", "stay").status == 0)
        try house.house("keypad 1 duress")
        try eventually("the row in its table") { try house.sql("SELECT code FROM duress") == "620" ? true : nil }
        // While the storage is slow or the daemon is asked for more, nothing else shows it either.
        try house.house("open 3")
        _ = try follower.waitForLine(containing: "Kitchen window")
        _ = try texts.waitForLine(containing: "Kitchen window")
        _ = try trace.waitForLine(containing: "< 609")
        _ = try traceJSON.waitForLine(containing: "609")
        let questions = [
            ["status"], ["status", "--json"], ["panel"], ["panel", "--json"], ["events"], ["events", "--json"],
            ["events", "--type", "alarm"], ["events", "--json", "--type", "alarm,unknown", "--since", "1h"],
            ["events", "--partition", "1", "--json"],
        ]
        var surfaces = try questions.map { ("\($0)", try house.command($0).output) }
        #expect(try house.stop() == 0)
        surfaces += try questions.prefix(2).map { ("without daemon \($0)", try house.command($0).output) }
        surfaces += try questions.suffix(5).map { ("without daemon \($0)", try house.command($0).output) }
        for program in [trace, traceJSON, follower, texts, house.daemon].compactMap({ $0 }) {
            surfaces.append((program.name, program.output + program.errors))
        }
        house.notify.read()
        surfaces.append(("sd_notify", house.notify.lines.joined(separator: "\n")))
        for (name, text) in surfaces {
            #expect(text.range(of: "duress", options: .caseInsensitive) == nil, "\(name): \(text)")
            #expect(
                text.range(of: #"(?<![0-9.:])620[0-9]{0,4}(?![0-9])"#, options: .regularExpression) == nil,
                "\(name): \(text)")
        }
        #expect(try house.sql("SELECT count(*) FROM events WHERE code = '620' OR raw LIKE '620%'") == "0")
        #expect(
            try house.sql("SELECT count(*) = max(seq) AND min(seq) = 1 FROM events") == "1", "no gap to wonder about")
    }
}
