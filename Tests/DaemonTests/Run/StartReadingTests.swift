import AlarmModel
import ApplianceCore
import EventStore
import Foundation
import PanelLink
import Platform
import Testing

@testable import Daemon

@Suite("Reading what the core starts with", .timeLimit(.minutes(1)))
struct StartReadingTests {
    @Test("a store that is not open in time: the phones and the log number are there all the same, and it is told late")
    func aStoreThatIsNotOpenInTime() throws {
        let place = try StartBench()
        try place.writePhones()
        place.begin(patience: .seconds(1))
        // The phones have been read by then. Opening the journal asks for the number once more, and waits.
        try place.answerNumber("00000007\n")
        #expect(place.run())
        let start = try #require(place.started.first)
        #expect(!start.isStoreOpen)
        #expect(start.phoneBook == place.book)
        #expect(start.log == "00000007")
        #expect(start.findings == [.storeUnavailable(why: "the disk did not answer for 10 seconds")])
        try place.removePipe()
        #expect(place.run())
        #expect(place.started.count == 1)
        #expect(place.late.map(\.outcome) == [.fresh])
    }

    @Test("a damaged store that is opened after the start had waited for it: the damage is told, too")
    func aDamagedStoreThatIsOpenedAfterTheStartHadWaitedForIt() throws {
        let place = try StartBench()
        try place.writePhones()
        try Data("no journal at all".utf8).write(to: URL(fileURLWithPath: place.path(Journal.fileName)))
        place.begin(patience: .seconds(1))
        try place.answerNumber("00000007\n")
        #expect(place.run())
        try place.removePipe()
        #expect(place.run())
        guard case .storeDamaged(let file, _)? = place.late.first?.damage.first else {
            Issue.record("nothing is told: \(place.late)")
            return
        }
        #expect(FileManager.default.fileExists(atPath: place.path(file)))
    }

    @Test("phones that the card did not give at first are read again behind the journal")
    func phonesThatTheCardDidNotGiveAtFirstAreReadAgainBehind() throws {
        let place = try StartBench()
        for name in PhoneFile.names { try place.makeDirectory(name) }
        place.begin(patience: .seconds(30))
        // They have been asked for in vain by then.
        try place.removePipe {
            for name in PhoneFile.names { try FileManager.default.removeItem(atPath: place.path(name)) }
            try place.writePhones()
        }
        #expect(place.run())
        let start = try #require(place.started.first)
        #expect(start.isStoreOpen)
        #expect(start.phoneBook == place.book)
        #expect(start.findings.isEmpty)
    }

    @Test("a journal that cannot be opened: the phones are there, and messages carry the number that is stored")
    func aJournalThatCannotBeOpened() throws {
        let place = try StartBench()
        try place.removePipeUnread()
        try place.writePhones()
        try LogNumber(5).store(in: place.directory)
        try place.makeDirectory(Journal.fileName)
        place.begin(patience: .seconds(30))
        #expect(place.run())
        let start = try #require(place.started.first)
        #expect(!start.isStoreOpen)
        #expect(start.phoneBook == place.book)
        #expect(start.log == "00000005")
        #expect(place.late.isEmpty)
    }

    @Test("phones that cannot be read at all are told, and nothing is written in their place")
    func phonesThatCannotBeReadAtAllAreTold() throws {
        let place = try StartBench()
        try place.removePipeUnread()
        for name in PhoneFile.names { try place.makeDirectory(name) }
        place.begin(patience: .seconds(30))
        #expect(place.run())
        let start = try #require(place.started.first)
        #expect(start.isStoreOpen)
        #expect(start.phoneBook == nil)
        #expect(start.findings.count == 1)
    }

    @Test("an end while the store is being opened: what the answers would ask for next is not done any more")
    func anEndWhileTheStoreIsBeingOpened() throws {
        let place = try StartBench()
        try place.removePipeUnread()
        for name in PhoneFile.names { try place.makeDirectory(name) }
        place.begin(patience: .seconds(30))
        let hasEnded = place.disk.stop(within: .seconds(10))
        #expect(hasEnded)
        #expect(place.started.isEmpty)
    }
}

/// A state directory in whose place of the log number there is a pipe: whoever reads it waits for the test.
private final class StartBench {
    let directory: String
    let loop: EventLoop
    let disk: Disk
    let book = PhoneBook(version: 3, starts: 9)
    private(set) var started: [Start] = []
    private(set) var late: [OpenReport] = []

    init() throws {
        let directory = NSTemporaryDirectory() + "start-" + UUID().uuidString
        self.directory = directory
        try StateFile.makeDirectory(directory)
        let pipe = mkfifo("\(directory)/\(LogNumber.fileName)", 0o600)
        try #require(pipe == 0)
        loop = try EventLoop()
        disk = try Disk(directory: directory, options: Journal.Options(run: "0000beef"), loop: loop)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func makeDirectory(_ name: String) throws { try StateFile.makeDirectory(path(name)) }

    func writePhones() throws { try PhoneFile.write(book, [], in: directory) }

    func begin(patience: Duration) {
        let plain = Start(
            configuration: Configuration(panelHost: "192.0.2.1", panel: PanelSettings(password: Secret("x"))))
        StartReading.begin(
            plain, from: disk, on: loop, patience: patience,
            late: { [weak self] report in
                self?.late.append(report)
                self?.loop.stop()
            },
            then: { [weak self] start, _ in
                self?.started.append(start)
                self?.loop.stop()
            })
    }

    /// Until the core is started, or what came late is told.
    func run() -> Bool {
        var isInTime = true
        let token = loop.setTimer(after: .seconds(40)) { [loop] in
            isInTime = false
            loop.stop()
        }
        loop.run()
        loop.cancel(token)
        return isInTime
    }

    /// Waits for the reader, and lets it read this.
    func answerNumber(_ text: String) throws {
        let writer = open(path(LogNumber.fileName), O_WRONLY)
        try #require(writer >= 0)
        let bytes = Array(text.utf8)
        let count = write(writer, bytes, bytes.count)
        close(writer)
        try #require(count == bytes.count)
    }

    /// Waits for the reader; after the work there is no number, for it and everybody after it.
    func removePipe(after work: () throws -> Void = {}) throws {
        let writer = open(path(LogNumber.fileName), O_WRONLY)
        try #require(writer >= 0)
        defer { close(writer) }
        try work()
        try removePipeUnread()
    }

    func removePipeUnread() throws { try FileManager.default.removeItem(atPath: path(LogNumber.fileName)) }
}
