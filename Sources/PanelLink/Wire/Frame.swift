/// One line on the wire: three digits, data, checksum, CR LF (docs/envisalink.md 1.2).
package enum Frame {
    /// The low eight bits of the sum of all characters.
    package static func checksum(_ payload: some Sequence<UInt8>) -> UInt8 {
        payload.reduce(0) { $0 &+ $1 }
    }

    /// The bytes of a line; upper-case checksum, because the module refuses lower case (501).
    ///
    /// - Parameters:
    ///   - code: three decimal digits
    ///   - data: printable ASCII
    package static func bytes(code: String, data: String = "") -> [UInt8] {
        let payload = Array((code + data).utf8)
        let sum = checksum(payload)
        return payload + [digit(sum >> 4), digit(sum & 15), 13, 10]
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 55 + value }
}
