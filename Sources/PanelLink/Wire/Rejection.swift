/// Input that is not a line, with a redacted printable form of it of at most 80 characters.
package enum Rejection: Codable, Equatable, Sendable, CustomStringConvertible {
    /// The line's checksum is not that of its characters, or is not hexadecimal.
    case badChecksum(String)
    /// Longer than `LineReader.cap`; dropped up to the next line end.
    case overlong(String)
    /// Shorter than five characters, without a three-digit code, or with bytes that are not printable.
    case malformed(String)

    /// The input, redacted.
    package var text: String {
        switch self {
        case .badChecksum(let text), .overlong(let text), .malformed(let text): text
        }
    }

    package var description: String {
        switch self {
        case .badChecksum(let text): "wrong checksum: \(text)"
        case .overlong(let text): "longer than \(LineReader.cap) bytes: \(text)"
        case .malformed(let text): "not a line of the protocol: \(text)"
        }
    }
}

extension PanelCounters {
    package mutating func count(_ rejection: Rejection) {
        switch rejection {
        case .badChecksum: badChecksum += 1
        case .overlong: overlong += 1
        case .malformed: malformed += 1
        }
    }
}
