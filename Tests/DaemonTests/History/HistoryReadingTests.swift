import AlarmModel
import EventStore
import Foundation
import Platform
import Testing

@testable import CommandKit
@testable import Reports
@testable import Subcommands

@Suite("the history of a house, from its journal") struct HistoryReadingTests {
    private final class Place {
        let directory = NSTemporaryDirectory() + "history-" + UUID().uuidString
        private var batches: UInt64 = 0

        init() throws { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: directory) }

        func commit(_ journal: Journal, _ events: [Event], _ more: (inout Batch) -> Void = { _ in }) throws {
            batches += 1
            var batch = Batch(id: BatchID(batches), events: events)
            more(&batch)
            _ = try journal.commit([batch])
        }

        func journal() throws -> Journal { try Journal(directory: directory, options: Journal.Options(run: "run")) }

        /// A busy house: so many events a day, a thousand in each transaction.
        func fill(days: Int, eventsADay: Int, until: WallTime) throws {
            let journal = try journal()
            let span = Int64(86_400_000 / eventsADay)
            var waiting: [Event] = []
            for number in 0..<(days * eventsADay) {
                let time = WallTime(
                    milliseconds: until.milliseconds - span * Int64(days * eventsADay - number))
                waiting.append(Self.event(number, at: time))
                if waiting.count == 1000 {
                    try commit(journal, waiting)
                    waiting = []
                }
            }
            try commit(journal, waiting)
        }

