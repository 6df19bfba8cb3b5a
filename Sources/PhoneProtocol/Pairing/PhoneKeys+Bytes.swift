import AlarmModel

extension PhoneKeys {
    /// An entry of the key file: 01 ‖ id ‖ up ‖ down ‖ bind ‖ alg1 ‖ lp8(key 1) ‖ alg2 ‖ lp8(key 2), and of a
    /// passkey lp8(RP ID) ‖ lp8(origin).
    package func bytes() throws(FormatError) -> [UInt8] {
        var writer = ByteWriter([Self.version])
        writer.raw(phone.bytes + up + down + bind)
        writer.byte(algorithm1.rawValue)
        try writer.lp8(key1, "key 1")
        writer.byte(algorithm2.rawValue)
        try writer.lp8(key2, "key 2")
        try PasskeyPlace.write(passkey, behind: algorithm2, &writer)
        guard try PhoneKeys(bytes: writer.bytes) == self else { throw .value("a transport key") }
        return writer.bytes
    }

    /// Reads exactly these bytes.
    package init(bytes: [UInt8]) throws(FormatError) {
        var reader = ByteReader(bytes)
        guard try reader.byte() == Self.version else { throw .value("the version") }
        let phone = PhoneID(try reader.uint64())
        let up = try reader.take(32)
        let down = try reader.take(32)
        let bind = try reader.take(32)
        let (algorithm1, key1) = try Self.key(&reader)
        let (algorithm2, key2) = try Self.key(&reader)
        let passkey = try PasskeyPlace.read(behind: algorithm2, &reader)
        try reader.end()
        guard algorithm1.mayBeKey1 else { throw .value("key 1") }
        self.init(
            phone: phone, up: up, down: down, bind: bind, algorithm1: algorithm1, key1: key1, algorithm2: algorithm2,
            key2: key2, passkey: passkey)
    }

    private static func key(_ reader: inout ByteReader) throws(FormatError) -> (Algorithm, [UInt8]) {
        guard let algorithm = Algorithm(rawValue: try reader.byte()) else { throw .value("an algorithm") }
        let key = try reader.lp8()
        guard key.count == algorithm.keyCount else { throw .value("a key") }
        return (algorithm, key)
    }

    private static let version: UInt8 = 1
}

extension PhoneKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "the keys of phone \(phone)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
