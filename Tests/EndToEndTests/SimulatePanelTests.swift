import Glibc
import PhoneProtocol
import Testing

@Suite("simulate panel", .serialized, .timeLimit(.minutes(15)))
struct SimulatePanelTests {
    @Test("a client logs in, gets a status report and hears of a zone that opens")
    func aClientLogsInGetsAStatusReportAndHearsOfAZoneThatOpens() throws {
        let panel = try PanelProcess(in: try TestDirectory())
        let client = try LineClient(port: panel.port)
        #expect(try client.readLine() == "5053CD")
        client.sendCommand("005user")
        let login = try client.readLines(upTo: "615")
        #expect(login.prefix(2) == ["5000052A", "5051CB"])
        client.sendCommand("001")
        client.sendCommand("000")
        let report = try client.readLines(upTo: "510")
        #expect(report.contains { $0.hasPrefix("6501") } && report.contains { $0.hasPrefix("610003") })
        try panel.house("open 3")
        #expect(try client.readLines(upTo: "609").last == "60900332")
        #expect(try panel.truth()["hasSession"] == .bool(true))
    }

    @Test("the control port says in which column a verb is wrong, and goes on")
    func theControlPortSaysInWhichColumnAVerbIsWrong() throws {
        let panel = try PanelProcess(in: try TestDirectory())
        #expect(try panel.answer("opne 3").hasPrefix("error: column 1: \"opne\" is none of open, close"))
        #expect(try panel.answer("open 65") == "error: column 6: \"65\" is not a number from 1 to 64")
        #expect(try panel.answer("flood much").hasPrefix("error: column 7: "))
        #expect(try panel.answer(String(repeating: "x", count: 3000)).hasPrefix("error: column 1: "))
        #expect(try panel.answer("open 3") == "ok")
    }

    @Test("while the module reboots nothing listens, and afterwards the same port does")
    func whileTheModuleRebootsNothingListens() throws {
        let panel = try PanelProcess(in: try TestDirectory())
        let client = try LineClient(port: panel.port)
        _ = try client.readLine()
        try panel.house("reboot 1500ms")
        #expect(throws: LineClient.End.self) { try client.readLines(upTo: "never", within: .seconds(1)) }
        let isRefused = Deadline.wait(.seconds(1)) { (try? LineClient(port: panel.port)) == nil }
        #expect(isRefused)
        let isBack = Deadline.wait(.patience) {
            (try? LineClient(port: panel.port).readLine(within: .seconds(1))) == "5053CD"
        }
        #expect(isBack)
    }

    @Test("a line that is sent byte by byte arrives whole")
    func aLineThatIsSentByteByByteArrivesWhole() throws {
        let panel = try PanelProcess(in: try TestDirectory())
        try panel.house("fault fragment bytes")
        #expect(try LineClient(port: panel.port).readLine() == "5053CD")
    }

    @Test("a flood goes on at its rate until it is told to end")
    func aFloodGoesOnAtItsRateUntilItIsToldToEnd() throws {
        let panel = try PanelProcess(in: try TestDirectory())
        let client = try LineClient(port: panel.port)
        client.sendCommand("005user")
        _ = try client.readLines(upTo: "615")
        try panel.house("flood 1000")
        for _ in 0..<500 { #expect(try client.readLine().hasPrefix("6")) }
        try panel.house("flood 0")
    }

    @Test("SIGTERM, SIGINT and 'quit' end it with status 0", arguments: [SIGTERM, SIGINT, 0])
    func sigtermSIGINTAndQuitEndItWithStatus0(signal: Int32) throws {
        let panel = try PanelProcess(in: try TestDirectory())
        if signal == 0 { try panel.house("quit") } else { panel.program.signal(signal) }
        #expect(try panel.program.waitForExit() == 0)
    }

    @Test("a transcript is played as the module would, and a client that differs is told at the end")
    func aTranscriptIsPlayedAsTheModuleWould() throws {
        let directory = try TestDirectory()
        let file = try directory.write("session.txt", "#! on-connect\n< 5053CD\n> 005user54\n< 5000052A\n< 5051CB\n")
        let panel = try PanelProcess(in: directory, arguments: ["--transcript", file])
        let client = try LineClient(port: panel.port)
        #expect(try client.readLine() == "5053CD")
        client.sendCommand("005wrong")
        #expect(try client.readLine() == "5000052A")
        #expect(try panel.answer("open 3").hasPrefix("error: column 1: "))
        #expect(try panel.program.terminate() == 1)
        #expect(panel.program.errors.contains("line 3 of the transcript") && !panel.program.errors.contains("wrong"))
    }

    @Test("the traced lines show no password and no code")
    func theTracedLinesShowNoPasswordAndNoCode() throws {
        let panel = try PanelProcess(in: try TestDirectory(), arguments: ["--trace"])
        let client = try LineClient(port: panel.port)
        client.send(Array("005us".utf8))
        _ = try client.readLine()
        client.sendLine("er54")
        _ = try client.readLines(upTo: "615")
        client.sendCommand("04011234")
        _ = try client.readLines(upTo: "50")
        _ = try panel.program.waitForLine(containing: "> 0401****")
        #expect(panel.program.output.contains("> 005****") && panel.program.output.contains("< 5053"))
        #expect(!panel.program.output.contains("user") && !panel.program.output.contains("1234"))
    }

    @Test(
        "what is no option is refused with what to do",
        arguments: [["simulate"], ["simulate", "panel", "--prot", "1"], ["simulate", "panel", "--port", "70000"]])
    func whatIsNoOptionIsRefusedWithWhatToDo(words: [String]) throws {
        let result = try Program.run(words, in: try TestDirectory())
        #expect(result.status == 64 && result.errors.contains("simulate panel --help") && result.output.isEmpty)
    }
}
