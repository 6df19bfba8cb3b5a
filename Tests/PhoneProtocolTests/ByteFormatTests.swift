import AlarmModel
import PhoneProtocol
import Testing

@Suite struct ByteFormatTests {
    @Test(
        "base 32 gives the texts of RFC 4648",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func base32GivesTheTextsOfRFC4648(bytes: String, text: String) throws {
        #expect(Base32.encode(Array(bytes.utf8)) == text)
        #expect(Base32.encode(Array(bytes.utf8), .lower) == text.lowercased())
        #expect(try Base32.decode(text) == Array(bytes.utf8))
        #expect(try Base32.decode(text.lowercased()) == Array(bytes.utf8))
    }

    @Test(
        "base 64 for URLs gives the texts of RFC 4648 without padding",
        arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("foobar", "Zm9vYmFy")])
    func base64ForURLsGivesTheTextsOfRFC4648WithoutPadding(bytes: String, text: String) throws {
        #expect(Base64URL.encode(Array(bytes.utf8)) == text)
        #expect(try Base64URL.decode(text) == Array(bytes.utf8))
        let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        #expect(Base64.encode(Array(bytes.utf8)) == padded && Base64.decode(padded) == Array(bytes.utf8))
    }

    @Test("all bytes go through all three encodings, at every length")
    func allBytesGoThroughAllThreeEncodings() throws {
        let all = (0...255).map { UInt8($0) }
        for count in 0...255 {
            let bytes = Array(all.suffix(count))
            #expect(try Base32.decode(Base32.encode(bytes)) == bytes)
            #expect(try Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(try Hex.decode(Hex.encode(bytes)) == bytes)
        }
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8" && Base64.encode([0xFB, 0xFF]) == "+/8=")
        #expect(Hex.encode([0x00, 0x9A, 0xFF]) == "009aff")
    }

    @Test(
        "what has bits left over, a length of nothing, padding or a strange character is refused",
        arguments: ["A", "MZ", "MZXW6Y", "MY======", "M Y", "M1", "MY\n", "MÄ"])
    func whatHasBitsLeftOver(text: String) {
        #expect(throws: FormatError.self) { try Base32.decode(text) }
    }

    @Test("base 64 is strict, too", arguments: ["Z", "Zh", "Zm9", "Zg==", "Z+", "Z/", "Zg\n", " Zg", "Zä"])
    func base64IsStrictToo(text: String) {
        #expect(throws: FormatError.self) { try Base64URL.decode(text) }
    }

    @Test(
        "base 64 with padding has one text for the same bytes",
        arguments: ["Z", "Zg", "Zg=", "Zh==", "Zg==Zg==", "Zm9=", "Zm8", "====", "=Zg=", "Z===", "Zg-_", "Zg=\n"])
    func base64WithPaddingHasOneTextForTheSameBytes(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("a number in hexadecimal digits has neither sign nor capitals nor blanks")
    func aNumberInHexadecimalDigitsHasNeitherSignNorCapitals() {
        #expect(Hex.number("0000beef") == 0xBEEF && Hex.number("ffffffffffffffff") == .max)
        for text in ["", "-1", "+1", "BEEF", " 1", "0x1", "1ffffffffffffffff"] { #expect(Hex.number(text) == nil) }
    }

    @Test("hexadecimal digits come in pairs", arguments: ["0", "0g", "abc", "0x", " 0"])
    func hexadecimalDigitsComeInPairs(text: String) {
        #expect(throws: FormatError.self) { try Hex.decode(text) }
    }

    @Test("numbers are big-endian, and what is written is read")
    func numbersAreBigEndian() throws {
        var writer = ByteWriter()
        writer.byte(1)
        writer.uint16(0x0203)
        writer.uint32(0x0405_0607)
        writer.uint64(0x0809_0A0B_0C0D_0E0F)
        try writer.lp8([9], "a field")
        try writer.lp16([8, 7], "a field")
        #expect(writer.bytes == Array(1...15) + [1, 9, 0, 2, 8, 7])
        var reader = ByteReader(writer.bytes)
        #expect(try reader.byte() == 1)
        #expect(try reader.uint16() == 0x0203)
        #expect(try reader.uint32() == 0x0405_0607)
        #expect(try reader.uint64() == 0x0809_0A0B_0C0D_0E0F)
        #expect(try reader.lp8() == [9])
        #expect(reader.remaining == 4)
        #expect(throws: FormatError.trailing(4)) { try reader.end() }
        #expect(try reader.lp16() == [8, 7])
        try reader.end()
    }

    @Test("what is missing is told with its place")
    func whatIsMissingIsToldWithItsPlace() {
        var reader = ByteReader([0, 5, 1])
        #expect(throws: FormatError.ends(offset: 3, missing: 4)) { try reader.lp16() }
        var writer = ByteWriter()
        #expect(throws: FormatError.tooLong("a name")) {
            try writer.lp8([UInt8](repeating: 0, count: 256), "a name")
        }
        #expect(throws: FormatError.tooLong("a name")) {
            try writer.lp16([UInt8](repeating: 0, count: 65_536), "a name")
        }
    }

    @Test("secrets are compared whole")
    func secretsAreComparedWhole() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2], [1, 2]))
        #expect(!ConstantTime.equal([1, 2], [1, 3]))
        #expect(!ConstantTime.equal([2, 2], [1, 2]))
        #expect(!ConstantTime.equal([1, 2], [1]))
    }
}
