import AlarmModel

/// A request of HTTP/1.1 (RFC 9112 3). Whatever its parts hold, on the wire it is one request or nothing at all.
package struct HTTPRequest: Codable, Equatable, Sendable {
    package enum Method: String, Codable, Equatable, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"

        /// Doing it twice does the same as doing it once (RFC 9110 9.2.2).
        package var isIdempotent: Bool {
            switch self {
            case .get, .head, .put, .delete: true
            case .post, .patch: false
            }
        }
        var carriesBody: Bool {
            switch self {
            case .get, .head, .delete: false
            case .post, .put, .patch: true
            }
        }
    }

    package var method: Method
    /// Path and query, already escaped; begins with a slash.
    package var target: String
    /// `Host`, `Content-Length`, `Transfer-Encoding` and `Connection` are not the caller's.
    package var fields: [HTTPField]
    package var body: [UInt8]

    package init(_ method: Method, _ target: String, fields: [HTTPField] = [], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    private static let ownFields = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "expect"]

    /// The request as it is sent to this server.
    package func bytes(for origin: HTTPOrigin) throws(HTTPRequestError) -> [UInt8] {
        let authority = origin.authority
        guard !origin.host.isEmpty,
            authority.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"/?#@\\".utf8.contains($0) })
        else { throw .host }
        guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .target
        }
        var text = "\(method.rawValue) \(target) HTTP/1.1\r\nHost: \(authority)\r\n"
        for field in fields {
            guard HTTPText.isToken(Array(field.name.utf8)) else { throw .fieldName }
            guard !Self.ownFields.contains(field.name.lowercased()) else { throw .ownField(field.name) }
            guard HTTPText.isFieldValue(field.value.utf8) else { throw .fieldValue(field.name) }
            text += "\(field.name): \(field.value)\r\n"
        }
        if !fields.contains(where: { $0.isNamed("User-Agent") }) { text += "User-Agent: HowAlarming\r\n" }
        if !fields.contains(where: { $0.isNamed("Accept-Encoding") }) { text += "Accept-Encoding: identity\r\n" }
        if !body.isEmpty || method.carriesBody { text += "Content-Length: \(body.count)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }

    /// A text as part of a path or of a query: anything but letters, digits and `-._~` as %XX.
    package static func escaped(_ text: String) -> String {
        var out: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39,
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                out.append(byte)
            default: out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}

/// Names a request among those of its client; the owner's choice.
package struct HTTPRequestID: Codable, Equatable, Comparable, Sendable {
    package var number: UInt64
    package init(_ number: UInt64) { self.number = number }
    package static func < (a: HTTPRequestID, b: HTTPRequestID) -> Bool { a.number < b.number }
}

/// Why a request cannot be sent as one.
package enum HTTPRequestError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    case host
    case target
    case fieldName
    /// Its name.
    case fieldValue(String)
    case ownField(String)

    package var description: String {
        switch self {
        case .host: "the host name has characters that no host has; check it in the configuration"
        case .target: "the path begins without a slash or has characters that must be written as %XX"
        case .fieldName: "a header field's name has characters that no name has"
        case .fieldValue(let name): "the header field \(name) has a line end or a control character in its value"
        case .ownField(let name):
            "the header field \(PeerText.printable(name, limit: 40)) is set by the connection itself"
        }
    }
}
