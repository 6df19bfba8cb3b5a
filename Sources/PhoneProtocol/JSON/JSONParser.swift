/// Recursive descent over RFC 8259's grammar. Every read is checked against the end.
struct JSONParser {
    let bytes: [UInt8]
    let depthLimit: Int
    var position = 0

    init(bytes: [UInt8], depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
    }

    mutating func document() throws(JSONError) -> JSON {
        skipWhitespace()
        let value = try self.value(depth: 0)
        skipWhitespace()
        guard position == bytes.count else { throw .syntax(offset: position, .trailingBytes) }
        return value
    }

    private func failure(_ reason: JSONError.Reason) -> JSONError {
        .syntax(offset: position, position >= bytes.count ? .unexpectedEnd : reason)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        guard let first = current else { throw failure(.unexpectedByte) }
        switch first {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for index in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[index] else { throw failure(.unexpectedByte) }
            position += 1
        }
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSON {
        guard depth <= depthLimit else { throw .syntax(offset: position, .tooDeep) }
        position += 1
        var elements: [JSON] = []
        skipWhitespace()
        if current == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            skipWhitespace()
            elements.append(try value(depth: depth))
            skipWhitespace()
            switch current {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return .array(elements)
            default: throw failure(.unexpectedByte)
            }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSON {
        guard depth <= depthLimit else { throw .syntax(offset: position, .tooDeep) }
        position += 1
        var members: [JSON.Member] = []
        skipWhitespace()
        if current == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        while true {
            skipWhitespace()
            guard current == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
            let key = try string()
            skipWhitespace()
            guard current == UInt8(ascii: ":") else { throw failure(.unexpectedByte) }
            position += 1
            skipWhitespace()
            members.append(JSON.Member(key: key, value: try value(depth: depth)))
            skipWhitespace()
            switch current {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                return .object(members)
            default: throw failure(.unexpectedByte)
            }
        }
    }

    /// Int64 where the digits fit, Double for the rest; the grammar is checked here, never left to a library.
    private mutating func number() throws(JSONError) -> JSON {
        let start = position
        var isInteger = true
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if current == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text) else { throw .syntax(offset: start, .badNumber) }
        guard value.isFinite else { throw .syntax(offset: start, .numberOutOfRange) }
        return .number(value)
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw failure(.badNumber) }
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        while let byte = current, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { position += 1 }
        var content = Array(bytes[start..<position])
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw .syntax(offset: start, .invalidUTF8)
                }
                position += 1
                return text
            case UInt8(ascii: "\\"): try escape(into: &content)
            case 0..<0x20: throw failure(.controlCharacter)
            default:
                content.append(byte)
                position += 1
            }
        }
        throw failure(.unexpectedByte)
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        guard let kind = current else { throw failure(.badEscape) }
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(kind)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            let scalar = try escapedScalar(from: start)
            content.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            return
        default: throw failure(.badEscape)
        }
        position += 1
    }

    /// The four digits after `\u`, and a second escape where the first is the upper half of a pair.
    private mutating func escapedScalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let high = try fourHexDigits()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xDC00 else { throw .syntax(offset: start, .loneSurrogate) }
        for expected in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
            guard let byte = current else { throw failure(.badEscape) }
            guard byte == expected else { throw .syntax(offset: start, .loneSurrogate) }
            position += 1
        }
        let low = try fourHexDigits()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw .syntax(offset: start, .loneSurrogate) }
        return scalar
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure(.badEscape)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
