import AlarmModel
import PhoneProtocol
import Platform
import Testing

/// The vault with a phone at the other end.
@Suite struct KeyVaultTests {
    private let servers = PairingVectors.servers
    private var crypto = OpenSSLCrypto()

    private func phone(
        _ vault: KeyVault<OpenSSLCrypto>, key2: (any Signer)? = nil, ephemeral: [UInt8] = Random.bytes(32)
    ) throws -> PhoneHandshake<OpenSSLCrypto> {
        let text = try #require(vault.pairingText).revealed
        let key1 = try #require(OpenSSLSigner(ed25519Seed: PairingVectors.seed1))
        return try PhoneHandshake(
            PairingText(parsing: text, crypto),
            PairingPayload1(
                name: "Anna", algorithm1: .ed25519, key1: key1.publicKey, algorithm2: key2?.algorithm ?? .none,
                key2: key2?.publicKey ?? [], addresses: PairingVectors.addresses),
            ephemeral: ephemeral, crypto: crypto)
    }

    private func heard(_ answer: VaultAnswer?) throws -> PairingHeard {
        guard case .pairingHeard(let heard) = answer else {
            Issue.record("no phone was heard: \(String(describing: answer))")
            throw UnopenedReason.noPairing
        }
        return heard
    }

    /// A vault with one paired phone.
    private func paired(key2: (any Signer)? = nil) throws -> (vault: KeyVault<OpenSSLCrypto>, phone: PhoneChannel) {
        var vault = KeyVault(crypto: crypto)
        #expect(vault.carryOut(.beginPairing(servers: servers)) == .pairingReady(vault.pairingTopics))
        var phone = try phone(vault, key2: key2)
        let heard = try heard(vault.carryOut(.handshake(frame: phone.frame, siteName: "Home")))
        let keys = try phone.finish(heard.answer, crypto).keys
        #expect(vault.carryOut(.confirm(Secret(keys.code))) == .confirmed(keys.phone))
        return (vault, PhoneChannel(keys))
    }

    private func challenge(_ vault: inout KeyVault<OpenSSLCrypto>, _ phone: PhoneChannel) throws -> [UInt8] {
        let status = BoxMessage(.status, content: .object(["log": .string("1")]))
        guard case .sealed(let envelope) = vault.carryOut(.seal(phone.phone, status, challengeUntil: 99)) else {
            throw UnopenedReason.unknownPhone
        }
        let text = try #require(try phone.open(envelope, crypto).content["ch"]?.stringValue)
        return try Base64URL.decode(text)
    }

    @Test("the whole pairing gives the values of the reference")
    func theWholePairingGivesTheValuesOfTheReference() throws {
        typealias V = PairingVectors
        var vault = KeyVault(
            crypto: ScriptedCrypto([Random.bytes(32), V.boxPrivateKey, V.secret, V.boxEphemeral]))
        #expect(vault.pairingText == nil)
        #expect(vault.carryOut(.beginPairing(servers: V.servers)) == .pairingReady(vault.pairingTopics))
        #expect(vault.pairingText?.revealed == V.text)
        #expect(vault.pairingTopics?.up == V.topicUp)
        #expect(vault.pairingTopics?.down == V.topicDown)
        let frame = try Hex.decode("0201" + V.msg1)
        let heard = try heard(vault.carryOut(.handshake(frame: frame, siteName: "Home")))
        #expect(Hex.encode(heard.answer) == "0202" + V.msg2)
        #expect(heard.name == "Anna")
        #expect(heard.addresses == V.addresses)
        #expect(heard.hasPresenceKey)
        #expect(vault.carryOut(.confirm(Secret("633590"))) == .notConfirmed)
        #expect(vault.carryOut(.confirm(Secret("63359"))) == .notConfirmed)
        let id = try #require(PhoneID(V.phone))
        #expect(vault.carryOut(.confirm(Secret("633 591"))) == .confirmed(id))
        #expect(vault.pairingText == nil)
        let keys = try #require(vault.keys(of: [id]).first)
        #expect(Hex.encode(keys.up) == V.up)
        #expect(Hex.encode(keys.down) == V.down)
        #expect(Hex.encode(keys.bind) == V.bind)
        guard
            case .opened(id, .command(let command), let verdict?) = vault.carryOut(
                .open(try Hex.decode(V.commandEnvelope)))
        else {
            Issue.record("the command of the reference is not opened")
            return
        }
        #expect(command.verb == "disarm")
        #expect(verdict.signature == .good)
        #expect(verdict.challenge == .foreign)
        #expect(verdict.digest == crypto.sha256(try Hex.decode(V.signed)))
    }

