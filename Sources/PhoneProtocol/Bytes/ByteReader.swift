/// Reads fields from bytes, big-endian. What is missing is an error with its place, never a trap.
package struct ByteReader: Sendable {
    private let bytes: [UInt8]
    /// How many bytes have been read.
    package private(set) var offset = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var remaining: Int { bytes.count - offset }

    package mutating func take(_ count: Int) throws(FormatError) -> [UInt8] {
        precondition(count >= 0, "a count of bytes is not negative")
        guard count <= remaining else { throw .ends(offset: bytes.count, missing: count - remaining) }
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }

    package mutating func byte() throws(FormatError) -> UInt8 {
        guard remaining > 0 else { throw .ends(offset: offset, missing: 1) }
        defer { offset += 1 }
        return bytes[offset]
    }

    package mutating func uint16() throws(FormatError) -> UInt16 { UInt16(truncatingIfNeeded: try number(2)) }
    package mutating func uint32() throws(FormatError) -> UInt32 { UInt32(truncatingIfNeeded: try number(4)) }
    package mutating func uint64() throws(FormatError) -> UInt64 { try number(8) }

    /// One byte of length, then that many bytes.
    package mutating func lp8() throws(FormatError) -> [UInt8] { try take(Int(try byte())) }

    /// Two bytes of length, then that many bytes.
    package mutating func lp16() throws(FormatError) -> [UInt8] { try take(Int(try uint16())) }

    /// All that is left.
    package mutating func rest() -> [UInt8] {
        defer { offset = bytes.count }
        return Array(bytes[offset...])
    }

    /// Nothing may follow.
    package func end() throws(FormatError) {
        guard remaining == 0 else { throw .trailing(remaining) }
    }

    private mutating func number(_ count: Int) throws(FormatError) -> UInt64 {
        try take(count).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
