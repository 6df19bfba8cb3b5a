/// Reads what stands between `<` and `>` from left to right.
struct PushTagCursor {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// A name as written; nil when none stands here.
    mutating func name() -> String? {
        var result = String.UnicodeScalarView()
        while position < scalars.count {
            let scalar = scalars[position]
            let isFirst = result.isEmpty
            guard Self.isNameScalar(scalar, first: isFirst) else { break }
            result.append(scalar)
            position += 1
        }
        return result.isEmpty ? nil : String(result)
    }

    /// The attributes up to the end of the tag; nil when they are not well-formed, or one stands there twice.
    mutating func attributes() throws(PushXMLReader.Problem) -> [PushElement.Attribute]? {
        var result: [PushElement.Attribute] = []
        while true {
            let hadSpace = skipSpace()
            guard position < scalars.count else { return result }
            guard hadSpace, let name = name() else { return nil }
            skipSpace()
            guard position < scalars.count, scalars[position] == "=" else { return nil }
            position += 1
            skipSpace()
            guard position < scalars.count, scalars[position] == "\"" || scalars[position] == "'" else { return nil }
            let quote = scalars[position]
            guard let end = scalars[(position + 1)...].firstIndex(of: quote) else { return nil }
            var raw = String.UnicodeScalarView()
            raw.append(contentsOf: scalars[(position + 1)..<end])
            position = end + 1
            guard !raw.contains("<"), let value = try PushXMLReader.text(Array(String(raw).utf8), inAttribute: true),
                !result.contains(where: { $0.name == name })
            else { return nil }
            result.append(PushElement.Attribute(name: name, value: value))
        }
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let before = position
        while position < scalars.count, [" ", "\t", "\n", "\r"].contains(scalars[position]) { position += 1 }
        return position > before
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_", ":": true
        case "0"..."9", "-", ".": !first
        default: scalar.value >= 0xC0
        }
    }
}

extension PushXMLReader {
    /// Character data with its references replaced; nil when it is not well-formed.
    static func text(_ bytes: [UInt8], inAttribute: Bool) throws(Problem) -> String? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "&"):
                guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ";")) else { return nil }
                guard let meant = try reference(String(decoding: bytes[index..<end], as: UTF8.self)) else { return nil }
                result += String(meant).utf8
                index = end + 1
            case UInt8(ascii: "\r"):
                // A line end is one line feed, however it was written.
                if index < bytes.count, bytes[index] == UInt8(ascii: "\n") { index += 1 }
                result.append(UInt8(ascii: inAttribute ? " " : "\n"))
            case UInt8(ascii: "\n"), UInt8(ascii: "\t"): result.append(inAttribute ? UInt8(ascii: " ") : byte)
            case ..<0x20: return nil
            case UInt8(ascii: "]") where !inAttribute && bytes[index...].starts(with: "]>".utf8):
                // "]]>" cannot stand in text.
                return nil
            case 0xEF where bytes[index...].starts(with: [0xBF, 0xBE]) || bytes[index...].starts(with: [0xBF, 0xBF]):
                // U+FFFE and U+FFFF are no characters of XML 1.0.
                return nil
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func reference(_ name: String) throws(Problem) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { throw .restricted }
            let isHexadecimal = name.hasPrefix("#x")
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
                let value = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(value),
                isCharacter(scalar)
            else { return nil }
            return scalar
        }
    }

    /// XML 1.0, production 2.
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
