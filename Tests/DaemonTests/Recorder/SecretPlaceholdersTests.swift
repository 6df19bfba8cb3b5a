import Testing

@testable import Daemon

@Suite("placeholders for secrets")
struct SecretPlaceholdersTests {
    private let placeholders = SecretPlaceholders(key: Array(1...16))

    @Test("each code of four digits has one of its own, four digits too, and is not its own")
    func eachCodeOfFourDigitsHasOneOfItsOwn() {
        var found: Set<String> = []
        for number in 0..<10_000 {
            let code = String(String(number + 10_000).dropFirst())
            let placeholder = placeholders.text(code)
            #expect(placeholder.utf8.count == 4 && placeholder.utf8.allSatisfy { (48...57).contains($0) })
            #expect(!zip(placeholder, code).contains { $0 == $1 })
            found.insert(placeholder)
        }
        #expect(found.count == 10_000)
    }

    @Test("kinds of characters, punctuation and length stay; a beginning stays a beginning; nothing tells the key")
    func kindsOfCharacters() {
        let placeholder = placeholders.text("Ab9/x?_é€𝄞")
        #expect(placeholder.utf8.count == "Ab9/x?_é€𝄞".utf8.count)
        #expect(placeholder.unicodeScalars.count == "Ab9/x?_é€𝄞".unicodeScalars.count)
        #expect(placeholder.contains("/") && placeholder.contains("?_"))
        #expect(placeholders.text("hunter2hunter").hasPrefix(placeholders.text("hunter2")))
        let twice = placeholders.text("1111")
        #expect(Set(twice).count > 1 || placeholders.text("2222") != twice)
        #expect(SecretPlaceholders(key: Array(2...17)).text("hunter2hunter") != placeholders.text("hunter2hunter"))
        #expect(placeholders.bytes([1, 2, 3]) != [1, 2, 3])
        #expect(placeholders.bytes([1, 2, 3]) == placeholders.bytes([1, 2, 3]))
    }

    @Test("the hash is SipHash-2-4")
    func theHashIsSipHash24() {
        // Computed with another implementation: Python's, of the key 00 … 0f read as two big-endian words.
        let placeholders = SecretPlaceholders(key: Array(0...15))
        #expect(placeholders.text("0000000000") == Self.expected)
    }
    private static let expected = "6395573486"
}
