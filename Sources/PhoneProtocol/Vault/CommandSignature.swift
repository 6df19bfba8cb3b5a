/// The signature field of a command (docs/pairing.md 7). It says itself which form it has: no assertion is as short as
/// 64 bytes.
package enum CommandSignature: Equatable, Sendable {
    /// 64 bytes, of Ed25519 or r ‖ s of P-256.
    case plain([UInt8])
    /// Of a passkey.
    case assertion(WebAuthnAssertion)

    /// Reads exactly these bytes.
    package init(bytes: [UInt8]) throws(FormatError) {
        self = bytes.count == Self.plainCount ? .plain(bytes) : .assertion(try WebAuthnAssertion(bytes: bytes))
    }

    static let plainCount = 64
}
