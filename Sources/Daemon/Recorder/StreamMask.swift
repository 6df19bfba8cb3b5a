/// Replaces the secrets in what comes in on one connection, wherever it is cut into pieces: those that are known, and
/// what stands where secrets stand: behind `disarm` and `bypass`, as `code`, `data`, `access_token` and so on of a JSON
/// object (plain, or escaped in XML), as the salt of a login, as the bytes of a button.
struct StreamMask {
    /// What a word says of the value behind it.
    private enum Promise {
        /// A number of four digits or more: a code.
        case number
        /// The value of a JSON member of this name, unless it is short.
        case value
        /// The same, however long it is.
        case token
    }

    private static let promises: [String: Promise] = [
        "disarm": .number, "bypass": .number, "data": .number, "code": .value, "pin": .value, "password": .token,
        "secret": .token, "access_token": .token, "id_token": .token, "refresh_token": .token, "from": .token,
        "registration_id": .token, "authorization": .token,
    ]
    private static let longestWord = 24
    private static let button = Array("HA2B".utf8)
    /// Of a button, in Base64url, but for its last character, which not every character may be.
    private static let buttonLength = 21

    /// The word that came last, in lower case, and the one that is coming.
    private var last = ""
    private var word: [UInt8] = []
    /// Between the last word and here: a colon, a quote.
    private var hasColon = false
    private var isQuoted = false
    /// Within `&…;`.
    private var isEntity = false
    /// The secret that is being replaced, with what is left of it; nil: until it ends by itself.
    private var chain: SecretPlaceholders.Chain?
    private var rest: Int?
    private var isToken = false
    /// The end of the piece before, as it came.
    private var tail: [UInt8] = []

    /// The piece, its secrets replaced.
    mutating func masked(_ bytes: [UInt8], _ known: KnownSecrets, _ placeholders: SecretPlaceholders) -> [UInt8] {
        var out = bytes
        for index in bytes.indices { out[index] = next(bytes, index, placeholders) }
        maskKnown(bytes, &out, known, placeholders)
        SaltMask.mask(bytes, &out, placeholders)
        return out
    }

    private mutating func next(_ bytes: [UInt8], _ index: Int, _ placeholders: SecretPlaceholders) -> UInt8 {
        let byte = bytes[index]
        if var running = chain {
            if rest != 0, isToken ? Self.isOfToken(byte) : Self.isOfWord(byte) {
                let placeholder = placeholders.next(byte, &running)
                chain = running
                rest = rest.map { $0 - 1 }
                return placeholder
            }
            chain = nil
            rest = nil
            // Only behind codes there may be another one.
            if isToken || Self.promises[last] != .number { last = "" }
        }
        if isEntity {
            isEntity = byte != UInt8(ascii: ";")
            if !isEntity { isQuoted = true }
            return byte
        }
        guard Self.isOfWord(byte) else {
            separated(by: byte)
            return byte
        }
        if word.isEmpty, var begun = beginning(of: bytes, at: index) {
            let placeholder = placeholders.next(byte, &begun)
            chain = begun
            return placeholder
        }
        word.append(byte)
        if word == Self.button {
            chain = SecretPlaceholders.Chain()
            rest = Self.buttonLength
            isToken = true
            word = []
        }
        if word.count > Self.longestWord { word.removeFirst() }
        return byte
    }

    private mutating func separated(by byte: UInt8) {
        if !word.isEmpty {
            // A number leaves the promise before it standing: `"data": ["1", "1234"]`.
            let isNumber = word.allSatisfy { (48...57).contains($0) }
            if !(isNumber && Self.promises[last] == .number) {
                last = String(decoding: word, as: UTF8.self).lowercased()
                hasColon = false
            }
            word = []
            isQuoted = false
        }
        switch byte {
        case UInt8(ascii: "&"): isEntity = true
        case UInt8(ascii: ":"):
            hasColon = true
            isQuoted = false
        case UInt8(ascii: "\""): isQuoted = true
        case UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: "{"), UInt8(ascii: "}"): last = ""
        default: break
        }
    }

    /// Whether a secret begins here.
    private mutating func beginning(of bytes: [UInt8], at index: Int) -> SecretPlaceholders.Chain? {
        guard let promise = Self.promises[last] else { return nil }
        let value = bytes[index...].prefix { Self.isOfWord($0) }
        let isWhole = index + value.count < bytes.count
        let isNumber = value.allSatisfy { (48...57).contains($0) }
        isToken = false
        rest = nil
        switch promise {
        case .number: guard isNumber, value.count >= 4 || !isWhole else { return nil }
        case .value:
            guard hasColon, value.count >= 4 || !isWhole else { return nil }
            // A topic server's number for why it refused.
            if isNumber, !isQuoted, value.count == 5, value.first == UInt8(ascii: "4") { return nil }
            isToken = isQuoted
        case .token:
            guard hasColon, isQuoted else { return nil }
            isToken = true
        }
        return SecretPlaceholders.Chain()
    }

    /// Known secrets, those too that are cut by the end of a piece.
    private mutating func maskKnown(
        _ bytes: [UInt8], _ out: inout [UInt8], _ known: KnownSecrets, _ placeholders: SecretPlaceholders
    ) {
        let all = tail + bytes
        let offset = tail.count
        var places = known.places(in: all)
        if let start = known.beginning(atEndOf: all) { places.append(start..<all.count) }
        for place in places where place.upperBound > offset {
            let placeholder = placeholders.characters(all[place])
            for index in max(place.lowerBound, offset)..<place.upperBound {
                out[index - offset] = placeholder[index - place.lowerBound]
            }
        }
        tail = Array(all.suffix(max(0, known.longest - 1)))
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Up to the quote that ends it; `&` begins an escaped one.
    private static func isOfToken(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "&") && byte != UInt8(ascii: "\\") && byte > 0x20
    }
}
