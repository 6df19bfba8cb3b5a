/// How a server wants to be told who asks (RFC 9110 11, RFC 7617, RFC 7616): one scheme of its `WWW-Authenticate`.
package struct HTTPChallenge: Equatable, Sendable {
    package enum Scheme: Equatable, Sendable { case basic, digest, other }

    package var scheme: Scheme
    /// Names in lower case; of each the first.
    package var parameters: [String: String]

    /// Bytes of all challenges together that are looked at.
    package static let longest = 4096

    /// All challenges of an answer, in their order; what is no challenge is passed over.
    package static func all(in head: HTTPResponseHead) -> [HTTPChallenge] {
        var left = longest
        return head.fields.filter { $0.isNamed("WWW-Authenticate") }.flatMap { field in
            left -= field.value.utf8.count
            return left < 0 ? [] : read(Array(field.value.utf8))
        }
    }

    /// A list whose elements are schemes, or parameters of the scheme before them.
    private static func read(_ bytes: [UInt8]) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        var words = Words(bytes: bytes[...])
        while let word = words.next() {
            if let value = word.value {
                guard let last = challenges.indices.last else { continue }
                if challenges[last].parameters[word.name] == nil { challenges[last].parameters[word.name] = value }
            } else {
                let scheme: Scheme =
                    switch word.name {
                    case "basic": .basic
                    case "digest": .digest
                    default: .other
                    }
                challenges.append(HTTPChallenge(scheme: scheme, parameters: [:]))
            }
        }
        return challenges
    }

    /// Tokens, each with what stands behind its `=`.
    private struct Words {
        var bytes: ArraySlice<UInt8>

        mutating func next() -> (name: String, value: String?)? {
            bytes = bytes.drop { !HTTPText.isToken(CollectionOfOne($0)) }
            let name = take { HTTPText.isToken(CollectionOfOne($0)) }
            guard !name.isEmpty else { return nil }
            let text = String(decoding: name, as: UTF8.self).lowercased()
            let rest = bytes.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.first == UInt8(ascii: "=") else { return (text, nil) }
            bytes = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
            guard bytes.first == UInt8(ascii: "\"") else {
                return (text, String(decoding: take { HTTPText.isToken(CollectionOfOne($0)) }, as: UTF8.self))
            }
            bytes = bytes.dropFirst()
            return (text, String(decoding: quoted(), as: UTF8.self))
        }

        private mutating func take(while isIn: (UInt8) -> Bool) -> ArraySlice<UInt8> {
            let taken = bytes.prefix(while: isIn)
            bytes = bytes[taken.endIndex...]
            return taken
        }

        private mutating func quoted() -> [UInt8] {
            var out: [UInt8] = []
            while let byte = bytes.popFirst() {
                if byte == UInt8(ascii: "\"") { break }
                if byte == UInt8(ascii: "\\"), let escaped = bytes.popFirst() {
                    out.append(escaped)
                } else {
                    out.append(byte)
                }
            }
            return out
        }
    }
}
