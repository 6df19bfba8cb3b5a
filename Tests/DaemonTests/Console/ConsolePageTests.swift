import AlarmModel
import ApplianceCore
import Testing

@testable import SerialConsole

@Suite("Pages of the console that show one thing closely")
struct ConsolePageTests {
    @Test("arrows choose an event and keep it in sight, Enter shows all of it, down past the newest lets it go")
    func arrowsChooseAnEvent() {
        var bench = ConsoleBench.up()
        bench.type("2")
        #expect(bench.text.contains("Event 40"))
        bench.press(.up, .up)
        bench.press(.enter)
        for words in ["Event 39: a sentence", "Number: 39", "Time: 2026-11-21", "From the panel: 601"] {
            #expect(bench.words.contains(words), "\(words) in \(bench.text)")
        }
        bench.press(.enter)
        for _ in 0..<30 { bench.press(.up) }
        let chosen = bench.session.lines.filter { $0.pieces.count == 1 && $0.pieces[0].style == .bar }
        #expect(chosen.contains { $0.text.contains("Event 9:") }, "\(bench.text)")
        for _ in 0..<40 { bench.press(.down) }
        #expect(bench.session.view.selectedEvent == nil)
        bench.press(.enter)
        #expect(bench.text.contains("Arm"))
    }

    @Test("new events do not move what is chosen out of sight or to another one")
    func newEventsDoNotMoveWhatIsChosen() {
        var bench = ConsoleBench.up()
        bench.type("2")
        bench.press(.up)
        bench.hear(.events(ConsoleBench.events(3, from: 41)), on: .feed)
        bench.press(.enter)
        #expect(bench.words.contains("Number: 40"))
    }

    @Test("the page of zones shows what is open, and Z bypasses from there")
    func thePageOfZones() {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("9")
        #expect(bench.text.contains("  3  Window 3                 open"))
        #expect(bench.text.contains("  1  Window 1                 closed"))
        for _ in 0..<60 { bench.press(.down) }
        #expect(bench.text.contains("Z bypasses a zone"))
        bench.type("z")
        #expect(bench.text.contains("Zones: bypass"))
    }

    @Test("the last day has a page of its own, behind 0")
    func theLastDayHasAPage() {
        var bench = ConsoleBench.up()
        bench.type("0")
        #expect(bench.text.contains("House   ?"))
        #expect(bench.text.contains("A armed  - disarmed"))
    }

    @Test("? says on every screen what its keys do, and Esc leads back", arguments: ConsoleScreen.allCases)
    func questionMarkSaysWhatTheKeysDo(screen: ConsoleScreen) {
        for (columns, rows) in [(80, 24), (40, 15)] {
            var bench = ConsoleBench.up(columns: columns, rows: rows)
            bench.type("\(screen.digit)?")
            #expect(bench.words.contains("M opens the menu"), "\(bench.text)")
            bench.press(.escape)
            #expect(bench.session.screen == screen && bench.session.dialog == nil)
        }
    }

    @Test("arming with one's own code: it is typed unseen, asked for once more as an order, and sent with it")
    func armingWithOnesOwnCode() {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("a")
        #expect(bench.text.contains("5  with your own code: partition 1 (House)"))
        bench.type("5")
        bench.type("12a4")
        bench.press(.enter)
        #expect(bench.text.contains("A code has 4 to 6 digits"))
        bench.type("4321")
        #expect(!bench.text.contains("4321"))
        bench.press(.enter)
        #expect(bench.text.contains("Arm partition 1 (House) with your code?"))
        bench.type("y")
        let order = ControlRequest.command(.arm(partition: 1, mode: .away, force: false), code: Secret("4321"))
        #expect(bench.orders.last == order)
    }

    @Test("a panel that wants a code for a bypass: the console asks for it, and sends the bypass with it")
    func aPanelThatWantsACodeForABypass() {
        var bench = ConsoleFrontDoorTests.bench(channels: ["ntfy"])
        bench.type("z1y")
        #expect(bench.orders == [.command(.bypass(zone: 3, bypassed: true), code: nil)])
        bench.hear(.outcome(.failed(.bypassNeedsCode), stored: true))
        #expect(bench.text.contains("The panel wants a code for this."))
        bench.type("1234")
        #expect(!bench.text.contains("1234"))
        bench.press(.enter)
        #expect(bench.text.contains("with your code?"))
        bench.type("y")
        #expect(bench.orders.last == .command(.bypass(zone: 3, bypassed: true), code: Secret("1234")))
        // With a code the answer stands: it is not asked for again and again.
        bench.hear(.outcome(.failed(.wrongCode), stored: true))
        #expect(bench.text.contains("does not know this code"))
    }
}
