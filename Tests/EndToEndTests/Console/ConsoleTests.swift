import AlarmModel
import Foundation
import Glibc
import PhoneProtocol
import Testing

/// `howalarming console` as a person before a terminal sees it.
@Suite("the console", .serialized, .timeLimit(.minutes(15)))
struct ConsoleTests {
    private static let pin = "135790"

    @Test("it shows the house, goes on with events, follows the terminal's size, and leaves it as it was")
    func itShowsTheHouse() throws {
        let house = try Appliance.running()
        let desk = try ConsoleUser("desk", at: house)
        let overview = try desk.wait(for: "Overview", "Mill Lane 4", "Ground floor", "Workshop", "ready", "no PIN yet")
        #expect(overview.contains("Panel       up, 127.0.0.1"))
        try desk.type("2")
        try desk.wait(for: "Events", "HowAlarming 1.0.0-dev started")
        try house.house("open 3")
        try desk.wait(for: "Kitchen window")
        try desk.type("\u{1B}[C\u{1B}[C")
        try desk.wait(for: "Panel", "Trace, without codes")
        try house.house("close 3")
        try desk.wait(for: "< 610003")
        for (key, word) in [("5", "Service"), ("6", "Name"), ("7", "Kernel"), ("3", "No link is configured")] {
            try desk.type(key)
            try desk.wait(for: word)
        }
        try desk.type("s")
        try desk.wait(for: "Test", "ok   daemon", "ok   panel")
        try desk.resize(columns: 40, rows: 12)
        try desk.type("1")
        let small = try eventually("a small overview; \(desk.report)") {
            let glass = desk.glass
            return glass.extent.rows == 12 && glass.text.contains("M menu") && glass.text.contains("Ground")
                ? glass : nil
        }
        #expect(small.extent.columns <= 40)
        try desk.resize(columns: 30, rows: 8)
        try desk.wait(for: "40 by 12")
        try desk.resize(columns: 80, rows: 24)
        try desk.wait(for: "Overview", "1 Home 2 Events")
        #expect(desk.glass.extent.rows == 24)
        try desk.type("q")
        #expect(try desk.waitForExit() == 0)
        #expect(desk.output.contains("\u{1B}[?25h\u{1B}[?1049l"))
    }

    @Test("the PIN is set at first, and then arming from here reaches the panel; the PIN is never shown or stored")
    func thePINIsSetAtFirst() throws {
        let house = try Appliance.running()
        let desk = try ConsoleUser("desk", at: house)
        try desk.wait(for: "no PIN yet", "Ground floor")
        try desk.type("a")
        try desk.wait(for: "away: partition 1 (Ground floor)")
        try desk.type("1")
        try desk.wait(for: "There is no PIN yet")
        try desk.type("\(Self.pin)\r")
        try desk.wait(for: "once more")
        try desk.type("\(Self.pin)\r")
        try desk.wait(for: "Arm away partition 1 (Ground floor)?")
        #expect(try !isArmed(house))
        try desk.type("y")
        try desk.wait(for: "done: arm away partition 1")
        try eventually("the panel is armed") { try isArmed(house) ? true : nil }
        try desk.type("\r")
        try desk.wait(for: "armed away", "unlocked")
        // No question for the PIN while it is unlocked; a second console is locked.
        let second = try ConsoleUser("second", at: house)
        try second.wait(for: "armed away", "locked: it shows")
        try second.type("d1")
        try second.wait(for: "PIN of the console")
        try desk.type("d1y")
        try desk.wait(for: "done: disarm partition 1")
        #expect(try !isArmed(house))
        #expect(!desk.output.contains(Self.pin))
        #expect(try house.journal().contains { $0.event.code == EventCode.consolePIN.rawValue })
        #expect(try house.stop() == 0)
        for file in try FileManager.default.subpathsOfDirectory(atPath: house.stateDirectory) {
            let content = FileManager.default.contents(atPath: "\(house.stateDirectory)/\(file)") ?? Data()
            #expect(content.range(of: Data(Self.pin.utf8)) == nil, "\(file)")
        }
    }

    @Test("five wrong PINs lock it, also after a restart of the daemon, until the file on the card resets the PIN")
    func fiveWrongPINsLockIt() throws {
        let house = try Appliance.running()
        let desk = try ConsoleUser("desk", at: house)
        try setPIN(desk)
        try desk.type("l")
        try desk.wait(for: "locked: it shows")
        try desk.type("a1")
        try desk.wait(for: "PIN of the console")
        for left in ["4 tries left", "3 tries left", "2 tries left", "1 try left"] {
            try desk.type("000000\r")
            try desk.wait(for: left)
        }
        try desk.type("000000\r")
        try desk.wait(for: "Wrong PIN. After wrong PINs none is taken")
        _ = try house.waitForEvent { $0.code == EventCode.consoleLocked.rawValue && $0.type == .fault }
        #expect(try house.stop() == 0)
        try desk.type("\r")
        try desk.wait(for: "DAEMON AWAY", "the daemon does not run", "Ground floor")
        try house.start()
        try house.waitUntilUp()
        try desk.wait(for: "locked after wrong PINs")
        try desk.type("a1")
        try desk.wait(for: "none is taken for")
        try desk.type("\r")

        let file = try house.directory.write("reset-pin", "")
        #expect(try house.stop() == 0)
        try house.start()
        try house.waitUntilUp()
        #expect(access(file, F_OK) != 0)
        try desk.wait(for: "no PIN yet")
        _ = try house.waitForEvent { $0.message.contains("was reset by a file on the card") }
    }

