/// The body of an envelope from a phone, as it was read (docs/pairing.md 7).
package struct PhoneBody: Equatable, Sendable {
    package var message: PhoneMessage
    /// Of a command: its bytes without the signature, and the signature.
    package var signed: Signed?

    package struct Signed: Equatable, Sendable {
        package var bytes: [UInt8]
        /// What `CommandSignature` reads.
        package var signature: [UInt8]
    }

    /// Reads exactly these bytes.
    package init(bytes: [UInt8]) throws(FormatError) {
        var reader = ByteReader(bytes)
        switch try reader.byte() {
        case Self.request:
            let rid = try reader.take(8)
            let verb = try Self.verb(&reader)
            let arguments = try Self.arguments(try reader.lp16(), "the arguments")
            try reader.end()
            message = .request(PhoneRequest(verb: verb, rid: rid, arguments: arguments))
            signed = nil
        case Self.command:
            let key = try reader.byte()
            guard key == 1 || key == 2 else { throw .value("the number of the key") }
            let counter = try reader.uint64()
            let freshness = try Self.freshness(&reader)
            let verb = try Self.verb(&reader)
            let arguments = try Self.arguments(try reader.lp16(), "the arguments")
            let condition = try Self.arguments(try reader.lp8(), "the condition")
            let unsigned = Array(bytes[..<reader.offset])
            let signature = reader.rest()
            _ = try CommandSignature(bytes: signature)
            signed = Signed(bytes: unsigned, signature: signature)
            message = .command(
                PhoneCommand(
                    key: key, counter: counter, freshness: freshness, verb: verb, arguments: arguments,
                    condition: condition))
        default: throw .value("the kind")
        }
    }

    static let command: UInt8 = 1
    static let request: UInt8 = 2
    static let challenge: UInt8 = 1
    static let time: UInt8 = 2
    /// Seconds.
    static let ttlLimit: UInt16 = 60

    /// 1–32 bytes of a–z and "-".
    static func check(verb: [UInt8]) throws(FormatError) -> [UInt8] {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard (1...32).contains(verb.count), verb.allSatisfy({ letters.contains($0) || $0 == UInt8(ascii: "-") }) else {
            throw .value("the verb")
        }
        return verb
    }

    /// The text of arguments, if it means the same when it is read.
    static func text(of arguments: Arguments, _ field: String) throws(FormatError) -> [UInt8] {
        let text = arguments.description
        guard Arguments(parsing: text) == arguments else { throw .value(field) }
        return Array(text.utf8)
    }

    private static func verb(_ reader: inout ByteReader) throws(FormatError) -> String {
        String(decoding: try check(verb: try reader.lp8()), as: UTF8.self)
    }

    private static func arguments(_ bytes: [UInt8], _ field: String) throws(FormatError) -> Arguments {
        guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }),
            let arguments = Arguments(parsing: String(decoding: bytes, as: UTF8.self))
        else { throw .value(field) }
        return arguments
    }

    private static func freshness(_ reader: inout ByteReader) throws(FormatError) -> PhoneCommand.Freshness {
        switch try reader.byte() {
        case challenge:
            let bytes = try reader.lp8()
            guard bytes.count == Challenge.count else { throw .value("the challenge") }
            return .challenge(bytes)
        case time:
            guard let issued = Int64(exactly: try reader.uint64()) else { throw .value("the time of issue") }
            let ttl = try reader.uint16()
            guard ttl <= ttlLimit else { throw .value("the time to live") }
            return .time(issued: issued, ttl: ttl)
        default: throw .value("the freshness")
        }
    }
}
