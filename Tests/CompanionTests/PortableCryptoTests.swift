import AlarmModel
import PhoneProtocol
import Platform
import PortableCrypto
import Testing

@Suite("Cryptography without a library")
struct PortableCryptoTests {
    private let own = PortableCrypto { [UInt8](repeating: 7, count: $0) }

    private static func bytes(_ hex: String) throws -> [UInt8] {
        try Hex.decode(hex.filter { !$0.isWhitespace })
    }

    @Test(
        "SHA-256 gives the digests of FIPS 180",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, digest: String) {
        #expect(Hex.encode(own.sha256(Array(text.utf8))) == digest)
    }

    @Test("HMAC gives the codes of RFC 4231, also under a key longer than a block")
    func hmac() {
        #expect(
            Hex.encode(own.hmacSHA256(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            Hex.encode(
                own.hmacSHA256(
                    key: [UInt8](repeating: 0xAA, count: 131),
                    Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("HKDF over it gives the first case of RFC 5869")
    func hkdf() throws {
        let made = HKDF.derive(
            [UInt8](repeating: 0x0B, count: 22), salt: Array(0...12), info: Array(0xF0...0xF9), count: 42, own)
        #expect(
            Hex.encode(made)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    }

    @Test(
        "X25519 gives the products of RFC 7748",
        arguments: [
            (
                "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
                "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
                "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
            ),
            (
                "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
                "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
                "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"
            ),
        ])
    func x25519(scalar: String, point: String, product: String) throws {
        let made = own.x25519(privateKey: try Self.bytes(scalar), publicKey: try Self.bytes(point))
        #expect(Hex.encode(try #require(made)) == product)
    }

    @Test("X25519 gives the same after a thousand rounds as RFC 7748")
    func x25519Rounds() throws {
        var k = [9] + [UInt8](repeating: 0, count: 31)
        var u = k
        for _ in 0..<1000 {
            let next = try #require(own.x25519(privateKey: k, publicKey: u))
            u = k
            k = next
        }
        #expect(Hex.encode(k) == "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")
    }

    @Test("a point of small order gives no secret, and what has another length gives nothing")
    func nothingOfNothing() {
        let key = [UInt8](repeating: 0x42, count: 32)
        #expect(own.x25519(privateKey: key, publicKey: [UInt8](repeating: 0, count: 32)) == nil)
        #expect(own.x25519(privateKey: key, publicKey: [1] + [UInt8](repeating: 0, count: 31)) == nil)
        #expect(own.x25519(privateKey: key, publicKey: [UInt8](repeating: 9, count: 31)) == nil)
        #expect(own.x25519PublicKey(of: []) == nil)
        #expect(own.sealChaCha20Poly1305([1], key: key, nonce: [], additional: []) == nil)
        #expect(own.openChaCha20Poly1305([1], key: key, nonce: [UInt8](repeating: 0, count: 12), additional: []) == nil)
    }

    @Test("ChaCha20-Poly1305 seals as RFC 8439 2.8.2, and opens nothing that was changed")
    func chaCha20Poly1305() throws {
        let text = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
        let plain = Array((text + "sunscreen would be it.").utf8)
        let key = Array(UInt8(0x80)...0x9F)
        let nonce = try Self.bytes("070000004041424344454647")
        let additional = try Self.bytes("50515253c0c1c2c3c4c5c6c7")
        let sealed = try #require(own.sealChaCha20Poly1305(plain, key: key, nonce: nonce, additional: additional))
        #expect(
            Hex.encode(sealed) == """
                d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6\
                3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36\
                92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
                3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691
                """)
        #expect(own.openChaCha20Poly1305(sealed, key: key, nonce: nonce, additional: additional) == plain)
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(own.openChaCha20Poly1305(changed, key: key, nonce: nonce, additional: additional) == nil)
        }
        #expect(own.openChaCha20Poly1305(sealed, key: key, nonce: nonce, additional: []) == nil)
    }

    /// Bytes that find the ends of limbs: random, all zeros, all ones, and few bits.
    private static func drawn(_ count: Int, _ dice: inout Jitter) -> [UInt8] {
        switch dice.next() % 4 {
        case 0: [UInt8](repeating: dice.next().isMultiple(of: 2) ? 0xFF : 0, count: count)
        case 1: (0..<count).map { _ in dice.next() % 9 == 0 ? UInt8.random(in: 0...255, using: &dice) : 0xFF }
        default: (0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) }
        }
    }

    @Test("it gives what OpenSSL gives, for drawn inputs of all lengths")
    func asOpenSSL() {
        let other = OpenSSLCrypto()
        var dice = Jitter(seed: 0x70_6F_72_74)
        for round in 0..<1500 {
            let bytes = Self.drawn(Int(dice.next() % 300), &dice)
            let key = Self.drawn(32, &dice)
            let point = Self.drawn(32, &dice)
            let nonce = Self.drawn(12, &dice)
            let additional = Self.drawn(Int(dice.next() % 70), &dice)
            let macKey = Self.drawn(Int(dice.next() % 140), &dice)
            #expect(own.sha256(bytes) == other.sha256(bytes), "round \(round)")
            #expect(own.hmacSHA256(key: macKey, bytes) == other.hmacSHA256(key: macKey, bytes), "round \(round)")
            let sealed = own.sealChaCha20Poly1305(bytes, key: key, nonce: nonce, additional: additional)
            #expect(
                sealed == other.sealChaCha20Poly1305(bytes, key: key, nonce: nonce, additional: additional),
                "round \(round)")
            #expect(
                own.openChaCha20Poly1305(sealed ?? [], key: key, nonce: nonce, additional: additional) == bytes,
                "round \(round)")
            #expect(own.x25519PublicKey(of: key) == other.x25519PublicKey(of: key), "round \(round)")
            #expect(
                own.x25519(privateKey: key, publicKey: point) == other.x25519(privateKey: key, publicKey: point),
                "round \(round)")
        }
    }
}
