import AlarmModel
import ApplianceCore
import Testing

@testable import SerialConsole

@Suite("console on a terminal that only prints") struct PlainFaceTests {
    private struct Rig {
        var bench = ConsoleBench.up()
        var face = PlainFace()
        var echoed = ""
        var printed: [String] = []

        mutating func type(_ text: String) {
            var reader = KeyReader()
            var keys: [ConsoleKey] = []
            for byte in text.utf8 { reader.take(byte, into: &keys) }
            for key in keys {
                let (echo, meant) = face.take(key, bench.session.dialog)
                echoed += echo
                for key in meant ?? [] where key != .redraw { bench.press(key) }
            }
            printed = face.print(bench.session)
        }
    }

    @Test("a number and Enter give a page; what is typed is shown")
    func aNumberAndEnterGiveAPage() {
        var rig = Rig()
        rig.type("2\r")
        #expect(rig.printed.joined().contains("Events"))
        #expect(rig.printed.joined().contains("Event 40:"))
        #expect(rig.echoed == "2\r\n")
        rig.bench.hear(.events(ConsoleBench.events(1, from: 41)), on: .feed)
        let news = rig.face.print(rig.bench.session)
        #expect(news.count == 1 && news[0].contains("Event 41:"))
    }

    @Test("what comes faster than it can be printed is counted, and the newest is printed")
    func whatComesFasterThanItCanBePrintedIsCounted() {
        var rig = Rig()
        rig.type("2\r")
        let kept = ConsoleView.eventsKept
        for first in stride(from: 41, to: 41 + 2 * kept, by: 100) {
            rig.bench.hear(.events(ConsoleBench.events(100, from: first)), on: .feed)
        }
        let news = rig.face.print(rig.bench.session)
        #expect(news.count == kept + 1)
        #expect(news[0] == "(\(2 * kept - kept) lines left out: they came faster than this line carries)")
        #expect(rig.face.print(rig.bench.session) == [])
    }

    @Test("a PIN that is half typed when its question ends is not shown, and answers nothing")
    func aPINThatIsHalfTypedWhenItsQuestionEndsIsNotShown() {
        var rig = Rig()
        rig.type("a\r1\r")
        rig.echoed = ""
        rig.type("135")
        rig.bench.press(.escape)
        rig.type("790\r")
        #expect(rig.echoed == "\r\n")
        #expect(rig.bench.orders.isEmpty)
        rig.type("2\r")
        #expect(rig.echoed == "\r\n2\r\n")
        #expect(rig.printed.joined().contains("Events"))
    }

    @Test("an order takes its choice, its PIN without echo, and a y")
    func anOrderTakesItsChoice() {
        var rig = Rig()
        rig.type("a\r")
        #expect(rig.printed.joined(separator: "\n").contains("1  away"))
        // Enter alone chooses nothing.
        rig.type("\r")
        #expect(rig.bench.session.dialog == nil)
        rig.type("a\r1\r")
        rig.echoed = ""
        rig.type("135799\u{8}0\r")
        #expect(rig.echoed == "\r\n")
        #expect(rig.bench.orders == [.console(.unlock(pin: Secret("135790")))])
        rig.bench.told(.unlocked, isUnlocked: true)
        rig.type("\r")
        #expect(rig.bench.orders.count == 1)
        rig.type("\ra\r1\ry\r")
        #expect(rig.bench.orders.last == .command(.arm(partition: 1, mode: .away, force: false), code: nil))
        rig.bench.hear(.outcome(.done, stored: true))
        #expect(rig.face.print(rig.bench.session).joined().contains("done: arm away partition 1"))
    }
}
