import AlarmModel
import ApplianceCore
import PanelLink
import Platform
import Testing

@testable import Reports
@testable import SerialConsole

@Suite("console screens") struct ConsoleScreenTests {
    @Test(
        "nothing is wider or higher than the terminal", arguments: [(80, 24), (40, 12), (132, 50), (41, 13), (200, 12)])
    func nothingIsWiderOrHigherThanTheTerminal(columns: Int, rows: Int) {
        for (name, bench) in ConsoleBench.looks(columns: columns, rows: rows) {
            let lines = bench.session.lines
            #expect(lines.count == rows, "\(name)")
            for line in lines {
                #expect(line.count <= columns, "\(name): \(line.text)")
                let isPlain = line.text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
                #expect(isPlain, "\(name): \(line.text)")
            }
        }
    }

    @Test("a terminal that is too small is told so, whatever its size")
    func aTerminalThatIsTooSmallIsToldSo() {
        for columns in 1...45 {
            for rows in 1...13 where columns < 40 || rows < 12 {
                let bench = ConsoleBench.up(columns: columns, rows: rows)
                let lines = bench.session.lines
                #expect(!lines.isEmpty && lines.count <= rows)
                #expect(lines.allSatisfy { $0.count <= columns })
            }
        }
        #expect(ConsoleBench.up(columns: 39, rows: 12).text.contains("40 by 12"))
    }

    @Test("a page on a terminal that only prints is no wider than it", arguments: [80, 40])
    func aPageOnATerminalThatOnlyPrintsIsNoWiderThanIt(columns: Int) {
        for (name, bench) in ConsoleBench.looks(columns: columns, rows: 24) {
            var face = PlainFace()
            let printed = face.print(bench.session).flatMap {
                $0.split(separator: "\r\n", omittingEmptySubsequences: false)
            }
            #expect(printed.count > 2, "\(name)")
            for line in printed { #expect(line.count <= columns, "\(name): \(line)") }
            #expect(face.print(bench.session).isEmpty, "\(name)")
        }
    }

    @Test("the overview shows partitions, panel, phones, store, clock and the box, in either size")
    func theOverviewShowsPartitions() {
        for (columns, rows) in [(80, 24), (80, 30)] {
            let text = ConsoleBench.up(columns: columns, rows: rows).text
            for word in [
                "armed stay", "Garage", "192.168.1.50:4025", "OVERDUE", "FAILING", "MAINTENANCE", "NOT TRUSTED",
                "41.5 °C",
                "AC power", "Window 3", "locked",
            ] {
                #expect(text.contains(word), "\(word) in \(text)")
            }
        }
        let small = ConsoleBench.up(columns: 40, rows: 12).text
        for word in ["Partitions", "armed stay", "MAINTENANCE"] { #expect(small.contains(word), "\(small)") }
    }

    @Test("without a daemon the overview says so and shows what the journal holds, as old")
    func withoutADaemonTheOverviewSaysSoAndShowsWhatTheJournalHolds() {
        var bench = ConsoleBench.up()
        bench.session.closed(.look, "no daemon runs on this state directory", into: &bench.actions)
        bench.session.took(
            StatusView(
                snapshot: Snapshot(panel: ConsoleBench.house), store: StoreReport(lastSequence: SequenceNumber(40)),
                time: ConsoleBench.start.wall), ConsoleBench.events(5, from: 41))
        let text = bench.text
        for word in ["DAEMON AWAY", "no daemon runs", "armed stay (stale)", "Event 45"] {
            #expect(text.contains(word), "\(word) in \(text)")
        }
    }

    @Test("events appear at the end, and whoever has scrolled reads on where he was")
    func eventsAppearAtTheEnd() {
        var bench = ConsoleBench.up()
        bench.type("2")
        #expect(bench.text.contains("Event 40:"))
        bench.press(.pageUp)
        let before = bench.session.lines[1...10]
        bench.hear(.events(ConsoleBench.events(3, from: 41)), on: .feed)
        #expect(bench.session.lines[1...10] == before)
        bench.press(.end)
        #expect(bench.text.contains("Event 43:"))
        bench.press(.home)
        #expect(bench.text.contains("Event 1:"))
        for _ in 0..<50 { bench.press(.up, .pageUp) }
        #expect(bench.text.contains("Event 1:"))
    }

    @Test("of many events the newest are kept, and none twice")
    func ofManyEventsTheNewestAreKept() {
        var view = ConsoleView()
        view.take(ConsoleBench.events(400))
        view.take(ConsoleBench.events(400, from: 301))
        #expect(view.events.count == ConsoleView.eventsKept)
        #expect(view.events.last?.seq == SequenceNumber(700))
        #expect(view.eventsTaken == 700)
        // Another journal.
        view.take(ConsoleBench.events(3))
        #expect(view.events.map(\.seq.number) == [1, 2, 3])
    }

    @Test("the trace is asked for while it is shown and no longer")
    func theTraceIsAskedForWhileItIsShownAndNoLonger() {
        var bench = ConsoleBench.up()
        bench.press(.left, .right)
        bench.actions = []
        bench.type("4")
        #expect(bench.actions.contains(.connect(.trace)))
        bench.open(.trace)
        #expect(bench.actions.contains(.send(.trace, .trace)))
        bench.press(.escape)
        #expect(bench.actions.contains(.disconnect(.trace)))
    }
}
