package import AlarmModel

/// What a phone tells about itself inside the handshake (docs/pairing.md 4).
package struct PairingPayload1: Equatable, Sendable {
    /// 1–32 bytes without controls.
    package var name: String
    /// Ed25519 or P-256.
    package var algorithm1: SignatureAlgorithm
    package var key1: [UInt8]
    /// `none` for a phone without a screen lock.
    package var algorithm2: SignatureAlgorithm
    package var key2: [UInt8]
    /// Where key 2 is a passkey, and only there: its page.
    package var passkey: PasskeyPlace?
    /// One to four.
    package var addresses: [PairingHeard.Address]

    package static let limit = 900

    package init(
        name: String, algorithm1: SignatureAlgorithm, key1: [UInt8], algorithm2: SignatureAlgorithm, key2: [UInt8],
        passkey: PasskeyPlace? = nil, addresses: [PairingHeard.Address]
    ) {
        self.name = name
        self.algorithm1 = algorithm1
        self.key1 = key1
        self.algorithm2 = algorithm2
        self.key2 = key2
        self.passkey = passkey
        self.addresses = addresses
    }

    /// Reads exactly these bytes; whether P-256 keys are points of the curve is for the reader to check.
    package init(bytes: [UInt8]) throws(FormatError) {
        guard bytes.count <= Self.limit else { throw .tooLong("what the phone says of itself") }
        var reader = ByteReader(bytes)
        name = try PrintableText.read(try reader.lp8(), limit: Person.nameLimit, field: "the phone's name")
        (algorithm1, key1) = try Self.key(&reader)
        (algorithm2, key2) = try Self.key(&reader)
        passkey = try PasskeyPlace.read(behind: algorithm2, &reader)
        guard algorithm1.mayBeKey1 else { throw .value("key 1") }
        // The same key behind both proves no presence.
        guard key2 != key1 else { throw .value("key 2, which is key 1") }
        let count = try reader.byte()
        guard (1...4).contains(count) else { throw .value("the number of addresses") }
        addresses = []
        for _ in 0..<count {
            guard let kind = AddressKind(rawValue: try reader.byte()) else { throw .value("the kind of an address") }
            let value = try PrintableText.read(try reader.lp16(), limit: Self.limit, field: "an address")
            addresses.append(PairingHeard.Address(kind: kind, value: value))
        }
        try reader.end()
    }

    /// Writes only what the reader takes.
    package func bytes() throws(FormatError) -> [UInt8] {
        var writer = ByteWriter()
        try writer.lp8(Array(name.utf8), "the phone's name")
        writer.byte(algorithm1.rawValue)
        try writer.lp8(key1, "key 1")
        writer.byte(algorithm2.rawValue)
        try writer.lp8(key2, "key 2")
        try PasskeyPlace.write(passkey, behind: algorithm2, &writer)
        guard let count = UInt8(exactly: addresses.count) else { throw .value("the number of addresses") }
        writer.byte(count)
        for address in addresses {
            writer.byte(address.kind.rawValue)
            try writer.lp16(Array(address.value.utf8), "an address")
        }
        _ = try PairingPayload1(bytes: writer.bytes)
        return writer.bytes
    }

    private static func key(_ reader: inout ByteReader) throws(FormatError) -> (SignatureAlgorithm, [UInt8]) {
        guard let algorithm = SignatureAlgorithm(rawValue: try reader.byte()) else { throw .value("an algorithm") }
        let key = try reader.lp8()
        guard key.count == algorithm.keyCount else { throw .value("a key") }
        return (algorithm, key)
    }
}
