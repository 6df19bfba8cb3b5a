package import AlarmModel

/// A GET whose answer never ends: connects for ever with a back-off, gives what comes in, and notices silence.
package struct HTTPStream: Codable, Equatable, Sendable {
    package enum Format: String, Codable, Equatable, Sendable {
        case jsonLines, serverSentEvents
    }

    package struct Settings: Codable, Equatable, Sendable {
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

    enum Decoder: Codable, Equatable, Sendable {
        case jsonLines(JSONLineReader)
        case serverSentEvents(ServerSentEventReader)
    }
    struct Open: Codable, Equatable, Sendable {
        var id: ConnectionID
        var since: BootTime
        var lastHeard: BootTime
        var reader: HTTPResponseReader
        var head: HTTPResponseHead?
        /// Of an answer that is no stream.
        var refusal: [UInt8]?
        var decoder: Decoder
    }
    package private(set) var origin: HTTPOrigin
    package let slot: DialSlot
    package let format: Format
    package let settings: Settings
    var jitter: Jitter
    /// Idle: the owner is to give a request.
    var attempts: Reconnector
    /// The request of this attempt.
    private(set) var request: [UInt8] = []
    var open: Open?
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
        jitter = Jitter(seed: seed)
        attempts = Reconnector(
            pace: settings.backoff, dialPatience: settings.connectPatience, setupPatience: settings.setupDeadline,
            steadyAfter: settings.steadyAfter)
    }

    package var isRunning: Bool { attempts.isRunning }
    /// The server's answer was a stream, and it goes on.
    package var isOpen: Bool { attempts.isReady }
    /// What is heard of it is for this stream.
    package var connection: ConnectionID? { open?.id }

    package var nextDeadline: BootTime? {
        guard isOpen else { return attempts.nextDeadline }
        return open.map { $0.lastHeard + settings.silence }
    }

    package mutating func start(at now: Moment, into actions: inout [HTTPStreamAction]) {
        guard !isRunning else { return }
        ask(into: &actions)
    }

    /// Ends it silently.
    package mutating func stop(at now: Moment, into actions: inout [HTTPStreamAction]) {
        hangUp(into: &actions)
        attempts.stop()
    }

    /// The answer to `wantsRequest`; at any other time nothing is done.
    ///
    /// - Parameter origin: another server from here on, for instance after a redirect
    package mutating func open(
        _ request: HTTPRequest, origin: HTTPOrigin? = nil, at now: Moment, into actions: inout [HTTPStreamAction]
    ) {
        guard attempts.phase == .idle else { return }
        if let origin { self.origin = origin }
        do {
            self.request = try request.bytes(for: self.origin)
            dial(at: now, into: &actions)
        } catch {
            end(.failed(HTTPFailure(.notARequest(error))), isRefusal: true, at: now, into: &actions)
        }
    }

    /// Asks for a request at once, whatever it was doing: another token, other topics.
    package mutating func restart(at now: Moment, into actions: inout [HTTPStreamAction]) {
        restart(as: .restarted, at: now, into: &actions)
    }

    private mutating func restart(
        as end: HTTPStreamEnd, at now: Moment, into actions: inout [HTTPStreamAction]
    ) {
        guard isRunning else { return }
        let wasOpen = isOpen
        hangUp(into: &actions)
        if wasOpen { actions.append(.ended(end)) }
        if attempts.phase != .idle { ask(into: &actions) }
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) { attempts.setUrgent(isUrgent, at: now) }

    /// A link came, went or changed: a stream cannot be asked for a sign of life, so it is made anew where
    /// it left off.
    package mutating func networkChanged(at now: Moment, into actions: inout [HTTPStreamAction]) {
        if attempts.isDialing {
            actions.append(.transport(.cancelConnect(slot)))
            dial(at: now, into: &actions)
        } else if open != nil {
            restart(as: .networkChanged, at: now, into: &actions)
        } else if attempts.waitsForNetwork {
            ask(into: &actions)
        }
    }

    private mutating func dial(at now: Moment, into actions: inout [HTTPStreamAction]) {
        attempts.dial(at: now)
        actions.append(.transport(.connect(slot, origin.dialTarget)))
    }

    mutating func ask(into actions: inout [HTTPStreamAction]) {
        attempts.rest()
        actions.append(.wantsRequest)
    }

    /// Gives up what is on the wire.
    mutating func hangUp(into actions: inout [HTTPStreamAction]) {
        if attempts.isDialing { actions.append(.transport(.cancelConnect(slot))) }
        if let open { actions.append(.transport(.close(open.id))) }
        open = nil
    }
}
