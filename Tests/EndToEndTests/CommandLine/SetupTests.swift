import Foundation
import Glibc
import PhoneProtocol
import Testing

@Suite("setup", .serialized, .timeLimit(.minutes(5)))
struct SetupTests {
    /// Somebody at the terminal.
    private final class Talk {
        let program: Program
        private let input: FileHandle
        private var answered: [String: Int] = [:]

        init(_ arguments: [String], in directory: TestDirectory) throws {
            let fifo = "\(directory.path)/setup.fifo"
            try #require(mkfifo(fifo, 0o600) == 0)
            // Both ways, so that it waits for nobody to open the other end.
            let descriptor = try #require(Optional(open(fifo, O_RDWR | O_CLOEXEC)).flatMap { $0 < 0 ? nil : $0 })
            input = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            program = try Program("setup", ["setup"] + arguments, in: directory, inputFile: fifo)
        }

        /// Waits for a question that has not been answered yet, then answers it.
        func answer(_ question: String, _ text: String) throws {
            let before = answered[question, default: 0]
            let isAsked = Deadline.wait(.patience) {
                self.program.output.components(separatedBy: question + ": ").count - 1 > before
            }
            try #require(isAsked, "\(question) was not asked: \(program.output) \(program.errors)")
            answered[question] = before + 1
            type(text)
        }

        func type(_ text: String) { input.write(Data((text + "\n").utf8)) }

        /// - Returns: the topic
        func takeApp() throws -> String? {
            try answer("Alarms by the app ntfy, from your phone's store, without an account [Y/n]", "")
            let topic = try program.waitForLine(containing: "  ntfy.sh/").split(separator: "/").last
            try answer("Enter when subscribed", "")
            return topic.map(String.init)
        }
    }

