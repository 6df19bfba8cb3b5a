import ApplianceCore
import Foundation
import Testing

@testable import Card
@testable import SerialConsole

@Suite("the card on the console") struct CardConsoleTests {
    private static let report = CardReport(
        inForce: .none,
        problems: [
            CardReport.Problem(
                line: 12, column: 3, what: "unknown key 'pasword' in 'panel'", nearest: "password"),
            CardReport.Problem(line: 14, column: 9, what: "'panel.port' is 70000", expected: "a number up to 65535"),
            CardReport.Problem(line: 20, column: 1, what: "a third \u{1B}[31m thing"),
            CardReport.Problem(isError: false, line: 21, column: 1, what: "a remark"),
        ])

    private static func bench(_ report: CardReport?, columns: Int = 80, rows: Int = 40, isHere: Bool = false)
        -> ConsoleBench
    {
        var bench =
            isHere ? ConsoleBench.up(columns: columns, rows: rows) : ConsoleBench(columns: columns, rows: rows)
        if !isHere { bench.session.closed(.look, "no daemon runs on this state directory", into: &bench.actions) }
        bench.session.view.machine.card = report
        return bench
    }

    @Test("without a daemon the overview says line, column and remedy, and where the rest is")
    func withoutADaemonTheOverviewSaysLine() {
        let words = Self.bench(Self.report).words.split(separator: " ").joined(separator: " ")
        for text in [
            "there is no valid configuration: the panel is not watched",
            "line 12, column 3: unknown key 'pasword' in 'panel'; did you mean 'password'?",
            "line 14, column 9: 'panel.port' is 70000; expected a number up to 65535", "and 1 more", "screen 6",
            "put its card into any computer, correct howalarming.yaml there",
        ] {
            #expect(words.contains(text), "\(text) in \(words)")
        }
        #expect(!words.contains("a remark"))
        #expect(Self.bench(Self.report, columns: 40, rows: 24).words.contains("line 12"))
    }

    @Test("the screen of the network shows everything, remarks too")
    func theScreenOfTheNetworkShowsEverything() {
        var bench = Self.bench(Self.report)
        bench.type("6")
        let words = bench.words.split(separator: " ").joined(separator: " ")
        for text in ["line 12, column 3", "line 20, column 1: a third", "to be known: line 21, column 1: a remark"] {
            #expect(words.contains(text), "\(text) in \(words)")
        }
        #expect(!bench.text.contains("\u{1B}"))
    }

    @Test("a card that is in force is no line on the overview; errors of a card whose earlier one holds are")
    func aCardThatIsInForceIsNoLineOnTheOverview() {
        let good = CardReport(inForce: .card, problems: [])
        #expect(!Self.bench(good, isHere: true).text.contains("Card "))
        let earlier = CardReport(inForce: .earlier, problems: Self.report.problems)
        #expect(Self.bench(earlier, isHere: true).words.contains("the last good one holds"))
    }

    @Test("nothing is wider than the terminal", arguments: [(80, 24), (40, 12), (41, 13), (132, 50)])
    func nothingIsWiderThanTheTerminal(columns: Int, rows: Int) {
        for screen in ["1", "6"] {
            var bench = Self.bench(Self.report, columns: columns, rows: rows)
            bench.type(screen)
            #expect(bench.session.lines.count == rows)
            for line in bench.session.lines { #expect(line.count <= columns, "\(line.text)") }
        }
    }

    @Test("the machine reads the report that the start has left")
    func theMachineReadsTheReportThatTheStartHasLeft() throws {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", "panel: {host: a, pasword: b}\n")
        let report = try bench.run()
        let machine = ConsoleMachine.now(stateDirectory: bench.path("state"))
        #expect(machine.card == report)
        #expect(report.errors.first?.line == 1)
        #expect(ConsoleMachine.now(stateDirectory: bench.path("run")).card == nil)
    }

    @Test("a data partition that cannot be written or read stands first on the overview; without that it is no line")
    func aDataPartitionThatCannotBeWrittenOrReadStandsFirst() throws {
        let card = try CardBench()
        #expect(
            ConsoleMachine.now(stateDirectory: card.path("state"), data: card.path("run/problem")).dataProblem == nil)
        try card.put("run/problem", "the card cannot be written: it is worn out. Replace the card.\n")
        var bench = Self.bench(nil)
        #expect(!bench.text.contains("Data "))
        bench.session.view.machine = ConsoleMachine.now(
            stateDirectory: card.path("state"), data: card.path("run/problem"))
        let lines = bench.session.lines.map(\.text)
        let first = try #require(lines.first { $0.hasPrefix("Data ") || $0.hasPrefix("Daemon ") })
        #expect(first.contains("the card cannot be written: it is worn out. Replace the card."))
    }

    @Test("a new box says what to do next: a PIN first, then a phone")
    func aNewBoxSaysWhatToDoNext() {
        let first = ConsoleBench.up(rows: 40, isPINSet: false)
        #expect(first.words.contains("press C and set this console's PIN"))
        var second = ConsoleBench.up(rows: 40)
        #expect(!second.words.contains("press P"))
        second.session.view.status?.phones?.entries = []
        #expect(second.words.contains("press P and pair a phone"))
    }
}
