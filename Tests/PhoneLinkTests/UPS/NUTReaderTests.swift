import AlarmModel
import Testing

@testable import PhoneLink

@Suite("What a NUT server answers is read the same however it is cut")
struct NUTReaderTests {
    private static let stream = [
        #"VAR ups ups.status "OL CHRG""#, #"VAR ups ups.mfr "a \"b\" \\ c""#, "OK", "ERR DATA-STALE",
        "ERR UNKNOWN-UPS", "ERR ACCESS-DENIED", "ERR VAR-NOT-SUPPORTED", "ERR DRIVER-NOT-CONNECTED", "OK Goodbye",
        #"VAR ups battery.charge """#, "ERR INVALID-ARGUMENT and more",
    ]
    private static let answers: [NUTAnswer] = [
        .variable(ups: "ups", name: "ups.status", value: "OL CHRG"),
        .variable(ups: "ups", name: "ups.mfr", value: #"a "b" \ c"#), .ok, .refused(.stale), .refused(.unknownUPS),
        .refused(.accessDenied), .refused(.notSupported), .refused(.driverGone), .ok,
        .variable(ups: "ups", name: "battery.charge", value: ""), .refused(.other),
    ]

    private func read(_ pieces: [[UInt8]]) throws -> [NUTAnswer] {
        var reader = NUTReader()
        var answers: [NUTAnswer] = []
        for piece in pieces {
            reader.append(piece)
            while let answer = try reader.next() { answers.append(answer) }
        }
        #expect(!reader.hasRest)
        return answers
    }

    @Test("cut at every place, with either line end", arguments: ["\n", "\r\n"])
    func cutAtEveryPlace(_ end: String) throws {
        let bytes = Array(Self.stream.map { $0 + end }.joined().utf8)
        for place in 0...bytes.count {
            #expect(try read([Array(bytes[..<place]), Array(bytes[place...])]) == Self.answers, "cut at \(place)")
        }
        #expect(try read(bytes.map { [$0] }) == Self.answers)
    }

    @Test(
        "what upsd does not say is a failure for good",
        arguments: ["", "HTTP/1.1 400 Bad Request", "VAR ups ups.status", #"VAR ups ups.status "OL"#, #"ERR\"#, "ERR"])
    func whatUpsdDoesNotSayIsAFailure(_ line: String) {
        var reader = NUTReader()
        reader.append(Array("\(line)\n".utf8))
        #expect(throws: NUTReader.Failure.unknown) { try reader.next() }
        reader.append(Array("OK\n".utf8))
        #expect(throws: NUTReader.Failure.unknown) { try reader.next() }
        #expect(!reader.hasRest)
    }

    @Test("a line has an end, and so have its words")
    func aLineHasAnEnd() throws {
        var reader = NUTReader()
        reader.append(Array(repeating: 0x41, count: NUTReader.lineLimit))
        #expect(try reader.next() == nil)
        reader.append([0x41])
        #expect(throws: NUTReader.Failure.lineTooLong) { try reader.next() }
        var other = NUTReader()
        other.append(Array(repeating: 0x41, count: NUTReader.lineLimit + 1) + [0x0A])
        #expect(throws: NUTReader.Failure.lineTooLong) { try other.next() }
        var wordy = NUTReader()
        wordy.append(Array(("OK" + String(repeating: " a", count: 16) + "\n").utf8))
        #expect(throws: NUTReader.Failure.unknown) { try wordy.next() }
    }

    @Test(
        "what is said to it stands in quotes where it must, and is read as it was meant",
        arguments: ["alarm", "two words", #"a"b\c"#, "", "a#b"])
    func whatIsSaidStandsInQuotes(_ word: String) throws {
        let line = "VAR ups name \(NUTReader.quoted(word))\n"
        #expect(try read([Array(line.utf8)]) == [.variable(ups: "ups", name: "name", value: word)])
        #expect((NUTReader.quoted(word).first == "\"") == (word != "alarm"))
    }

    @Test(
        "the status says what feeds the UPS; what makes no sense is left out",
        arguments: [
            ("OL", "100", "2520", UPSReading(.mains, charge: 100, runtime: .seconds(2520))),
            ("OL CHRG LB", "7.5", "60.00", UPSReading(.mains, charge: 7, runtime: .seconds(60))),
            ("OB DISCHRG", "101", "-5", UPSReading(.battery)),
            ("OB LB", "x", "", UPSReading(.low)),
            // A test of its battery is no cut.
            ("OB CAL", "87", nil, UPSReading(.mains, charge: 87)), ("OB DISCHRG CAL", nil, nil, UPSReading(.mains)),
            ("OL CAL", nil, nil, UPSReading(.mains)), ("OB LB CAL", nil, nil, UPSReading(.low)),
            ("OL OB", nil, nil, UPSReading(.battery)),
            ("OL FSD", "50", nil, UPSReading(.low, isEnding: true, charge: 50)),
            ("OB", nil, "999999999", UPSReading(.battery, runtime: .seconds(7 * 24 * 3600))),
            ("OB", "1234567890", "1234567890", UPSReading(.battery)),
            ("OFF", "100", "2520", nil), ("", "100", "2520", nil), ("OLOB", nil, nil, nil),
        ] as [(String, String?, String?, UPSReading?)])
    func theStatusSaysWhatFeedsTheUPS(_ status: String, _ charge: String?, _ runtime: String?, _ expected: UPSReading?)
    {
        #expect(UPSReading(status: status, charge: charge, runtime: runtime) == expected)
    }
}
