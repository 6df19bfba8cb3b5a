import Foundation
import Glibc
import PhoneProtocol
import Testing

/// `phones pair` as its owner sees it, on a terminal of 80 by 24.
@Suite("pairing on a terminal", .serialized, .timeLimit(.minutes(15)))
struct PairingTerminalTests {
    @Test(
        "the picture and the code in groups of five are on one screen; the phone's digits, typed there, end it",
        .enabled(if: Independents.hasQRencode, "no qrencode: \(Independents.advice)"))
    func thePictureAndTheCodeInGroupsOfFiveAreOnOneScreen() throws {
        let house = try PhoneHouse.running()
        let phone = try PhoneProcess(in: house.directory, name: "Anna", push: house.push)
        let (terminal, keyboard, screen) = try Self.begin(in: house)
        let picture = screen.picture
        #expect(!picture.isEmpty && picture.count <= 21)
        for row in picture {
            #expect(row.count <= 41, "\(row)")
            let isDrawn = row.allSatisfy { " █▀▄".contains($0) }
            #expect(isDrawn, "\(row)")
        }
        // It is a picture of this code and no other.
        let groups = screen.groups
        #expect(try Self.drawn(groups.joined(), margin: 4, in: house) == picture.map(Self.trimmed))

        try phone.say("pair \(screen.code)")
        let digits = try #require(try phone.waitForLine("digits ").split(separator: " ").last)
        _ = try eventually("the question for the digits; \(terminal.report)") {
            terminal.output.contains("six digits") ? true : nil
        }
        try keyboard.type(digits == "000000" ? "111111\r" : "000000\r")
        _ = try eventually("a word about wrong digits; \(terminal.report)") {
            terminal.output.contains("not the digits") || terminal.output.contains("wrong") ? true : nil
        }
        #expect(terminal.isRunning)
        try keyboard.type("\(digits)\r")
        #expect(try terminal.waitForExit() == 0, "\(terminal.report)")
        try phone.waitForLine("paired with")
        // The screen before comes back, and nothing of the code stays.
        let end = try #require(terminal.output.components(separatedBy: "\u{1B}[?1049l").last)
        #expect(end.contains("Anna") && !end.contains(groups[1]), "\(end)")
        let phones = try house.phones()["phones"]?.arrayValue
        #expect(phones?.count == 1)
        #expect(try house.house.stop() == 0)
    }

    @Test(
        "where app.url is configured, the picture is a link that opens the app with the code",
        .enabled(if: Independents.hasQRencode, "no qrencode: \(Independents.advice)"))
    func whereAppURLIsConfiguredThePictureIsALink() throws {
        let app = "https://alarm.example.org/howalarming/app/"
        let house = try PhoneHouse.running { configuration, _ in configuration.channels = ["app: {url: '\(app)'}"] }
        let (terminal, keyboard, screen) = try Self.begin(in: house)
        let link = app + "#" + screen.groups.joined()
        #expect(try Self.drawn(link, margin: 2, in: house) == screen.picture.map(Self.trimmed))
        #expect(screen.text.contains("Scan this with the phone's"))
        try keyboard.type("\u{3}")
        #expect(try terminal.waitForExit() != 0)
        #expect(try house.house.stop() == 0)
    }

