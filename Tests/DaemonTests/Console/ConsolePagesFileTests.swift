import AlarmModel
import ApplianceCore
import Card
import Foundation
import PanelLink
import PhoneLink
import Platform
import Testing

@testable import Reports
@testable import SerialConsole

/// Every page of the console, as its owner sees it: `docs/console.txt`. To write it anew:
/// `HOWALARMING_KEEP_TOLD=1 swift test --filter ConsolePagesFileTests`.
@Suite("The console's pages, as a file")
struct ConsolePagesFileTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/console.txt")

    @Test("are what the file shows")
    func areWhatTheFileShows() throws {
        let pages = Self.pages.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["HOWALARMING_KEEP_TOLD"] != nil {
            try pages.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(kept == pages)
    }

    // MARK: A quiet house, and one in alarm

    private static func house(inAlarm: Bool) -> PanelState {
        var panel = PanelState(link: .up)
        panel.withPartition(1) {
            $0.name = "Ground floor"
            $0.status = .known(inAlarm ? .alarm(.away) : .ready)
            $0.trouble = .known(false)
            if inAlarm {
                $0.incident = Incident(
                    since: WallTime(milliseconds: 0), isSinceTrusted: false, wasArmed: true, zones: [3])
            }
        }
        for (number, name, isOpen) in [
            (1, "Front door", false), (2, "Garage door", true), (3, "Kitchen window", inAlarm),
            (4, "Hall motion", false),
        ] {
            panel.withZone(number) {
                $0.name = name
                $0.open = .known(isOpen)
                $0.bypassed = .known(number == 2)
                $0.alarm = .known(inAlarm && number == 3)
            }
        }
        panel.system[.ac] = .known(.ok)
        return panel
    }

    private static func events(inAlarm: Bool) -> [StoredEvent] {
        let now = ConsoleBench.start.wall
        var told: [(hoursAgo: Double, EventType, String, zone: Int?, partition: Int?)] = [
            (20, .armed, "Partition 1 Ground floor armed away by Anna", nil, 1),
            (11, .disarmed, "Partition 1 Ground floor disarmed by Anna", nil, 1),
            (10.9, .info, "Zone 1 Front door open", 1, 1), (10.8, .info, "Zone 1 Front door closed", 1, 1),
            (6, .fault, "The panel has no mains power", nil, nil),
            (5.5, .recovery, "The panel has mains power again", nil, nil),
            (3, .info, "Zone 2 Garage door open", 2, 1),
        ]
        if inAlarm {
            told += [
                (2, .armed, "Partition 1 Ground floor armed away by Anna", nil, 1),
                (0.01, .alarm, "Alarm: Kitchen window, Ground floor", 3, 1),
            ]
        }
        return told.enumerated().map { index, line in
            var event = Event(
                type: line.1, code: "601", raw: "6011003", message: line.2,
                time: now + .milliseconds(-Int(line.hoursAgo * 3_600_000)), isTimeTrusted: true,
                partition: line.partition)
            event.partitionName = line.partition.map { _ in "Ground floor" }
            event.zone = line.zone
            event.zoneName = line.zone.map { ["Front door", "Garage door", "Kitchen window"][$0 - 1] }
            return StoredEvent(seq: SequenceNumber(Int64(index + 1)), event: event)
        }
    }

    private static func report(inAlarm: Bool) -> StatusReport {
        var phones = PhonesReport(connection: .channel(.ready), server: nil, problem: nil)
        var entry = PhonesReport.Entry(
            id: "k3v9q2xw", name: "Annas iPhone", person: "Anna", level: .topic, roles: ["seen", "status", "arm"])
        entry.lastAccepted = ConsoleBench.start.wall + .minutes(-9)
        phones.entries = [entry]
        phones.channels = [
            .init(kind: "ntfy", phase: .ready, problem: nil, lastAccepted: entry.lastAccepted, waiting: 0)
        ]
        return StatusReport(
            siteName: "Mill Lane 4", version: "1.0.0", uptime: .hours(76), time: ConsoleBench.start.wall,
            isTimeTrusted: true, panel: house(inAlarm: inAlarm), panelPhase: .up, panelProblem: nil,
            panelHost: "192.168.1.50:4025", store: StoreReport(lastSequence: SequenceNumber(9)),
            isMaintenance: false, clients: 1, phones: phones)
    }

    private static func bench(columns: Int, rows: Int, inAlarm: Bool = false) -> ConsoleBench {
        var bench = ConsoleBench(columns: columns, rows: rows, mayQuit: false)
        bench.told(.state, isUnlocked: true)
        for channel in [ConsoleSession.Channel.look, .feed, .act] { bench.open(channel) }
        bench.hear(.status(report(inAlarm: inAlarm)), on: .look)
        bench.hear(.events(events(inAlarm: inAlarm)), on: .feed)
        return bench
    }

    private static func page(_ title: String, _ bench: ConsoleBench) -> String {
        let width = bench.session.size.columns
        let frame = "+" + String(repeating: "-", count: width) + "+"
        let rows = bench.session.lines.map { line in
            "|" + line.text + String(repeating: " ", count: width - line.count) + "|"
        }
        // Of blank rows one stands for all.
        let body = rows.indices.filter { $0 == 0 || rows[$0] != rows[$0 - 1] }.map { rows[$0] }
        return ([title, "", frame] + body + [frame, ""]).joined(separator: "\n")
    }

    private static var pages: [String] {
        var pages = [
            """
            The pages of the console, written by a test (ConsolePagesFileTests). A bar is dark on light, an alarm light on red.
            Links, panel and self-test show what is asked for at that moment and are left out. Blank rows are left out, too.

            """
        ]
        for screen in ConsoleScreen.allCases where ![.links, .panel, .test].contains(screen) {
            var bench = bench(columns: 80, rows: 24)
            bench.type("\(screen.digit)")
            pages.append(page("\(screen.digit) \(screen.title)", bench))
        }
        for (key, title) in [
            ("?", "? What the keys do"), ("m", "M Menu"), ("a", "A Arm"), ("z", "Z Zones: bypass"),
            ("f", "F Phones"), ("b", "B USB stick"),
        ] {
            var bench = bench(columns: 80, rows: 24)
            bench.type(key)
            pages.append(page(title, bench))
        }
        var event = bench(columns: 80, rows: 24, inAlarm: true)
        event.type("2")
        event.press(.up, .enter)
        pages.append(page("One event, while the house is in alarm", event))
        for (columns, rows) in [(80, 24), (40, 15)] {
            pages.append(
                page("1 Overview, in alarm, \(columns)×\(rows)", bench(columns: columns, rows: rows, inAlarm: true)))
        }
        var absent = bench(columns: 80, rows: 24)
        var status = report(inAlarm: false)
        status.presence = PresenceReport(.notHome, topic: "house/presence")
        status.schedule = [RemindersRecord.Arming(partition: 1, at: ConsoleBench.start.wall + .minutes(9))]
        absent.hear(.status(status), on: .look)
        pages.append(page("1 Overview, nobody is at home and the schedule is about to arm", absent))
        var flashed = ConsoleBench(mayQuit: false)
        flashed.session.view.machine.card = CardReport(
            inForce: .none,
            problems: [
                .init(
                    line: 1, column: 1, what: "this is the example as it came, so nothing of it is used",
                    expected: "your house: at least the address and the password in 'panel'")
            ])
        flashed.session.closed(.look, "the daemon does not run", into: &flashed.actions)
        pages.append(page("1 Overview, a card as it was flashed", flashed))
        let backup = "howalarming-2026-11-20-1900.backup"
        for (title, report) in [
            (
                "that did not come",
                RestoreReport(
                    .failed, file: backup,
                    why: "The backup cannot be used: \(SealingError.wrongPassphrase).",
                    at: ConsoleBench.start.wall + .minutes(-2))
            ),
            ("that came", RestoreReport(.restored, file: backup, at: ConsoleBench.start.wall + .minutes(-2))),
        ] {
            var told = bench(columns: 80, rows: 24)
            told.session.view.machine.restore = report
            pages.append(page("1 Overview, after a backup \(title)", told))
        }
        return pages
    }
}
