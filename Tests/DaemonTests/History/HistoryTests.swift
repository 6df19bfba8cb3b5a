import AlarmModel
import EventStore
import Foundation
import Testing

@testable import Reports

@Suite("the history of a house, from its events") struct HistoryTests {
    private func states(_ lane: HistoryReport.Lane, _ day: Int) -> String {
        String(
            (0..<HistoryDays.slotsADay).map { slot in
                switch lane.days.slot(day, slot).state {
                case .armed: "A"
                case .disarmed: "-"
                case .unknown: "?"
                case .blank: " "
                }
            })
    }

    @Test("a span that is armed while the clock is put back lasts the real hours and stands at the house's hours")
    func aSpanWhileTheClockIsPutBack() throws {
        var house = HistoryHouse()
        // Put back on 25 October at 3:00, from 1:00 to 5:00 are five hours.
        house.arm(from: HistoryHouse.at(10, 25, 1), to: HistoryHouse.at(10, 25, 5))
        let lane = try #require(house.report(until: HistoryHouse.at(10, 26, 0), days: 2).lanes.first)
        #expect(lane.armed == .hours(5) && lane.armings == 1)
        let row =
            String(repeating: " ", count: 4) + String(repeating: "A", count: 16) + String(repeating: "-", count: 76)
        #expect(states(lane, 0) == row)
    }

    @Test("an hour that the clock leaves out stays blank")
    func anHourThatTheClockLeavesOut() throws {
        var house = HistoryHouse()
        house.arm(from: HistoryHouse.at(3, 29, 1), to: HistoryHouse.at(3, 29, 4))
        let lane = try #require(house.report(until: HistoryHouse.at(3, 29, 6), days: 1).lanes.first)
        #expect(lane.armed == .hours(2))
        #expect(states(lane, 0).prefix(16) == "    AAAA    AAAA")
    }

    @Test(
        "while the panel or the box is away nobody knows; what is said afterwards holds, and before the first word the opposite"
    )
    func whileThePanelIsAwayNobodyKnows() throws {
        var house = HistoryHouse()
        house.add(.info, .panelOnline, at: HistoryHouse.at(5, 1, 0))
        house.add(.disarmed, "655", at: HistoryHouse.at(5, 1, 1), partition: 2)
        house.add(.fault, .panelOffline, at: HistoryHouse.at(5, 1, 2))
        house.add(.recovery, .panelOnline, at: HistoryHouse.at(5, 1, 3))
        house.add(.info, .stopped, at: HistoryHouse.at(5, 1, 4))
        house.add(.info, .started, at: HistoryHouse.at(5, 1, 5))
        house.add(.armed, "652", at: HistoryHouse.at(5, 1, 5, 30), partition: 2, flags: .whileAway)
        house.add(.info, .panelOnline, at: HistoryHouse.at(5, 1, 6))
        let report = house.report(until: HistoryHouse.at(5, 1, 7), days: 1)
        let lane = try #require(report.lanes.first)
        #expect(lane.partition == 2)
        #expect(states(lane, 0).prefix(29) == "AAAA----????----????????AAAA ")
        #expect(report.sums.first { $0.trouble == .panel }?.total == .hours(1))
        #expect(report.sums.first { $0.trouble == .box }?.total == .hours(1))
        #expect(report.counts.isEmpty)
        // Of seven hours the box ran for six, and had the panel in five of these.
        #expect(report.sums.first { $0.trouble == .box }.flatMap(report.share) == 8572)
        #expect(report.sums.first { $0.trouble == .panel }.flatMap(report.share) == 8334)
        // A UPS is not known, nor, without links, the state of the internet.
        #expect(report.sums.map(\.trouble) == [.box, .panel, .keybus, .storage, .mains])
    }

    @Test("a partition of which nothing was said is what it is now; one that is not enabled is not shown")
    func aPartitionOfWhichNothingWasSaid() throws {
        var house = HistoryHouse()
        house.add(.info, .started, at: HistoryHouse.at(5, 1, 0))
        house.panel.withPartition(3) { $0.status = .known(.armed(.away)) }
        house.panel.withPartition(4) { $0.status = .known(.notEnabled) }
        let lanes = house.report(until: HistoryHouse.at(5, 1, 1), days: 1).lanes
        #expect(lanes.map(\.partition) == [3])
        #expect(states(try #require(lanes.first), 0).prefix(5) == "AAAA ")
    }

