import AlarmModel

/// A program on the control socket and what it waits for.
struct Client: Codable, Equatable, Sendable {
    enum Role: Codable, Equatable, Sendable {
        case idle
        /// Waits for the end of a command or of a write.
        case waiting
        case reading(EventCursor)
        case tracing(dropped: UInt64)
    }

    let id: ConnectionID
    var role: Role = .idle
    /// Replies ordered and replies that left.
    var ordered: UInt64 = 0
    var left: UInt64 = 0
    /// Has said that it is a console: it may only look, unless it is unlocked.
    var isConsole = false
    /// The PIN was given; good until then, and longer with every change that is asked for.
    var unlockedUntil: BootTime?

    init(id: ConnectionID) { self.id = id }

    var isTracing: Bool {
        switch role {
        case .tracing: true
        case .idle, .waiting, .reading: false
        }
    }

    var unsent: UInt64 { ordered - min(left, ordered) }

    /// Replies that may be on their way to a client before another page is read for it.
    static let pageWindow: UInt64 = 1
    static let traceWindow: UInt64 = 256
    /// A client that asks on and on and reads no answer is sent away.
    static let patience: UInt64 = 512
}
