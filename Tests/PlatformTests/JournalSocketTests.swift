import AlarmModel
import Glibc
import Platform
import Testing

@Suite("The journal's own way in")
struct JournalSocketTests {
    @Test("each value is a field of its own, and the line for people names them all")
    func eachValueIsAFieldOfItsOwn() throws {
        let directory = try TemporaryDirectory()
        let journal = try JournalEnd("\(directory.path)/journal")
        let log = LogWriter(form: .journal, journal: "\(directory.path)/journal")
        log.write(LogEntry(.warning, "storage failed", [.init("reason", "disk full"), .init("event.code", "609")]))
        let datagram = try #require(journal.read())
        #expect(
            datagram.split(separator: "\n").map(String.init) == [
                "MESSAGE=storage failed reason=\"disk full\" event.code=609", "PRIORITY=4",
                "SYSLOG_IDENTIFIER=howalarming", "HOWALARMING_REASON=disk full", "HOWALARMING_EVENT_CODE=609",
            ])
    }

    @Test("a value of several lines stands behind its length and adds no field of its own")
    func aValueOfSeveralLinesStandsBehindItsLengthAndAddsNoField() {
        let entry = LogEntry(.error, "x", [.init("why", "a\nPRIORITY=0")])
        let bytes = JournalSocket.datagram(entry, text: "x")
        let end = Array("HOWALARMING_WHY\n".utf8) + [12, 0, 0, 0, 0, 0, 0, 0] + Array("a\nPRIORITY=0\n".utf8)
        #expect(Array(bytes.suffix(end.count)) == end)
    }

    @Test("a journal that does not read never holds up the daemon; it is told how much it missed")
    func aJournalThatDoesNotReadNeverHoldsUpTheDaemon() throws {
        let directory = try TemporaryDirectory()
        let journal = try JournalEnd("\(directory.path)/journal")
        let log = LogWriter(form: .journal, journal: "\(directory.path)/journal")
        let count = 100_000
        for number in 0..<count { log.write(LogEntry(.info, "line \(number)")) }
        var taken = 0
        while journal.read() != nil { taken += 1 }
        #expect(taken > 0 && taken < count)
        log.write(LogEntry(.info, "after"))
        let note = try #require(journal.read())
        #expect(note.contains("HOWALARMING_COUNT=\(count - taken)"), "\(note)")
        #expect(journal.read()?.hasPrefix("MESSAGE=after\n") == true)
    }

    @Test("where no journal listens the line goes to standard error")
    func whereNoJournalListensTheLineGoesToStandardError() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/log"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        let log = LogWriter(form: .journal, descriptor: file, journal: "\(directory.path)/nobody")
        log.write(LogEntry(.notice, "here", [.init("key", "value")]))
        #expect(String(decoding: try FileReader.read(path, limit: 4096), as: UTF8.self) == "<5>here key=value\n")
    }
}

/// The journal's end.
private final class JournalEnd {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }

    func read() -> String? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    deinit { close(descriptor) }
}
