import AlarmModel
import PhoneProtocol
import Platform
import Testing

@Suite struct PairingTextTests {
    private let crypto = OpenSSLCrypto()
    private let text = PairingVectors.text

    private func random(_ places: [String]) throws -> PairingText {
        try PairingText(
            publicKey: Random.bytes(32), servers: places.map { RendezvousPlace(kind: .broker, place: $0) },
            secret: Random.bytes(16))
    }

    @Test("a code is read in groups, in small letters, over several lines and without its hyphens")
    func aCodeIsReadInGroups() throws {
        let code = try PairingText(parsing: text, crypto)
        let grouped = code.grouped(crypto).revealed
        #expect(grouped.hasPrefix("HA2:AIADL-ADS2Y-3FRAG-"))
        for form in [
            grouped, text.lowercased(), grouped.replacing("-", with: " "), "\n \(grouped.lowercased())\r\n",
            grouped.replacing("-", with: "–"), grouped.replacing("-", with: "-\u{A0}\n"),
        ] {
            #expect(try PairingText(parsing: form, crypto) == code)
        }
    }

    @Test("every single wrong character and every cut is a typing error, and says so")
    func everySingleWrongCharacterAndEveryCutIsATypingError() {
        let digits = Array(text)
        for index in 4..<digits.count {
            for other in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" where other != digits[index] {
                var wrong = digits
                wrong[index] = other
                // Two check bytes let one in 65 536 through; what they let through must not be another valid code.
                let read = try? PairingText(parsing: String(wrong), crypto)
                #expect(read == nil, "\(other) at \(index)")
            }
        }
        for count in 4..<digits.count {
            #expect(throws: PairingTextError.typingError) { try PairingText(parsing: String(digits[..<count]), crypto) }
        }
        var swapped = digits
        swapped.swapAt(20, 21)
        #expect(throws: PairingTextError.typingError) { try PairingText(parsing: String(swapped), crypto) }
        #expect(throws: PairingTextError.typingError) { try PairingText(parsing: text + "A", crypto) }
    }

    @Test("a character that no code has is named with its group")
    func aCharacterThatNoCodeHasIsNamedWithItsGroup() {
        let wrong = text.replacing("HA2:AIADLAD", with: "HA2:AIADL-A0")
        #expect(throws: PairingTextError.strangeCharacter("0", group: 2)) { try PairingText(parsing: wrong, crypto) }
    }

    @Test(
        "what is no code of ours is told from a newer one",
        arguments: ["", "HA2", "HA1:AAAA", "WIFI:S:x;;", "https://x"])
    func whatIsNoCodeOfOursIsToldFromANewerOne(text: String) {
        #expect(throws: PairingTextError.notOurs) { try PairingText(parsing: text, crypto) }
        #expect(throws: PairingTextError.newerVersion) { try PairingText(parsing: "HA3:AAAA", crypto) }
    }

    @Test("a newer version and unknown flags with right check bytes mean: update the app", arguments: [0, 1])
    func aNewerVersionAndUnknownFlagsWithRightCheckBytesMean(place: Int) throws {
        var payload = try PairingText(parsing: text, crypto).payload
        payload[place] += 1
        let check = crypto.sha256(Array("HA2 text\0".utf8) + payload).prefix(2)
        #expect(throws: PairingTextError.newerVersion) {
            try PairingText(parsing: "HA2:" + Base32.encode(payload + check), crypto)
        }
    }

    @Test("the bytes of a code cannot be cut anywhere nor have one more")
    func theBytesOfACodeCannotBeCutAnywhereNorHaveOneMore() throws {
        let code = try random(["ntfy.sh", "a.b:8883"])
        let payload = code.payload
        #expect(try PairingText(payload: payload) == code)
        for count in 0..<payload.count {
            #expect(throws: FormatError.self) { try PairingText(payload: Array(payload[..<count])) }
        }
        #expect(throws: FormatError.self) { try PairingText(payload: payload + [0]) }
    }

    @Test("a code has at least one server, of printable ASCII, and at most 88 bytes")
    func aCodeHasAtLeastOneServer() throws {
        #expect(try random([String(repeating: "x", count: 35)]).payload.count == 88)
        for places in [[], [""], ["a b"], ["ä.de"], ["a\n"], [String(repeating: "x", count: 36)]] {
            #expect(throws: FormatError.self) { try random(places) }
        }
        #expect(throws: FormatError.self) { try random([String](repeating: "x", count: 300)) }
    }

    @Test("printing a code shows nothing of it")
    func printingACodeShowsNothingOfIt() throws {
        let code = try PairingText(parsing: text, crypto)
        var printed = "\(code) \(String(reflecting: code)) \(code.text(crypto)) \(code.grouped(crypto))"
        dump(code, to: &printed)
        #expect(!printed.contains("AIADL") && !printed.contains("[") && !printed.contains("ntfy"))
    }
}
