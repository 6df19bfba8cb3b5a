/// Texts of a peer that people will read.
enum PrintableText {
    /// The text, unless it is empty, longer than `limit` bytes, no UTF-8, or would do something to a terminal: controls,
    /// line ends and marks that turn the direction of writing around.
    static func read(_ bytes: [UInt8], limit: Int, field: String) throws(FormatError) -> String {
        guard bytes.count <= limit else { throw .tooLong(field) }
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else { throw .value(field) }
        for scalar in text.unicodeScalars where isHarmful(scalar) { throw .value(field) }
        return text
    }

    /// Without what `read` would refuse; may be empty.
    static func cleaned(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !isHarmful($0) }))
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
