package import AlarmModel

/// A request as a simulated web server has read it.
package struct HTTPServerRequest: Equatable, Sendable {
    package struct Field: Equatable, Sendable {
        package var name: String
        package var value: String
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// What the server's clock says (RFC 9110 5.6.7).
        static func date(_ time: WallTime) -> Field {
            let civil = CivilTime(secondsSince1970: time.seconds, offset: 0)
            let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
            let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
            let day = "\(days[civil.weekday - 1]), \(civil.day.padded(2)) \(months[civil.month - 1]) \(civil.year)"
            let clock = "\(civil.hour.padded(2)):\(civil.minute.padded(2)):\(civil.second.padded(2))"
            return Field("Date", "\(day) \(clock) GMT")
        }
    }

    package var connection: ConnectionID
    package var method: String
    /// Without the query, `%XX` resolved.
    package var path: String
    /// `%XX` and `+` resolved, in their order.
    package var query: [Field]
    package var fields: [Field]
    package var body: [UInt8] = []
    /// The client wants to go on using the connection.
    package var keepsAlive = true

    /// The first header field of this name, without regard to case.
    package func field(_ name: String) -> String? { Self.value(name, fields) }
    /// The first part of the query with this name.
    package func parameter(_ name: String) -> String? { Self.value(name, query) }

    /// The token of `Authorization: Bearer`.
    package var bearer: String? {
        guard let value = field("Authorization"), value.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return String(value.dropFirst(7).drop { $0 == " " })
    }

    private static func value(_ name: String, _ fields: [Field]) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value
    }

    init(connection: ConnectionID, method: String, target: String, fields: [Field]) {
        self.connection = connection
        self.method = method
        self.fields = fields
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = Self.resolved(parts[0], plusIsBlank: false)
        query = parts.count < 2 ? [] : Self.parameters(parts[1])
    }

    /// What a form has sent.
    var form: [Field] { Self.parameters(Substring(String(decoding: body, as: UTF8.self))) }

    private static func parameters(_ text: Substring) -> [Field] {
        text.split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Field(
                resolved(pair[0], plusIsBlank: true), pair.count < 2 ? "" : resolved(pair[1], plusIsBlank: true))
        }
    }

    /// `%XX` as its byte; one that is none stays as it is.
    package static func resolved(_ text: Substring, plusIsBlank: Bool) -> String {
        var out: [UInt8] = []
        let bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                out.append(value)
                index += 3
            } else {
                let isBlank = plusIsBlank && bytes[index] == UInt8(ascii: "+")
                out.append(isBlank ? 0x20 : bytes[index])
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}

/// What a simulated web server answers.
package struct HTTPServerAnswer: Equatable, Sendable {
    package var status: Int
    package var fields: [HTTPServerRequest.Field]
    package var body: [UInt8]
    /// The connection ends with it.
    package var closes = false

    package init(_ status: Int, fields: [HTTPServerRequest.Field] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package init(_ status: Int, json: String, fields: [HTTPServerRequest.Field] = []) {
        self.init(
            status, fields: [HTTPServerRequest.Field("Content-Type", "application/json")] + fields,
            body: Array((json + "\n").utf8))
    }

    static func reason(_ status: Int) -> String {
        switch status {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 410: "Gone"
        case 413: "Request Entity Too Large"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        case 507: "Insufficient Storage"
        default: "Status"
        }
    }
}
