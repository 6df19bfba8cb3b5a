/// The page that a passkey belongs to (docs/pairing.md 4): a browser signs with the key there and nowhere else.
package struct PasskeyPlace: Codable, Equatable, Sendable {
    /// The RP ID: the page's host, or a domain above it.
    package let relyingParty: String
    /// As the browser writes it into what it signs: `https://host`, with a port that is not 443.
    package let origin: String

    private enum CodingKeys: String, CodingKey {
        case relyingParty = "rp", origin = "origin"
    }

    /// Bytes of an RP ID, and of an origin.
    package static let partyLimit = 128
    package static let originLimit = 160

    /// nil unless a browser could have made a passkey there: names in lower case, the host is the RP ID or below it, and
    /// without TLS only this machine itself.
    package init?(relyingParty: String, origin: String) {
        guard relyingParty.utf8.count <= Self.partyLimit, origin.utf8.count <= Self.originLimit,
            Self.isName(relyingParty), let host = Self.host(of: origin),
            host == relyingParty || host.hasSuffix("." + relyingParty)
        else { return nil }
        self.relyingParty = relyingParty
        self.origin = origin
    }

    /// For people: both names, for both say who can use the key.
    package var words: String { "\(origin) (RP ID \(relyingParty))" }

    private static func host(of origin: String) -> String? {
        let isPlain = origin.hasPrefix("http://")
        guard isPlain || origin.hasPrefix("https://") else { return nil }
        let parts = origin.dropFirst(isPlain ? 7 : 8).split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first.map(String.init), parts.count <= 2, isName(host) else { return nil }
        if isPlain, host != "localhost", !host.hasSuffix(".localhost") { return nil }
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), String(port) == parts[1], port != 0, port != (isPlain ? 80 : 443) else {
                return nil
            }
        }
        return host
    }

    /// A host name and no address: the last label is not a number.
    private static func isName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let hyphen = UInt8(ascii: "-")
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { digits.contains($0) || letters.contains($0) || $0 == hyphen }
        } && labels.last.map { !$0.allSatisfy { digits.contains($0) } } ?? false
    }
}
