import AlarmModel
import PhoneProtocol
import Testing

/// Bodies of envelopes and the entries of the key file: exact, or refused.
@Suite struct BodyTests {
    private static let request = PhoneRequest(
        verb: "sync", rid: [1, 2, 3, 4, 5, 6, 7, 8], arguments: Arguments(["log": "1badcafe", "from": "7"]))
    private static let signature = [UInt8](repeating: 0x5A, count: 64)

    private static func command(_ freshness: PhoneCommand.Freshness) -> PhoneCommand {
        PhoneCommand(
            key: 2, counter: .max, freshness: freshness, verb: "disarm", arguments: Arguments(["p": "1"]),
            condition: Arguments(["log": "1", "seq": "=1042"]))
    }

    private static func bodies() throws -> [[UInt8]] {
        let challenge = command(.challenge([UInt8](repeating: 7, count: 16)))
        let time = command(.time(issued: .max, ttl: 60))
        return [
            try request.bytes(), try challenge.unsignedBytes() + signature, try time.unsignedBytes() + signature,
            try PhoneRequest(verb: "x", rid: [UInt8](repeating: 0, count: 8)).bytes(),
        ]
    }

    @Test("requests and commands are read as they were written")
    func requestsAndCommandsAreReadAsTheyWereWritten() throws {
        #expect(try PhoneBody(bytes: Self.request.bytes()).message == .request(Self.request))
        for freshness in [
            PhoneCommand.Freshness.challenge([UInt8](repeating: 7, count: 16)), .time(issued: 0, ttl: 0),
            .time(issued: .max, ttl: 60),
        ] {
            let command = Self.command(freshness)
            let body = try PhoneBody(bytes: try command.unsignedBytes() + Self.signature)
            #expect(body.message == .command(command))
            #expect(body.signed?.bytes == (try command.unsignedBytes()))
            #expect(body.signed?.signature == Self.signature)
        }
    }

    @Test("no body can be cut anywhere, nor have a byte more")
    func noBodyCanBeCutAnywhere() throws {
        for body in try Self.bodies() {
            _ = try PhoneBody(bytes: body)
            for count in 0..<body.count {
                #expect(throws: FormatError.self, "\(count) of \(body.count)") {
                    try PhoneBody(bytes: Array(body[..<count]))
                }
            }
            for byte in [UInt8(0), 1, 255] { #expect(throws: FormatError.self) { try PhoneBody(bytes: body + [byte]) } }
        }
    }

    @Test("unknown kinds, keys and kinds of freshness are refused")
    func unknownKindsKeysAndKindsOfFreshnessAreRefused() throws {
        let body = try Self.command(.time(issued: 1, ttl: 1)).unsignedBytes() + Self.signature
        for (place, allowed) in [(0, [UInt8(1)]), (1, [1, 2]), (10, [2])] {
            for value in UInt8.min...UInt8.max where !allowed.contains(value) {
                var other = body
                other[place] = value
                #expect(throws: FormatError.self, "\(value) at \(place)") { try PhoneBody(bytes: other) }
            }
        }
    }

    @Test("a time to live of more than a minute and a time before 1970 are refused on both sides")
    func aTimeToLiveOfMoreThanAMinuteAndATimeBefore1970AreRefused() throws {
        #expect(throws: FormatError.self) { try Self.command(.time(issued: 1, ttl: 61)).unsignedBytes() }
        #expect(throws: FormatError.self) { try Self.command(.time(issued: -1, ttl: 1)).unsignedBytes() }
        #expect(throws: FormatError.self) { try Self.command(.challenge([1])).unsignedBytes() }
        var body = try Self.command(.time(issued: 1, ttl: 60)).unsignedBytes() + Self.signature
        body[20] = 61
        #expect(throws: FormatError.value("the time to live")) { try PhoneBody(bytes: body) }
        body[20] = 60
        body[11] = 0x80
        #expect(throws: FormatError.value("the time of issue")) { try PhoneBody(bytes: body) }
    }

