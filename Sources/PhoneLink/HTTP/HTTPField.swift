package import AlarmModel

/// A header field. A secret one shows its value only on the wire.
package struct HTTPField: Codable, Equatable, Sendable {
    enum Content: Codable, Equatable, Sendable {
        case plain(String)
        case secret(Secret)
    }
    package var name: String
    var content: Content

    package init(_ name: String, _ value: String) {
        self.name = name
        content = .plain(value)
    }

    /// For credentials: prints and encodes as a mask.
    package init(_ name: String, secret: Secret) {
        self.name = name
        content = .secret(secret)
    }

    /// As it is on the wire.
    package var value: String {
        switch content {
        case .plain(let text): text
        case .secret(let secret): secret.revealed
        }
    }

    /// Names do not tell upper from lower case (RFC 9110 5.1).
    package func isNamed(_ name: String) -> Bool { self.name.lowercased() == name.lowercased() }
}

/// The characters of HTTP's grammar (RFC 9110 5.6).
enum HTTPText {
    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
    }

    /// Without controls but the tab; what is beyond ASCII passes.
    static func isFieldValue(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.trimmed { $0 == 0x20 || $0 == 0x09 }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Decimal digits and nothing else, at most 18 of them.
    static func number(_ bytes: some Collection<UInt8>) -> Int? {
        guard (1...18).contains(bytes.count), bytes.allSatisfy(isDigit) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
