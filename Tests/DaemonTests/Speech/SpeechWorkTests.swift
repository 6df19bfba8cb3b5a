import AlarmModel
import Foundation
import Glibc
import Platform
import Testing

@testable import Daemon

@Suite("Words are spoken into the modem's port")
struct SpeechWorkTests {
    /// A port of the modem, which is one end of a terminal, and a program that speaks.
    private final class Line {
        let loop: EventLoop
        let directory: URL
        private let ours: Int32
        private let theirs: Int32
        private(set) var heard: [UInt8] = []
        private(set) var failures: [String] = []
        private var work: SpeechWork?

        /// - Parameter script: of the program, which finds the file for its sound in `$file`
        init(_ script: String) throws {
            loop = try EventLoop()
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("speech-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            ours = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
            // TIOCSPTLCK and TIOCGPTN, ioctl_tty(2): unlocks the other end, and tells its number.
            var (locked, number): (Int32, Int32) = (0, -1)
            try #require(ioctl(ours, 0x4004_5431, &locked) == 0 && ioctl(ours, 0x8004_5430, &number) == 0)
            let name = "/dev/pts/\(number)"
            theirs = open(name, O_RDWR | O_NOCTTY)
            try #require(symlink(name, path("ttyUSB4")) == 0)
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = [
                "-c", #"printf '%s\n' "$1" > "$0" && chmod 755 "$0""#, path("speak"),
                "#!/bin/sh\nfor file; do :; done\ncd \(directory.path)\n\(script)",
            ]
            try shell.run()
            shell.waitUntilExit()
        }

        deinit {
            close(ours)
            close(theirs)
            try? FileManager.default.removeItem(at: directory)
        }

        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
        func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }

        /// Until this many bytes were heard, or it failed.
        /// - Parameter count: nil: nobody listens
        func speak(
            _ text: String, until count: Int?, port: String = "ttyUSB4", rate: Int = 8000,
            programPatience: Duration = .seconds(15)
        ) throws {
            let json = #"{"text": "\#(text)", "language": "de", "port": "\#(port)", "rate": \#(rate)}"#
            let request = try #require(SpeechRequest(Array(json.utf8)))
            let places = SpeechWork.Places(
                program: path("speak"), devices: directory.path, directory: directory.path)
            work = SpeechWork(request, places, programPatience: programPatience, on: loop) { [self] in
                failures.append($0)
                loop.stop()
            }
            let watch = try loop.watch(ours, for: .read) { [self] _ in
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let got = read(ours, &buffer, buffer.count)
                if got > 0 { heard += buffer[..<got] }
                if heard.count >= count ?? .max { loop.stop() }
            }
            if count == nil { watch.cancel() }
            let limit = loop.setTimer(after: .seconds(20)) { [self] in
                Issue.record("nothing happened")
                loop.stop()
            }
            loop.run()
            loop.cancel(limit)
            watch.cancel()
            work?.cancel()
        }
    }

    /// Eight samples at the rate of the line.
    private static let wave: [UInt8] =
        Array("RIFF".utf8) + [52, 0, 0, 0] + Array("WAVEfmt ".utf8)
        + [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0] + Array("data".utf8)
        + [16, 0, 0, 0] + (1...16).map { UInt8($0) }

    @Test("the words reach the program as its input alone, and the sound the port, again and again with a pause")
    func theWordsReachTheProgramAsItsInput() throws {
        let line = try Line(#"printf '%s ' "$@" > arguments; cat > words; cp sound.wav "$file""#)
        try Data(Self.wave).write(to: line.directory.appendingPathComponent("sound.wav"))
        let round = 16 + 8000 * 3
        try line.speak("Feuer. -w /etc/passwd", until: round + 16)
        #expect(line.failures == [])
        #expect(line.text("words") == "Feuer. -w /etc/passwd\n")
        #expect(line.text("arguments").hasPrefix("-b 1 -v de -s 140 --stdin -w \(line.directory.path)/"))
        let sound = Array(Self.wave.suffix(16))
        #expect(Array(line.heard[..<16]) == sound)
        #expect(line.heard[16..<round].allSatisfy { $0 == 0 })
        #expect(Array(line.heard[round..<round + 16]) == sound)
        let left = try FileManager.default.contentsOfDirectory(atPath: line.directory.path)
        #expect(!left.contains { $0.hasPrefix("howalarming-speech-") })
    }

    @Test("it is played at its own pace: a second takes a second")
    func itIsPlayedAtItsOwnPace() throws {
        let line = try Line(#"cat > words; cp sound.wav "$file""#)
        try Data(Self.wave).write(to: line.directory.appendingPathComponent("sound.wav"))
        let begin = SystemClock.bootTime()
        try line.speak("Feuer", until: 16_000)
        // A part is written ahead.
        #expect(SystemClock.bootTime() - begin >= .milliseconds(800))
    }

    @Test("a program that fails, one that makes no sound and one that is missing are named")
    func aProgramThatFailsIsNamed() throws {
        let broken = try Line("exit 3")
        try broken.speak("Feuer", until: 1)
        #expect(broken.failures == ["the program that speaks ended with status 3"])
        let silent = try Line(#"cat > words; echo no > "$file""#)
        try silent.speak("Feuer", until: 1)
        #expect(silent.failures == ["the program that speaks made no sound"])
        let missing = try Line("")
        unlink(missing.path("speak"))
        try missing.speak("Feuer", until: 1)
        #expect(missing.failures == ["the program that speaks (espeak-ng) is not installed"])
    }

    @Test("a program that does not end is killed, and one that makes more than 6 MiB has made no sound")
    func aProgramThatDoesNotEndIsKilled() throws {
        let slow = try Line("exec sleep 30")
        try slow.speak("Feuer", until: 1, programPatience: .milliseconds(200))
        #expect(slow.failures == ["the program that speaks was ended by signal 9"])
        for (more, failures) in [(0, []), (1, ["the program that speaks made no sound"])] {
            let size = SpeechWork.longest - Self.wave.count + more
            let much = try Line(#"cat > words; (cat sound.wav; head -c \#(size) /dev/zero) > "$file""#)
            try Data(Self.wave).write(to: much.directory.appendingPathComponent("sound.wav"))
            try much.speak("Feuer", until: 16)
            #expect(much.failures == failures)
        }
    }

    @Test("a port that takes nothing is given up after 3 s")
    func aPortThatTakesNothingIsGivenUp() throws {
        let line = try Line(#"cat > words; cp sound.wav "$file""#)
        try Data(Self.wave).write(to: line.directory.appendingPathComponent("sound.wav"))
        let begin = SystemClock.bootTime()
        // At 48 000 samples a second what the kernel keeps for a terminal is full soon.
        try line.speak("Feuer", until: nil, rate: 48_000)
        #expect(line.failures == ["the modem's port for sound takes nothing"])
        #expect(SystemClock.bootTime() - begin >= SpeechWork.portPatience)
    }

    @Test("a port that is not there is named")
    func aPortThatIsNotThereIsNamed() throws {
        let line = try Line(#"cat > words; cp sound.wav "$file""#)
        try Data(Self.wave).write(to: line.directory.appendingPathComponent("sound.wav"))
        try line.speak("Feuer", until: 1, port: "ttyUSB5")
        #expect(line.failures.first?.hasPrefix("the modem's port for sound: ") == true)
    }
}
