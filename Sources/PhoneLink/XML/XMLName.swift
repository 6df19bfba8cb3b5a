/// Which characters and names XML 1.0 (fifth edition) and its namespaces allow.
enum XMLName {
    static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"
    static let xmlnsNamespace = "http://www.w3.org/2000/xmlns/"

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// Char
    static func isCharacter(_ value: UInt32) -> Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// NameStartChar but for the colon.
    private static func isStart(_ value: UInt32) -> Bool {
        switch value {
        case 0x41...0x5A, 0x5F, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF,
            0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
            0x10000...0xEFFFF:
            true
        default: false
        }
    }

    /// NameChar but for the colon.
    private static func isInner(_ value: UInt32) -> Bool {
        switch value {
        case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: isStart(value)
        }
    }

    /// A name without colon that begins at `start`; gives the index behind it.
    private static func end(_ raw: [UInt8], from start: Int) throws(XMLFault) -> Int {
        var index = start
        while index < raw.count {
            let (value, length) = try XMLText.scalar(raw, at: index)
            guard index == start ? isStart(value) : isInner(value) else { break }
            index += length
        }
        guard index > start else { throw XMLFault(index: start, reason: .badName) }
        return index
    }

    /// A name with at most one prefix that begins at `start`; `end` is the index behind it.
    static func qualified(_ raw: [UInt8], from start: Int, limit: Int) throws(XMLFault) -> (name: XMLQName, end: Int) {
        var index = try end(raw, from: start)
        var name = XMLQName(prefix: [], local: Array(raw[start..<index]))
        if index < raw.count, raw[index] == 0x3A {
            let local = index + 1
            index = try end(raw, from: local)
            name = XMLQName(prefix: name.local, local: Array(raw[local..<index]))
        }
        guard index - start <= limit else { throw XMLFault(index: start, reason: .nameTooLong) }
        return (name, index)
    }
}

/// A name as it stands in a tag. Bytes, because names are equal only when their characters are.
struct XMLQName: Codable, Equatable, Sendable {
    /// Empty for none.
    var prefix: [UInt8]
    var local: [UInt8]

    var localText: String { String(decoding: local, as: UTF8.self) }
}
