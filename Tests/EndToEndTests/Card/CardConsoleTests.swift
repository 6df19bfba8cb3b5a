import Foundation
import Testing

@Suite("a card with errors, at the console", .timeLimit(.minutes(3)))
struct CardConsoleTests {
    private static func take(_ directory: TestDirectory) throws -> Program.Result {
        try Program.run(
            [
                "card", "--card", "\(directory.path)/card", "--data", "\(directory.path)/state/card", "--network-out",
                "\(directory.path)/run",
            ], in: directory)
    }

    @Test("without a daemon the console says line, column and remedy; once corrected, what holds is valid")
    func withoutADaemonTheConsoleSaysLine() throws {
        let directory = try TestDirectory()
        for name in ["card", "state", "run"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory.path)/\(name)", withIntermediateDirectories: true)
        }
        _ = try directory.write(
            "card/howalarming.yaml",
            "\u{FEFF}site: {time_zone: UTC}\r\npanel:\r\n  host: 192.0.2.1\r\n  pasword: secret\r\n")
        let refused = try Self.take(directory)
        #expect(refused.status == 1)
        #expect(refused.output.contains("error: line 4, column 3: unknown key 'pasword'"), "\(refused.output)")
        #expect(!directory.contains("state/card/howalarming.yaml"))
        #expect(directory.read("card/howalarming-errors.txt").contains("Line 4, column 3: unknown key 'pasword'"))
        let desk = try ConsoleUser("desk", in: directory, stateDirectory: "\(directory.path)/state", rows: 40)
        try desk.wait(
            for: "DAEMON AWAY", "there is no valid configuration: the panel is not watched",
            "line 4, column 3: unknown key 'pasword' in 'panel'", "'password'?", "Switch the box off",
            "howalarming.yaml there")
        try desk.type("6")
        try desk.wait(for: "Network", "line 4, column 3")
        // Corrected, and taken: the console says so by itself.
        _ = try directory.write(
            "card/howalarming.yaml",
            "\u{FEFF}site: {time_zone: UTC}\r\npanel:\r\n  host: 192.0.2.1\r\n  password: secret\r\n")
        let taken = try Self.take(directory)
        #expect(taken.status == 0, "\(taken.output)")
        try desk.wait(for: "the configuration of the card holds")
        #expect(
            directory.read("card/howalarming.yaml")
                == "\u{FEFF}site: {time_zone: UTC}\r\npanel:\r\n  host: 192.0.2.1\r\n"
                + "  password: ''  # kept on the box\r\n")
        #expect(!directory.contains("card/howalarming-errors.txt"))
        let check = try Program.run(["check", "\(directory.path)/state/card/howalarming.yaml"], in: directory)
        #expect(check.status == 0, "\(check.output)")
        try desk.type("q")
        #expect(try desk.waitForExit() == 0)
    }
}
