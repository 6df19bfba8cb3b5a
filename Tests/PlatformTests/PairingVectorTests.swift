import AlarmModel
import PhoneProtocol
import Platform
import Testing

/// Every value of the reference comes out of our code, byte by byte.
@Suite struct PairingVectorTests {
    private typealias V = PairingVectors
    private let crypto = OpenSSLCrypto()

    private func code() throws -> PairingText {
        let key = try #require(crypto.x25519PublicKey(of: V.boxPrivateKey))
        return try PairingText(publicKey: key, servers: V.servers, secret: V.secret)
    }

    private func payload() throws -> PairingPayload1 {
        let signer1 = try #require(OpenSSLSigner(ed25519Seed: V.seed1))
        let signer2 = try #require(OpenSSLSigner(ed25519Seed: V.seed2))
        return PairingPayload1(
            name: "Anna", algorithm1: .ed25519, key1: signer1.publicKey, algorithm2: .ed25519,
            key2: signer2.publicKey, addresses: V.addresses)
    }

    /// The handshake and what both sides have afterwards.
    private func paired() throws -> (box: NoiseSplit, phone: PairingKeys, frame2: [UInt8]) {
        let code = try code()
        var phone = try PhoneHandshake(code, payload(), ephemeral: V.phoneEphemeral, crypto: crypto)
        let prologue = Array("HA2 pair 1\0".utf8) + code.payload.dropLast(16)
        var box = try #require(
            NoiseNKpsk0.Responder(
                prologue: prologue, psk: code.psk(crypto), staticKey: V.boxPrivateKey, crypto: crypto))
        let opened = box.readFirst(Array(phone.frame.dropFirst(2)))
        let first = try #require(opened)
        #expect(Hex.encode(first) == V.payload1)
        let answer = box.writeSecond(try PairingPayload2(siteName: "Home").bytes(), ephemeral: V.boxEphemeral)
        let second = try #require(answer)
        let frame2 = [2, 2] + second.message
        let finished = try phone.finish(frame2, crypto)
        #expect(finished.siteName == "Home")
        return (second.split, finished.keys, frame2)
    }

    @Test("the code's text, secret and topics")
    func theCodesTextSecretAndTopics() throws {
        let code = try code()
        #expect(Hex.encode(code.publicKey) == V.boxKey)
        #expect(code.text(crypto).revealed == V.text)
        #expect(Hex.encode(code.psk(crypto)) == V.psk)
        #expect(code.topicUp(crypto) == V.topicUp)
        #expect(code.topicDown(crypto) == V.topicDown)
        #expect(try PairingText(parsing: V.text, crypto) == code)
    }

    @Test("payload 1 and both messages of the handshake")
    func payload1AndBothMessagesOfTheHandshake() throws {
        #expect(Hex.encode(try payload().bytes()) == V.payload1)
        #expect(try PairingPayload1(bytes: Hex.decode(V.payload1)) == payload())
        let phone = try PhoneHandshake(code(), payload(), ephemeral: V.phoneEphemeral, crypto: crypto)
        #expect(Hex.encode(phone.frame) == "0201" + V.msg1)
        #expect(Hex.encode(try paired().frame2) == "0202" + V.msg2)
    }

    @Test("the handshake's hash, X and the keys, the same on both sides")
    func theHandshakesHash() throws {
        let (box, phone, _) = try paired()
        #expect(Hex.encode(box.hash) == V.h)
        #expect(Hex.encode(crypto.hmacSHA256(key: box.hash, box.a + box.b)) == V.x)
        #expect(PairingKeys(box, crypto) == phone)
        #expect(Hex.encode(phone.up) == V.up)
        #expect(Hex.encode(phone.down) == V.down)
        #expect(Hex.encode(phone.bind) == V.bind)
        #expect(phone.phone.description == V.phone)
        #expect(phone.code == V.code)
    }

    private static let command = PhoneCommand(
        key: 2, counter: 7, freshness: .challenge(PairingVectors.counting(from: 0xE0, 16)), verb: "disarm",
        arguments: Arguments(["p": "1"]), condition: Arguments(["log": "1badcafe", "seq": "1042"]))

    @Test("the command's signed bytes, signature and envelope")
    func theCommandsSignedBytes() throws {
        let keys = try paired().phone
        let unsigned = try Self.command.unsignedBytes()
        let signed = PhoneCommand.signedBytes(unsigned, bind: keys.bind, phone: keys.phone)
        #expect(Hex.encode(signed) == V.signed)
        let signer = try #require(OpenSSLSigner(ed25519Seed: V.seed2))
        #expect(Hex.encode(try #require(signer.sign(signed))) == V.sig)
        #expect(crypto.verifyEd25519(try Hex.decode(V.sig), of: signed, publicKey: signer.publicKey))
        var scripted = ScriptedCrypto([V.counting(from: 0x50, 16)])
        let envelope = try PhoneChannel(keys).seal(Self.command, signer: signer, &scripted)
        #expect(Hex.encode(envelope) == V.commandEnvelope)
        let body = try PhoneBody(bytes: Envelope.open(envelope, key: keys.up, crypto))
        #expect(body.message == .command(Self.command))
        #expect(body.signed?.bytes == unsigned)
    }

    @Test("a P-256 signature over the same bytes")
    func aP256SignatureOverTheSameBytes() throws {
        let (point, signature) = (try Hex.decode(V.p256Point), try Hex.decode(V.p256Signature))
        let signed = try Hex.decode(V.signed)
        #expect(crypto.isP256Point(point))
        #expect(crypto.verifyP256(signature, of: signed, publicKey: point))
        #expect(!crypto.verifyP256(signature, of: signed + [0], publicKey: point))
        #expect(!crypto.verifyP256(Array(signature.reversed()), of: signed, publicKey: point))
    }

    @Test("the event's envelope")
    func theEventsEnvelope() throws {
        let keys = try paired().phone
        let message = BoxMessage(.event, content: try JSON(parsing: V.eventJSON))
        let header = Envelope.Header(direction: .down, phone: keys.phone)
        let body = try message.bytes()
        let envelope = try #require(
            Envelope.seal(body, header, key: keys.down, salt: V.counting(from: 0x70, 16), crypto))
        #expect(Hex.encode(envelope) == V.eventEnvelope)
        #expect(try PhoneChannel(keys).open(envelope, crypto) == message)
    }

    @Test("the result's envelope and the button")
    func theResultsEnvelopeAndTheButton() throws {
        let keys = try paired().phone
        let content = try JSON(parsing: #"{"ctr":"7","out":"ok","log":"1badcafe","seq":"1043"}"#)
        let header = Envelope.Header(direction: .down, phone: keys.phone)
        let body = try BoxMessage(.result, content: content).bytes()
        let envelope = try #require(
            Envelope.seal(body, header, key: keys.down, salt: V.counting(from: 0x90, 16), crypto))
        #expect(envelope.count == 256)
        #expect(
            Hex.encode(crypto.sha256(envelope)) == "f5170504ca94474c23f39e2bce94b926c4a1631879a7a9aed7216f008c0ab8f4")
        let button = V.counting(from: 0x30, 16)
        #expect(
            Hex.encode(Capability.stored(button, crypto))
                == "063261f638cfd3c08fa6ff0cbd94d8c4770bed0ce2a14329edf2a04846061ac4")
        #expect(Capability.bytes(ofBody: Capability.body(button)) == button)
        #expect(Capability.bytes(ofBody: "HA2BAAAA") == nil)
    }
}
