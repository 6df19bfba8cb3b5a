/// The symmetric state of a Noise handshake (Noise revision 34, sections 5.1 and 5.2) with ChaCha20-Poly1305 and SHA-256.
struct NoiseState<C: Crypto>: Sendable {
    let crypto: C
    private var chainingKey: [UInt8]
    private(set) var hash: [UInt8]
    private var key: [UInt8]?
    private var counter: UInt64 = 0

    init(protocolName: String, crypto: C) {
        self.crypto = crypto
        let name = Array(protocolName.utf8)
        hash =
            name.count <= 32 ? name + [UInt8](repeating: 0, count: 32 - name.count) : crypto.sha256(name)
        chainingKey = hash
    }

    mutating func mixHash(_ bytes: [UInt8]) { hash = crypto.sha256(hash + bytes) }

    mutating func mixKey(_ input: [UInt8]) {
        let parts = derive(input, count: 2)
        chainingKey = parts[0]
        key = parts[1]
        counter = 0
    }

    mutating func mixKeyAndHash(_ input: [UInt8]) {
        let parts = derive(input, count: 3)
        chainingKey = parts[0]
        mixHash(parts[1])
        key = parts[2]
        counter = 0
    }

    /// nil only when the library fails or no key is there yet.
    mutating func encryptAndHash(_ plain: [UInt8]) -> [UInt8]? {
        guard let key,
            let sealed = crypto.sealChaCha20Poly1305(plain, key: key, nonce: nonce, additional: hash)
        else { return nil }
        counter += 1
        mixHash(sealed)
        return sealed
    }

    mutating func decryptAndHash(_ sealed: [UInt8]) -> [UInt8]? {
        guard let key, let plain = crypto.openChaCha20Poly1305(sealed, key: key, nonce: nonce, additional: hash)
        else { return nil }
        counter += 1
        mixHash(sealed)
        return plain
    }

    func split() -> NoiseSplit {
        let parts = derive([], count: 2)
        return NoiseSplit(a: parts[0], b: parts[1], hash: hash)
    }

    /// Noise's HKDF is that of RFC 5869 with the chaining key as salt and no info.
    private func derive(_ input: [UInt8], count: Int) -> [[UInt8]] {
        let all = HKDF.derive(input, salt: chainingKey, info: [], count: 32 * count, crypto)
        return (0..<count).map { Array(all[(32 * $0)..<(32 * $0 + 32)]) }
    }

    /// Four zeros, then the counter, little-endian.
    private var nonce: [UInt8] {
        [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: counter >> (8 * UInt64($0))) }
    }
}

/// What a finished handshake leaves.
package struct NoiseSplit: Equatable, Sendable {
    /// From the initiator to the responder.
    package var a: [UInt8]
    /// From the responder to the initiator.
    package var b: [UInt8]
    /// The final handshake hash.
    package var hash: [UInt8]
}
