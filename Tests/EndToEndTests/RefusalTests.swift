import AlarmModel
import PhoneProtocol
import Testing

@Suite("a module that gives no session", .serialized, .timeLimit(.minutes(15)))
struct RefusalTests {
    private static var configuration: Configuration {
        var configuration = Configuration()
        // A command waits so long for a session.
        configuration.pace = ["command_deadline: 500ms"]
        return configuration
    }

    /// The daemon is READY and goes on; `status` and `panel` say why there is no session.
    private func expect(_ sentence: String, at house: Appliance, _ place: SourceLocation = #_sourceLocation) throws {
        let daemon = try house.spawnDaemon()
        try eventually("READY=1 although there is no panel; \(daemon.report)") {
            house.notify.isReady ? true : nil
        }
        let problem = try eventually("'\(sentence)'; \(try house.run("panel").output)") {
            let answer = try house.run("panel", "--json")
            let problem = try JSON(parsing: answer.output)["problem"]?.stringValue
            return problem?.contains(sentence) == true ? problem : nil
        }
        let status = try house.run("status")
        #expect(status.status == 0, sourceLocation: place)
        #expect(
            Self.flat(status.output).contains(String(problem.prefix(60))), "\(status.output)", sourceLocation: place)
        let panel = try house.run("panel")
        #expect(panel.status == 0, sourceLocation: place)
        #expect(Self.flat(panel.output).contains(problem), "\(panel.output)", sourceLocation: place)
        #expect(try house.run("arm").status == 1, "a command ends, and is not lost", sourceLocation: place)
        #expect(daemon.isRunning, sourceLocation: place)
        #expect(try house.stop() == 0, sourceLocation: place)
    }

    /// Wrapped lines as one.
    private static func flat(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("a wrong password is said, and kept as an event")
    func aWrongPasswordIsSaid() throws {
        let house = try Appliance(Self.configuration, panelArguments: ["--password", "other"])
        try expect("refused the password", at: house)
        #expect(try house.journal().contains { $0.event.code == "PANEL_REFUSED" })
    }

    @Test("a long password that is met with silence")
    func aLongPasswordThatIsMetWithSilence() throws {
        var configuration = Self.configuration
        configuration.password = "abcdefgh1234"
        configuration.timing.append("login_deadline: 1s")
        let house = try Appliance(configuration, panelArguments: ["--password", "abcdefgh1234"])
        try house.house("fault mutepassword on")
        try expect("possibly too long", at: house)
    }

    @Test("a login that the module times out")
    func aLoginThatTheModuleTimesOut() throws {
        let house = try Appliance(Self.configuration)
        try house.house("fault logintimeout on")
        try expect("did not answer the login", at: house)
    }

    @Test("another client holds the only session")
    func anotherClientHoldsTheOnlySession() throws {
        let house = try Appliance(Self.configuration)
        let other = try LineClient(port: house.panel.port)
        #expect(try other.readLine().hasPrefix("505"))
        other.sendCommand("005user")
        _ = try other.readLines(upTo: "5051")
        try expect("another client holds its only session", at: house)
        other.sendCommand("000")
    }

    @Test("a port where nothing listens")
    func aPortWhereNothingListens() throws {
        let (held, port) = try TestSocket.bind(listening: false)
        defer { held.close() }
        var configuration = Self.configuration
        configuration.port = port
        try expect("refuses the connection", at: try Appliance(configuration))
    }

    @Test("a module with firmware for Honeywell panels")
    func aModuleWithFirmwareForHoneywellPanels() throws {
        let (listener, port) = try TestSocket.bind()
        var configuration = Self.configuration
        configuration.port = port
        let house = try Appliance(configuration)
        try house.spawnDaemon()
        let client = try eventually("the daemon connects") { try listener.accept() }
        try client.send("Login:")
        try eventually("it is named") {
            try house.run("panel").output.contains("Honeywell") ? true : nil
        }
        #expect(try Self.flat(house.run("status").output).contains("not supported yet"))
        #expect(house.notify.isReady)
        #expect(try house.journal().contains { $0.event.code == "PANEL_REFUSED" })
        #expect(try house.stop() == 0)
    }
}
