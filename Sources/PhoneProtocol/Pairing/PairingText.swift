import AlarmModel

/// The pairing code: the box's one-time public key, the places to meet, and a secret (docs/pairing.md 3).
///
/// Holds the pairing's secret: printing it shows nothing.
package struct PairingText: Equatable, Sendable {
    /// S, the one-time X25519 key of the box: 32 bytes.
    package let publicKey: [UInt8]
    /// At least one; the places are printable ASCII without blanks.
    package let servers: [RendezvousPlace]
    /// K, 16 random bytes.
    let secret: [UInt8]

    package static let prefix = "HA2:"
    package static let version: UInt8 = 2
    /// Bytes of P.
    package static let limit = 88

    /// Of these places the first ones that a code has room for.
    package static func fitting(_ servers: [RendezvousPlace]) -> [RendezvousPlace] {
        // Version, flags, the box's key, the number of places, the secret.
        var room = limit - 51
        return servers.filter { server in
            let count = 2 + server.place.utf8.count
            guard count <= room else { return false }
            room -= count
            return true
        }
    }

    /// Throws when it cannot be a code: no server, too many, a place that is not printable ASCII.
    package init(publicKey: [UInt8], servers: [RendezvousPlace], secret: [UInt8]) throws(FormatError) {
        guard publicKey.count == 32 else { throw .value("the key of the box") }
        guard secret.count == 16 else { throw .value("the secret") }
        guard !servers.isEmpty else { throw .value("the number of servers") }
        self.publicKey = publicKey
        self.servers = servers
        self.secret = secret
        var writer = ByteWriter()
        for server in servers {
            guard Self.isPlace(Array(server.place.utf8)) else { throw .value("the place of a server") }
            try writer.lp8(Array(server.place.utf8), "the place of a server")
        }
        guard payload.count <= Self.limit else { throw .tooLong("the pairing code") }
    }

    /// Reads P.
    package init(payload: [UInt8]) throws(FormatError) {
        guard payload.count <= Self.limit else { throw .tooLong("the pairing code") }
        var reader = ByteReader(payload)
        guard try reader.byte() == Self.version else { throw .value("the version") }
        guard try reader.byte() == 0 else { throw .value("the flags") }
        let publicKey = try reader.take(32)
        var servers: [RendezvousPlace] = []
        for _ in 0..<(try reader.byte()) {
            guard let kind = RendezvousPlace.Kind(rawValue: try reader.byte()) else { throw .value("a kind of server") }
            let place = try reader.lp8()
            guard Self.isPlace(place) else { throw .value("the place of a server") }
            servers.append(RendezvousPlace(kind: kind, place: String(decoding: place, as: UTF8.self)))
        }
        let secret = try reader.take(16)
        try reader.end()
        try self.init(publicKey: publicKey, servers: servers, secret: secret)
    }

    /// P.
    package var payload: [UInt8] { publicPart + secret }

    /// What the handshake begins with on both sides.
    var prologue: [UInt8] { Array("HA2 pair 1\0".utf8) + publicPart }

    /// P without the secret. Lengths were checked when it was made.
    private var publicPart: [UInt8] {
        var bytes: [UInt8] = [Self.version, 0] + publicKey + [UInt8(truncatingIfNeeded: servers.count)]
        for server in servers {
            bytes += [server.kind.rawValue, UInt8(truncatingIfNeeded: server.place.utf8.count)] + server.place.utf8
        }
        return bytes
    }

    private static func isPlace(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension PairingText {
    package func psk(_ crypto: some Crypto) -> [UInt8] { HKDF.derive(secret, label: "HA2 psk", count: 32, crypto) }

    /// Where the phone's frames go, in this pairing only.
    package func topicUp(_ crypto: some Crypto) -> String { topic("HA2 rv up", crypto) }

    /// Where the box's frames go.
    package func topicDown(_ crypto: some Crypto) -> String { topic("HA2 rv down", crypto) }

    private func topic(_ label: String, _ crypto: some Crypto) -> String {
        Base32.encode(HKDF.derive(secret, label: label, count: 15, crypto), .lower)
    }
}

extension PairingText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a pairing code" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
