import PhoneProtocol
import Testing

/// Text in, value or typed error out.
struct JSONParsingTests {
    private func failure(_ text: String, limits: JSON.Limits = .standard) -> JSONError? {
        do throws(JSONError) {
            _ = try JSON(parsing: text, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test("the examples of RFC 8259 are read in order")
    func theExamplesOfRFC8259AreReadInOrder() throws {
        let image = """
            {
              "Image": {
                  "Width":  800,
                  "Height": 600,
                  "Title":  "View from 15th Floor",
                  "Thumbnail": { "Url": "http://www.example.com/image/481989943", "Height": 125, "Width": 100 },
                  "Animated" : false,
                  "IDs": [116, 943, 234, 38793]
                }
            }
            """
        let value = try JSON(parsing: image)
        #expect(
            value["Image"]?.objectValue?.map(\.key) == ["Width", "Height", "Title", "Thumbnail", "Animated", "IDs"])
        #expect(value["Image"]?["Thumbnail"]?["Height"]?.integerValue == 125)
        #expect(value["Image"]?["IDs"]?.arrayValue?.compactMap(\.integerValue) == [116, 943, 234, 38793])
        #expect(value["Image"]?["Animated"]?.boolValue == false)
        #expect(try JSON(parsing: "\"Hello world!\"") == .string("Hello world!"))
        #expect(try JSON(parsing: " 42\r\n") == .integer(42))
        #expect(
            try JSON(parsing: "[{\"Latitude\":  37.7668, \"Longitude\": -122.3959}]").text
                == "[{\"Latitude\":37.7668,\"Longitude\":-122.3959}]")
        #expect(try JSON(parsing: #""\uD834\uDD1E \u20ac \/""#) == .string("\u{1D11E} € /"))
    }

    @Test(
        "numbers keep what they are",
        arguments: [
            ("0", JSON.integer(0)), ("-0", .integer(0)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("1.0", .number(1)), ("1e2", .number(100)), ("-2.5E-3", .number(-0.0025)),
            ("5e-324", .number(.leastNonzeroMagnitude)),
        ])
    func numbersKeepWhatTheyAre(text: String, expected: JSON) throws {
        #expect(try JSON(parsing: text) == expected)
    }

    @Test(
        "what is not JSON is refused with its place and reason",
        arguments: [
            ("", 0, JSONError.Reason.unexpectedEnd), ("  ", 2, .unexpectedEnd), ("[1,]", 3, .unexpectedByte),
            ("{\"a\" 1}", 5, .unexpectedByte), ("{a:1}", 1, .unexpectedByte), ("[1", 2, .unexpectedEnd),
            ("01", 1, .trailingBytes), ("1 x", 2, .trailingBytes), ("-", 1, .unexpectedEnd), ("-x", 1, .badNumber),
            ("1.", 2, .unexpectedEnd), ("1.x", 2, .badNumber), (".5", 0, .unexpectedByte), ("+1", 0, .unexpectedByte),
            ("1e400", 0, .numberOutOfRange), ("NaN", 0, .unexpectedByte), ("tru", 3, .unexpectedEnd),
            ("trup", 3, .unexpectedByte), ("\"a\nb\"", 2, .controlCharacter), ("\"\\x\"", 2, .badEscape),
            ("\"\\uD800\"", 1, .loneSurrogate), ("\"\\uD800\\u0041\"", 1, .loneSurrogate),
            ("\"\\uDC00\"", 1, .loneSurrogate), ("\"\\u00g0\"", 5, .badEscape), ("\"abc", 4, .unexpectedEnd),
            ("\u{FEFF}1", 0, .unexpectedByte),
        ])
    func whatIsNotJSONIsRefusedWithItsPlaceAndReason(text: String, offset: Int, reason: JSONError.Reason) {
        #expect(failure(text) == .syntax(offset: offset, reason))
    }

    @Test("a string that is not UTF-8 is refused")
    func aStringThatIsNotUTF8IsRefused() {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
            #expect(throws: JSONError.syntax(offset: 1, .invalidUTF8)) {
                try JSON(parsing: [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")])
            }
        }
    }

    @Test("depth and length are bounded, exactly at the limit")
    func depthAndLengthAreBounded() {
        let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(failure(nested(32)) == nil)
        #expect(failure(nested(33)) == .syntax(offset: 32, .tooDeep))
        #expect(failure(String(repeating: "{\"a\":", count: 100_000)) == .syntax(offset: 160, .tooDeep))
        let small = JSON.Limits(depth: 1, bytes: 4)
        #expect(failure("[12]", limits: small) == nil)
        #expect(failure("[123]", limits: small) == .syntax(offset: 4, .tooLong))
        #expect(failure("[[]]", limits: small) == .syntax(offset: 1, .tooDeep))
    }

    @Test("of equal keys all are kept and the first counts")
    func ofEqualKeysAllAreKeptAndTheFirstCounts() throws {
        let value = try JSON(parsing: #"{"a":1,"b":2,"a":3}"#)
        #expect(value["a"] == .integer(1))
        #expect(value.text == #"{"a":1,"b":2,"a":3}"#)
        // The same letter written in two ways is two keys.
        let accents = try JSON(parsing: "{\"e\u{301}\":1,\"\u{e9}\":2}")
        #expect(accents["\u{e9}"] == .integer(2))
    }

    @Test("every truncation and every change of one byte is a value or an error")
    func everyTruncationAndEveryChangeOfOneByteIsAValueOrAnError() {
        for document in Self.documents {
            let bytes = Array(document.utf8)
            for end in 0..<bytes.count {
                #expect(throws: JSONError.self, "cut at \(end)") { try JSON(parsing: Array(bytes[..<end])) }
            }
            for index in bytes.indices {
                var changed = bytes
                for byte in UInt8.min...UInt8.max {
                    changed[index] = byte
                    guard let value = try? JSON(parsing: changed) else { continue }
                    if (try? JSON(parsing: value.text)) != value { Issue.record("not read back: \(value.text)") }
                }
            }
        }
    }

    private static let documents = [
        #"{"type":"alarm","code":"601","raw":"6011001","message":"Küche \u00fc \uD83D\uDD14","timestamp":1795228190}"#,
        #"[null,true,false,-0.5e+10,[],{},"\"\\\/\b\f\n\r\t",{"a":{"b":[1,2,3]}}]"#,
    ]
}
