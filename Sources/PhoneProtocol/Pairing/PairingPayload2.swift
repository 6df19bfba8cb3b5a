/// What the box answers inside the handshake: wait until the owner has typed the code there (docs/pairing.md 4).
package struct PairingPayload2: Equatable, Sendable {
    /// 1–255 bytes without controls.
    package var siteName: String

    package init(siteName: String) { self.siteName = siteName }

    package init(bytes: [UInt8]) throws(FormatError) {
        var reader = ByteReader(bytes)
        guard try reader.byte() == Self.wait else { throw .value("what comes next") }
        siteName = try PrintableText.read(try reader.lp8(), limit: 255, field: "the name of the site")
        try reader.end()
    }

    package func bytes() throws(FormatError) -> [UInt8] {
        var writer = ByteWriter([Self.wait])
        try writer.lp8(Array(siteName.utf8), "the name of the site")
        _ = try PairingPayload2(bytes: writer.bytes)
        return writer.bytes
    }

    private static let wait: UInt8 = 1
}
