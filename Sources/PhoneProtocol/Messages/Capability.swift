/// A button of a phone without our app: whoever holds the bytes may press it once (docs/pairing.md 10).
package enum Capability {
    /// What is stored: SHA-256 of "HA2 cap\0" and the 16 bytes.
    package static func stored(_ bytes: [UInt8], _ crypto: some Crypto) -> [UInt8] {
        crypto.sha256(Array("HA2 cap\0".utf8) + bytes)
    }

    /// What the button sends.
    package static func body(_ bytes: [UInt8]) -> String { prefix + Base64URL.encode(bytes) }

    /// The 16 bytes of what a button sent; nil when it is something else.
    package static func bytes(ofBody body: String) -> [UInt8]? {
        guard body.hasPrefix(prefix), let bytes = try? Base64URL.decode(String(body.dropFirst(prefix.count))),
            bytes.count == 16
        else { return nil }
        return bytes
    }

    private static let prefix = "HA2B"
}
