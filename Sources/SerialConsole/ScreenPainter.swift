import Platform

/// Writes what differs between what a terminal shows and what it should show, line by line.
struct ScreenPainter: Equatable, Sendable {
    var size: Terminal.Size
    var colours: Bool
    /// nil: nobody knows what stands there.
    private var shown: [ConsoleLine?] = []
    private var needsClearing = true

    init(size: Terminal.Size, colours: Bool) {
        self.size = size
        self.colours = colours
    }

    /// The terminal may show anything: another size, another terminal, noise.
    mutating func forget() {
        shown = []
        needsClearing = true
    }

    /// Bytes for the lines that differ, the upper ones first, at most `limit`; the rest comes with the next call.
    ///
    /// No line is wider than the screen and none is beyond it, so nothing scrolls.
    mutating func bytes(for lines: [ConsoleLine], limit: Int) -> [UInt8] {
        var output: [UInt8] = []
        if needsClearing {
            let clear = Array("\u{1B}[0m\u{1B}[?25l\u{1B}[2J".utf8)
            guard clear.count <= limit else { return [] }
            output = clear
            needsClearing = false
            shown = Array(repeating: ConsoleLine(""), count: size.rows)
        }
        for row in 0..<min(size.rows, shown.count) {
            let wanted = row < lines.count ? lines[row].fitted(to: size.columns) : ConsoleLine("")
            guard shown[row] != wanted else { continue }
            // Cleared first: to clear behind a line that fills the screen's width would take its last character.
            let text = "\u{1B}[\(row + 1);1H\u{1B}[K" + wanted.encoded(colours: colours)
            let bytes = Array(text.utf8)
            guard output.count + bytes.count <= limit else { break }
            output += bytes
            shown[row] = wanted
        }
        return output
    }

    /// Whether the terminal shows these lines.
    func shows(_ lines: [ConsoleLine]) -> Bool {
        !needsClearing
            && shown.indices.allSatisfy { row in
                shown[row] == (row < lines.count ? lines[row].fitted(to: size.columns) : ConsoleLine(""))
            }
    }
}
