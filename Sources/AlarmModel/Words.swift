extension BinaryInteger {
    /// At least so many digits, zeros in front; a minus sign comes before them.
    package func padded(_ width: Int = 2, radix: Int = 10, uppercase: Bool = false) -> String {
        let digits = String(magnitude, radix: radix, uppercase: uppercase)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension BidirectionalCollection {
    /// Without such elements at both ends.
    package func trimmed(_ isBlank: (Element) -> Bool) -> SubSequence {
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}

/// Words of a peer, made fit for a log or a screen.
package enum PeerText {
    package static let limit = 200

    /// Printable ASCII, anything else as `?`, cut at the limit.
    package static func printable(_ text: String, limit: Int = Self.limit) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            guard out.utf8.count < limit else { return out + "…" }
            out.unicodeScalars.append((0x20...0x7E).contains(scalar.value) ? scalar : "?")
        }
        return out
    }

    /// The same, without the secret should the peer repeat it.
    package static func printable(_ text: String, hiding secret: Secret) -> String {
        printable(hiding(Array(text.utf8), Array(secret.revealed.utf8)))
    }

    /// The same for several, in this order.
    package static func printable(_ text: String, hiding secrets: [Secret]) -> String {
        printable(secrets.reduce(text) { hiding(Array($0.utf8), Array($1.revealed.utf8)) })
    }

    private static func hiding(_ text: [UInt8], _ secret: [UInt8]) -> String {
        guard secret.count >= 4 else { return String(decoding: text, as: UTF8.self) }
        var out: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index...].starts(with: secret) {
                out += Array("****".utf8)
                index += secret.count
            } else {
                out.append(text[index])
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