    @Test("a terminal that only prints gets pages and questions, line by line")
    func aTerminalThatOnlyPrintsGetsPagesAndQuestions() throws {
        let house = try Appliance.running()
        let desk = try ConsoleUser("desk", at: house, term: "dumb")
        try desk.wait(forPrinted: "Number or letter, then Enter:")
        try desk.wait(forPrinted: "Ground floor")
        var place = desk.byteCount
        try desk.type("2\r")
        try desk.wait(forPrinted: "HowAlarming 1.0.0-dev started", after: place)
        try house.house("open 3")
        try desk.wait(forPrinted: "Kitchen window", after: place)
        try house.house("close 3")
        place = desk.byteCount
        try desk.type("a\r")
        try desk.wait(forPrinted: "2  stay: partition 1", after: place)
        try desk.type("2\r")
        try desk.wait(forPrinted: "New PIN", after: place)
        try desk.type("\(Self.pin)\r")
        try desk.wait(forPrinted: "once more", after: place)
        try desk.type("\(Self.pin)\r")
        try desk.wait(forPrinted: "Arm stay partition 1 (Ground floor)?", after: place)
        try desk.type("y\r")
        try desk.wait(forPrinted: "done: arm stay partition 1", after: place)
        #expect(!desk.output.contains(Self.pin))
        let hasControls = desk.output.unicodeScalars.contains { $0.value < 32 && ![8, 10, 13].contains($0.value) }
        #expect(!hasControls)
        for line in desk.output.components(separatedBy: "\r\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test("on a serial line it asks for the size, survives noise, and comes back after the cable was pulled")
    func onASerialLineItAsksForTheSize() throws {
        let house = try Appliance.running()
        let desk = try ConsoleUser("desk", at: house, columns: 100, rows: 30, isLine: true)
        try desk.wait(for: "Overview", "Ground floor")
        #expect(desk.glass.extent.rows == 30)
        var settings = termios()
        let line = try TestSocket(adopting: open(desk.device, O_RDWR | O_NOCTTY | O_CLOEXEC))
        #expect(tcgetattr(line.descriptor, &settings) == 0)
        #expect(cfgetospeed(&settings) == speed_t(B115200))
        #expect(settings.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == 0)
        line.close()

        var noise: [UInt8] = []
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<4000 { noise.append(UInt8.random(in: 0...255, using: &generator)) }
        for start in stride(from: 0, to: noise.count, by: 200) { try desk.type(Array(noise[start..<(start + 200)])) }
        // Whatever the noise has opened: back to the overview, and drawn anew.
        try desk.type(Array(repeating: 0x1B, count: 6))
        usleep(300_000)
        try desk.type("\u{1B}")
        usleep(300_000)
        try desk.type("1\u{C}")
        try desk.wait(for: "Overview", "Ground floor", "M menu")
        #expect(try !isArmed(house))

        try desk.type("2")
        try desk.wait(for: "Events")
        // What was drawn before is still on the glass: only what comes now counts.
        let place = desk.byteCount
        try desk.replug()
        try desk.wait(forPrinted: "Overview  Mill Lane 4", after: place)
        try desk.type("7")
        try desk.wait(for: "Kernel")
        #expect(desk.isRunning)
    }

    @Test("a serial terminal that tells nothing of itself gets lines")
    func aSerialTerminalThatTellsNothingOfItselfGetsLines() throws {
        let house = try Appliance.running()
        let desk = try ConsoleUser("desk", at: house, isLine: true, answers: false)
        try desk.wait(forPrinted: "Number or letter, then Enter:")
        let place = desk.byteCount
        try desk.type("7\r")
        try desk.wait(forPrinted: "Kernel", after: place)
    }

    @Test("a console that says what it is may only look; where there is no terminal it says so")
    func aConsoleThatSaysWhatItIsMayOnlyLook() throws {
        let house = try Appliance.running()
        let desk = try ConsoleUser("desk", at: house)
        try setPIN(desk)
        let client = try ControlConnection(stateDirectory: house.stateDirectory)
        try client.send(line: #"{"request":"console","do":"begin"}"#)
        #expect(try client.line().contains("console"))
        try client.send(line: #"{"request":"arm","partition":1}"#)
        #expect(try client.line().contains("the console is locked"))
        try client.send(line: #"{"request":"status"}"#)
        #expect(try client.line().contains("Mill Lane 4"))
        let without = try house.run("console")
        #expect(without.status == 1)
        #expect(without.errors.contains("there is no terminal"))
    }

    private func setPIN(_ desk: ConsoleUser) throws {
        try desk.wait(for: "no PIN yet")
        try desk.type("c")
        try desk.wait(for: "New PIN")
        try desk.type("\(Self.pin)\r")
        try desk.wait(for: "once more")
        try desk.type("\(Self.pin)\r")
        try desk.wait(for: "The PIN is set")
        try desk.type("\r")
        try desk.wait(for: "unlocked")
    }

    private func isArmed(_ house: Appliance) throws -> Bool {
        let text = try house.run("status").output
        return ["armed away", "armed stay", "exit delay"].contains { text.contains($0) }
    }
}
