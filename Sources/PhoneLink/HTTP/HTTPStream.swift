package import AlarmModel

/// A GET whose answer never ends: connects for ever with a back-off, gives what comes in, and notices silence.
package struct HTTPStream: Codable, Hashable, Sendable {
    package enum Format: String, Codable, Hashable, Sendable {
        case jsonLines, serverSentEvents
    }

    package struct Settings: Codable, Hashable, Sendable {
        package var backoff = ReconnectPace()
        /// For an attempt to connect; the dialer has shorter limits of its own.
        package var connectPatience = Duration.seconds(60)
        /// From the connection until the answer has begun.
        package var setupDeadline = Duration.seconds(15)
        /// Without a byte for so long the connection counts as dead; more than the server's own signs of life.
        package var silence = Duration.seconds(75)
        /// A stream that was open for so long makes the back-off start anew.
        package var steadyAfter = Duration.seconds(60)
        package var lineLimit = 65_536
        package var events = ServerSentEventReader.Limits()
        package init() {}
    }

    enum Decoder: Codable, Hashable, Sendable {
        case jsonLines(JSONLineReader)
        case serverSentEvents(ServerSentEventReader)
    }
    struct Open: Codable, Hashable, Sendable {
        var id: ConnectionID
        var since: BootTime
        var lastHeard: BootTime
        var reader: HTTPResponseReader
        var head: HTTPResponseHead?
        /// Of an answer that is no stream.
        var refusal: [UInt8]?
        var decoder: Decoder
    }
    enum Phase: Codable, Hashable, Sendable {
        case stopped
        case waiting(until: BootTime, isRefusal: Bool)
        /// The owner is to give a request.
        case asking
        case dialing(since: BootTime, bytes: [UInt8])
        case open(Open)
    }

    package private(set) var origin: HTTPOrigin
    package let slot: DialSlot
    package let format: Format
    package let settings: Settings
    var backoff: HTTPBackoff
    var phase = Phase.stopped
    var isUrgent = false
    /// What the server asked for; at most the back-off's maximum.
    var floor = Duration.zero
    /// Of an event stream, for `Last-Event-ID`; empty: none.
    package internal(set) var lastEventID = ""
    /// Of refusals that are still being read.
    static let refusalLimit = 16_384

    package init(
        origin: HTTPOrigin, slot: DialSlot, format: Format, settings: Settings = Settings(), seed: UInt64
    ) {
        self.origin = origin
        self.slot = slot
        self.format = format
        self.settings = settings
        backoff = HTTPBackoff(settings: settings.backoff, seed: seed)
    }

    package var isRunning: Bool { phase != .stopped }
    /// The server's answer was a stream, and it goes on.
    package var isOpen: Bool {
        if case .open(let open) = phase { return open.head != nil && open.refusal == nil }
        return false
    }
    /// What is heard of it is for this stream.
    package var connection: ConnectionID? {
        if case .open(let open) = phase { return open.id }
        return nil
    }

    package var nextDeadline: BootTime? {
        switch phase {
        case .stopped, .asking: nil
        case .waiting(let until, _): until
        case .dialing(let since, _): since + settings.connectPatience
        case .open(let open):
            open.head == nil || open.refusal != nil
                ? open.since + settings.setupDeadline : open.lastHeard + settings.silence
        }
    }

    package mutating func start(at now: Moment, into actions: inout [HTTPStreamAction]) {
        guard phase == .stopped else { return }
        ask(into: &actions)
    }

    /// Ends it silently.
    package mutating func stop(at now: Moment, into actions: inout [HTTPStreamAction]) {
        hangUp(into: &actions)
        phase = .stopped
    }

    /// The answer to `wantsRequest`; at any other time nothing is done.
    ///
    /// - Parameter origin: another server from here on, for instance after a redirect
    package mutating func open(
        _ request: HTTPRequest, origin: HTTPOrigin? = nil, at now: Moment, into actions: inout [HTTPStreamAction]
    ) {
        guard case .asking = phase else { return }
        if let origin { self.origin = origin }
        do {
            let bytes = try request.bytes(for: self.origin)
            phase = .dialing(since: now.boot, bytes: bytes)
            actions.append(.transport(.connect(slot, self.origin.dialTarget)))
        } catch {
            end(.failed(HTTPFailure(.notARequest(error))), isRefusal: true, at: now, into: &actions)
        }
    }

    /// Asks for a request at once, whatever it was doing: another token, other topics.
    package mutating func restart(at now: Moment, into actions: inout [HTTPStreamAction]) {
        guard isRunning else { return }
        let wasOpen = isOpen
        hangUp(into: &actions)
        if wasOpen { actions.append(.ended(.restarted)) }
        if phase != .asking { ask(into: &actions) }
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {
        guard self.isUrgent != isUrgent else { return }
        self.isUrgent = isUrgent
        if isUrgent, case .waiting(let until, let isRefusal) = phase {
            phase = .waiting(until: min(until, now.boot + settings.backoff.urgentMaximum), isRefusal: isRefusal)
        }
    }

    /// A way to the network came, went or changed: a stream cannot be asked for a sign of life, so it is made anew where
    /// it left off.
    package mutating func networkChanged(at now: Moment, into actions: inout [HTTPStreamAction]) {
        switch phase {
        case .stopped, .asking, .waiting(_, isRefusal: true): return
        case .waiting(_, isRefusal: false): ask(into: &actions)
        case .dialing(_, let bytes):
            actions.append(.transport(.cancelConnect(slot)))
            phase = .dialing(since: now.boot, bytes: bytes)
            actions.append(.transport(.connect(slot, origin.dialTarget)))
        case .open:
            let wasOpen = isOpen
            hangUp(into: &actions)
            if wasOpen { actions.append(.ended(.networkChanged)) }
            ask(into: &actions)
        }
    }

    mutating func ask(into actions: inout [HTTPStreamAction]) {
        phase = .asking
        actions.append(.wantsRequest)
    }

    /// Gives up what is on the wire.
    mutating func hangUp(into actions: inout [HTTPStreamAction]) {
        switch phase {
        case .stopped, .waiting, .asking: break
        case .dialing: actions.append(.transport(.cancelConnect(slot)))
        case .open(let open): actions.append(.transport(.close(open.id)))
        }
    }
}
