/// What is wrong with an answer: it broke HTTP's rules or a bound of ours.
package enum HTTPError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    /// It does not begin with the status line of HTTP/1.
    case notHTTP
    /// Status line and fields, or trailers, have more bytes than that.
    case headTooLong(Int)
    case tooManyFields(Int)
    case malformedField
    /// Several lengths, or a length and chunks.
    case contradictoryLength
    case malformedLength
    case malformedChunk
    case bodyTooLong(Int)
    /// The connection ended in the middle of it.
    case cutOff
    /// Compressed or otherwise encoded, which was not asked for.
    case encoded(String)
    /// Another protocol (101), which was not asked for.
    case switched
    /// More bytes than the answer has.
    case surplus

    package var description: String {
        switch self {
        case .notHTTP: "what answers there does not speak HTTP; check host and port"
        case .headTooLong(let limit): "the answer's header is longer than \(limit) bytes"
        case .tooManyFields(let limit): "the answer has more than \(limit) header fields"
        case .malformedField: "the answer has a malformed header field"
        case .contradictoryLength: "the answer contradicts itself about its length"
        case .malformedLength: "the answer's length is no number"
        case .malformedChunk: "the answer has a malformed chunk"
        case .bodyTooLong(let limit): "the answer is longer than \(limit) bytes"
        case .cutOff: "the connection ended in the middle of the answer"
        case .encoded(let what): "the answer is encoded as \(what), which was not asked for"
        case .switched: "the server changed to another protocol, which was not asked for"
        case .surplus: "the server sent more than its answer"
        }
    }
}
