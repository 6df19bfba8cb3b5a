package import AlarmModel

/// Sends requests to one origin, one at a time on one connection that is kept while it lives (RFC 9112 9.3).
///
/// It does not try again on its own, but for a request that a server's closing of an idle connection crossed: that one
/// goes out once more on a new connection where doing it twice is harmless. A failure to connect fails everything that
/// waits; the owner decides when to try again. Redirects and requests for other credentials are answers.
package struct HTTPClient: Codable, Equatable, Sendable {
    struct Entry: Codable, Equatable, Sendable {
        var id: HTTPRequestID
        var bytes: [UInt8]
        var isHead: Bool
        var mayRepeat: Bool
        var isUrgent: Bool
        var deadline: Duration
    }
    struct UnderWay: Codable, Equatable, Sendable {
        var entry: Entry
        var due: BootTime
        var reader: HTTPResponseReader
        var head: HTTPResponseHead?
        var body: [UInt8] = []
    }
    struct Open: Codable, Equatable, Sendable {
        var id: ConnectionID
        var idleSince: BootTime
        /// It has carried an answer.
        var isReused = false
        /// The network changed: not to be used for another request.
        var isSuspect = false
        var current: UnderWay?
    }
    enum Wire: Codable, Equatable, Sendable {
        case none
        case dialing(since: BootTime)
        case open(Open)
    }

    package let origin: HTTPOrigin
    package let slot: DialSlot
    package let settings: HTTPClientSettings
    var wire = Wire.none
    var queue: [Entry] = []

    package init(origin: HTTPOrigin, slot: DialSlot, settings: HTTPClientSettings = HTTPClientSettings()) {
        self.origin = origin
        self.slot = slot
        self.settings = settings
    }

    /// How many more requests are taken.
    package var room: Int { max(0, settings.queueLimit - pendingCount) }
    /// Requests that wait or are under way.
    package var pendingCount: Int {
        if case .open(let open) = wire, open.current != nil { return queue.count + 1 }
        return queue.count
    }
    /// The connection that stands; what is heard of it is for this client.
    package var connection: ConnectionID? {
        if case .open(let open) = wire { return open.id }
        return nil
    }

    package var nextDeadline: BootTime? {
        switch wire {
        case .none: nil
        case .dialing(let since): since + settings.connectPatience
        case .open(let open): open.current?.due ?? open.idleSince + settings.idleTime
        }
    }

    /// Takes a request. What makes it none, and a full queue, are told by `failed`.
    ///
    /// - Parameters:
    ///   - deadline: from being sent until the whole answer; nil: as in the settings
    ///   - isUrgent: goes before those that are not
    ///   - mayRepeat: doing it twice is harmless; nil: if the method is idempotent
    package mutating func request(
        _ request: HTTPRequest, id: HTTPRequestID, deadline: Duration? = nil, isUrgent: Bool = false,
        mayRepeat: Bool? = nil, at now: Moment, into actions: inout [HTTPAction]
    ) {
        guard room > 0 else {
            actions.append(.failed(id, HTTPFailure(.noRoom)))
            return
        }
        let bytes: [UInt8]
        do {
            bytes = try request.bytes(for: origin)
        } catch {
            actions.append(.failed(id, HTTPFailure(.notARequest(error))))
            return
        }
        let entry = Entry(
            id: id, bytes: bytes, isHead: request.method == .head,
            mayRepeat: mayRepeat ?? request.method.isIdempotent, isUrgent: isUrgent,
            deadline: deadline ?? settings.deadline)
        let place = isUrgent ? queue.firstIndex { !$0.isUrgent } ?? queue.count : queue.count
        queue.insert(entry, at: place)
        advance(at: now, into: &actions)
    }

    /// The answer is not wanted any more; nothing is told of it. One under way takes its connection with it.
    package mutating func cancel(_ id: HTTPRequestID, at now: Moment, into actions: inout [HTTPAction]) {
        queue.removeAll { $0.id == id }
        if case .open(let open) = wire, open.current?.entry.id == id {
            drop(open.id, into: &actions)
            advance(at: now, into: &actions)
        }
        if queue.isEmpty, case .dialing = wire {
            wire = .none
            actions.append(.transport(.cancelConnect(slot)))
        }
    }

    /// Ends everything; what waits or is under way fails as `stopped`.
    package mutating func stop(at now: Moment, into actions: inout [HTTPAction]) {
        switch wire {
        case .none: break
        case .dialing:
            wire = .none
            actions.append(.transport(.cancelConnect(slot)))
        case .open(let open):
            drop(open.id, into: &actions)
            if let current = open.current { fail(current, .stopped, into: &actions) }
        }
        failQueue(.stopped, into: &actions)
    }

    /// A link came, went or changed: an idle connection is given up, one in use is not used again, and an
    /// attempt to connect is made anew.
    package mutating func networkChanged(at now: Moment, into actions: inout [HTTPAction]) {
        switch wire {
        case .none: break
        case .dialing:
            actions.append(.transport(.cancelConnect(slot)))
            dial(at: now, into: &actions)
        case .open(var open):
            if open.current == nil {
                drop(open.id, into: &actions)
            } else {
                open.isSuspect = true
                wire = .open(open)
            }
        }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPAction]) {
        guard let due = nextDeadline, due <= now.boot else { return }
        switch wire {
        case .none: break
        case .dialing:
            wire = .none
            actions.append(.transport(.cancelConnect(slot)))
            failQueue(.connectStalled, into: &actions)
        case .open(let open):
            drop(open.id, into: &actions)
            if let current = open.current { fail(current, .unanswered, into: &actions) }
            advance(at: now, into: &actions)
        }
    }
}
