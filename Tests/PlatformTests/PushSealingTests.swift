import COpenSSL
import PhoneProtocol
import Synchronization
import Testing

@testable import Platform

@Suite("Messages for browsers' push services")
struct PushSealingTests {
    private func bytes(_ text: String) throws -> [UInt8] { try Base64URL.decode(text) }

    /// A private key by its number and its point, as RFC 5915 writes it.
    private func key(_ number: [UInt8], _ point: [UInt8]) throws -> OpenSSLKey {
        let der =
            [0x30, 0x77, 0x02, 0x01, 0x01, 0x04, 0x20] + number
            + [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0xA1, 0x44, 0x03, 0x42, 0x00]
            + point
        return try #require(OpenSSLKey(p256DER: der))
    }

    @Test("the example of RFC 8291 section 5 comes out byte by byte")
    func theExampleOfRFC8291ComesOutByteByByte() throws {
        let own = try key(
            bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
            bytes("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"))
        let message = Array("When I grow up, I want to be a watermelon".utf8)
        let body = PushSealing.seal(
            message,
            to: try bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
            secret: try bytes("BTBZMqHH6r4Tts7J_aSIgg"), size: message.count + 103, own: own,
            salt: try bytes("DGv6ra1nlYgDCS1FRnbzlw"))
        let expected =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
            + "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        #expect(body.map(Base64URL.encode) == expected)
    }

    @Test("the example of RFC 8188 section 3.1 comes out byte by byte")
    func theExampleOfRFC8188ComesOutByteByByte() throws {
        let body = PushSealing.body(
            Array("I am the walrus".utf8), key: try bytes("yqdlZ-tYemfogSmv7Ws5PQ"),
            salt: try bytes("I1BsxtFttlv3u_Oo94xnmw"), keyID: [], size: 15 + 38)
        #expect(body.map(Base64URL.encode) == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
    }

    @Test("whatever is sealed has the size that was asked for; what is longer, or for no point, is refused")
    func whateverIsSealedHasTheSizeThatWasAskedFor() throws {
        let point = try #require(OpenSSLSigner.generateP256()).publicKey
        let secret = Base64URL.encode([UInt8](repeating: 9, count: 16))
        func seal(_ count: Int, _ point: [UInt8], _ secret: String) -> [UInt8]? {
            let job = TransportJob.sealPush([UInt8](repeating: 1, count: count), to: point, secret: secret, size: 2700)
            guard case .bytes(let body) = TransportComputation.answer(to: job) else { return nil }
            return body
        }
        for count in [0, 1, 2596, 2597] { #expect(seal(count, point, secret)?.count == 2700, "\(count)") }
        #expect(seal(2598, point, secret) == nil)
        var off = point
        off[64] ^= 1
        #expect(seal(1, off, secret) == nil && seal(1, Array(point.dropLast()), secret) == nil)
        #expect(seal(1, point, "AAAA") == nil)
        #expect(seal(1, point, secret) != seal(1, point, secret))
    }

    /// A key in memory, or no room for one.
    private final class Storage: PushKeyStorage {
        let key: Mutex<[UInt8]?>
        let saves = Mutex(0)
        let isFull: Bool

        init(_ key: [UInt8]? = nil, isFull: Bool = false) {
            self.key = Mutex(key)
            self.isFull = isFull
        }
        func load() -> [UInt8]? { key.withLock { $0 } }
        func save(_ new: [UInt8]) throws(PushKeyFailure) {
            if isFull { throw PushKeyFailure("no room") }
            key.withLock { $0 = new }
            saves.withLock { $0 += 1 }
        }
    }

    @Test("the box's key is made once and kept; what it signs is verified with the half that phones know")
    func theBoxsKeyIsMadeOnceAndKept() throws {
        let storage = Storage()
        guard case .bytes(let point) = TransportComputation.answer(to: .pushKey, storage) else {
            Issue.record("no key")
            return
        }
        #expect(TransportComputation.answer(to: .pushKey, storage) == .bytes(point))
        #expect(storage.saves.withLock { $0 } == 1 && point.count == 65)
        let input = Array("header.claims".utf8)
        guard case .bytes(let signature) = TransportComputation.answer(to: .signPush(input), storage) else {
            Issue.record("no signature")
            return
        }
        #expect(OpenSSLCrypto().verifyP256(signature, of: input, publicKey: point))
        #expect(!OpenSSLCrypto().verifyP256(signature, of: input + [0], publicKey: point))
    }

    @Test("a key that is damaged or cannot be kept is told and not replaced")
    func aKeyThatIsDamagedOrCannotBeKeptIsTold() throws {
        func failure(_ storage: Storage?) -> String? {
            guard case .failed(let why) = TransportComputation.answer(to: .pushKey, storage) else { return nil }
            return why
        }
        let good = try #require(OpenSSLSigner.generateP256()).stored
        for damaged in [[], [1, 2, 3], good + [0], Array(good.dropLast())] {
            let storage = Storage(damaged)
            #expect(failure(storage)?.contains("damaged") == true)
            #expect(storage.load() == damaged)
        }
        let full = Storage(isFull: true)
        #expect(failure(full) == "no room" && full.load() == nil)
        #expect(failure(nil) != nil)
    }
}
