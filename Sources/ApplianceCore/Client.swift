import AlarmModel

/// A program on the control socket and what it waits for.
struct Client: Codable, Hashable, Sendable {
    enum Role: Codable, Hashable, Sendable {
        case idle
        /// Waits for the end of a command or of a write.
        case waiting
        case listing(EventQuery, remaining: Int, read: QueryID?)
        /// A cursor, not a queue: a slow reader costs one page of memory.
        case following(EventQuery, read: QueryID?)
        case tracing(dropped: UInt64)
    }

    let id: ConnectionID
    var role: Role = .idle
    /// Replies ordered and replies that left.
    var ordered: UInt64 = 0
    var left: UInt64 = 0

    var unsent: UInt64 { ordered - min(left, ordered) }

    /// Pages that may be on their way to one client.
    static let pageWindow: UInt64 = 2
    static let traceWindow: UInt64 = 256
    static let pageSize = 200
}
