import AlarmModel
import PhoneProtocol
import Platform
import Testing

/// Commands that a passkey signs (docs/pairing.md 7.5, and rows 23 to 30 of its attacks), through the vault.
@Suite struct PasskeyTests {
    private var crypto = OpenSSLCrypto()

    /// A vault with one phone, paired with this passkey.
    private func paired(_ passkey: TestPasskey) throws -> (vault: KeyVault<OpenSSLCrypto>, phone: PhoneChannel) {
        var vault = KeyVault(crypto: crypto)
        #expect(vault.carryOut(.beginPairing(servers: PairingVectors.servers)) == .pairingReady(vault.pairingTopics))
        let code = try PairingText(parsing: try #require(vault.pairingText).revealed, crypto)
        let key1 = try #require(OpenSSLSigner(ed25519Seed: PairingVectors.seed1))
        let payload = PairingPayload1(
            name: "Anna", algorithm1: .ed25519, key1: key1.publicKey, algorithm2: .webAuthn, key2: passkey.publicKey,
            passkey: TestPasskey.place, addresses: PairingVectors.addresses)
        var phone = try PhoneHandshake(code, payload, ephemeral: Random.bytes(32), crypto: crypto)
        guard case .pairingHeard(let heard) = vault.carryOut(.handshake(frame: phone.frame, siteName: "Home")) else {
            throw UnopenedReason.noPairing
        }
        // Shown at the box before the digits count.
        #expect(heard.passkey == TestPasskey.place && heard.hasPresenceKey)
        let keys = try phone.finish(heard.answer, crypto).keys
        #expect(vault.carryOut(.confirm(Secret(keys.code))) == .confirmed(keys.phone))
        #expect(vault.keys(of: [keys.phone]).first?.passkey == TestPasskey.place)
        return (vault, PhoneChannel(keys))
    }

    private static let disarm = PhoneCommand(
        key: 2, counter: 1, freshness: .challenge([UInt8](repeating: 0, count: 16)), verb: "disarm",
        arguments: Arguments(["p": "1"]))

    /// What the vault says of a disarm that is signed like this; nil where it did not open.
    private func judged(_ change: (inout TestPasskey) -> Void) throws -> CommandVerdict.Signature? {
        var passkey = try #require(TestPasskey())
        var (vault, phone) = try paired(passkey)
        change(&passkey)
        var crypto = crypto
        let envelope = try phone.seal(Self.disarm, signer: passkey, &crypto)
        guard case .opened(_, _, let verdict?) = vault.carryOut(.open(envelope)) else { return nil }
        return verdict.signature
    }

    @Test("a passkey on its own page signs commands, whatever its counter says and whatever a browser adds")
    func aPasskeyOnItsOwnPageSignsCommands() throws {
        #expect(try judged { _ in } == .good)
        #expect(try judged { $0.counter = 7 } == .good)
        #expect(try judged { $0.counter = .max } == .good)
        #expect(try judged { $0.crossOrigin = nil } == .good)
        // Kept on several devices, as the passkeys of phones are.
        #expect(try judged { $0.flags = 0x1D } == .good)
        #expect(try judged { $0.flags = 0x0D } == .good)
        #expect(
            try judged {
                $0.more = #","other_keys_can_be_added_here":"do not compare clientDataJSON against a template""#
            } == .good)
    }

    @Test("attack 23: another origin, and another RP ID")
    func attack23AnotherOrigin() throws {
        for origin in [
            "https://evil.example.org", "http://alarm.example.org", "https://alarm.example.org:8443",
            "https://alarm.example.org/", "HTTPS://alarm.example.org", "https://alarm.example.org.evil.example", "",
        ] {
            #expect(try judged { $0.origin = origin } == .bad, "\(origin)")
        }
        #expect(try judged { $0.relyingParty = "example.org" } == .bad)
        #expect(try judged { $0.relyingParty = "" } == .bad)
    }

    @Test("attack 24: a page in a frame of another origin")
    func attack24APageInAFrameOfAnotherOrigin() throws {
        for cross in ["true", "null", "0", #""false""#] {
            #expect(try judged { $0.crossOrigin = cross } == .bad, "\(cross)")
        }
        #expect(try judged { $0.more = #","topOrigin":"https://evil.example""# } == .bad)
        #expect(try judged { $0.more = #","topOrigin":null"# } == .bad)
    }

    @Test("attack 25: without its owner's presence, or without knowing its owner")
    func attack25WithoutItsOwnersPresence() throws {
        for flags in [UInt8(0x00), 0x01, 0x04, 0x18, 0x19, 0x1C] {
            #expect(try judged { $0.flags = flags } == .bad, "\(flags)")
        }
        // Backed up, and may not be.
        #expect(try judged { $0.flags = 0x15 } == .bad)
    }

    @Test("attack 26: the answer to another command, and another kind of answer")
    func attack26TheAnswerToAnotherCommand() throws {
        #expect(try judged { $0.isOtherChallenge = true } == .bad)
        #expect(try judged { $0.alterClient = { $0.replacing(#""challenge":""#, with: #""challenge":"A"#) } } == .bad)
        #expect(try judged { $0.alterClient = { $0.replacing(#"","origin"#, with: #"=","origin"#) } } == .bad)
        for type in ["webauthn.create", "payment.get", "webauthn.get ", ""] {
            #expect(try judged { $0.type = type } == .bad, "\(type)")
        }
    }

