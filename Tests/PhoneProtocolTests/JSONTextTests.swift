import PhoneProtocol
import Testing

struct JSONTextTests {
    @Test("a text is compact, keeps the order of keys and escapes only what must be escaped")
    func aTextIsCompactKeepsTheOrderOfKeysAndEscapesOnlyWhatMust() {
        let value = JSON.object([
            "z": .string("a\"b\\c\n\r\t\u{0}\u{1F}\u{7F}/ü🔔"), "a": .array([.null, .bool(true), .integer(.min)]),
            "left out": nil, "n": .array([.number(1), .number(0.1), .number(1e100), .number(-0.0)]),
            "empty": .object([:]), "none": .array([]),
        ])
        let expected =
            #"{"z":"a\"b\\c\n\r\t\u0000\u001f"# + "\u{7F}" + #"/ü🔔","a":[null,true,-9223372036854775808],"#
            + #""n":[1.0,0.1,1e+100,-0.0],"empty":{},"none":[]}"#
        #expect(value.text == expected)
        #expect(value.utf8 == Array(expected.utf8))
    }

    @Test("a double that is not finite is written as null")
    func aDoubleThatIsNotFiniteIsWrittenAsNull() {
        #expect(JSON.array([.number(.nan), .number(.infinity)]).text == "[null,null]")
    }

    @Test("numbers beyond Int64 become decimal strings")
    func numbersBeyondInt64BecomeDecimalStrings() {
        #expect(JSON.unsigned(UInt64(Int64.max)) == .integer(.max))
        #expect(JSON.unsigned(UInt64.max) == .string("18446744073709551615"))
    }

    @Test("errors say where and why")
    func errorsSayWhereAndWhy() {
        #expect(JSONError.syntax(offset: 3, .trailingBytes).description.contains("byte 3"))
        for reason in JSONError.Reason.allCases {
            #expect(JSONError.syntax(offset: 0, reason).description.contains(reason.rawValue))
        }
    }
}
