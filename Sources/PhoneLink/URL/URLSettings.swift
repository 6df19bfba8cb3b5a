package import AlarmModel

/// The addresses of the web that are told about events.
package struct URLSettings: Codable, Equatable, Sendable {
    package var targets: [URLTarget]
    package var client: HTTPClientSettings
    /// For a computation of ours to be answered.
    package var signPatience = Duration.seconds(15)

    /// Requests to one address that wait or are under way; what comes beyond is tried later.
    package static let queueLimit = 8

    package init(targets: [URLTarget]) {
        self.targets = targets
        client = HTTPClientSettings()
        client.queueLimit = Self.queueLimit
    }
}

/// One address of the web.
package struct URLTarget: Codable, Equatable, Sendable {
    package enum Method: String, Codable, Equatable, Sendable {
        /// As the original `alert_url` did it: the event's type is appended to the URL (docs/messages.md B.1).
        case get
        /// The event as JSON in the body (docs/messages.md B.2).
        case post
    }

    /// As it is in the configuration; the value of the delivery address.
    package let text: String
    let url: HTTPURL
    package var method: Method
    /// Shared with who reads the requests, who can then tell ours from others.
    package var secret: Secret?
    /// Authorities to trust instead of the system's.
    package var authorityFile: String?

    package init(
        _ text: String, method: Method, secret: Secret? = nil, authorityFile: String? = nil
    ) throws(HTTPURLError) {
        self.text = text
        url = try HTTPURL(text)
        self.method = method
        self.secret = secret
        self.authorityFile = authorityFile
    }

    var origin: HTTPOrigin { url.origin(authorityFile: authorityFile) }

    /// For problems and logs: paths and queries of such addresses are often secrets.
    package var place: String { PeerText.printable(origin.description, limit: 100) }

    /// The request that tells of an event, without what depends on the time.
    func request(_ event: JSONText, message: MessageID) -> HTTPRequest {
        let key = HTTPField("Idempotency-Key", message.text)
        switch method {
        case .get: return HTTPRequest(.get, url.target + HTTPRequest.escaped(event.type), fields: [key])
        case .post:
            return HTTPRequest(
                .post, url.target, fields: [HTTPField("Content-Type", "application/json"), key],
                body: Array(event.text.utf8))
        }
    }

    /// What a signature covers: the seconds since 1970 of `X-HowAlarming-Timestamp`, a dot, and the body; where there is
    /// none, path and query.
    static func signed(_ request: HTTPRequest, timestamp: Int64) -> [UInt8] {
        let content = request.method == .post ? request.body : Array(request.target.utf8)
        return Array("\(timestamp).".utf8) + content
    }
}

/// An event for programs.
struct JSONText: Equatable, Sendable {
    var text: String
    var type: String
}
