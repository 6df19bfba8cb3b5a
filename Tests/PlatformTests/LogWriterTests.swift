import AlarmModel
import Glibc
import Platform
import Testing

@Suite struct LogWriterTests {
    private let time = WallTime(milliseconds: 1_700_000_000_000)

    @Test("the journal gets the level in front and nothing that starts a line of its own")
    func theJournalGetsTheLevelInFrontAndNothingThatStartsALine() {
        let entry = LogEntry(
            .warning, "panel said\nnonsense", [.init("line", "a \"b\" \u{1B}[2J"), .init("count", "3")])
        #expect(
            LogWriter.line(entry, at: time, form: .journal)
                == #"<4>panel said\x0anonsense line="a \"b\" \\x1b[2J" count=3"#)
    }

    @Test("people get a time and a word")
    func peopleGetATimeAndAWord() {
        let line = LogWriter.line(LogEntry(.error, "disk full"), at: time, form: .people)
        #expect(line.hasPrefix("2023-11-1"))
        #expect(line.hasSuffix(" error: disk full"))
    }

    @Test("levels above the one asked for are left out, and a reader that does not keep up loses counted lines")
    func levelsAboveTheOneAskedForAreLeftOut() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let writer = LogWriter(level: .info, form: .journal, descriptor: ends[1])
        writer.write(LogEntry(.debug, "hidden"))
        let long = String(repeating: "x", count: 3000)
        for _ in 0..<100 { writer.write(LogEntry(.info, long)) }
        var text = readAvailable(ends[0])
        #expect(!text.contains("hidden"))
        let kept = text.split(separator: "\n").count
        #expect(kept > 3 && kept < 100)
        writer.write(LogEntry(.info, "after"))
        text = readAvailable(ends[0])
        #expect(text == "<4>log lines were dropped count=\(100 - kept)\n<6>after\n")
    }

    private func readAvailable(_ descriptor: Int32) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 65536)
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) == 1 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }
}
