import AlarmModel
import Platform
import Testing

@testable import CommandKit
@testable import SerialConsole

@Suite("console output") struct ConsoleOutputTests {
    /// What a VT100 shows after these bytes.
    private struct Glass {
        var rows: [[Character]]
        private var row = 0
        private var column = 0

        init(columns: Int, rows: Int) {
            self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        }

        mutating func take(_ bytes: [UInt8]) {
            var rest = Array(String(decoding: bytes, as: UTF8.self))[...]
            while let character = rest.popFirst() {
                guard character == "\u{1B}" else {
                    precondition(column < rows[row].count, "nothing is written behind the last column")
                    rows[row][column] = character
                    column += 1
                    continue
                }
                precondition(rest.popFirst() == "[", "only sequences with [ are written")
                let parameters = String(rest.prefix { !$0.isLetter })
                rest = rest.dropFirst(parameters.count)
                switch rest.popFirst() {
                case "H":
                    let place = parameters.split(separator: ";").compactMap { Int($0) }
                    (row, column) = (place[0] - 1, place[1] - 1)
                case "K": for index in column..<rows[row].count { rows[row][index] = " " }
                case "J": for index in rows.indices { rows[index] = rows[index].map { _ in " " } }
                case "m", "l", "h": break
                default: preconditionFailure("a sequence that a VT100 does not know")
                }
            }
        }

        var lines: [String] { rows.map { Text.trimmed(String($0)) } }
    }

    private func screens() -> [[ConsoleLine]] {
        ConsoleBench.looks(columns: 80, rows: 24).map { $0.bench.session.lines }
    }

    @Test("after each screen the terminal shows just that, whatever stood there before")
    func afterEachScreenTheTerminalShowsJustThat() {
        var glass = Glass(columns: 80, rows: 24)
        var painter = ScreenPainter(size: Terminal.Size(columns: 80, rows: 24), colours: true)
        for lines in screens() {
            while !painter.shows(lines) { glass.take(painter.bytes(for: lines, limit: 700)) }
            #expect(glass.lines == lines.map { Text.trimmed($0.text) })
        }
    }

    @Test("only lines that changed are written")
    func onlyLinesThatChangedAreWritten() {
        var painter = ScreenPainter(size: Terminal.Size(columns: 80, rows: 24), colours: true)
        let lines = (0..<24).map { ConsoleLine("line \($0)") }
        _ = painter.bytes(for: lines, limit: 100_000)
        #expect(painter.bytes(for: lines, limit: 100_000) == [])
        var changed = lines
        changed[7] = ConsoleLine("another")
        #expect(painter.bytes(for: changed, limit: 100_000) == Array("\u{1B}[8;1H\u{1B}[Kanother".utf8))
        painter.forget()
        #expect(painter.bytes(for: changed, limit: 100_000).count > 24 * 6)
    }

    @Test("in no second more is written than 115 200 baud carry, however much is drawn")
    func inNoSecondMoreIsWrittenThan115200BaudCarry() {
        var budget = OutputBudget()
        var painter = ScreenPainter(size: Terminal.Size(columns: 240, rows: 120), colours: true)
        var written: [(at: Int64, count: Int)] = []
        var total = 0
        for milliseconds in stride(from: Int64(0), to: 20_000, by: 7) {
            let now = BootTime(nanoseconds: milliseconds * 1_000_000)
            // Everything differs, each time.
            let lines = (0..<120).map { row in
                ConsoleLine(String(repeating: "\((Int(milliseconds) + row) % 10)", count: 240), .red)
            }
            let bytes = painter.bytes(for: lines, limit: budget.available(at: now))
            budget.spend(bytes.count)
            written.append((milliseconds, bytes.count))
            total += bytes.count
        }
        for (index, first) in written.enumerated() {
            let second = written[index...].prefix { $0.at < first.at + 1000 }.reduce(0) { $0 + $1.count }
            #expect(second <= 11_520, "from \(first.at) ms on")
        }
        // It is used, too.
        #expect(total > 20 * 6_000)
    }
}