    @Test("a detector that has been silent for 30 days is named; a journal that is younger says nothing")
    func aDetectorThatIsSilent() throws {
        var house = HistoryHouse()
        house.add(.info, "609", at: HistoryHouse.at(6, 1, 8), zone: 1, name: "Attic")
        house.add(.info, "610", at: HistoryHouse.at(6, 2, 8), zone: 2, name: "Cellar")
        // Only found by a report: nobody knows when it happened.
        house.add(.info, "609", at: HistoryHouse.at(6, 20, 8), zone: 1, name: "Attic", flags: .whileAway)
        // A missing detector says nothing by itself.
        house.add(.fault, "605", at: HistoryHouse.at(6, 20, 8), zone: 1, name: "Attic")
        house.panel.withZone(5) { $0.name = "Smoke" }
        house.panel.withZone(6) {
            $0.name = "Gate"
            $0.lastClosed = HistoryHouse.at(6, 30, 8)
        }
        let early = house.report(until: HistoryHouse.at(6, 20, 8), days: 7)
        #expect(early.silent == nil)
        let report = house.report(until: HistoryHouse.at(7, 2, 7), days: 7)
        #expect(report.silent?.map(\.number) == [1, 5])
        #expect(report.silent?.first?.lastHeard == HistoryHouse.at(6, 1, 8))
        // Nothing of the time before is counted as within the week.
        #expect(report.zones.allSatisfy { $0.opened == 0 } && report.events == 0)
    }

    @Test("openings stand at the hour of the house's clock, in summer and in winter")
    func openingsStandAtTheHour() throws {
        var house = HistoryHouse()
        for day in [24, 25, 26] {
            house.add(.info, "609", at: HistoryHouse.at(10, day, 7, 59), partition: 1, zone: 64)
            house.add(.info, "610", at: HistoryHouse.at(10, day, 8), partition: 1, zone: 64)
        }
        let report = house.report(until: HistoryHouse.at(10, 27, 0), days: 4)
        #expect(report.zones.map(\.number) == [64] && report.zones.first?.byHour[7] == 3)
        #expect(report.zones.first?.opened == 3)
    }

    @Test("outages are told by the codes of both ends: of a zone each apart, begun before the page, lasting still")
    func outagesAreToldByTheCodes() throws {
        var house = HistoryHouse()
        house.add(.fault, "802", at: HistoryHouse.at(4, 1, 12))
        house.add(.fault, "832", at: HistoryHouse.at(4, 2, 12), zone: 1, name: "Attic")
        house.add(.fault, "832", at: HistoryHouse.at(4, 2, 13), zone: 2, name: "Cellar")
        house.add(.recovery, "833", at: HistoryHouse.at(4, 20, 0), zone: 1, name: "Attic")
        house.add(.recovery, "803", at: HistoryHouse.at(4, 20, 6))
        house.add(.fault, .linksLost, at: HistoryHouse.at(4, 20, 7), message: "anything")
        house.add(.recovery, .linkRestored, at: HistoryHouse.at(4, 20, 8))
        house.add(.recovery, .linkRestored, at: HistoryHouse.at(4, 20, 9))
        let report = house.report(until: HistoryHouse.at(4, 21, 0), days: 2)
        #expect(report.from == HistoryHouse.at(4, 20, 0))
        func sum(_ trouble: HistoryTrouble) -> HistoryReport.Sum? { report.sums.first { $0.trouble == trouble } }
        // Only what lies within the page counts.
        #expect(sum(.mains)?.total == .hours(6) && sum(.mains)?.count == 1)
        #expect(sum(.internet)?.total == .hours(1))
        #expect(sum(.detectorBattery)?.count == 2)
        #expect(report.spans.map(\.zone) == [nil, 1, 2, nil])
        #expect(report.spans.map { $0.until == nil } == [false, false, true, false])
        #expect(report.sums.filter { !$0.trouble.isWay }.map(\.trouble) == [.detectorBattery])
    }

