package import PhoneProtocol

/// What a stream orders and tells.
package enum HTTPStreamAction: Equatable, Sendable {
    /// `connect`, `cancelConnect`, `send` or `close`; to be passed on.
    case transport(TransportAction)
    /// It is time to connect: answered by `HTTPStream.open` with a request that continues after what was read, now or
    /// when there is one.
    case wantsRequest
    /// The server has begun to send.
    case opened(HTTPResponseHead)
    /// Of a stream of JSON lines.
    case value(JSON)
    /// Of an event stream.
    case event(ServerSentEvent)
    case skipped(StreamSkip)
    /// The server gave an answer that is no stream; its body may be cut. Another attempt follows by itself.
    case refused(HTTPResponse)
    /// It is over; another attempt follows by itself.
    case ended(HTTPStreamEnd)
}

package enum HTTPStreamEnd: Codable, Equatable, Sendable, CustomStringConvertible {
    case failed(HTTPFailure)
    /// Not a byte for so long.
    case silent(Duration)
    /// The server ended it in an orderly way.
    case finished
    case networkChanged
    /// By `restart`.
    case restarted

    package var description: String {
        switch self {
        case .failed(let failure): failure.description
        case .silent(let span): "nothing came for \(span.components.seconds) s, not even a sign of life"
        case .finished: "the server ended the stream"
        case .networkChanged: "the network changed"
        case .restarted: "it was begun anew here"
        }
    }
}
