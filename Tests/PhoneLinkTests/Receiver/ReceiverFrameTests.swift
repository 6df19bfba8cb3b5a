import AlarmModel
import Testing

@testable import PhoneLink

@Suite("What a receiver answers is read the same however it is cut")
struct ReceiverFrameTests {
    /// As siadc09 1.0.1 and pysiaalarm 3.2.2 write them.
    private static let frames = [
        "\nD3EF0014\"ACK\"0007R0L0#1234[]\r", "\n5CF40028\"ACK\"0007R0L0#1234[]_17:20:05,11-26-2026\r",
        "\nE80A0074\"*ACK\"0007R0L0#1234[34c4e934bab833a1323bf736be915173607c840a894b993f5cbc86289cd669ea9f95ab2f"
            + "615c3af48ecede79cf4b8a4a\r",
        "\nEFA60028\"NAK\"0000R0L0#1234[]_17:20:05,11-26-2026\r", "\nA3370014\"DUH\"0007R0L0#1234[]\r",
        "\n12A80025\"NAK\"0000L0R0A0[]_17:41:15,11-26-2026\r",
    ]

    private func read(_ pieces: [[UInt8]]) throws -> [ReceiverAnswer] {
        var reader = ReceiverReader()
        var answers: [ReceiverAnswer] = []
        for piece in pieces {
            reader.append(piece)
            while let answer = try reader.next() { answers.append(answer) }
        }
        #expect(!reader.hasRest)
        return answers
    }

    @Test("cut at every place: word, number and whom it names")
    func cutAtEveryPlace() throws {
        let bytes = Array(Self.frames.joined().utf8)
        let answers = try read([bytes])
        #expect(answers.map(\.word) == [.accepted, .accepted, .accepted, .wrongTime, .notUnderstood, .wrongTime])
        #expect(answers.map(\.isEncrypted) == [false, false, true, false, false, false])
        #expect(answers.map(\.sequence) == [7, 7, 7, 0, 7, 0])
        #expect(answers.map(\.account) == [0x1234, 0x1234, 0x1234, nil, 0x1234, nil])
        #expect(answers[1].time == WallTime(milliseconds: 1_795_713_605_000) && answers[3].time == answers[1].time)
        for place in 0...bytes.count {
            #expect(try read([Array(bytes[..<place]), Array(bytes[place...])]) == answers, "cut at \(place)")
        }
        #expect(try read(bytes.map { [$0] }) == answers)
    }

    @Test("every changed byte is noticed: nothing is taken for an answer that is none")
    func everyChangedByteIsNoticed() throws {
        let bytes = Array(Self.frames[1].utf8)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 0x01
            var reader = ReceiverReader()
            reader.append(changed)
            let answer = try? reader.next()
            #expect(answer == nil, "byte \(place)")
        }
    }

    @Test(
        "what no receiver says is a failure for good",
        arguments: [
            ("HTTP/1.1 400 Bad Request\r", ReceiverReader.Failure.noFrame), ("\n\r", .noFrame), ("\nx\r", .noFrame),
            ("x", .noFrame), ("\"ACK\"\r", .noFrame), ("\nD3EF0015\"ACK\"0007R0L0#1234[]\r", .wrongSum),
            ("\nD3EE0014\"ACK\"0007R0L0#1234[]\r", .wrongSum), ("\n+3EF0014\"ACK\"0007R0L0#1234[]\r", .noFrame),
        ])
    func whatNoReceiverSaysIsAFailure(_ text: String, _ failure: ReceiverReader.Failure) {
        var reader = ReceiverReader()
        reader.append(Array(text.utf8))
        #expect(throws: failure) { try reader.next() }
        reader.append(Array(Self.frames[0].utf8))
        #expect(throws: failure) { try reader.next() }
        #expect(!reader.hasRest)
    }

    @Test(
        "right in form and wrong in what it says is no answer either",
        arguments: [
            "\"ACK\"7R0L0#1234[]", "\"ACK\"000xR0L0#1234[]", "\"ACK\"0007RxL0#1234[]", "\"ACK\"0007R0L0#1234x[]",
            "\"ACK\"0007R0L0#1234", "\"RSP\"0007R0L0#1234[]", "\"ACK0007R0L0#1234[]", "ACK", "\"ACK\"0007R0L0#[]",
        ])
    func rightInFormAndWrongInWhatItSays(_ message: String) {
        var reader = ReceiverReader()
        reader.append(ReceiverFrame.bytes(message))
        #expect(throws: ReceiverReader.Failure.noFrame) { try reader.next() }
    }

    @Test("an answer has an end")
    func anAnswerHasAnEnd() throws {
        var reader = ReceiverReader()
        reader.append([0x0A] + Array(repeating: 0x41, count: ReceiverFrame.sizeLimit - 1))
        #expect(try reader.next() == nil)
        reader.append([0x41])
        #expect(throws: ReceiverReader.Failure.tooLong) { try reader.next() }
    }

    @Test("times are in UTC, month first; what is no time is none")
    func timesAreInUTC() {
        let time = WallTime(milliseconds: 1_795_713_605_000)
        #expect(ReceiverFrame.time(time) == "17:20:05,11-26-2026")
        #expect(ReceiverFrame.time("17:20:05,11-26-2026") == time)
        for text in [
            "", "17:20:05,11-26-202", "24:20:05,11-26-2026", "17:60:05,11-26-2026", "17:20:61,11-26-2026",
            "17:20:05,13-26-2026", "17:20:05,02-29-2026", "17:20:05,11-00-2026", "17-20:05,11-26-2026",
            "+7:20:05,11-26-2026", "17:20:05,11-26-1969",
        ] {
            #expect(ReceiverFrame.time(text) == nil, "\(text)")
        }
        #expect(ReceiverFrame.time("00:00:00,02-29-2028") != nil)
    }

    @Test("a report has its qualifier, its code, two digits of a partition and three of a zone or user")
    func aReportHasItsDigits() {
        #expect(ContactID(.new, 130, partition: 1, number: 5).text == "1130 01 005")
        #expect(ContactID(.restored, 401).text == "3401 00 000")
        #expect(ContactID(.new, 7, partition: -1, number: 100_000).text == "1100 00 999")
    }

    @Test("the number goes on for each message, stays for the same, and 1 follows 9999")
    func theNumberGoesOnForEachMessage() {
        var record = ReceiverRecord()
        #expect(record.number(of: MessageID("a")) == 1 && record.number(of: MessageID("a")) == 1)
        #expect(record.number(of: MessageID("b")) == 2)
        record = ReceiverRecord(sequence: 9998, message: MessageID("c"))
        #expect(record.number(of: MessageID("c")) == 9998)
        #expect(record.number(of: MessageID("d")) == 9999 && record.number(of: MessageID("e")) == 1)
        record.sequence = -5
        #expect(record.number(of: MessageID("f")) == 1)
    }
}