    @Test("attack 4: no bit of frame 1 can be changed, and the code stays valid")
    func attack4NoBitOfFrame1CanBeChangedAndTheCodeStaysValid() throws {
        var vault = KeyVault(crypto: crypto)
        _ = vault.carryOut(.beginPairing(servers: servers))
        let phone = try phone(vault)
        for bit in 0..<(phone.frame.count * 8) {
            var frame = phone.frame
            frame[bit / 8] ^= 1 << UInt8(bit % 8)
            guard case .unopened = vault.carryOut(.handshake(frame: frame, siteName: "Home")) else {
                Issue.record("bit \(bit) was taken")
                return
            }
        }
        #expect(vault.unopenedFrames == phone.frame.count * 8)
        #expect(try !heard(vault.carryOut(.handshake(frame: phone.frame, siteName: "Home"))).isSecondPhone)
    }

    @Test("attack 4: another server list, another secret and a low-order key are dropped")
    func attack4AnotherServerListAnotherSecretAndALowOrderKey() throws {
        var vault = KeyVault(crypto: crypto)
        _ = vault.carryOut(.beginPairing(servers: servers))
        let code = try PairingText(parsing: try #require(vault.pairingText).revealed, crypto)
        let right = try phone(vault)
        let secret = Array(code.payload.suffix(16))
        let others = [
            try PairingText(
                publicKey: code.publicKey, servers: [RendezvousPlace(kind: .topicServer, place: "evil.sh")],
                secret: secret),
            try PairingText(publicKey: code.publicKey, servers: servers, secret: Random.bytes(16)),
        ]
        let payload = try PairingPayload1(bytes: try Hex.decode(PairingVectors.payload1))
        for other in others {
            let phone = try PhoneHandshake(other, payload, ephemeral: Random.bytes(32), crypto: crypto)
            let answer = vault.carryOut(.handshake(frame: phone.frame, siteName: "Home"))
            #expect(answer == .unopened(.sealBroken))
        }
        for low in OpenSSLCryptoTests.lowOrder {
            let frame = [2, 1] + low + right.frame.dropFirst(34)
            #expect(vault.carryOut(.handshake(frame: frame, siteName: "Home")) == .unopened(.sealBroken))
        }
        #expect(vault.carryOut(.handshake(frame: [], siteName: "Home")) == .unopened(.notOurs))
        #expect(vault.carryOut(.handshake(frame: [2, 1], siteName: "Home")) == .unopened(.sealBroken))
        #expect(vault.carryOut(.handshake(frame: [3, 1, 1], siteName: "Home")) == .unopened(.newerVersion))
        let code2 = try PairingText(publicKey: OpenSSLCryptoTests.lowOrder[0], servers: servers, secret: secret)
        #expect(throws: FormatError.self) {
            try PhoneHandshake(code2, payload, ephemeral: Random.bytes(32), crypto: crypto)
        }
        _ = try heard(vault.carryOut(.handshake(frame: right.frame, siteName: "Home")))
    }

