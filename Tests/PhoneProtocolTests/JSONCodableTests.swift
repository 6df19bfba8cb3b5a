import AlarmModel
import PhoneProtocol
import Testing

struct JSONCodableTests {
    private func roundTrip<T: Codable & Equatable>(_ value: T) throws {
        let text = try JSON.encoding(value).text
        #expect(try JSON(parsing: text).decoding(T.self) == value, "\(text)")
    }

    @Test("the words of the model survive the way through a text")
    func theWordsOfTheModelSurviveTheWayThroughAText() throws {
        var state = PanelState(link: .up)
        state.withPartition(1) {
            $0.name = "Haus"
            $0.status = .known(.exitDelay(.zeroEntryStay))
            $0.trouble = .stale(true)
            $0.lastChangedBy = .user(3)
        }
        state.withPartition(2) { $0.status = .stale(.alarm(nil)) }
        state.withZone(64) {
            $0.open = .known(true)
            $0.lastOpened = WallTime(milliseconds: -1)
        }
        state.system[.battery] = .known(.trouble)
        state.system.leds = .known(0x91)
        state.system.temperatures = [Temperature(thermostat: 1, place: .outdoor, degrees: -12)]
        try roundTrip(state)

        let event = Event(
            type: .alarm, code: "601", raw: "6011003", message: "Zone 3 \"Küche\" in alarm",
            time: WallTime(milliseconds: 1_795_228_190_123), isTimeTrusted: false, partition: 1, zone: 3,
            zoneName: "Küche", flags: [.maintenance, .flapping], flapCount: 9, command: CommandID(.max),
            unstored: UnstoredMark(boot: "0badcafe", counter: UInt64.max - 1))
        try roundTrip(StoredEvent(seq: SequenceNumber(.max), event: event))
        try roundTrip(
            Batch(
                id: BatchID(UInt64.max), events: [event], snapshot: Snapshot(panel: state, isMaintenance: true),
                ledger: [
                    LedgerRow(
                        command: CommandID(1), summary: "arm", origin: "console", time: WallTime(milliseconds: 0),
                        outcome: .refused(.notReady(openZones: [3, 7])))
                ], retention: RetentionStep(olderThan: nil, keepAtMost: 10, limit: 5)))
        try roundTrip([Outcome.done, .failed(.panelRefused(error: 24)), .refused(.badRequest("x")), .expired])
        try roundTrip([Link.any, .interface("eth0")])
        try roundTrip([ConnectionEnd.failed(errno: 111), .finished])
        try roundTrip(Duration.seconds(-3) + .nanoseconds(17))
        try roundTrip(EventQuery(types: [.alarm, .fault], zone: 3))
    }

    @Test("an enumeration is written as the compiler lays it out")
    func anEnumerationIsWrittenAsTheCompilerLaysItOut() throws {
        #expect(try JSON.encoding(Link.interface("eth0")).text == #"{"interface":{"_0":"eth0"}}"#)
        #expect(try JSON.encoding(Outcome.done).text == #"{"done":{}}"#)
        #expect(try JSON.encoding(CommandID(7)).text == #"{"number":7}"#)
        #expect(try JSON.encoding(Secret("1234")).text == #""****""#)
    }

    private struct Widths: Codable, Equatable {
        var a: Int8 = .min
        var b: UInt8 = .max
        var c: Int16 = .min
        var d: UInt16 = .max
        var e: Int32 = .min
        var f: UInt32 = .max
        var g: Int64 = .min
        var h: UInt64 = .max
        var i: UInt64 = UInt64(Int64.max)
        var j: UInt = .max
        var k: Float = .leastNonzeroMagnitude
        var l: Double = .greatestFiniteMagnitude
        var m: Int? = nil
        var n: [Int?] = [nil, 1]
        var o: [[String: Bool]] = [["x": true], [:]]
    }

    @Test("every width of number survives at its ends")
    func everyWidthOfNumberSurvivesAtItsEnds() throws {
        try roundTrip(Widths())
        #expect(try JSON.encoding(Widths())["h"] == .string("18446744073709551615"))
        #expect(try JSON.encoding(Widths())["i"] == .integer(.max))
        #expect(try JSON.encoding(Widths())["m"] == nil)
    }

