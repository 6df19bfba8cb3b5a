/// What stands for a secret in a recording: of the same length and the same kinds of characters, the same for the same
/// secret everywhere in one recording, and another one for another secret.
///
/// Every character is moved within its kind (digits, small and capital letters; punctuation stays) by an amount that
/// SipHash-2-4 makes of a key and of all characters before it. So beginnings stay beginnings, which lets secrets be
/// replaced while they are still coming in, and whoever does not have the key learns nothing but the kinds. The key is
/// random, new in each run, and written nowhere.
struct SecretPlaceholders: Equatable, Sendable {
    private let key0: UInt64
    private let key1: UInt64

    /// - Parameter key: 16 bytes
    init(key: [UInt8]) {
        precondition(key.count == 16, "a key of SipHash has 16 bytes")
        key0 = key[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        key1 = key[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// All of a secret that has been seen so far.
    struct Chain: Equatable, Sendable {
        fileprivate var state: UInt64 = 0x4841_5374_616E_6449
    }

    /// The next character's placeholder.
    func next(_ byte: UInt8, _ chain: inout Chain) -> UInt8 {
        let amount = step(byte, &chain)
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return Self.moved(byte, from: UInt8(ascii: "0"), 10, amount)
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return Self.moved(byte, from: UInt8(ascii: "a"), 26, amount)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return Self.moved(byte, from: UInt8(ascii: "A"), 26, amount)
        // Within sixteen characters, so that UTF-8 stays UTF-8.
        case 0x80...0xBF: return Self.moved(byte, from: byte & 0xF0, 16, amount)
        default: return byte
        }
    }

    func characters(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var chain = Chain()
        return bytes.map { next($0, &chain) }
    }

    func text(_ text: String) -> String { String(decoding: characters(text.utf8), as: UTF8.self) }

    /// For keys and hashes, which are no characters.
    func bytes(_ bytes: [UInt8]) -> [UInt8] {
        var chain = Chain()
        return bytes.map { $0 &+ UInt8(truncatingIfNeeded: 1 + step($0, &chain) % 255) }
    }

    /// Never by nothing: no character stands for itself.
    private static func moved(_ byte: UInt8, from first: UInt8, _ count: UInt64, _ amount: UInt64) -> UInt8 {
        first + UInt8((UInt64(byte - first) + 1 + amount % (count - 1)) % count)
    }

    /// A number made of what came before, and this character added to it.
    private func step(_ byte: UInt8, _ chain: inout Chain) -> UInt64 {
        let before = hash(chain.state, 0x100)
        chain.state = hash(chain.state, UInt64(byte))
        return before
    }

    /// SipHash-2-4 of two words.
    private func hash(_ first: UInt64, _ second: UInt64) -> UInt64 {
        var v0 = key0 ^ 0x736F_6D65_7073_6575
        var v1 = key1 ^ 0x646F_7261_6E64_6F6D
        var v2 = key0 ^ 0x6C79_6765_6E65_7261
        var v3 = key1 ^ 0x7465_6462_7974_6573
        func turn(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
        func round() {
            v0 &+= v1
            v1 = turn(v1, 13) ^ v0
            v0 = turn(v0, 32)
            v2 &+= v3
            v3 = turn(v3, 16) ^ v2
            v0 &+= v3
            v3 = turn(v3, 21) ^ v0
            v2 &+= v1
            v1 = turn(v1, 17) ^ v2
            v2 = turn(v2, 32)
        }
        for word in [first, second, 16 << 56] {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }
        v2 ^= 0xFF
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }
}