    @Test("the same frame gets the same answer, and a second phone ends it for both")
    func theSameFrameGetsTheSameAnswer() throws {
        var vault = KeyVault(crypto: crypto)
        _ = vault.carryOut(.beginPairing(servers: servers))
        var first = try phone(vault)
        let second = try phone(vault)
        let one = try heard(vault.carryOut(.handshake(frame: first.frame, siteName: "Home")))
        let again = try heard(vault.carryOut(.handshake(frame: first.frame, siteName: "Other")))
        #expect(!one.isRepeat && again.isRepeat)
        #expect(again.answer == one.answer)
        let other = try heard(vault.carryOut(.handshake(frame: second.frame, siteName: "Home")))
        #expect(other.isSecondPhone)
        #expect(other.answer.isEmpty)
        let code = try first.finish(one.answer, crypto).keys.code
        #expect(vault.carryOut(.confirm(Secret(code))) == .notConfirmed)
        #expect(vault.carryOut(.handshake(frame: first.frame, siteName: "Home")) == .unopened(.noPairing))
        #expect(vault.pairingText == nil)
    }

    @Test("attack 3: codes depend on the box's own fresh key: 10 000 guesses hit as by chance")
    func attack3CodesDependOnTheBoxsOwnFreshKey10000GuessesHit() throws {
        let split = NoiseSplitSample()
        var hits = 0
        for _ in 0..<10_000 where split.code(crypto) == "633591" { hits += 1 }
        #expect(hits <= 2)
    }

    @Test("frame 2 cannot be changed in any bit, and the right one still works afterwards")
    func frame2CannotBeChangedInAnyBit() throws {
        var vault = KeyVault(crypto: crypto)
        _ = vault.carryOut(.beginPairing(servers: servers))
        var phone = try phone(vault)
        let answer = try heard(vault.carryOut(.handshake(frame: phone.frame, siteName: "Home"))).answer
        var taken = 0
        for bit in 0..<(answer.count * 8) {
            var other = answer
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            if (try? phone.finish(other, crypto)) != nil { taken += 1 }
        }
        #expect(taken == 0)
        #expect(try phone.finish(answer, crypto).siteName == "Home")
    }

    @Test("a name of a site that is too long or harmful is shortened, never in the way")
    func aNameOfASiteThatIsTooLongOrHarmfulIsShortened() throws {
        for (name, expected) in [("", "HowAlarming"), ("a\u{1B}b", "ab"), (String(repeating: "ä", count: 200), nil)] {
            var vault = KeyVault(crypto: crypto)
            _ = vault.carryOut(.beginPairing(servers: servers))
            var phone = try phone(vault)
            let answer = try heard(vault.carryOut(.handshake(frame: phone.frame, siteName: name))).answer
            let told = try phone.finish(answer, crypto).siteName
            #expect(told == expected ?? String(repeating: "ä", count: 127))
        }
    }

    @Test("nothing is left of a pairing that was ended, and nothing of a phone that was forgotten")
    func nothingIsLeftOfAPairingThatWasEnded() throws {
        var (vault, phone) = try paired()
        var crypto = crypto
        _ = vault.carryOut(.beginPairing(servers: servers))
        #expect(vault.carryOut(.endPairing) == nil)
        #expect(vault.pairingText == nil)
        #expect(vault.carryOut(.confirm(Secret(""))) == .notConfirmed)
        let envelope = try phone.seal(PhoneRequest(verb: "ping", rid: Random.bytes(8)), &crypto)
        guard case .opened = vault.carryOut(.open(envelope)) else {
            Issue.record("a phone that is paired is not opened")
            return
        }
        #expect(vault.carryOut(.forget(phone.phone)) == nil)
        #expect(vault.carryOut(.open(envelope)) == .unopened(.unknownPhone))
        let message = BoxMessage(.bye, content: .object([]))
        #expect(vault.carryOut(.seal(phone.phone, message, challengeUntil: nil)) == .unsealed)
        #expect(vault.keys(of: [phone.phone]).isEmpty)
    }

    @Test("no code is made without a server")
    func noCodeIsMadeWithoutAServer() {
        var vault = KeyVault(crypto: crypto)
        #expect(vault.carryOut(.beginPairing(servers: [])) == .unopened(.noPairing))
        #expect(vault.pairingText == nil)
    }

    @Test("a vault does not print what it keeps")
    func aVaultDoesNotPrintWhatItKeeps() throws {
        let (vault, phone) = try paired()
        var printed = "\(vault) \(String(reflecting: vault)) \(phone) \(String(reflecting: phone))"
        dump(vault, to: &printed)
        dump(phone, to: &printed)
        #expect(!printed.contains("["))
    }

