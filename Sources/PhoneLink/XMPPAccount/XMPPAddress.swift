/// An XMPP address, `name@domain/resource` (RFC 7622), ASCII letters of name and domain in lower case.
///
/// Other scripts are taken as they are; they have to be given in the form that RFC 8265 asks for.
package struct XMPPAddress: Codable, Equatable, Sendable {
    /// Empty for a server.
    package let local: String
    package let domain: String
    package let resource: String?

    /// nil for a text that is no address.
    package init?(_ text: String) {
        guard text.utf8.count <= 3071 else { return nil }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bare = parts.first else { return nil }
        resource = parts.count == 2 ? String(parts[1]) : nil
        let names = bare.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(Self.lower)
        guard let last = names.last, !last.isEmpty, names.count == 1 || !names[0].isEmpty, resource?.isEmpty != true,
            names.allSatisfy(Self.isPlain)
        else { return nil }
        local = names.count == 2 ? names[0] : ""
        domain = last
    }

    /// Without the resource.
    package var bare: String { local.isEmpty ? domain : "\(local)@\(domain)" }

    private static func lower(_ part: Substring) -> String {
        String(decoding: part.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    /// Nothing that RFC 7622 3.3.1 excludes, no spaces and no controls.
    private static func isPlain(_ part: String) -> Bool {
        part.utf8.count <= 1023
            && part.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && !(0x7F...0xA0).contains(scalar.value)
                    && !"\"&'/:<>@".unicodeScalars.contains(scalar)
            }
    }
}
