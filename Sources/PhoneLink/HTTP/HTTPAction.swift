/// What a client orders and tells. Each request ends in exactly one `answered` or `failed`.
package enum HTTPAction: Codable, Equatable, Sendable {
    /// `connect`, `cancelConnect`, `send` or `close`; to be passed on.
    case transport(TransportAction)
    /// Redirects and errors of the server are answers like any other.
    case answered(HTTPRequestID, HTTPResponse)
    case failed(HTTPRequestID, HTTPFailure)
}
