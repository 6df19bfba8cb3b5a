import AlarmModel
import PhoneProtocol
import Platform
import Testing

@Suite struct EnvelopeTests {
    private let key = Random.bytes(32)
    private let header = Envelope.Header(direction: .up, phone: PhoneID(0x0102_0304_0506_0708))

    @Test(
        "a body has one of three sizes on the wire, and comes out as it went in",
        arguments: [(0, 256), (212, 256), (213, 512), (468, 512), (469, 1024), (980, 1024)])
    func aBodyHasOneOfThreeSizesOnTheWire(count: Int, size: Int) throws {
        var crypto = OpenSSLCrypto()
        let body = Random.bytes(count)
        let sealed = Envelope.seal(body, header, key: key, &crypto)
        let envelope = try #require(sealed)
        #expect(envelope.count == size)
        #expect(try Envelope.open(envelope, key: key, crypto) == body)
        #expect(try Envelope.header(of: envelope) == header)
        #expect(Envelope.seal(body, header, key: key, &crypto) != envelope)
    }

    @Test("a longer body is not sealed")
    func aLongerBodyIsNotSealed() {
        var crypto = OpenSSLCrypto()
        #expect(Envelope.seal(Random.bytes(981), header, key: key, &crypto) == nil)
    }

    @Test("no bit of an envelope can be changed, and no byte left out or added")
    func noBitOfAnEnvelopeCanBeChanged() throws {
        var crypto = OpenSSLCrypto()
        let sealed = Envelope.seal([1, 2, 3], header, key: key, &crypto)
        let envelope = try #require(sealed)
        var opened = 0
        for bit in 0..<(envelope.count * 8) {
            var other = envelope
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            if (try? Envelope.open(other, key: key, crypto)) != nil { opened += 1 }
        }
        #expect(opened == 0)
        for count in 0..<envelope.count {
            #expect(throws: UnopenedReason.notOurs) { try Envelope.open(Array(envelope[..<count]), key: key, crypto) }
        }
        #expect(throws: UnopenedReason.notOurs) { try Envelope.open(envelope + [0], key: key, crypto) }
        #expect(throws: UnopenedReason.sealBroken) { try Envelope.open(envelope, key: Random.bytes(32), crypto) }
    }

    @Test("the header tells lengths, versions and types apart without a key")
    func theHeaderTellsLengths() throws {
        let zeros = [UInt8](repeating: 0, count: 254)
        #expect(throws: UnopenedReason.notOurs) { try Envelope.header(of: []) }
        #expect(throws: UnopenedReason.notOurs) { try Envelope.header(of: [3]) }
        #expect(throws: UnopenedReason.newerVersion) { try Envelope.header(of: [3, 0x10] + zeros) }
        #expect(throws: UnopenedReason.notOurs) { try Envelope.header(of: [1, 0x10] + zeros) }
        for type in UInt8.min...UInt8.max where type != 0x10 && type != 0x20 {
            #expect(throws: UnopenedReason.notOurs) { try Envelope.header(of: [2, type] + zeros) }
        }
    }

    @Test("padding that is not of zeros, or a length beyond the end, is malformed", arguments: [0, 1, 2])
    func paddingThatIsNotOfZeros(kind: Int) throws {
        let crypto = OpenSSLCrypto()
        var plain = [UInt8](repeating: 0, count: 214)
        switch kind {
        case 0: plain[213] = 1
        case 1: plain[2] = 1
        default: (plain[0], plain[1]) = (0, 213)
        }
        let head: [UInt8] = [2, 0x10] + header.phone.bytes + [UInt8](repeating: 9, count: 16)
        let keys = HKDF.derive(key, salt: Array(head[10...]), info: Array("HA2 msg 1".utf8), count: 44, crypto)
        let sealed = try #require(
            crypto.sealChaCha20Poly1305(plain, key: Array(keys[..<32]), nonce: Array(keys[32...]), additional: head))
        #expect(throws: UnopenedReason.malformed) { try Envelope.open(head + sealed, key: key, crypto) }
    }
}