    @Test("a challenge is ours for its phone in this run, and foreign otherwise")
    func aChallengeIsOursForItsPhoneInThisRun() throws {
        var (vault, phone) = try paired()
        var crypto = crypto
        let signer = try #require(OpenSSLSigner(ed25519Seed: PairingVectors.seed1))
        func judged(
            _ freshness: PhoneCommand.Freshness, by vault: inout KeyVault<OpenSSLCrypto>
        ) throws -> CommandVerdict.Challenge? {
            let command = PhoneCommand(key: 1, counter: 1, freshness: freshness, verb: "arm")
            guard
                case .opened(_, _, let verdict?) = vault.carryOut(
                    .open(try phone.seal(command, signer: signer, &crypto)))
            else { return nil }
            #expect(verdict.signature == .good)
            return verdict.challenge
        }
        let challenge = try challenge(&vault, phone)
        #expect(try judged(.challenge(challenge), by: &vault) == .ours(expiry: 99))
        #expect(try judged(.time(issued: 1, ttl: 1), by: &vault) == CommandVerdict.Challenge.none)
        for bit in 0..<128 {
            var other = challenge
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try judged(.challenge(other), by: &vault) == .foreign)
        }
        var restarted = KeyVault(crypto: crypto)
        restarted.load(vault.keys(of: [phone.phone]))
        #expect(try judged(.challenge(challenge), by: &restarted) == .foreign)
    }

    @Test("a signature counts only with the key that the command names, and for this pairing")
    func aSignatureCountsOnlyWithTheKeyThatTheCommandNames() throws {
        let key1 = try #require(OpenSSLSigner(ed25519Seed: PairingVectors.seed1))
        let key2 = try #require(OpenSSLSigner.generateP256())
        var (vault, phone) = try paired(key2: key2)
        var (bare, other) = try paired()
        var crypto = crypto
        func judged(
            _ key: UInt8, _ signer: some Signer, _ phone: PhoneChannel, _ vault: inout KeyVault<OpenSSLCrypto>
        ) throws -> CommandVerdict.Signature? {
            let command = PhoneCommand(key: key, counter: 1, freshness: .time(issued: 1, ttl: 1), verb: "disarm")
            guard
                case .opened(_, _, let verdict?) = vault.carryOut(
                    .open(try phone.seal(command, signer: signer, &crypto)))
            else { return nil }
            return verdict.signature
        }
        #expect(try judged(1, key1, phone, &vault) == .good)
        #expect(try judged(2, key2, phone, &vault) == .good)
        #expect(try judged(2, key1, phone, &vault) == .bad)
        #expect(try judged(1, key2, phone, &vault) == .bad)
        #expect(try judged(1, key1, other, &bare) == .good)
        #expect(try judged(2, key1, other, &bare) == .noKey)
        #expect(try judged(1, key1, other, &vault) == nil)

        // Attack 11: signed for another pairing, sealed with the right key.
        let command = PhoneCommand(key: 1, counter: 1, freshness: .time(issued: 1, ttl: 1), verb: "arm")
        let foreign = try other.signed(command, signer: key1)
        let keys = try #require(vault.keys(of: [phone.phone]).first)
        let header = Envelope.Header(direction: .up, phone: phone.phone)
        let sealed = Envelope.seal(foreign, header, key: keys.up, &crypto)
        guard case .opened(_, _, let verdict?) = vault.carryOut(.open(try #require(sealed))) else {
            Issue.record("the seal is right and is not opened")
            return
        }
        #expect(verdict.signature == .bad)
    }

    @Test("attack 6: each bit of a command's envelope, the other direction and another phone's id are dropped")
    func attack6EachBitOfACommandsEnvelopeTheOtherDirection() throws {
        var (vault, phone) = try paired()
        var (_, other) = try paired()
        var crypto = crypto
        let envelope = try phone.seal(PhoneRequest(verb: "ping", rid: Random.bytes(8)), &crypto)
        var opened = 0
        for bit in 0..<(envelope.count * 8) {
            var changed = envelope
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            if case .opened = vault.carryOut(.open(changed)) { opened += 1 }
        }
        #expect(opened == 0)
        let keys = try #require(vault.keys(of: [phone.phone]).first)
        let body = try PhoneRequest(verb: "ping", rid: Random.bytes(8)).bytes()
        let up = Envelope.Header(direction: .up, phone: phone.phone)
        let withDownKey = Envelope.seal(body, up, key: keys.down, &crypto)
        #expect(vault.carryOut(.open(try #require(withDownKey))) == .unopened(.sealBroken))
        let down = Envelope.Header(direction: .down, phone: phone.phone)
        let reflected = Envelope.seal(body, down, key: keys.down, &crypto)
        #expect(vault.carryOut(.open(try #require(reflected))) == .unopened(.notOurs))
        let renamed = Array(envelope[..<2]) + other.phone.bytes + envelope[10...]
        #expect(vault.carryOut(.open(renamed)) == .unopened(.unknownPhone))
        vault.load(vault.keys(of: [phone.phone]) + [try stranger(keys, other.phone)])
        #expect(vault.carryOut(.open(renamed)) == .unopened(.sealBroken))
        let message = BoxMessage(.event, content: .object(["m": .string("1")]))
        guard case .sealed(let event) = vault.carryOut(.seal(phone.phone, message, challengeUntil: nil)) else {
            Issue.record("not sealed")
            return
        }
        #expect(try phone.open(event, crypto) == message)
        #expect(throws: UnopenedReason.unknownPhone) { try other.open(event, crypto) }
        #expect(throws: UnopenedReason.notOurs) { try phone.open(envelope, crypto) }
        other = try PhoneChannel(bytes: phone.bytes)
        #expect(try other.open(event, crypto) == message)
    }

    @Test("a body that is not exact, and content that is too long, are values")
    func aBodyThatIsNotExact() throws {
        var (vault, phone) = try paired()
        var crypto = crypto
        let keys = try #require(vault.keys(of: [phone.phone]).first)
        let header = Envelope.Header(direction: .up, phone: phone.phone)
        let sealed = Envelope.seal([9], header, key: keys.up, &crypto)
        #expect(vault.carryOut(.open(try #require(sealed))) == .unopened(.malformed))
        let text = JSON.string(String(repeating: "x", count: 950))
        let message = BoxMessage(.event, content: .object(["m": text]))
        guard case .sealed = vault.carryOut(.seal(phone.phone, message, challengeUntil: nil)) else {
            Issue.record("what fits is not sealed")
            return
        }
        #expect(vault.carryOut(.seal(phone.phone, message, challengeUntil: 1)) == .unsealed)
    }

    private func stranger(_ keys: PhoneKeys, _ phone: PhoneID) throws -> PhoneKeys {
        var stranger = keys
        stranger.phone = phone
        stranger.up = Random.bytes(32)
        return stranger
    }
}

/// A phone that an attacker holds back: its message is fixed before the box's answer decides about the code.
private struct NoiseSplitSample {
    private let code: PairingText?
    private let payload: [UInt8]

    init() {
        code = try? PairingText(parsing: PairingVectors.text, OpenSSLCrypto())
        payload = (try? Hex.decode(PairingVectors.msg1)) ?? []
    }

    /// The code that the box would expect after this message, with a fresh key of its own.
    func code(_ crypto: OpenSSLCrypto) -> String? {
        guard let code else { return nil }
        let prologue = Array("HA2 pair 1\0".utf8) + code.payload.dropLast(16)
        guard
            var box = NoiseNKpsk0.Responder(
                prologue: prologue, psk: code.psk(crypto), staticKey: PairingVectors.boxPrivateKey, crypto: crypto),
            box.readFirst(payload) != nil, let answer = box.writeSecond([1, 1, 0x78], ephemeral: Random.bytes(32))
        else { return nil }
        return PairingKeys(answer.split, crypto).code
    }
}
