import Testing

@testable import Daemon

@Suite("stand-ins for secrets")
struct StandInsTests {
    private let standIns = StandIns(key: Array(1...16))

    @Test("each code of four digits has one of its own, four digits too, and is not its own")
    func codes() {
        var found: Set<String> = []
        for number in 0..<10_000 {
            let code = String(String(number + 10_000).dropFirst())
            let standIn = standIns.text(code)
            #expect(standIn.utf8.count == 4 && standIn.utf8.allSatisfy { (48...57).contains($0) })
            #expect(!zip(standIn, code).contains { $0 == $1 })
            found.insert(standIn)
        }
        #expect(found.count == 10_000)
    }

    @Test("kinds of characters, punctuation and length stay; a beginning stays a beginning; nothing tells the key")
    func kinds() {
        let standIn = standIns.text("Ab9/x?_é€𝄞")
        #expect(standIn.utf8.count == "Ab9/x?_é€𝄞".utf8.count)
        #expect(standIn.unicodeScalars.count == "Ab9/x?_é€𝄞".unicodeScalars.count)
        #expect(standIn.contains("/") && standIn.contains("?_"))
        #expect(standIns.text("hunter2hunter").hasPrefix(standIns.text("hunter2")))
        let twice = standIns.text("1111")
        #expect(Set(twice).count > 1 || standIns.text("2222") != twice)
        #expect(StandIns(key: Array(2...17)).text("hunter2hunter") != standIns.text("hunter2hunter"))
        #expect(standIns.bytes([1, 2, 3]) != [1, 2, 3] && standIns.bytes([1, 2, 3]) == standIns.bytes([1, 2, 3]))
    }

    @Test("the hash is SipHash-2-4")
    func reference() {
        // Computed with another implementation: Python's, of the key 00 … 0f read as two big-endian words.
        let standIns = StandIns(key: Array(0...15))
        #expect(standIns.text("0000000000") == Self.expected)
    }
    private static let expected = "6395573486"
}