    @Test("attack 27: what says something twice, or is no JSON object")
    func attack27WhatSaysSomethingTwice() throws {
        #expect(try judged { $0.more = #","origin":"https://evil.example""# } == .bad)
        #expect(try judged { $0.more = #","more":1,"more":2"# } == .bad)
        for text in ["", " x", "\u{FEFF}{}", "[]", "null", "\0"] {
            #expect(try judged { $0.alterClient = { $0 + text } } == (text.isEmpty ? .good : .bad), "\(text)")
        }
        #expect(try judged { $0.alterClient = { "\u{FEFF}" + $0 } } == .bad)
        #expect(try judged { $0.alterClient = { "[" + $0 + "]" } } == .bad)
    }

    @Test("attack 28: a signature that is no exact DER, and one of another key")
    func attack28ASignatureThatIsNoExactDER() throws {
        // One more zero in front of r.
        #expect(
            try judged { $0.alterSignature = { [0x30, $0[1] + 1, 0x02, $0[3] + 1, 0x00] + $0[4...] } } == .bad)
        #expect(try judged { $0.alterSignature = { ECDSASignature.raw(fromDER: $0) ?? [] } } == .bad)
        #expect(try judged { $0.alterSignature = { Array($0.dropLast()) } } == .bad)
        #expect(try judged { $0.alterSignature = { $0[1] < 71 ? $0 + [0] : $0.dropLast() + [$0[5] ^ 1] } } == .bad)
        #expect(try judged { $0 = TestPasskey() ?? $0 } == .bad)
    }

    @Test("attack 29: more than an assertion has")
    func attack29MoreThanAnAssertionHas() throws {
        // ED, with an empty map; AT; bytes that no flag tells of.
        #expect(try judged { ($0.flags, $0.extensions) = (0x85, [0xA0]) } == .bad)
        #expect(try judged { $0.flags = 0x85 } == .bad)
        #expect(try judged { ($0.flags, $0.extensions) = (0x45, [UInt8](repeating: 0, count: 18)) } == .bad)
        #expect(try judged { $0.flags = 0x45 } == .bad)
        #expect(try judged { $0.extensions = [0] } == .bad)
    }

    /// Signs as a phone's own key would.
    private struct Plain: Signer {
        var passkey: TestPasskey
        var algorithm: SignatureAlgorithm { .p256 }
        var publicKey: [UInt8] { passkey.publicKey }
        func sign(_ message: [UInt8]) -> [UInt8]? { passkey.plainSignature(of: message) }
    }

    @Test("attack 30: 64 bytes of P-256 by a passkey, and an assertion where the key is none: one algorithm for a key")
    func attack30OneAlgorithmForAKey() throws {
        let passkey = try #require(TestPasskey())
        var crypto = crypto
        var (vault, phone) = try paired(passkey)
        let plain = Plain(passkey: passkey)
        guard
            case .opened(_, _, let verdict?) = vault.carryOut(
                .open(try phone.seal(Self.disarm, signer: plain, &crypto)))
        else {
            Issue.record("64 bytes are not read")
            return
        }
        #expect(verdict.signature == .bad)
        var keys = try #require(vault.keys(of: [phone.phone]).first)
        (keys.algorithm2, keys.passkey) = (.p256, nil)
        vault.load([keys])
        func judged(_ signer: some Signer) throws -> CommandVerdict.Signature? {
            let answer = vault.carryOut(.open(try phone.seal(Self.disarm, signer: signer, &crypto)))
            guard case .opened(_, _, let verdict?) = answer else { return nil }
            return verdict.signature
        }
        #expect(try judged(plain) == .good)
        #expect(try judged(passkey) == .bad)
        // Key 1 is never a passkey.
        (keys.algorithm2, keys.key2) = (.none, [])
        vault.load([keys])
        #expect(try judged(passkey) == .noKey)
    }

    @Test("the values of the reference, and each bit of them changed")
    func theValuesOfTheReference() throws {
        typealias V = PairingVectors
        let place = try #require(V.passkeyPlace)
        let point = try Hex.decode(V.passkeyPoint)
        let signed = try Hex.decode(V.signed)
        let payload = try PairingPayload1(bytes: try Hex.decode(V.passkeyPayload1))
        #expect(payload.key2 == point && payload.passkey == place && payload.algorithm2 == .webAuthn)
        #expect(Hex.encode(try payload.bytes()) == V.passkeyPayload1)
        let assertion = WebAuthnAssertion(
            authenticatorData: try Hex.decode(V.passkeyAuthenticator), clientData: Array(V.passkeyClient.utf8),
            signature: try Hex.decode(V.passkeySignature))
        let field = try assertion.bytes()
        #expect(field.count == 251)
        #expect(
            Hex.encode(crypto.sha256(field)) == "563c8152949fa22df156be96eddee941d64edef9ec9859f088826d29380bb450")
        #expect(assertion.isGood(for: signed, publicKey: point, at: place, crypto))
        var taken = 0
        for bit in 0..<(field.count * 8) {
            var other = field
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            let read = try? WebAuthnAssertion(bytes: other)
            if read?.isGood(for: signed, publicKey: point, at: place, crypto) ?? false { taken += 1 }
        }
        #expect(taken == 0)
        for bit in 0..<(signed.count * 8) {
            var other = signed
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            if assertion.isGood(for: other, publicKey: point, at: place, crypto) { taken += 1 }
        }
        #expect(taken == 0)
    }
}