    @Test("outages of links and channels are told of each by its name; where an event has none, they are counted")
    func outagesOfLinksAndChannels() throws {
        var house = HistoryHouse()
        house.add(.fault, .linkLost, at: HistoryHouse.at(4, 1, 1), about: .link("wifi"))
        house.add(.fault, .linkLost, at: HistoryHouse.at(4, 1, 2), about: .link("lte"))
        house.add(.fault, .linksLost, at: HistoryHouse.at(4, 1, 2))
        house.add(.recovery, .linkRestored, at: HistoryHouse.at(4, 1, 3), about: .link("lte"))
        house.add(.recovery, .linkRestored, at: HistoryHouse.at(4, 1, 6), about: .link("wifi"))
        house.add(.fault, .pushOffline, at: HistoryHouse.at(4, 1, 7), about: .channel("ntfy"))
        house.add(.fault, .pushOffline, at: HistoryHouse.at(4, 1, 7))
        house.add(.fault, .linkLost, at: HistoryHouse.at(4, 1, 8))
        house.add(.fault, .linkLost, at: HistoryHouse.at(4, 1, 9), about: .link("wifi"))
        // What only the run before knew ends with it, the panel's power does not.
        house.add(.fault, "802", at: HistoryHouse.at(4, 1, 9))
        house.add(.info, .started, at: HistoryHouse.at(4, 1, 10))
        let report = house.report(until: HistoryHouse.at(4, 1, 12), days: 1)
        let words = HistoryWords(report: report)
        let sums = report.sums.filter { $0.count > 0 }
        #expect(
            sums.map { words.name($0.trouble, $0.about) } == [
                "The internet, by any link", "The link lte", "The link wifi", "Messages by ntfy",
                "The panel's mains power",
            ])
        #expect(sums.map(\.total) == [.hours(1), .hours(1), .hours(6), .hours(3), .hours(3)])
        #expect(report.spans.map { words.what($0) }.contains("The link wifi: away"))
        #expect(
            report.counts.map(\.words) == [
                "a link was lost", "a way to phones, or a person, was out of reach",
                "started without having been stopped",
            ])
        #expect(report.counts.map(\.count) == [1, 1, 1])
    }

    @Test("the first start of all is none without a stop, and the internet of a house without links is not rated")
    func theFirstStartOfAll() {
        var house = HistoryHouse()
        house.add(.info, .configurationChanged, at: HistoryHouse.at(4, 1, 0))
        house.add(.info, .started, at: HistoryHouse.at(4, 1, 0))
        house.add(.fault, .pushOffline, at: HistoryHouse.at(4, 1, 1), about: .channel("ntfy"))
        #expect(house.report(until: HistoryHouse.at(4, 1, 5), days: 1).counts.isEmpty)
        func isRated(_ house: HistoryHouse) -> Bool {
            house.report(until: HistoryHouse.at(4, 1, 5), days: 1).sums.contains { $0.trouble == .internet }
        }
        #expect(!isRated(house))
        house.add(.info, .linkSwitched, at: HistoryHouse.at(4, 1, 2))
        #expect(isRated(house))
    }

    @Test("a start without a stop is counted, and ends what only the run before knew")
    func aStartWithoutAStop() throws {
        var house = HistoryHouse()
        house.add(.info, .started, at: HistoryHouse.at(4, 1, 0))
        house.add(.fault, .linksLost, at: HistoryHouse.at(4, 1, 1))
        house.add(.fault, .upsOnBattery, at: HistoryHouse.at(4, 1, 1))
        house.add(.fault, .started, at: HistoryHouse.at(4, 1, 2))
        let report = house.report(until: HistoryHouse.at(4, 1, 5), days: 1)
        #expect(report.counts == [.init(words: "started without having been stopped", count: 1)])
        #expect(report.sums.first { $0.trouble == .internet }?.total == .hours(1))
        #expect(report.sums.first { $0.trouble == .upsMains }?.total == .hours(4))
    }

    @Test("alarms and tests are kept, the last 30 of them; a repeat is none")
    func alarmsAndTestsAreKept() throws {
        var house = HistoryHouse()
        for minute in 0..<40 {
            house.add(
                .alarm, "601", at: HistoryHouse.at(4, 1, 1, minute), partition: 1, zone: 1, message: "A \(minute)")
            house.add(.alarm, "654", at: HistoryHouse.at(4, 1, 1, minute), partition: 1, flags: .repeats)
        }
        house.add(.info, EventCode.test.rawValue, at: HistoryHouse.at(4, 1, 2), message: "Test", flags: .testAlarm)
        house.add(.info, .test, at: HistoryHouse.at(4, 1, 3), message: "Notice")
        let report = house.report(until: HistoryHouse.at(4, 1, 5), days: 1)
        #expect(report.told.count == 30)
        #expect(report.told.first?.message == "A 12" && report.told.suffix(2).map(\.message) == ["Test", "Notice"])
        let lane = try #require(report.lanes.first)
        // The test is no alarm in the picture.
        #expect((0..<96).filter { lane.days.slot(0, $0).hasAlarm } == [4, 5, 6])
    }

    @Test("who gave commands is told by the events' own column, and few names are kept")
    func whoGaveCommands() {
        var house = HistoryHouse()
        for number in 0..<100 {
            house.add(.command, .command, at: HistoryHouse.at(4, 1, 1), user: "P\(number)", message: "by Zoe")
        }
        house.add(.command, .command, at: HistoryHouse.at(4, 1, 1), user: "P7")
        house.add(.response, .command, at: HistoryHouse.at(4, 1, 1), user: "P7")
        house.add(.command, .command, at: HistoryHouse.at(4, 1, 1))
        house.add(.info, "750", at: HistoryHouse.at(4, 1, 1), partition: 1, user: "Anna")
        let report = house.report(until: HistoryHouse.at(4, 1, 5), days: 1)
        #expect(report.commands.first == .init(who: "P7", count: 2))
        #expect(report.commands.count == HistoryReport.mostPeople + 2)
        #expect(report.commands.suffix(2).map(\.count) == [1, 60])
        #expect(report.atPanel == [.init(who: "Anna", count: 1)])
    }

    @Test("times from a broken clock or a damaged row harm nothing")
    func timesFromABrokenClock() {
        var house = HistoryHouse()
        house.add(.armed, "652", at: HistoryHouse.at(4, 1, 1), partition: 1)
        for time in [Int64.min, -1, 0, Int64.max] {
            house.add(.alarm, "601", at: WallTime(milliseconds: time), partition: 9, zone: 65)
            house.add(.fault, "832", at: WallTime(milliseconds: time), zone: -1)
        }
        for begin in [Int64.min, Int64.max] {
            let report = house.report(
                until: HistoryHouse.at(4, 1, 5), days: 366, journalFrom: WallTime(milliseconds: begin))
            #expect(report.told.isEmpty && report.spans.isEmpty)
            #expect(HistoryText(report).lines.allSatisfy { $0.count <= 80 })
            #expect(HistoryPage(report).text.hasSuffix("</html>\n"))
        }
    }

    // MARK: The writers

    private static let hostile = "<script>alert('x')</script>\u{1B}[2J&\"\u{202E}"

    @Test("names that are markup or steer a terminal are words in the page and in the text")
    func namesThatAreMarkup() throws {
        var house = HistoryHouse()
        let time = HistoryHouse.at(4, 1, 1)
        house.add(.armed, "652", at: HistoryHouse.at(2, 1, 1), partition: 1)
        house.add(.info, "609", at: time, partition: 1, zone: 1, name: Self.hostile)
        house.add(.fault, "832", at: time, zone: 1, name: Self.hostile)
        house.add(.alarm, "601", at: time, partition: 1, zone: 1, message: Self.hostile)
        house.add(.command, .command, at: time, user: Self.hostile)
        house.add(.info, "700", at: time, user: Self.hostile)
        house.add(.fault, .linkLost, at: time, about: .link(Self.hostile))
        house.add(.fault, .pushOffline, at: time, about: .channel(Self.hostile))
        house.usage = [LinkUsage(name: Self.hostile, bytes: 1)]
        house.panel.withPartition(1) { $0.name = Self.hostile }
        house.panel.withZone(2) { $0.name = Self.hostile }
        var report = house.report(until: HistoryHouse.at(4, 1, 5), days: 7)
        report.told[0].deliveries = [.init(way: Self.hostile, state: .received, after: .seconds(1))]
        report.ways = [.init(name: Self.hostile, received: 1)]
        let page = HistoryPage(report).text
        #expect(!page.contains("<script") && !page.contains("\u{1B}") && !page.contains("\u{202E}"))
        #expect(page.components(separatedBy: "&lt;script&gt;alert(&#39;x&#39;)").count > 13)
        let text = HistoryText(report).lines.joined(separator: "\n")
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
        try HTMLJudge.check(page)
    }

    @Test("of a year of a busy house page and text are of a bounded size, whatever happened in it")
    func ofAYearTheSizeIsBounded() throws {
        var house = HistoryHouse()
        let until = HistoryHouse.at(12, 31, 23)
        var accumulator = HistoryAccumulator(
            until: until, days: 366, rules: HistoryHouse.rules, journalFrom: until + .hours(-24 * 366))
        // The worst for the picture: something else in each quarter of an hour.
        for quarter in 0..<(366 * 96) {
            house = HistoryHouse()
            let time = until + .minutes(15 * (quarter - 366 * 96))
            let isOdd = quarter % 2 == 1
            for partition in [1, 2] {
                house.add(isOdd ? .armed : .disarmed, isOdd ? "652" : "655", at: time, partition: partition)
            }
            if isOdd { house.add(.alarm, "601", at: time, partition: 1, zone: quarter / 2 % 64 + 1, message: "Alarm") }
            if isOdd { house.add(.info, "609", at: time, partition: 2, zone: quarter / 2 % 64 + 1) }
            house.add(.fault, isOdd ? "802" : "803", at: time)
            // An owner who renames his links for ever.
            let link = EventSubject.link("link \(quarter / 2)")
            house.add(isOdd ? .recovery : .fault, isOdd ? .linkRestored : .linkLost, at: time, about: link)
            for event in house.events { accumulator.take(event) }
        }
        let report = accumulator.finish(nil)
        #expect(report.told.count == HistoryReport.mostTold && report.spans.count == HistoryReport.mostSpans)
        #expect(report.spansLeftOut > 17_000)
        #expect(report.sums.count <= HistoryTrouble.allCases.count + HistoryReport.mostWays)
        #expect(HistoryPage(report).text.utf8.count < 3 << 20)
        #expect(HistoryText(report).lines.count < 400 + HistoryReport.mostWays)
    }
}

