import AlarmModel
import PhoneProtocol
import Testing

/// What a passkey adds to a pairing, to the key file and to a command: exact, or refused.
@Suite struct PasskeyFormTests {
    private static func bytes(_ value: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: value, count: count) }
    private static let place = PasskeyPlace(relyingParty: "example.org", origin: "https://alarm.example.org:8443")
    private static let assertion = WebAuthnAssertion(
        authenticatorData: bytes(1, 37), clientData: Array("{}".utf8), signature: bytes(3, 70))

    private static func payload(_ place: PasskeyPlace?, _ algorithm2: SignatureAlgorithm = .webAuthn) -> PairingPayload1
    {
        PairingPayload1(
            name: "Anna", algorithm1: .p256, key1: bytes(2, 65), algorithm2: algorithm2, key2: bytes(4, 65),
            passkey: place, addresses: [PairingHeard.Address(kind: .topic, value: "a/b")])
    }

    private static func keys(_ place: PasskeyPlace?, _ algorithm2: SignatureAlgorithm = .webAuthn) -> PhoneKeys {
        PhoneKeys(
            phone: PhoneID(7), up: bytes(1, 32), down: bytes(2, 32), bind: bytes(3, 32), algorithm1: .ed25519,
            key1: bytes(5, 32), algorithm2: algorithm2, key2: bytes(4, 65), passkey: place)
    }

    @Test("the page stands behind a passkey, in a pairing and in the key file, and cannot be cut anywhere")
    func thePageStandsBehindAPasskey() throws {
        let place = try #require(Self.place)
        let tail =
            [UInt8(place.relyingParty.utf8.count)] + Array(place.relyingParty.utf8)
            + [UInt8(place.origin.utf8.count)] + Array(place.origin.utf8)
        let first = try Self.payload(place).bytes()
        let entry = try Self.keys(place).bytes()
        #expect(try PairingPayload1(bytes: first) == Self.payload(place))
        #expect(try PhoneKeys(bytes: entry) == Self.keys(place))
        #expect(entry.suffix(tail.count) == tail[...])
        #expect(first.dropLast(7).suffix(tail.count) == tail[...])
        for count in 0..<first.count {
            #expect(throws: FormatError.self) { try PairingPayload1(bytes: Array(first[..<count])) }
        }
        for count in 0..<entry.count {
            #expect(throws: FormatError.self) { try PhoneKeys(bytes: Array(entry[..<count])) }
        }
        #expect(throws: FormatError.self) { try PairingPayload1(bytes: first + [0]) }
        #expect(throws: FormatError.self) { try PhoneKeys(bytes: entry + [0]) }
    }

    @Test("a passkey has a page, no other key has one, and key 1 is none")
    func aPasskeyHasAPageNoOtherKeyHasOne() throws {
        #expect(throws: FormatError.self) { try Self.payload(nil).bytes() }
        #expect(throws: FormatError.self) { try Self.keys(nil).bytes() }
        #expect(throws: FormatError.self) { try Self.payload(Self.place, .p256).bytes() }
        #expect(throws: FormatError.self) { try Self.keys(Self.place, .p256).bytes() }
        var first = Self.payload(Self.place)
        first.algorithm1 = .webAuthn
        #expect(throws: FormatError.value("key 1")) { try first.bytes() }
        var keys = Self.keys(Self.place)
        (keys.algorithm1, keys.key1) = (.webAuthn, Self.bytes(6, 65))
        #expect(throws: FormatError.value("key 1")) { try keys.bytes() }
    }

    @Test(
        "pages of a browser are taken",
        arguments: [
            ("example.org", "https://example.org"), ("example.org", "https://a.b.example.org:8443"),
            ("localhost", "http://localhost:8080"), ("app.localhost", "http://app.localhost"),
            ("xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ])
    func pagesOfABrowserAreTaken(party: String, origin: String) {
        #expect(PasskeyPlace(relyingParty: party, origin: origin)?.origin == origin)
    }

    @Test(
        "what no browser writes is refused, and so is a page outside of the RP ID",
        arguments: [
            ("example.org", "http://example.org"), ("example.org", "https://example.com"),
            ("example.org", "https://badexample.org"), ("a.example.org", "https://example.org"),
            ("example.org", "https://example.org/"), ("example.org", "https://example.org:443"),
            ("example.org", "https://example.org:0"), ("example.org", "https://example.org:08443"),
            ("example.org", "https://example.org:"), ("example.org", "https://example.org:1:2"),
            ("example.org", "https://user@example.org"), ("example.org", "HTTPS://example.org"),
            ("Example.org", "https://Example.org"), ("192.0.2.1", "https://192.0.2.1"), ("", "https://"),
            ("example.org.", "https://example.org."), ("-a.org", "https://-a.org"),
            ("bücher.example", "https://bücher.example"),
            ("localhost", "http://localhost:80"), ("example.org", "https://evil\u{1B}.example.org"),
        ])
    func whatNoBrowserWritesIsRefused(party: String, origin: String) {
        #expect(PasskeyPlace(relyingParty: party, origin: origin) == nil)
    }

    @Test("names of a page have their bounds")
    func namesOfAPageHaveTheirBounds() {
        func name(_ count: Int) -> String {
            String(String(repeating: String(repeating: "a", count: 49) + ".", count: 5).prefix(count - 1)) + "b"
        }
        #expect(PasskeyPlace(relyingParty: name(128), origin: "https://" + name(128)) != nil)
        #expect(PasskeyPlace(relyingParty: name(129), origin: "https://" + name(129)) == nil)
        func deep(_ count: Int) -> String { "https://" + String(repeating: "a.", count: count) + "example.org" }
        #expect(PasskeyPlace(relyingParty: "example.org", origin: deep(70)) != nil)
        #expect(PasskeyPlace(relyingParty: "example.org", origin: deep(71)) == nil)
    }

    @Test("a command's signature is 64 bytes or an assertion, and no assertion can be cut anywhere but to 64 bytes")
    func aCommandsSignatureIs64BytesOrAnAssertion() throws {
        let assertion = Self.assertion
        let field = try assertion.bytes()
        #expect(field.count == 1 + 37 + 2 + 2 + 1 + 70)
        #expect(try CommandSignature(bytes: field) == .assertion(assertion))
        #expect(try CommandSignature(bytes: Self.bytes(9, 64)) == .plain(Self.bytes(9, 64)))
        let command = PhoneCommand(key: 2, counter: 1, freshness: .time(issued: 1, ttl: 1), verb: "disarm")
        let unsigned = try command.unsignedBytes()
        let body = try PhoneBody(bytes: unsigned + field)
        #expect(body.message == .command(command))
        #expect(body.signed?.bytes == unsigned && body.signed?.signature == field)
        for count in 0..<field.count where count != 64 {
            let cut = Array(field[..<count])
            #expect(throws: FormatError.self, "\(count)") { try PhoneBody(bytes: unsigned + cut) }
            #expect(throws: FormatError.self, "\(count)") { try WebAuthnAssertion(bytes: cut) }
        }
        // Sealed, it cannot be cut; and what is cut like this is no signature of a passkey.
        #expect(throws: FormatError.self) { try WebAuthnAssertion(bytes: Array(field[..<64])) }
        #expect(throws: FormatError.self) { try PhoneBody(bytes: unsigned + field + [0]) }
    }

    @Test("each part of an assertion has its bounds, and the longest fits an envelope")
    func eachPartOfAnAssertionHasItsBounds() throws {
        func assertion(_ authenticator: Int, _ client: Int, _ signature: Int) -> WebAuthnAssertion {
            WebAuthnAssertion(
                authenticatorData: Self.bytes(1, authenticator), clientData: Self.bytes(2, client),
                signature: Self.bytes(3, signature))
        }
        for (authenticator, client, signature) in [
            (36, 9, 9), (256, 9, 9), (37, 0, 9), (37, 641, 9), (37, 9, 7), (37, 9, 73),
        ] {
            #expect(throws: FormatError.self, "\(authenticator) \(client) \(signature)") {
                try assertion(authenticator, client, signature).bytes()
            }
        }
        for (authenticator, client, signature) in [(37, 1, 8), (255, 640, 72)] {
            let one = assertion(authenticator, client, signature)
            #expect(try WebAuthnAssertion(bytes: one.bytes()) == one)
        }
        let command = PhoneCommand(
            key: 2, counter: .max, freshness: .challenge(Self.bytes(7, 16)), verb: "disarm",
            arguments: Arguments(["p": "1"]), condition: Arguments(["log": "1badcafe", "seq": "9223372036854775807"]))
        let longest = try command.unsignedBytes() + assertion(37, WebAuthnAssertion.clientLimit, 72).bytes()
        #expect(longest.count <= Envelope.bodyLimit)
    }

    @Test("DER has one form for each signature; every other is refused")
    func derHasOneFormForEachSignature() throws {
        for raw in [
            Self.bytes(0x7F, 64), Self.bytes(0x80, 64), Self.bytes(0, 31) + [1] + Self.bytes(0, 31) + [0x80],
            Self.bytes(0, 30) + Self.bytes(0xFF, 34),
        ] {
            let der = try #require(ECDSASignature.der(fromRaw: raw))
            #expect(ECDSASignature.raw(fromDER: der) == raw)
            for count in 0..<der.count { #expect(ECDSASignature.raw(fromDER: Array(der[..<count])) == nil) }
            #expect(ECDSASignature.raw(fromDER: der + [0]) == nil)
            for place in [0, 1, 2, 3] {
                for bit in 0..<8 {
                    var other = der
                    other[place] ^= 1 << UInt8(bit)
                    #expect(ECDSASignature.raw(fromDER: other) == nil, "bit \(bit) at \(place)")
                }
            }
        }
        let number: [UInt8] = [0x02, 0x03, 0x11, 0x22, 0x33]
        func sequence(_ content: [UInt8]) -> [UInt8] { [0x30, UInt8(content.count)] + content }
        #expect(ECDSASignature.raw(fromDER: sequence(number + number)) != nil)
        let zeroInFront: [UInt8] = [0x02, 0x03, 0x00, 0x22, 0x33]
        let negative: [UInt8] = [0x02, 0x03, 0x91, 0x22, 0x33]
        let nothing: [UInt8] = [0x02, 0x00]
        let zero: [UInt8] = [0x02, 0x01, 0x00]
        let long: [UInt8] = [0x02, 0x21] + Self.bytes(0x11, 33)
        for wrong in [zeroInFront, negative, nothing, zero, long] {
            #expect(ECDSASignature.raw(fromDER: sequence(number + wrong)) == nil)
            #expect(ECDSASignature.raw(fromDER: sequence(wrong + number)) == nil)
        }
        #expect(ECDSASignature.raw(fromDER: [0x30, 0x81, 0x0A] + number + number) == nil)
        #expect(ECDSASignature.raw(fromDER: sequence(number + number + number)) == nil)
    }
}
