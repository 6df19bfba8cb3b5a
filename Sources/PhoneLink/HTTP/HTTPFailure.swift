package import AlarmModel

/// Why a request got no answer, or not a whole one.
package struct HTTPFailure: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Codable, Equatable, Sendable {
        case connect(ConnectFailure)
        /// The attempt to connect was not answered in time.
        case connectStalled
        /// Sent, and nothing or not everything came back in time.
        case unanswered
        /// The connection ended, with nothing or only a part of the answer read.
        case closed(ConnectionEnd)
        case malformed(HTTPError)
        /// It is no request; nothing was sent.
        case notARequest(HTTPRequestError)
        /// The queue is full; nothing was sent.
        case noRoom
        /// We stopped.
        case stopped
    }
    package var cause: Cause
    /// Of an answer whose rest is missing.
    package var status: Int?
    /// The server may have carried the request out.
    package var mayHaveArrived: Bool

    package init(_ cause: Cause, status: Int? = nil, mayHaveArrived: Bool = false) {
        self.cause = cause
        self.status = status
        self.mayHaveArrived = mayHaveArrived
    }

    package var description: String {
        switch cause {
        case .connect(let failure): failure.description
        case .connectStalled: "the attempt to connect was not answered; check the network and host and port"
        case .unanswered:
            status.map { "it began to answer with \($0) and did not finish in time" } ?? "it did not answer in time"
        case .closed(let end):
            status.map { "it answered with \($0) and the connection ended before that was complete (\(end))" }
                ?? "the connection ended without an answer (\(end))"
        case .malformed(let error): error.description
        case .notARequest(let error): error.description
        case .noRoom: "too many requests wait for it"
        case .stopped: "the connection was stopped here"
        }
    }
}
