/// Why bytes or a text are not what they should be.
package enum FormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The bytes end; at `offset`, counted from 0, so many more were needed.
    case ends(offset: Int, missing: Int)
    /// So many bytes follow where nothing may follow.
    case trailing(Int)
    /// A character that the encoding does not have, `offset` counted in bytes from 0.
    case character(UInt8, offset: Int)
    /// No text of the encoding has this length, or its last character has bits that belong to nothing.
    case incompleteEnd
    /// A value that is not allowed there; the words name the field.
    case value(String)
    /// A field that is longer than its place; the words name it.
    case tooLong(String)

    package var description: String {
        switch self {
        case .ends(let offset, let missing): "the bytes end at \(offset), \(missing) more were expected"
        case .trailing(let count): "\(count) bytes follow after the end"
        case .character(let byte, let offset):
            "the character \(Self.printed(byte)) at \(offset) is none of this encoding"
        case .incompleteEnd: "the end is cut or damaged"
        case .value(let field): "\(field) has a value that is not allowed"
        case .tooLong(let field): "\(field) is too long"
        }
    }

    private static func printed(_ byte: UInt8) -> String {
        (0x21...0x7E).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "0x" + Hex.encode([byte])
    }
}