/// What Python says of a page: whether its tags fit, and whether there is anything in it that acts or comes from
/// elsewhere.
enum HTMLJudge {
    struct Objection: Error, CustomStringConvertible {
        var description: String
    }

    private static let program = """
        import html.parser, sys, xml.etree.ElementTree as tree
        page = sys.stdin.buffer.read().decode("utf-8")
        allowed = set("html head meta title style body h1 h2 h3 p br table tr th td svg path text".split())
        class Judge(html.parser.HTMLParser):
            def __init__(self):
                super().__init__()
                self.open = []
            def handle_starttag(self, tag, attributes):
                assert tag in allowed, tag
                for name, value in attributes:
                    assert not name.startswith("on") and name not in ("href", "src", "style", "xlink:href"), name
                if tag not in ("meta", "br", "path"): self.open.append(tag)
            def handle_startendtag(self, tag, attributes): assert tag in ("meta", "br", "path"), tag
            def handle_endtag(self, tag): assert self.open and self.open.pop() == tag, tag
        judge = Judge()
        judge.feed(page)
        judge.close()
        assert not judge.open, judge.open
        assert "url(" not in page and "@import" not in page and "http:" not in page and "https:" not in page
        tree.fromstring(page.split("\\n", 1)[1])
        """

    static func check(_ page: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", program]
        let (input, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardError = errors
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(page.utf8))
        try input.fileHandleForWriting.close()
        let words = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Objection(description: String(decoding: words, as: UTF8.self))
        }
    }
}
