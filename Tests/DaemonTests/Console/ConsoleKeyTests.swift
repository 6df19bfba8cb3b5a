import Testing

@testable import SerialConsole

@Suite("console keys") struct ConsoleKeyTests {
    private static func keys(of pieces: [[UInt8]]) -> [ConsoleKey] {
        var reader = KeyReader()
        var keys: [ConsoleKey] = []
        for piece in pieces { for byte in piece { reader.take(byte, into: &keys) } }
        return keys
    }

    private static let typed: [UInt8] = Array(
        "a1\r\n\n\u{7F}\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}[D\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}OF\u{1B}[24;80R\u{3}\u{C}é€😀\u{1B}\u{1B}[Ax"
            .utf8)
    private static let meant: [ConsoleKey] = [
        .character("a"), .character("1"), .enter, .enter, .backspace, .up, .down, .right, .left, .pageUp, .pageDown,
        .home, .end, .cursor(row: 24, column: 80), .interrupt, .redraw, .character("é"), .character("€"),
        .character("😀"), .escape, .up, .character("x"),
    ]

    @Test("keys mean the same wherever their bytes are cut")
    func keysMeanTheSameWhereverTheirBytesAreCut() {
        for place in 0...Self.typed.count {
            let found = Self.keys(of: [Array(Self.typed[..<place]), Array(Self.typed[place...])])
            #expect(found == Self.meant, "\(place)")
        }
        #expect(Self.keys(of: Self.typed.map { [$0] }) == Self.meant)
    }

    @Test("an Esc with nothing behind it is one; a sequence without an end is none")
    func anEscWithNothingBehindItIsOne() {
        var reader = KeyReader()
        var keys: [ConsoleKey] = []
        reader.take(0x1B, into: &keys)
        #expect(keys.isEmpty && reader.isWaiting)
        reader.nothingFollowed(into: &keys)
        #expect(keys == [.escape] && !reader.isWaiting)
        for byte in "\u{1B}[12".utf8 { reader.take(byte, into: &keys) }
        reader.nothingFollowed(into: &keys)
        reader.take(UInt8(ascii: "q"), into: &keys)
        #expect(keys == [.escape, .character("q")])
    }

    @Test("function keys, long sequences, broken characters and control bytes are no keys")
    func functionKeysLongSequencesBrokenCharactersAndControlBytes() {
        let noise: [[UInt8]] = [
            Array("\u{1B}[[A".utf8), Array("\u{1B}[15~".utf8),
            Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 5000)
                + [UInt8(ascii: "A")],
            [0xC3, 0xFF], [0x80, 0xFE, 0xFF], [0xF4, 0xBF, 0xBF, 0xBF], [0xED, 0xA0, 0x80], Array(0...2),
            [0, 1, 2, 5, 6, 7],
            Array("\u{1B}[99999999999999999999;1R\u{1B}[0;0R\u{1B}[;R".utf8), Array("\u{202E}".utf8),
        ]
        for bytes in noise { #expect(Self.keys(of: [bytes]) == [], "\(bytes.prefix(20))") }
    }

    @Test("noise leaves the reader able to read")
    func noiseLeavesTheReaderAbleToRead() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let noise = (0..<300).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var reader = KeyReader()
            var keys: [ConsoleKey] = []
            for byte in noise { reader.take(byte, into: &keys) }
            reader.nothingFollowed(into: &keys)
            keys = []
            for byte in "\u{1B}[A5\r".utf8 { reader.take(byte, into: &keys) }
            #expect(keys == [.up, .character("5"), .enter], "\(noise)")
        }
    }
}
