import AlarmModel
import Testing

@Suite("Little texts")
struct WordsTests {
    @Test("numbers have zeros in front, after the sign, and none too many")
    func numbersHaveZerosInFront() {
        #expect([0, 7, 59, 123].map { $0.padded() } == ["00", "07", "59", "123"])
        #expect((-7).padded(3) == "-007" && Int.min.padded().hasPrefix("-9223"))
        #expect(UInt64(0xBEEF).padded(8, radix: 16) == "0000beef")
        #expect(UInt8(0xAB).padded(radix: 16, uppercase: true) == "AB")
    }

    @Test("blanks go at both ends, and not in the middle")
    func blanksGoAtBothEnds() {
        #expect(String(" \t a b\n".trimmed(\.isWhitespace)) == "a b")
        #expect(String(" \n ".trimmed(\.isWhitespace)) == "" && String("".trimmed(\.isWhitespace)) == "")
        #expect(Array([0, 0, 1, 0, 2, 0].trimmed { $0 == 0 }) == [1, 0, 2])
    }

    @Test("words of a peer are cut, printable, and without a secret that is long enough to be one")
    func wordsOfAPeerAreCut() {
        #expect(PeerText.printable("a\u{1B}[2Jé") == "a?[2J?")
        #expect(PeerText.printable(String(repeating: "x", count: 300)) == String(repeating: "x", count: 200) + "…")
        #expect(PeerText.printable("user:pencil!", hiding: Secret("pencil")) == "user:****!")
        #expect(PeerText.printable("a cat", hiding: [Secret("cat"), Secret("")]) == "a cat")
        #expect(PeerText.printable("one two", hiding: [Secret("one "), Secret("two ")]) == "****two")
    }
}