        private static func event(_ number: Int, at time: WallTime) -> Event {
            let zone = number / 2 % 40 + 1
            let (type, code): (EventType, String) =
                switch number % 250 {
                case 0: (.armed, "652")
                case 125: (.disarmed, "655")
                case 60: number % 1000 < 250 ? (.alarm, "601") : (.info, "609")
                case 200: (.fault, "802")
                case 201: (.recovery, "803")
                case 210: (.command, EventCode.command.rawValue)
                default: (.info, number % 2 == 0 ? "609" : "610")
                }
            return Event(
                type: type, code: code, raw: "\(code)1\(zone)", message: "Zone \(zone) The window of a room has moved",
                time: time, isTimeTrusted: true, partition: 1, partitionName: "Ground floor",
                zone: type == .info || type == .alarm ? zone : nil, zoneName: "The window of room \(zone)",
                userName: type == .command ? "Anna" : nil)
        }
    }

    private static let now = HistoryHouse.at(11, 20, 12)

    @Test("it is read page by page, and only what is shown and the month before it")
    func itIsReadPageByPage() throws {
        let place = try Place()
        try place.fill(days: 100, eventsADay: 120, until: Self.now)
        var reading = HistoryReading(stateDirectory: place.directory, now: Self.now, rules: HistoryHouse.rules)
        let report = try reading.report(days: 10)
        // Nine days and a half of 120.
        #expect(report.events == 1140)
        #expect(report.journalFrom == Self.now + .hours(-24 * 100))
        #expect((5...60).contains(reading.pages))
        #expect(report.zones.reduce(0) { $0 + $1.opened } > 500)
        #expect(report.lanes.map(\.name) == ["Ground floor"])
        // Sentences are read where they are shown, and nowhere else.
        #expect(!report.told.isEmpty && report.told.allSatisfy { $0.message.hasPrefix("Zone ") })
        #expect(report.zones.contains { $0.name == nil })
        #expect(report.silent == [])
    }

    @Test("who had an alarm, and after how long, comes from the messages; duress is told of nowhere")
    func whoHadAnAlarm() throws {
        let place = try Place()
        let time = Self.now + .minutes(-10)
        func event(_ message: String, _ flags: EventFlags = []) -> Event {
            Event(
                type: .alarm, code: "601", raw: "6011003", message: message, time: time, isTimeTrusted: true,
                partition: 1, zone: 3, flags: flags)
        }
        let journal = try place.journal()
        try place.commit(journal, [event("Help me", .duress), event("Alarm: Kitchen")]) { batch in
            for (name, address, index) in [("a", 1, 1), ("b", 2, 1), ("c", 3, 1), ("d", 1, 0)] as [(String, Int64, Int)]
            {
                batch.outbox.append(
                    OutboxRow(
                        message: MessageID(name), address: AddressID(address), event: index, priority: .alarm,
                        createdAt: time, expiresAt: time + .hours(24)))
            }
        }
        try place.commit(journal, []) { batch in
            for (name, state, seconds) in [
                ("a", .received, 2), ("b", .accepted, 1), ("d", .seen, 5),
            ] as [(String, OutboxState, Int)] {
                batch.outboxChanges.append(
                    OutboxChange(message: MessageID(name), state: state, time: time + .seconds(seconds)))
            }
        }
        let anna = Person(id: PersonID(1), name: "Anna")
        let phone = Phone(
            id: PhoneID(7), person: PersonID(1), name: "iPhone", roles: .view,
            hasPresenceKey: false, addresses: [PhoneAddress(id: AddressID(1), kind: .topic, value: "x/y")],
            pairedAt: time)
        let mail = HouseAddress(address: AddressID(2), kind: .mail, value: "ben@example.org", triggers: [])
        try PhoneFile.write(
            PhoneBook(people: [anna], phones: [phone], house: [mail]), [], in: place.directory)
        let files = try FileManager.default.contentsOfDirectory(atPath: place.directory).sorted()
        var reading = HistoryReading(stateDirectory: place.directory, now: Self.now, rules: HistoryHouse.rules)
        let report = try reading.report(days: 1)
        #expect(report.told.map(\.message) == ["Alarm: Kitchen"])
        #expect(
            report.told.first?.deliveries == [
                .init(way: "Anna (iPhone)", state: .received, after: .seconds(2)),
                .init(way: "mail ben@example.org", state: .accepted, after: .seconds(1)),
                .init(way: "a phone that is gone", state: .waiting, after: .zero),
            ])
        #expect(report.ways.map(\.name) == ["Anna (iPhone)", "mail ben@example.org", "a phone that is gone"])
        #expect(report.ways.map(\.all) == [1, 1, 1])
        #expect(report.ways.first?.average == .seconds(2))
        let all = HistoryPage(report).text + HistoryText(report).lines.joined()
        #expect(!all.contains("Help me"))
        // A reader beside the daemon leaves nothing behind.
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory).sorted() == files)
    }

    @Test("who watched the box is told by name, the newer month first; what a later version writes is shown as it is")
    func whoWatchedTheBox() throws {
        let place = try Place()
        func record(_ watcher: String, _ month: Int, _ count: Int) -> WatchRecord {
            WatchRecord(watcher: watcher, month: 24_312 + month - 1, count: count, longestGap: 899, last: Self.now)
        }
        try place.commit(try place.journal(), []) { batch in
            batch.snapshot = Snapshot(watch: [
                record("phone 0000000000000007", 10, 2976), record("service", 10, 9), record("receiver", 11, 5),
                record("phone 0000000000000007", 11, 12), record("satellite", 11, 1),
                record("phone 0000000000000008", 11, 2), record("receiver", -40_000, 3),
            ])
        }
        let phone = Phone(
            id: PhoneID(7), person: PersonID(1), name: "iPhone", roles: .view, hasPresenceKey: false, addresses: [],
            pairedAt: Self.now)
        try PhoneFile.write(
            PhoneBook(people: [Person(id: PersonID(1), name: "Anna")], phones: [phone]), [], in: place.directory)
        var reading = HistoryReading(stateDirectory: place.directory, now: Self.now, rules: HistoryHouse.rules)
        let report = try reading.report(days: 1)
        #expect(
            report.watched.map { "\($0.month) \($0.who) \($0.count)" } == [
                "2026-11 the alarm receiver 5", "2026-11 Anna (iPhone) 12", "2026-11 satellite 1",
                "2026-11 a phone that is gone (0000000000000008) 2", "2026-10 Anna (iPhone) 2976",
                "2026-10 the service at heartbeat.url 9",
            ])
        let text = HistoryText(report).lines
        #expect(text.contains("Anna (iPhone)                            2026-11           12       14 min"))
        report.watched.forEach { #expect(HistoryPage(report).text.contains($0.who)) }
        var empty = report
        empty.watched = []
        #expect(HistoryText(empty).lines.joined(separator: " ").contains("notices when this box is dead"))
        #expect(HistoryPage(empty).text.contains("notices when this box is dead"))
    }

    @Test("the command writes text or a page, and refuses days that are none and a file that is there")
    func theCommandWritesTextOrAPage() throws {
        let place = try Place()
        try place.fill(days: 40, eventsADay: 20, until: SystemClock.wallTime())
        let file = "\(place.directory)/house.html"
        func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
            let given = try ParsedArguments(
                arguments + ["--state", place.directory], syntax: ReportCommand.entry.syntax)
            let paths = ["\(place.directory)/out", "\(place.directory)/err"]
            for path in paths { try Data().write(to: URL(fileURLWithPath: path)) }
            let handles = try paths.map { try #require(FileHandle(forWritingAtPath: $0)) }
            let status = try ReportCommand.entry.read(given).run(
                on: Console(output: handles[0].fileDescriptor, errors: handles[1].fileDescriptor))
            let texts = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
            return (status, texts[0], texts[1])
        }
        let text = try run([])
        #expect(text.status == 0 && text.output.contains("30 days, "))
        #expect(try run(["--days", "7", "--html", file]).status == 0)
        try HTMLJudge.check(try String(contentsOfFile: file, encoding: .utf8))
        let again = try run(["--html", file])
        #expect(again.status == 1 && again.errors.contains("is there already"))
        #expect(try run(["--html", file, "--replace"]).status == 0)
        #expect(try run(["--html", "\(place.directory)/no/where"]).errors.contains("cannot be written"))
        for days in ["0", "367", "-1", "a", ""] {
            #expect(throws: UsageError.self) { try run(["--days", days]) }
        }
    }

    @Test("without a journal it says so")
    func withoutAJournalItSaysSo() throws {
        let place = try Place()
        let error = "\(place.directory)/err"
        try Data().write(to: URL(fileURLWithPath: error))
        let handle = try #require(FileHandle(forWritingAtPath: error))
        let command = ReportCommand(days: 30, page: nil, replace: false, stateDirectory: place.directory)
        #expect(command.run(on: Console(output: handle.fileDescriptor, errors: handle.fileDescriptor)) == 1)
        #expect(try String(contentsOfFile: error, encoding: .utf8).contains("the journal cannot be read"))
    }

    /// Its times are figures of BENCHMARKS.md.
    @Test("a year of a busy house is read a page of rows at a time, and its page is small")
    func aYearOfABusyHouse() throws {
        let place = try Place()
        try place.fill(days: 396, eventsADay: 500, until: Self.now)
        var reading = HistoryReading(stateDirectory: place.directory, now: Self.now, rules: HistoryHouse.rules)
        let clock = ContinuousClock()
        let alone = try clock.measure {
            try StoredEvents(reader: JournalReader(directory: place.directory)).read(
                EventQuery(limit: .max), isBrief: true
            ) { _ in
                true
            }
        }
        var report: HistoryReport?
        let read = try clock.measure { report = try reading.report(days: 365) }
        let made = try #require(report)
        #expect(made.events == 182_250)
        // At most a thousand rows are held at once; a slow disk ends a page earlier.
        #expect(reading.pages > 182)
        var page = ""
        let drawn = clock.measure { page = HistoryPage(made).text }
        #expect(page.utf8.count < 600_000)
        print(
            "A year: \(made.events) events in \(reading.pages) pages read in \(read), of it \(alone) for the rows alone; "
                + "drawn in \(drawn), \(page.utf8.count) bytes")
    }
}