    /// `phones pair` on a terminal, until its code is there.
    private static func begin(in house: PhoneHouse) throws -> (terminal: Program, keyboard: Keyboard, screen: Screen) {
        _ = try house.house.run("people", "add", "Anna")
        let keyboard = try Keyboard(in: house.directory)
        let terminal = try Program(
            "terminal",
            [
                "-c", Self.terminal, Program.path, "phones", "pair", "--person", "Anna", "--state",
                house.house.stateDirectory,
            ], in: house.directory, environment: variables, inputFile: keyboard.path, executable: "/usr/bin/python3")
        let screen = try eventually("the code on the screen; \(terminal.report)") {
            screens(terminal.output).last { $0.picture.count >= 21 && $0.text.contains("Waiting for the phone") }
        }
        #expect(screen.lines.count <= 24)
        for line in screen.lines { #expect(line.count <= 80, "\(line)") }
        #expect(screen.groups.count > 3)
        for group in screen.groups.dropLast() { #expect(group.count == 5, "\(screen.groups)") }
        #expect((1...5).contains(screen.groups.last?.count ?? 0), "\(screen.groups)")
        return (terminal, keyboard, screen)
    }

    /// Rows of the picture as qrencode makes it here.
    private static func drawn(_ text: String, margin: Int, in house: PhoneHouse) throws -> [String] {
        try Program.run(
            ["-t", "UTF8", "-l", "L", "-m", "\(margin)", "-o", "-"], in: house.directory, environment: variables,
            input: text, executable: qrencode
        ).lines.map(trimmed)
    }

    private static let variables = [
        "PATH": "\(Independents.root)/usr/bin:/usr/bin:/bin", "LD_LIBRARY_PATH": Independents.libraries,
        "TERM": "xterm",
    ]

    private static let qrencode =
        access("\(Independents.root)/usr/bin/qrencode", X_OK) == 0
        ? "\(Independents.root)/usr/bin/qrencode" : "/usr/bin/qrencode"

    private static func trimmed(_ row: String) -> String {
        String(row.reversed().drop { $0 == " " }.reversed())
    }

    /// What stood on the terminal at one time.
    struct Screen {
        var picture: [String] = []
        /// Without the colours.
        var lines: [String] = []
        /// All its groups, with the dashes.
        var code = ""
        var text: String { lines.joined(separator: "\n") }
        var groups: [String] { code.split(separator: "-", omittingEmptySubsequences: false).map(String.init) }
    }

    /// Every screen that was drawn whole.
    private static func screens(_ output: String) -> [Screen] {
        output.components(separatedBy: "\u{1B}[H\u{1B}[J").dropFirst().map { drawn in
            var screen = Screen()
            var words: [String] = []
            for line in drawn.components(separatedBy: "\n") {
                let parts = line.components(separatedBy: "\u{1B}[97;40m")
                if parts.count == 2, let end = parts[1].range(of: "\u{1B}[0m") {
                    let row = String(parts[1][..<end.lowerBound])
                    screen.picture.append(row)
                    screen.lines.append(row + parts[1][end.upperBound...])
                    words.append(parts[1][end.upperBound...].trimmingCharacters(in: .whitespaces))
                } else {
                    screen.lines.append(line)
                    words.append(line.trimmingCharacters(in: .whitespaces))
                }
            }
            if let first = words.firstIndex(where: { $0.hasPrefix("HA2:") }) {
                screen.code = words[first...].prefix { !$0.isEmpty }.joined()
            }
            return screen
        }
    }

    /// Runs a program on a terminal of 80 by 24; keys come from standard input.
    private static let terminal = """
        import fcntl, os, pty, select, struct, subprocess, sys, termios
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
        child = subprocess.Popen(sys.argv[1:], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        while True:
            ready, _, _ = select.select([ours, 0], [], [], 60)
            if not ready: break
            if ours in ready:
                try: part = os.read(ours, 65536)
                except OSError: break
                if not part: break
                os.write(1, part.replace(b'\\r', b''))
            if 0 in ready: os.write(ours, os.read(0, 256))
        sys.exit(child.wait(10))
        """
}

/// A pipe from which a program reads its keys.
private final class Keyboard {
    let path: String
    private let pipe: TestSocket

    init(in directory: TestDirectory) throws {
        path = "\(directory.path)/keyboard.pipe"
        guard mkfifo(path, 0o600) == 0 else { throw HarnessError("no pipe for the keys") }
        pipe = try TestSocket(adopting: open(path, O_RDWR | O_CLOEXEC))
    }

    func type(_ keys: String) throws {
        let bytes = Array(keys.utf8)
        guard write(pipe.descriptor, bytes, bytes.count) == bytes.count else {
            throw HarnessError("nobody reads the keys")
        }
    }
}
