import AlarmModel
import ApplianceCore
import PanelLink
import Testing

@Suite struct TraceTests {
    private func lines(_ bench: Bench) -> [(String, UInt64)] {
        bench.answers().compactMap { if case .trace(let line, let dropped) = $0 { (line.text, dropped) } else { nil } }
    }

    @Test("a client that reads gets every line of both directions")
    func aClientThatReadsGetsEveryLineOfBothDirections() {
        var bench = Bench.up()
        bench.ask(.trace)
        for _ in 0..<300 { bench.panel("609003", "610003") }
        bench.advance(.seconds(20))
        #expect(lines(bench).filter { $0.0 == "609003" }.count == 300)
        #expect(lines(bench).contains { $0.0 == "000" })
        #expect(lines(bench).allSatisfy { $0.1 == 0 })
    }

    @Test("a slow client loses lines and is told how many")
    func aSlowClientLosesLinesAndIsToldHowMany() {
        var bench = Bench.up()
        bench.lazyClients = [Bench.client(1)]
        bench.ask(.trace)
        for _ in 0..<300 { bench.panel("609003") }
        #expect(lines(bench).count == 256)
        bench.catchUp()
        bench.panel("610003")
        bench.panel("609003")
        #expect(lines(bench).count == 258)
        #expect(lines(bench)[256].0 == "610003")
        #expect(lines(bench)[256].1 == 44)
        #expect(lines(bench)[257].1 == 0)
    }
}
