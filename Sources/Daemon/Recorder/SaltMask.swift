import PhoneProtocol

/// Replaces the salt in the challenge of a SCRAM login (RFC 5802 5.1): with it, and with what else the server says, a
/// weak password could be guessed from a recording. A challenge that comes in pieces is replaced as it is, so that the
/// login of the recording fails: rather that.
enum SaltMask {
    private static let opening = Array("<challenge".utf8)

    static func mask(_ bytes: [UInt8], _ out: inout [UInt8], _ placeholders: SecretPlaceholders) {
        var index = 0
        while let start = find(opening, in: bytes, from: index) {
            guard let open = bytes[start...].firstIndex(of: UInt8(ascii: ">")) else { return }
            let content = open + 1
            let end = bytes[content...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            if end < bytes.count, let text = replaced(Array(bytes[content..<end]), placeholders) {
                out.replaceSubrange(content..<end, with: text)
            } else if end == bytes.count {
                for place in content..<end { out[place] = UInt8(ascii: "A") }
            }
            index = max(end, start + opening.count)
        }
    }

    private static func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= pattern.count, start <= bytes.count - pattern.count else { return nil }
        return (start...bytes.count - pattern.count).first { bytes[$0...].starts(with: pattern) }
    }

    /// nil: there is no salt in it.
    private static func replaced(_ base64: [UInt8], _ placeholders: SecretPlaceholders) -> [UInt8]? {
        guard let message = decoded(base64) else { return nil }
        var parts = message.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Array.init)
        guard let index = parts.firstIndex(where: { $0.starts(with: Array("s=".utf8)) }) else { return nil }
        // Whole groups of four only: the last one has a form to keep.
        let salt = Array(parts[index].dropFirst(2))
        let kept = salt.count >= 4 ? 4 : 0
        parts[index] = Array("s=".utf8) + placeholders.characters(salt.dropLast(kept)) + salt.suffix(kept)
        return encoded(Array(parts.joined(separator: [UInt8(ascii: ",")])))
    }

    private static func decoded(_ base64: [UInt8]) -> [UInt8]? {
        guard base64.count.isMultiple(of: 4) else { return nil }
        let text = base64.prefix { $0 != UInt8(ascii: "=") }.map { byte -> UInt8 in
            byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
        }
        return try? Base64URL.decode(String(decoding: text, as: UTF8.self))
    }

    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        let text = Base64URL.encode(bytes).utf8.map { byte -> UInt8 in
            byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
        }
        return text + [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    }
}
