package import AlarmModel

/// Names a computation among those of one transport.
package struct TransportJobID: Codable, Equatable, Comparable, Sendable {
    package var number: UInt64
    package init(_ number: UInt64) { self.number = number }
    package static func < (a: TransportJobID, b: TransportJobID) -> Bool { a.number < b.number }
}

/// A computation that the shell does for a transport, off the loop where it takes long.
package enum TransportJob: Codable, Equatable, Sendable {
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 3.3). The key is PEM. Answered by `bytes` or `failed`.
    case signRS256(key: Secret, message: [UInt8])
    /// Answered by `bytes`, 32 of them.
    case hmacSHA256(key: Secret, message: [UInt8])
    /// The client's proof and the server's signature of a login (RFC 5802, RFC 7677). Answered by `scram`.
    case scram(SCRAMHash, password: Secret, salt: [UInt8], rounds: Int, authMessage: [UInt8])
    /// `tls-exporter` of a connection (RFC 9266). Answered by `bytes`, or by `failed` before TLS 1.3.
    case channelBinding(ConnectionID)
    /// Answered by `bytes`: so many, at most 64.
    case random(Int)
    /// So many buttons for a phone without our app, at most 8 (docs/pairing.md 10). Answered by `capabilities`.
    case capabilities(Int)
    /// What is stored of the 16 bytes of a button. Answered by `bytes`.
    case capability([UInt8])
    /// The public half of the box's key towards push services, 65 bytes (RFC 8292); made and stored with the first such
    /// job. Answered by `bytes` or `failed`.
    case pushKey
    /// ES256 with that key. Answered by `bytes`, 64 of them, or `failed`.
    case signPush([UInt8])
    /// A message for a browser's subscription, padded to a body of `size` (RFC 8291). The secret is base64url, as the
    /// phone told it. Answered by `bytes` or `failed`.
    case sealPush([UInt8], to: [UInt8], secret: String, size: Int)
    /// A message for a receiver behind 16 to 31 random letters and digits, as AES-CBC with an initial vector of zeros
    /// (SIA DC-09). The key is hexadecimal. Answered by `bytes` or `failed`.
    case sealReport(key: Secret, text: String)
    /// A receiver's answer of that form, as it was before. Answered by `bytes` or `failed`.
    case openReport(key: Secret, [UInt8])
}

/// A new button: what it sends, and what is kept of it.
package struct MadeCapability: Codable, Equatable, Sendable {
    package var bytes: [UInt8]
    package var stored: [UInt8]

    package init(bytes: [UInt8], stored: [UInt8]) {
        self.bytes = bytes
        self.stored = stored
    }
}

package enum SCRAMHash: String, Codable, Hashable, Sendable { case sha1, sha256 }

package enum TransportAnswer: Codable, Equatable, Sendable {
    case bytes([UInt8])
    case scram(proof: [UInt8], serverSignature: [UInt8])
    case capabilities([MadeCapability])
    /// In words for people.
    case failed(String)
}
