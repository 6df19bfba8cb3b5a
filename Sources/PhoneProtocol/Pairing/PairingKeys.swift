package import AlarmModel

/// What both sides make of a finished handshake (docs/pairing.md 4). Secret: printing it shows nothing.
package struct PairingKeys: Equatable, Sendable {
    package let up: [UInt8]
    package let down: [UInt8]
    /// Stands in every signature for both sides, the servers and the version.
    package let bind: [UInt8]
    package let phone: PhoneID
    /// Six digits; the phone shows them, the owner types them at the box.
    package let code: String

    package init(_ split: NoiseSplit, _ crypto: some Crypto) {
        let key = crypto.hmacSHA256(key: split.hash, split.a + split.b)
        func part(_ label: String, _ count: Int) -> [UInt8] {
            HKDF.expand(key, info: Array(label.utf8), count: count, crypto)
        }
        up = part("HA2 up", 32)
        down = part("HA2 down", 32)
        bind = part("HA2 bind", 32)
        phone = PhoneID(Self.number(part("HA2 id", 8)))
        code = (Self.number(part("HA2 code", 8)) % 1_000_000).padded(6)
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

extension PairingKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "the keys of a pairing" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
