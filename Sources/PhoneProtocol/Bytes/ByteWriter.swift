/// Writes fields as bytes, big-endian.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8]

    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    package mutating func raw(_ field: [UInt8]) { bytes += field }
    package mutating func byte(_ value: UInt8) { bytes.append(value) }
    package mutating func uint16(_ value: UInt16) { number(UInt64(value), 2) }
    package mutating func uint32(_ value: UInt32) { number(UInt64(value), 4) }
    package mutating func uint64(_ value: UInt64) { number(value, 8) }

    /// One byte of length, then the field of at most 255 bytes; `name` is for the error.
    package mutating func lp8(_ field: [UInt8], _ name: String) throws(FormatError) {
        guard let count = UInt8(exactly: field.count) else { throw .tooLong(name) }
        byte(count)
        raw(field)
    }

    /// Two bytes of length, then the field of at most 65 535 bytes; `name` is for the error.
    package mutating func lp16(_ field: [UInt8], _ name: String) throws(FormatError) {
        guard let count = UInt16(exactly: field.count) else { throw .tooLong(name) }
        uint16(count)
        raw(field)
    }

    private mutating func number(_ value: UInt64, _ count: UInt64) {
        for place in 1...count { byte(UInt8(truncatingIfNeeded: value >> (8 * (count - place)))) }
    }
}