    @Test(
        "a verb is of small letters and hyphens",
        arguments: ["", "Disarm", "a b", "a1", "disärm", "abcdefghijklmnopqrstuvwxyz-abcdef"])
    func aVerbIsOfSmallLettersAndHyphens(verb: String) throws {
        #expect(throws: FormatError.self) { try PhoneRequest(verb: verb, rid: Self.request.rid).bytes() }
        let written = [2] + Self.request.rid + [UInt8(verb.utf8.count)] + verb.utf8 + [0, 0]
        #expect(throws: FormatError.self) { try PhoneBody(bytes: written) }
    }

    @Test(
        "arguments are printable pairs, and mean the same when they are read",
        arguments: ["a", "=1", "a=1;", "a=ä", "a=\n"])
    func argumentsArePrintablePairs(text: String) {
        let written = [2] + Self.request.rid + [1, 0x78, 0, UInt8(text.utf8.count)] + text.utf8
        #expect(throws: FormatError.self) { try PhoneBody(bytes: written) }
    }

    @Test("arguments that would be read as others are not written")
    func argumentsThatWouldBeReadAsOthersAreNotWritten() {
        for arguments in [Arguments(["a": "1;b=2"]), Arguments(["a=b": "1"]), Arguments(["": "1"])] {
            let request = PhoneRequest(verb: "sync", rid: Self.request.rid, arguments: arguments)
            #expect(throws: FormatError.self) { try request.bytes() }
        }
    }

    @Test("messages of the box are read as they were written, and no others", arguments: BoxMessage.Kind.allCases)
    func messagesOfTheBoxAreReadAsTheyWereWritten(kind: BoxMessage.Kind) throws {
        for rid in [nil, [UInt8](1...8)] {
            let message = BoxMessage(kind, rid: rid, content: .object(["seq": .string("1"), "zn": .string("Küche")]))
            let bytes = try message.bytes()
            #expect(try BoxMessage(bytes: bytes) == message)
            for count in 0..<bytes.count {
                #expect(throws: FormatError.self) { try BoxMessage(bytes: Array(bytes[..<count])) }
            }
            #expect(throws: FormatError.self) { try BoxMessage(bytes: bytes + [0]) }
            #expect(throws: FormatError.self) { try BoxMessage(bytes: [0] + bytes.dropFirst()) }
            #expect(throws: FormatError.self) { try BoxMessage(bytes: [10] + bytes.dropFirst()) }
        }
    }