    /// What is offered.
    private static var machinesTimeZone: String {
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/etc/localtime") else {
            return "UTC"
        }
        return path.components(separatedBy: "zoneinfo/").last ?? "UTC"
    }

    @Test("from the module's address to a valid configuration: a wrong password, zones that move, a person, a topic")
    func fromTheModulesAddressToAValidConfiguration() throws {
        let directory = try TestDirectory()
        let panel = try PanelProcess(in: directory)
        let file = "\(directory.path)/house.yaml"
        let talk = try Talk(["--config", file], in: directory)
        let address = "Its address, or Enter to look for it"
        try talk.answer(address, "the module")
        // Nothing listens there.
        try talk.answer(address, "127.0.0.1:1")
        try talk.answer("Its password [user]", "")
        let refusal = try talk.program.waitForLine(containing: "the module refuses the connection")
        #expect(refusal.hasSuffix("; wait a minute, then type the module's address once more."))
        #expect(!refusal.contains("we try again"))
        try talk.answer(address, "127.0.0.1:\(panel.port)")
        try talk.answer("Its password [user]", "wrong")
        try talk.answer(address, "127.0.0.1:\(panel.port)")
        try talk.answer("Its password [user]", "")
        _ = try talk.program.waitForLine(containing: "Walk through the house")
        try panel.house("open 8")
        try panel.house("open 3")
        try panel.house("close 3")
        try panel.house("open 3")
        _ = try talk.program.waitForLine(containing: "  zone 3")
        talk.type("")
        try talk.answer("Name of zone 3 [Zone 3]", "Anna's window: left")
        try talk.answer("Name of zone 8 [Zone 8]", "Hall smoke")
        try talk.answer("  Does zone 8, Hall smoke, watch for fire? [Y/n]", "")
        try talk.answer("Your name", "Anna O'Neil")
        try talk.answer("Language, en or de [en]", "de")
        try talk.answer("Time zone [\(Self.machinesTimeZone)]", "Vienna")
        try talk.answer("Time zone [\(Self.machinesTimeZone)]", "Europe/Vienna")
        let topic = try talk.takeApp()
        #expect(access(file, F_OK) != 0, "nothing is written before the end")
        try talk.answer("Write \(file) [Y/n]", "y")
        #expect(try talk.program.waitForExit() == 0)
        // The module's only session is free for the daemon.
        let isFree = Deadline.wait(.patience) { (try? panel.truth()["hasSession"]) == .bool(false) }
        #expect(isFree)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let check = try Program.run(["check", file], in: directory)
        #expect(check.status == 0 && !check.output.contains("warning: the file holds secrets"), "\(check.output)")
        #expect(check.output.contains("2 partitions, 2 zones") && check.output.contains("1 person by name"))
        let text = directory.read("house.yaml")
        #expect(text.contains("      Phone: \(try #require(topic))\n"))
        #expect(text.contains("  3: 'Anna''s window: left'\n"))
        #expect(text.contains("  8: {name: 'Hall smoke', fire: true}\n"))
        #expect(!talk.program.output.contains("zone 3\n  zone 8\n  zone 3"), "each zone is told once")
    }

    @Test("a module that goes in the middle of the walk is told, and the zones that were seen are kept")
    func aModuleThatGoesInTheMiddleOfTheWalk() throws {
        let directory = try TestDirectory()
        let panel = try PanelProcess(in: directory)
        let talk = try Talk(["--config", "\(directory.path)/house.yaml"], in: directory)
        try talk.answer("Its address, or Enter to look for it", "127.0.0.1:\(panel.port)")
        try talk.answer("Its password [user]", "")
        _ = try talk.program.waitForLine(containing: "Walk through the house")
        try panel.house("open 3")
        _ = try talk.program.waitForLine(containing: "  zone 3")
        try panel.house("reboot 1500ms")
        _ = try talk.program.waitForLine(containing: "The module has ended the session.")
        try talk.answer("Name of zone 3 [Zone 3]", "Window")
        try talk.answer("Your name", "Anna")
    }

    @Test("on a card as it was flashed the answers hold after the next start, and stand on the card then")
    func onACardAsItWasFlashed() throws {
        let directory = try TestDirectory()
        for name in ["card", "state", "run"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory.path)/\(name)", withIntermediateDirectories: true)
        }
        let example = try directory.write("example.yaml", "panel: {host: 192.0.2.1, password: user}\n")
        _ = try directory.write("card/howalarming.yaml", "panel: {host: 192.0.2.1, password: user}\n")
        func start() throws -> Program.Result {
            try Program.run(
                [
                    "card", "--card", "\(directory.path)/card", "--data", "\(directory.path)/state/card",
                    "--network-out", "\(directory.path)/run", "--template", example,
                ], in: directory)
        }
        #expect(try start().status == 1, "it is the example")
        let panel = try PanelProcess(in: directory)
        let talk = try Talk(["--card", "\(directory.path)/state/card"], in: directory)
        try talk.answer("Its address, or Enter to look for it", "127.0.0.1:\(panel.port)")
        try talk.answer("Its password [user]", "")
        _ = try talk.program.waitForLine(containing: "Walk through the house")
        try panel.house("open 8")
        _ = try talk.program.waitForLine(containing: "  zone 8")
        talk.type("")
        try talk.answer("Name of zone 8 [Zone 8]", "Hall")
        try talk.answer("Your name", "Anna")
        try talk.answer("Language, en or de [en]", "de")
        try talk.answer("Time zone [\(Self.machinesTimeZone)]", "Europe/Vienna")
        let topic = try talk.takeApp()
        try talk.answer("Take this, and restart the box with it [Y/n]", "")
        #expect(try talk.program.waitForExit() == 0)
        #expect(talk.program.output.contains("The box restarts."))
        let taken = try start()
        #expect(taken.status == 0, "\(taken.output)")
        let onCard = directory.read("card/howalarming.yaml")
        #expect(onCard.contains("  8: 'Hall'") && onCard.contains("time_zone: 'Europe/Vienna'"))
        #expect(!onCard.contains(try #require(topic)), "the topic is kept on the box")
        let check = try Program.run(["check", "\(directory.path)/state/card/howalarming.yaml"], in: directory)
        #expect(check.status == 0 && check.output.contains("1 zone") && check.output.contains("1 person by name"))
        #expect(directory.read("state/card/howalarming.secrets.yaml").contains(try #require(topic)))
    }

    @Test("nobody who answers, and nothing is written; a file that is there is kept")
    func nobodyWhoAnswers() throws {
        let directory = try TestDirectory()
        let file = "\(directory.path)/house.yaml"
        _ = try directory.write("house.yaml", "panel: {host: 192.0.2.1, password: user}\n")
        let ended = try Program.run(["setup", "--config", file], in: directory, input: "not an address\n")
        #expect(ended.status == 1 && ended.errors.contains("setup was ended; nothing was written"))
        #expect(directory.read("house.yaml") == "panel: {host: 192.0.2.1, password: user}\n")
        let panel = try PanelProcess(in: directory)
        let answers = ["127.0.0.1:\(panel.port)", "user", "Anna", "en", "", "n", "y"]
        let done = try Program.run(
            ["setup", "--config", file], in: directory, input: answers.joined(separator: "\n") + "\n")
        #expect(done.status == 0, "\(done.output) \(done.errors)")
        #expect(directory.read("house.yaml.before-setup") == "panel: {host: 192.0.2.1, password: user}\n")
        #expect(directory.read("house.yaml").contains("host: '127.0.0.1'"))
        #expect(done.output.contains("Nobody is told then"))
        // What cannot be kept is not written over.
        let kept = "\(file).before-setup"
        try FileManager.default.removeItem(atPath: kept)
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: false)
        let before = directory.read("house.yaml")
        let refused = try Program.run(
            ["setup", "--config", file], in: directory, input: answers.joined(separator: "\n") + "\n")
        #expect(refused.status == 1 && refused.errors.contains("cannot be kept as"), "\(refused.errors)")
        #expect(directory.read("house.yaml") == before)
    }
}
