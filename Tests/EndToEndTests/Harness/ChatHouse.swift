import PhoneProtocol
import Testing

/// A house with an account of its own at a server, and its panel up.
struct ChatHouse {
    let server: AccountServer
    let house: Appliance

    /// - Parameter isClockSet: the daemon takes its clock for synchronised
    static func running(isClockSet: Bool = false) throws -> ChatHouse {
        let directory = try TestDirectory()
        let server = try AccountServer(in: directory)
        var configuration = Configuration()
        configuration.channels = server.section
        let house = try Appliance(configuration, in: directory)
        if isClockSet { house.launcher = SetClock.launcher }
        #expect(try house.run("people", "add", "Anna").status == 0)
        try house.start()
        try house.waitUntilUp()
        return ChatHouse(server: server, house: house)
    }

    /// Anna's account becomes a contact by the digits that arrive there.
    func pair(_ chat: AccountServer.Chat) throws {
        let account = "anna@\(AccountServer.domain)"
        let pairing = try house.spawn("pairing", ["phones", "pair", "--person", "Anna", "--xmpp", account])
        let sent = try eventually(
            "the code; \(chat.program.report) \(pairing.report) \(house.daemon?.report ?? "") \(server.report)"
        ) { chat.heard.first { $0.contains("code ") } }
        let digits = String(sent.drop { $0 != "c" }.drop { !$0.isNumber }.prefix { $0.isNumber })
        #expect(digits.utf8.count == 6)
        #expect(!pairing.output.contains(digits))
        let wrong = try house.run("phones", "confirm", digits == "000000" ? "000001" : "000000")
        #expect(wrong.status != 0)
        let right = try house.run("phones", "confirm", digits)
        guard right.status == 0 else { throw HarnessError("phones confirm: \(right.errors)") }
        #expect(try pairing.waitForExit() == 0)
        try chat.wait(for: "paired")
    }

    /// What the panel itself says of partition 1, such as `armed`.
    func isAtPanel(_ word: String) throws -> Bool {
        try house.panel.truth()["partitions"]?.arrayValue?.first?["status"]?[word] != nil
    }

    /// The code that PyOTP shows for a picture's URI, so many steps from now.
    func code(_ uri: String, steps: Int = 0) throws -> String {
        let result = try Program.run(
            ["-c", Self.script, uri, String(steps)], in: house.directory, executable: Independents.python)
        guard result.status == 0 else { throw HarnessError("PyOTP: \(result.errors)") }
        return result.output.filter { !$0.isWhitespace }
    }

    private static let script = """
        import sys, time, pyotp
        print(pyotp.parse_uri(sys.argv[1]).at(int(time.time()) + 30 * int(sys.argv[2])))
        """
}