    @Test("a number that does not fit, or a wrong kind, is an error with its path")
    func aNumberThatDoesNotFit() throws {
        func failure<T: Decodable>(_ text: String, _ type: T.Type) throws -> JSONError? {
            do throws(JSONError) {
                _ = try JSON(parsing: text).decoding(type)
                return nil
            } catch {
                return error
            }
        }
        #expect(try failure("[1,256]", [UInt8].self) == .decoding(path: "[1]", reason: "256 is out of range"))
        #expect(try failure("-1", UInt64.self) == .decoding(path: "", reason: "-1 is out of range"))
        #expect(
            try failure("1.5", Int.self) == .decoding(path: "", reason: "an integer is needed, a number was found"))
        #expect(try failure("\"5\"", UInt64.self) != nil)
        #expect(try failure("\"9223372036854775808\"", UInt64.self) == nil)
        #expect(try failure("\"+9223372036854775808\"", UInt64.self) != nil)
        #expect(try failure("\"9223372036854775808\"", Int64.self) != nil)
        #expect(try failure("1e39", Float.self) != nil)
        #expect(
            try failure(#"{"boot":"x"}"#, UnstoredMark.self) == .decoding(path: "", reason: "'counter' is missing"))
        #expect(
            try failure(#"{"events":[{"seq":{"number":true}}]}"#, EventPage.self)
                == .decoding(path: "events[0].seq.number", reason: "an integer is needed, a boolean was found"))
        #expect(try failure(#"{"surprise":{}}"#, Link.self) != nil)
        #expect(try failure(#""sunny""#, Health.self) != nil)
        #expect(throws: JSONError.encoding(path: "[1]", reason: "inf is not a finite number")) {
            try JSON.encoding([1.0, Double.infinity])
        }
    }

    private class Base: Codable {
        var name: String
        init(name: String) { self.name = name }
    }

    private final class Derived: Base {
        var list: [Int]
        private enum Keys: CodingKey { case list, nested, inner }
        init(name: String, list: [Int]) {
            self.list = list
            super.init(name: name)
        }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            var nested = try container.nestedContainer(keyedBy: Keys.self, forKey: .nested)
                .nestedUnkeyedContainer(forKey: .inner)
            list = []
            while !nested.isAtEnd { list.append(try nested.decode(Int.self)) }
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var nested = container.nestedContainer(keyedBy: Keys.self, forKey: .nested)
            var inner = nested.nestedUnkeyedContainer(forKey: .inner)
            for element in list { try inner.encode(element) }
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("nested containers and a superclass have their own places")
    func nestedContainersAndASuperclassHaveTheirOwnPlaces() throws {
        let json = try JSON.encoding(Derived(name: "n", list: [1, 2]))
        #expect(json.text == #"{"nested":{"inner":[1,2]},"super":{"name":"n"}}"#)
        let back = try json.decoding(Derived.self)
        #expect(back.name == "n" && back.list == [1, 2])
    }

    @Test("a damaged state is refused or read, never a trap")
    func aDamagedStateIsRefusedOrRead() throws {
        var state = PanelState(link: .up)
        state.withZone(3) { $0.open = .known(true) }
        let bytes = try JSON.encoding(state).utf8
        for index in bytes.indices {
            for byte in [UInt8(ascii: "0"), UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "x")] {
                var changed = bytes
                changed[index] = byte
                _ = try? JSON(parsing: changed).decoding(PanelState.self)
            }
        }
    }

    @Test("bytes can be written as text, all 256 of them, also within other values, and are read from both forms")
    func bytesAsText() throws {
        struct Buffer: Codable, Equatable {
            var bytes: [UInt8]
            var parts: [[UInt8]]
            var numbers: [Int]
        }
        let buffer = Buffer(bytes: Array(0...255), parts: [[], [65, 0xFF]], numbers: [])
        let json = try JSON.encoding(buffer, bytesAsText: true)
        #expect(json["parts"] == .array([.string(""), .string("A\u{FF}")]))
        #expect(json["numbers"] == .array([]))
        #expect(try JSON(parsing: json.utf8).decoding(Buffer.self) == buffer)
        #expect(try JSON.encoding(buffer).decoding(Buffer.self) == buffer)
        #expect(throws: JSONError.self) { try JSON.string("\u{100}").decoding([UInt8].self) }
    }
}
