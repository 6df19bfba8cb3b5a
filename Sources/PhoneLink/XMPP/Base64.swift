/// RFC 4648 4, with padding, as SASL wants it.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var value = 0
            for byte in group { value = value << 8 | Int(byte) }
            value <<= 8 * (3 - group.count)
            for place in 0..<4 {
                let isDigit = place <= group.count
                out.append(isDigit ? digits[value >> (18 - 6 * place) & 0x3F] : UInt8(ascii: "="))
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
