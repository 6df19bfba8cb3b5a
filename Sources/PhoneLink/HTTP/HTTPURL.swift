import AlarmModel

/// An absolute URL of the schemes `http` and `https` (RFC 3986, RFC 9110 4.2), without user information; a fragment is
/// left out.
package struct HTTPURL: Codable, Equatable, Sendable, CustomStringConvertible {
    package var isEncrypted: Bool
    /// In lower case, without brackets.
    package var host: String
    package var port: UInt16
    /// Path and query as they are sent: printable ASCII, begins with a slash.
    package var target: String

    /// At most 2048 bytes.
    package init(_ text: String) throws(HTTPURLError) {
        guard text.utf8.count <= 2048 else { throw .tooLong }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            throw .character
        }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { throw .scheme }
        switch text[..<colon].lowercased() {
        case "http": isEncrypted = false
        case "https": isEncrypted = true
        default: throw .scheme
        }
        let rest = text[colon...].dropFirst(3)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        (host, port) = try Self.authority(rest[..<end], isEncrypted: isEncrypted)
        let path = rest[end...].prefix { $0 != "#" }
        target = path.hasPrefix("/") ? String(path) : "/" + path
    }

    package var description: String { origin().description + target }

    package func origin(authorityFile: String? = nil) -> HTTPOrigin {
        HTTPOrigin(host: host, port: port, security: isEncrypted ? .tls(authorityFile: authorityFile) : .plain)
    }

    /// Where a reference leads from here, as in `Location` (RFC 3986 5.2): absolute, of the same scheme, of the same host,
    /// or relative. Dots in paths are left to the server.
    package func resolving(_ reference: String) throws(HTTPURLError) -> HTTPURL {
        let scheme = isEncrypted ? "https:" : "http:"
        if reference.hasPrefix("//") { return try HTTPURL(scheme + reference) }
        let base = origin().description
        if reference.hasPrefix("/") { return try HTTPURL(base + reference) }
        let head = reference.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if head.contains(":") { return try HTTPURL(reference) }
        let path = target.prefix { $0 != "?" }
        if reference.isEmpty || reference.hasPrefix("#") { return self }
        if reference.hasPrefix("?") { return try HTTPURL(base + path + reference) }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return try HTTPURL(base + folder + reference)
    }

    private static func authority(
        _ text: Substring, isEncrypted: Bool
    ) throws(HTTPURLError) -> (String, UInt16) {
        guard !text.contains("@") else { throw .userInformation }
        var name = text
        var digits: Substring?
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { throw .host }
            name = text[text.index(after: text.startIndex)..<bracket]
            guard IPAddress(String(name))?.isIPv6 == true else { throw .host }
            let after = text[text.index(after: bracket)...]
            guard after.isEmpty || after.hasPrefix(":") else { throw .host }
            if !after.isEmpty { digits = after.dropFirst() }
        } else {
            if let colon = text.firstIndex(of: ":") {
                name = text[..<colon]
                digits = text[text.index(after: colon)...]
            }
            guard !name.isEmpty, name.utf8.count <= 253, name.utf8.allSatisfy(isOfName) else { throw .host }
        }
        var port: UInt16 = isEncrypted ? 443 : 80
        if let digits, !digits.isEmpty {
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits), number > 0 else {
                throw .port
            }
            port = number
        }
        return (name.lowercased(), port)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Why a text is no URL that is taken here.
package enum HTTPURLError: String, Error, Codable, Equatable, Sendable, CustomStringConvertible {
    case tooLong, character, scheme, userInformation, host, port

    package var description: String {
        switch self {
        case .tooLong: "the URL is longer than 2048 bytes"
        case .character: "the URL has a character that must be written as %XX, or a backslash"
        case .scheme: "the URL begins with neither http:// nor https://"
        case .userInformation: "the URL has a name or password before the host; they are not sent, leave them out"
        case .host: "the URL's host is neither a name nor an IP address"
        case .port: "the URL's port is no number from 1 to 65535"
        }
    }
}
