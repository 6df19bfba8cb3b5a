import AlarmModel
import Foundation
import Testing

@testable import Reports

/// A month of a house as its owner sees it: `docs/history.txt` and `docs/history.html`. To write them anew:
/// `HOWALARMING_KEEP_TOLD=1 swift test --filter HistoryPagesFileTests`.
@Suite("The history's pages, as files") struct HistoryPagesFileTests {
    private static let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs")

    private func check(_ name: String, _ written: String) throws {
        let file = Self.docs.appending(path: name)
        if ProcessInfo.processInfo.environment["HOWALARMING_KEEP_TOLD"] != nil {
            try written.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == written)
    }

    @Test("are what the files show, and Python finds nothing in the page that acts")
    func areWhatTheFilesShow() throws {
        let report = Self.report
        let lines = HistoryText(report).lines
        #expect(lines.allSatisfy { $0.count <= 80 })
        try check("history.txt", lines.joined(separator: "\n") + "\n")
        let page = HistoryPage(report).text
        try check("history.html", page)
        try HTMLJudge.check(page)
    }

    /// October 2026 with the end of summer time in it.
    private static var report: HistoryReport {
        var house = HistoryHouse()
        house.panel.withPartition(1) { $0.name = "Ground floor" }
        for (number, name) in [(1, "Front door"), (2, "Garage door"), (3, "Kitchen window"), (7, "Attic & roof")] {
            house.panel.withZone(number) { $0.name = name }
        }
        func at(_ day: Int, _ hour: Int, _ minute: Int = 0) -> WallTime { HistoryHouse.at(10, day, hour, minute) }
        func open(_ zone: Int, _ name: String, at time: WallTime) {
            house.add(.info, "609", at: time, partition: 1, zone: zone, name: name)
            house.add(.info, "610", at: time + .minutes(2), partition: 1, zone: zone, name: name)
        }
        house.add(.info, .started, at: HistoryHouse.at(8, 1, 9))
        house.add(.info, .panelOnline, at: HistoryHouse.at(8, 1, 9))
        open(7, "Attic & roof", at: HistoryHouse.at(9, 2, 9))
        for day in 1...30 {
            open(1, "Front door", at: at(day, 7, day))
            if day % 2 == 0 { open(2, "Garage door", at: at(day, 7, 40)) }
            house.add(.info, "700", at: at(day, 8), partition: 1, user: day % 3 == 0 ? "Ben" : "Anna")
            house.arm(from: at(day, 8), to: at(day, 16, 30))
            open(1, "Front door", at: at(day, 16, 31))
            if day == 12 {
                house.add(.fault, "802", at: at(day, 18))
                house.add(.recovery, "803", at: at(day, 21, 30))
            }
            if day == 15 {
                house.add(.fault, .panelOffline, at: at(day, 18))
                house.add(.recovery, .panelOnline, at: at(day, 20, 15))
            }
            if day == 18 {
                house.add(.fault, .linkLost, at: at(day, 18), about: .link("cable"))
                house.add(.fault, .linksLost, at: at(day, 18, 1))
                house.add(.recovery, .linkRestored, at: at(day, 18, 40), about: .link("cable"))
                house.add(.fault, .pushOffline, at: at(day, 20), about: .channel("mail"))
                house.add(.recovery, .pushOnline, at: at(day, 23), about: .channel("mail"))
                // As a version wrote it that did not say which.
                house.add(.fault, .pushOffline, at: at(day, 21))
            }
            if day == 20 { house.add(.fault, "832", at: at(day, 18), zone: 3, name: "Kitchen window") }
            for hour in [18, 19, 20] where day % 4 != 0 { open(3, "Kitchen window", at: at(day, hour, 20)) }
            if day == 28 {
                house.add(.command, .command, at: at(day, 21), user: "Anna")
                house.add(
                    .info, EventCode.test.rawValue, at: at(day, 21, 30), message: "Test alarm: nothing has happened.",
                    flags: .testAlarm)
            }
            house.add(.armed, "652", at: at(day, 23), partition: 1)
            if day == 24 {
                // It was armed when the clock was put back.
                house.add(
                    .alarm, "601", at: HistoryHouse.at(10, 25, 1, 10), partition: 1, zone: 3, name: "Kitchen window",
                    message: "Alarm: Kitchen window, Ground floor")
            }
            house.add(.disarmed, "655", at: HistoryHouse.at(10, day + 1, 6, 30), partition: 1)
        }
        house.usage = [
            LinkUsage(name: "cable", bytes: 1_240_000_000, monthBefore: 1_310_000_000),
            LinkUsage(name: "lte", bytes: 18_300_000),
        ]
        var report = house.report(until: at(31, 12), days: 30)
        report.told[0].deliveries = [
            .init(way: "Anna (Annas iPhone)", state: .received, after: .milliseconds(1240)),
            .init(way: "Ben (chat)", state: .accepted, after: .milliseconds(430)),
            .init(way: "mail ben@example.org", state: .dead, after: .minutes(60)),
        ]
        report.told[1].deliveries = [.init(way: "Anna (Annas iPhone)", state: .seen, after: .minutes(4))]
        var way = HistoryReport.Way(name: "Anna (Annas iPhone)", received: 120, seen: 1)
        way.average = .milliseconds(1310)
        way.longest = .minutes(40)
        report.watched = [
            .init(who: "Anna (Annas iPhone)", month: "2026-10", count: 2976, longestGap: .minutes(39)),
            .init(who: "the service at heartbeat.url", month: "2026-10", count: 43_112, longestGap: .minutes(40)),
            .init(who: "Anna (Annas iPhone)", month: "2026-09", count: 2911, longestGap: .seconds(899)),
        ]
        report.ways = [way, .init(name: "mail ben@example.org", failed: 3)]
        return report
    }
}
