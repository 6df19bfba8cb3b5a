import AlarmModel
import Testing

@Suite("Searching in texts")
struct TextSearchTests {
    @Test(
        "a text is found where it is, first place first, and is not where it is not",
        arguments: [
            ("expired token", "token", "expired |token|"), ("aab", "ab", "a|ab|"), ("Küche", "üc", "K|üc|he"),
            ("abc", "", "||abc"), ("abcabc", "bc", "a|bc|abc"), ("ab", "abc", nil), ("", "a", nil), ("", "", "||"),
        ])
    func aTextIsFoundWhereItIs(text: String, part: String, marked: String?) {
        let shown = text.range(ofText: part).map { found in
            "\(text[..<found.lowerBound])|\(text[found])|\(text[found.upperBound...])"
        }
        #expect(shown == marked)
        #expect(text.includes(part) == (marked != nil))
        #expect(text.dropFirst(0).includes(part) == (marked != nil))
    }

    @Test("each place is replaced once, also where the new text holds the old one")
    func eachPlaceIsReplacedOnce() {
        #expect("1 trys, 2 trys".replacing(text: "trys", with: "tries") == "1 tries, 2 tries")
        #expect("aaa".replacing(text: "a", with: "aa") == "aaaaaa")
        #expect("aaa".replacing(text: "aa", with: "b") == "ba")
        #expect("abc".replacing(text: "", with: "x") == "abc")
        #expect("abc".replacing(text: "bc", with: "") == "a")
    }
}
