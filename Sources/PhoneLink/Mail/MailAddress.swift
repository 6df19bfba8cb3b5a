/// The form of mail addresses that every server takes: ASCII, without quotes and comments (RFC 5321 4.1.2).
package enum MailAddress {
    private static let marks = Array("!#$%&'*+-/=?^_`{|}~.".utf8)

    /// Whether it is one: nothing in it can end a command or a header.
    package static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count <= 254, let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let (local, domain) = (bytes[..<at], bytes[(at + 1)...])
        guard !local.isEmpty, local.count <= 64, !domain.isEmpty else { return false }
        guard local.allSatisfy({ isAlphanumeric($0) || marks.contains($0) }) else { return false }
        guard local.first != UInt8(ascii: "."), local.last != UInt8(ascii: ".") else { return false }
        let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            !label.isEmpty && label.count <= 63
                && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// What stands behind the `@`.
    static func domain(of address: String) -> String {
        String(address.split(separator: "@").last ?? "localhost")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
