/// RFC 8439 with one key and one nonce.
struct ChaCha20Poly1305 {
    private static let tagCount = 16
    /// The sixteen words of the first block.
    private let start: [UInt32]

    /// nil unless the key has 32 bytes and the nonce 12.
    init?(key: [UInt8], nonce: [UInt8]) {
        guard key.count == 32, nonce.count == 12 else { return nil }
        let constants: [UInt32] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]
        start = constants + Self.words(key[...]) + [0] + Self.words(nonce[...])
    }

    /// The lowest byte of each first.
    fileprivate static func words(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
        var words = [UInt32](repeating: 0, count: bytes.count / 4)
        for (place, byte) in bytes.enumerated() { words[place / 4] |= UInt32(byte) << UInt32(place % 4 * 8) }
        return words
    }

    func seal(_ plain: [UInt8], additional: [UInt8]) -> [UInt8] {
        var sealed = plain
        apply(to: &sealed)
        return sealed + tag(sealed, additional)
    }

    /// nil when the tag is wrong.
    func open(_ sealed: [UInt8], additional: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.tagCount else { return nil }
        var plain = Array(sealed.dropLast(Self.tagCount))
        let expected = tag(plain, additional)
        var difference: UInt8 = 0
        for (own, theirs) in zip(expected, sealed.suffix(Self.tagCount)) { difference |= own ^ theirs }
        guard difference == 0 else { return nil }
        apply(to: &plain)
        return plain
    }

    /// Section 2.4: the key stream from block 1 on over all bytes.
    private func apply(to bytes: inout [UInt8]) {
        var counter: UInt32 = 1
        var place = 0
        while place < bytes.count {
            let stream = block(counter)
            for index in 0..<min(64, bytes.count - place) {
                bytes[place + index] ^= UInt8(truncatingIfNeeded: stream[index / 4] >> UInt32(index % 4 * 8))
            }
            place += 64
            counter &+= 1
        }
    }

    /// Section 2.3.
    private func block(_ counter: UInt32) -> [UInt32] {
        var first = start
        first[12] = counter
        var words = first
        for _ in 0..<10 {
            Self.quarter(&words, 0, 4, 8, 12)
            Self.quarter(&words, 1, 5, 9, 13)
            Self.quarter(&words, 2, 6, 10, 14)
            Self.quarter(&words, 3, 7, 11, 15)
            Self.quarter(&words, 0, 5, 10, 15)
            Self.quarter(&words, 1, 6, 11, 12)
            Self.quarter(&words, 2, 7, 8, 13)
            Self.quarter(&words, 3, 4, 9, 14)
        }
        for index in words.indices { words[index] &+= first[index] }
        return words
    }

    private static func quarter(_ words: inout [UInt32], _ a: Int, _ b: Int, _ c: Int, _ d: Int) {
        func step(_ sum: Int, _ addend: Int, _ turned: Int, _ bits: UInt32) {
            words[sum] &+= words[addend]
            let mixed = words[turned] ^ words[sum]
            words[turned] = mixed << bits | mixed >> (32 - bits)
        }
        step(a, b, d, 16)
        step(c, d, b, 12)
        step(a, b, d, 8)
        step(c, d, b, 7)
    }

    /// Section 2.8.
    private func tag(_ cipher: [UInt8], _ additional: [UInt8]) -> [UInt8] {
        var authenticator = Poly1305(key: Array(block(0).prefix(8)))
        for part in [additional, cipher] {
            authenticator.update(part)
            authenticator.update([UInt8](repeating: 0, count: (16 - part.count % 16) % 16))
        }
        for part in [additional, cipher] {
            authenticator.update((0..<8).map { UInt8(truncatingIfNeeded: UInt64(part.count) >> UInt64(8 * $0)) })
        }
        return authenticator.finish()
    }
}

/// RFC 8439 section 2.5 over whole blocks, which is all that ChaCha20-Poly1305 has. Numbers are in limbs of 26 bits.
private struct Poly1305 {
    private var sum: [UInt64] = [0, 0, 0, 0, 0]
    private var held: [UInt8] = []
    private let factor: [UInt64]
    private let last: [UInt32]
    private static let mask: UInt64 = 0x3FF_FFFF

    /// Eight words: r and s.
    init(key: [UInt32]) {
        let r = [key[0] & 0x0FFF_FFFF, key[1] & 0x0FFF_FFFC, key[2] & 0x0FFF_FFFC, key[3] & 0x0FFF_FFFC]
        factor = Self.limbs(r, above: 0)
        last = Array(key[4...])
    }

    /// Pieces of any length; what completes no block in the end does not count.
    mutating func update(_ bytes: [UInt8]) {
        held += bytes
        var place = 0
        while held.count - place >= 16 {
            take(ChaCha20Poly1305.words(held[place..<place + 16]))
            place += 16
        }
        held.removeFirst(place)
    }

    private mutating func take(_ words: [UInt32]) {
        let block = Self.limbs(words, above: 1)
        for index in 0..<5 { sum[index] += block[index] }
        var product: [UInt64] = [0, 0, 0, 0, 0]
        for i in 0..<5 {
            for j in 0..<5 {
                // 2^130 is 5.
                product[(i + j) % 5] += sum[i] * factor[j] * (i + j >= 5 ? 5 : 1)
            }
        }
        sum = product
        carry()
    }

    private mutating func carry() {
        for index in 0..<4 {
            sum[index + 1] += sum[index] >> 26
            sum[index] &= Self.mask
        }
        sum[0] += (sum[4] >> 26) * 5
        sum[4] &= Self.mask
        sum[1] += sum[0] >> 26
        sum[0] &= Self.mask
    }

    mutating func finish() -> [UInt8] {
        for _ in 0..<3 { carry() }
        // The sum minus 2^130 - 5, taken where it is not negative.
        var less: [UInt64] = [0, 0, 0, 0, 0]
        var over: UInt64 = 5
        for index in 0..<5 {
            let limb = sum[index] + over
            less[index] = limb & Self.mask
            over = limb >> 26
        }
        let choice = 0 &- over
        for index in 0..<5 { sum[index] = (less[index] & choice) | (sum[index] & ~choice) }
        var tag: [UInt8] = []
        var carry: UInt64 = 0
        for word in 0..<4 {
            // 32 bits from bit 32 * word on.
            let limb = word * 32 / 26
            let shift = UInt64(word * 32 % 26)
            let bits = (sum[limb] >> shift | sum[limb + 1] << (26 - shift)) & 0xFFFF_FFFF
            carry += bits + UInt64(last[word])
            for place in 0..<4 { tag.append(UInt8(truncatingIfNeeded: carry >> UInt64(8 * place))) }
            carry >>= 32
        }
        return tag
    }

    /// 128 bits and what stands above them, in limbs of 26 bits.
    private static func limbs(_ words: [UInt32], above: UInt64) -> [UInt64] {
        let low = UInt64(words[0]) | UInt64(words[1]) << 32
        let high = UInt64(words[2]) | UInt64(words[3]) << 32
        return [
            low & mask, low >> 26 & mask, (low >> 52 | high << 12) & mask, high >> 14 & mask, high >> 40 | above << 24,
        ]
    }
}