    @Test(
        "content is one object of strings, each key once",
        arguments: ["[]", "1", #"{"a":1}"#, #"{"a":["b"]}"#, #"{"a":null}"#, #"{"a":"1","a":"2"}"#])
    func contentIsOneObjectOfStrings(text: String) throws {
        let content = try JSON(parsing: text)
        #expect(throws: FormatError.value("the content")) { try BoxMessage(.event, content: content).bytes() }
        let written = [1] + [UInt8](repeating: 0, count: 8) + [0, UInt8(text.utf8.count)] + text.utf8
        #expect(throws: FormatError.value("the content")) { try BoxMessage(bytes: written) }
    }

    @Test("the longest content fits, and one byte more does not")
    func theLongestContentFits() throws {
        let longest = String(repeating: "x", count: BoxMessage.contentLimit - #"{"m":""}"#.utf8.count)
        let bytes = try BoxMessage(.event, content: .object(["m": .string(longest)])).bytes()
        #expect(bytes.count == Envelope.bodyLimit)
        let message = BoxMessage(.event, content: .object(["m": .string(longest + "x")]))
        #expect(throws: FormatError.tooLong("the content")) { try message.bytes() }
    }

    @Test("an entry of the key file is exact and does not print itself")
    func anEntryOfTheKeyFileIsExactAndDoesNotPrintItself() throws {
        func bytes(_ value: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: value, count: count) }
        let keys = PhoneKeys(
            phone: PhoneID(7), up: bytes(0xA1, 32), down: bytes(0xA2, 32), bind: bytes(0xA3, 32), algorithm1: .ed25519,
            key1: bytes(0xA4, 32), algorithm2: .none, key2: [])
        let entry = try keys.bytes()
        #expect(try PhoneKeys(bytes: entry) == keys)
        for count in 0..<entry.count {
            #expect(throws: FormatError.self) { try PhoneKeys(bytes: Array(entry[..<count])) }
        }
        #expect(throws: FormatError.self) { try PhoneKeys(bytes: entry + [0]) }
        #expect(throws: FormatError.self) { try PhoneKeys(bytes: [2] + entry.dropFirst()) }
        var wrong = keys
        wrong.up = bytes(0xA1, 31)
        #expect(throws: FormatError.self) { try wrong.bytes() }
        wrong = keys
        wrong.algorithm2 = .p256
        #expect(throws: FormatError.self) { try wrong.bytes() }
        var printed = ""
        dump(keys, to: &printed)
        printed += "\(keys) \(String(reflecting: keys))"
        #expect(!printed.contains("16") && !printed.lowercased().contains("a1"))
    }

    @Test("what both sides say in the handshake is exact")
    func whatBothSidesSayInTheHandshakeIsExact() throws {
        func bytes(_ value: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: value, count: count) }
        let first = PairingPayload1(
            name: "Änna", algorithm1: .ed25519, key1: bytes(1, 32), algorithm2: .p256, key2: bytes(4, 65),
            addresses: AddressKind.allCases.prefix(4).map { PairingHeard.Address(kind: $0, value: "a/b") })
        let second = PairingPayload2(siteName: "Home")
        #expect(try PairingPayload1(bytes: first.bytes()) == first)
        #expect(try PairingPayload2(bytes: second.bytes()) == second)
        let (one, two) = (try first.bytes(), try second.bytes())
        for count in 0..<one.count {
            #expect(throws: FormatError.self) { try PairingPayload1(bytes: Array(one[..<count])) }
        }
        for count in 0..<two.count {
            #expect(throws: FormatError.self) { try PairingPayload2(bytes: Array(two[..<count])) }
        }
        #expect(throws: FormatError.self) { try PairingPayload1(bytes: one + [0]) }
        #expect(throws: FormatError.self) { try PairingPayload2(bytes: two + [0]) }
        #expect(throws: FormatError.self) { try PairingPayload2(bytes: [2] + two.dropFirst()) }
    }

    @Test("a phone without name, key 1 or address is refused, and so is what would harm a terminal")
    func aPhoneWithoutName() {
        let address = PairingHeard.Address(kind: .topic, value: "a/b")
        let key = [UInt8](repeating: 1, count: 32)
        func payload(
            _ addresses: [PairingHeard.Address], name: String = "A", _ algorithm1: SignatureAlgorithm = .ed25519,
            _ key1: [UInt8]? = nil
        ) -> PairingPayload1 {
            PairingPayload1(
                name: name, algorithm1: algorithm1, key1: key1 ?? key, algorithm2: .none, key2: [],
                addresses: addresses)
        }
        #expect(throws: Never.self) { try payload([address]).bytes() }
        let long = PairingHeard.Address(kind: .webPush, value: String(repeating: "x", count: 900))
        let wrong = [
            payload([address], name: ""), payload([address], name: String(repeating: "x", count: 33)),
            payload([address], name: "a\u{1B}[2J"), payload([address], name: "a\u{202E}b"),
            payload([address], .none, []), payload([address], .p256), payload([]),
            payload([address, address, address, address, address]), payload([long]),
            payload([PairingHeard.Address(kind: .topic, value: "")]),
        ]
        for payload in wrong { #expect(throws: FormatError.self, "\(payload)") { try payload.bytes() } }
        var twice = payload([address])
        (twice.algorithm2, twice.key2) = (.ed25519, key)
        #expect(throws: FormatError.value("key 2, which is key 1")) { try twice.bytes() }
    }
}
