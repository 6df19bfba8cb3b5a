import PhoneProtocol
import Platform
import Testing

@Suite struct OpenSSLCryptoTests {
    private let crypto = OpenSSLCrypto()

    @Test("HKDF gives the value of RFC 5869, case 1")
    func hkdfGivesTheValueOfRFC5869() throws {
        let derived = HKDF.derive(
            [UInt8](repeating: 0x0B, count: 22), salt: try Hex.decode("000102030405060708090a0b0c"),
            info: try Hex.decode("f0f1f2f3f4f5f6f7f8f9"), count: 42, crypto)
        #expect(
            Hex.encode(derived)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    }

    @Test("HKDF without salt and info gives the value of RFC 5869, case 3")
    func hkdfWithoutSaltAndInfoGivesTheValueOfRFC5869() {
        let derived = HKDF.derive([UInt8](repeating: 0x0B, count: 22), salt: [], info: [], count: 42, crypto)
        #expect(
            Hex.encode(derived)
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    @Test("HMAC gives the value of RFC 4231, case 2, and takes an empty key")
    func hmacGivesTheValueOfRFC4231() {
        let code = crypto.hmacSHA256(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(Hex.encode(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(crypto.hmacSHA256(key: [], []) == crypto.hmacSHA256(key: [UInt8](repeating: 0, count: 32), []))
    }

    @Test("X25519 gives the shared secret of RFC 7748, and none for low-order points")
    func x25519GivesTheSharedSecretOfRFC7748() throws {
        let scalar = try Hex.decode("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
        let point = try Hex.decode("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
        let shared = try #require(crypto.x25519(privateKey: scalar, publicKey: point))
        #expect(Hex.encode(shared) == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
        let a = Random.bytes(32)
        let b = Random.bytes(32)
        let publicA = try #require(crypto.x25519PublicKey(of: a))
        let publicB = try #require(crypto.x25519PublicKey(of: b))
        #expect(crypto.x25519(privateKey: a, publicKey: publicB) == crypto.x25519(privateKey: b, publicKey: publicA))
        for low in Self.lowOrder { #expect(crypto.x25519(privateKey: a, publicKey: low) == nil) }
        #expect(crypto.x25519(privateKey: a, publicKey: []) == nil)
        #expect(crypto.x25519PublicKey(of: [1]) == nil)
    }

    static let lowOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
        [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    ]

    @Test("what was sealed opens with the same key, nonce and additional data only", arguments: [0, 1, 1000])
    func whatWasSealedOpensWithTheSameKey(count: Int) throws {
        let (plain, key, nonce) = (Random.bytes(count), Random.bytes(32), Random.bytes(12))
        for additional in [[], Random.bytes(26)] {
            let sealed = try #require(
                crypto.sealChaCha20Poly1305(plain, key: key, nonce: nonce, additional: additional))
            #expect(sealed.count == count + 16)
            #expect(crypto.openChaCha20Poly1305(sealed, key: key, nonce: nonce, additional: additional) == plain)
            #expect(crypto.openChaCha20Poly1305(sealed, key: key, nonce: nonce, additional: additional + [0]) == nil)
            #expect(
                crypto.openChaCha20Poly1305(sealed.dropLast(), key: key, nonce: nonce, additional: additional) == nil)
            #expect(
                crypto.openChaCha20Poly1305(sealed, key: Random.bytes(32), nonce: nonce, additional: additional) == nil)
        }
        #expect(crypto.sealChaCha20Poly1305(plain, key: [1], nonce: nonce, additional: []) == nil)
        #expect(crypto.openChaCha20Poly1305([1], key: key, nonce: nonce, additional: []) == nil)
    }

    @Test("both kinds of signing keys sign what their public key verifies, and nothing else")
    func bothKindsOfSigningKeysSignWhatTheirPublicKeyVerifies() throws {
        let ed25519 = try #require(OpenSSLSigner(ed25519Seed: Random.bytes(32)))
        let p256 = try #require(OpenSSLSigner.generateP256())
        for number in 0..<100 {
            let message = Random.bytes(number)
            let first = try #require(ed25519.sign(message))
            #expect(crypto.verifyEd25519(first, of: message, publicKey: ed25519.publicKey))
            #expect(!crypto.verifyEd25519(first, of: message + [1], publicKey: ed25519.publicKey))
            let second = try #require(p256.sign(message))
            #expect(second.count == 64)
            #expect(crypto.verifyP256(second, of: message, publicKey: p256.publicKey))
            #expect(!crypto.verifyP256(second, of: message + [1], publicKey: p256.publicKey))
        }
        #expect(p256.algorithm == .p256)
        #expect(p256.publicKey.count == p256.algorithm.keyCount)
        #expect("\(p256)" == "a signing key")
        #expect(OpenSSLSigner(ed25519Seed: [1]) == nil)
    }

    @Test("a signature of zeros, of another length or for no key is false, never a trap")
    func aSignatureOfZeros() throws {
        let point = try Hex.decode(PairingVectors.p256Point)
        for count in [0, 1, 63, 64, 65] {
            let zeros = [UInt8](repeating: 0, count: count)
            #expect(!crypto.verifyP256(zeros, of: [], publicKey: point))
            #expect(!crypto.verifyEd25519(zeros, of: [], publicKey: Array(point.prefix(32))))
            #expect(!crypto.verifyP256([UInt8](repeating: 0xFF, count: count), of: [], publicKey: point))
            #expect(!crypto.verifyP256([UInt8](repeating: 1, count: 64), of: [], publicKey: zeros))
            #expect(!crypto.verifyEd25519([UInt8](repeating: 1, count: 64), of: [], publicKey: zeros))
        }
    }

    @Test("a point must be uncompressed and on the curve")
    func aPointMustBeUncompressedAndOnTheCurve() throws {
        let point = try Hex.decode(PairingVectors.p256Point)
        #expect(crypto.isP256Point(point))
        for index in 0..<65 {
            var other = point
            other[index] ^= 1
            #expect(!crypto.isP256Point(other), "byte \(index)")
        }
        #expect(!crypto.isP256Point(Array(point.dropLast())))
        #expect(!crypto.isP256Point([0x02] + point[1..<33]))
        #expect(!crypto.isP256Point([4] + [UInt8](repeating: 0, count: 64)))
    }
}
