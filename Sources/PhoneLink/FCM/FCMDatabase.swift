import AlarmModel
import PhoneProtocol

/// The place of a Realtime Database where phones put messages for the box (docs/push.md C.5): its stream, and the
/// removal of what has been dealt with.
struct FCMDatabase: Codable, Equatable, Sendable {
    static let streamSlot = DialSlot(2)
    static let removalSlot = DialSlot(3)
    /// Messages that the stream gives at a time; more come as these are removed.
    static let streamLimit = 100
    /// Bytes of a message; what is larger is none.
    static let messageLimit = 4096
    /// Messages given and not removed; also when somebody does not keep to the limit of the stream.
    static let openLimit = 256
    /// Messages given within a second. The core opens 50 of a channel and drops what is more.
    static let turnLimit = 25
    private static let recentLimit = 32

    struct Entry: Codable, Equatable, Sendable {
        enum State: Codable, Equatable, Sendable {
            /// For its turn.
            case waiting(InboundMessage)
            /// With the core.
            case given
            /// To be removed.
            case done
            case removing(HTTPRequestID)
        }
        var key: String
        var text: String
        var state: State
    }
    struct Removed: Codable, Equatable, Sendable {
        var key: String
        var text: String
    }
    /// A second, and what was given in it.
    struct Turn: Codable, Equatable, Sendable {
        var until: BootTime
        var count = 0
    }

    let url: HTTPURL
    let settings: FCMSettings
    /// Where it is now: `url`, or where that has sent us.
    var place: HTTPURL
    var isRedirected = false
    var stream: HTTPStream
    /// Messages that the stream gives at a time: `streamLimit`, or one after so many were more than can be read.
    var window = Self.streamLimit
    /// It asks for a request and there was no token.
    var isAsking = false
    /// Begun anew then, after the server ended it in its own way.
    var resumeAt: BootTime?
    var removals: HTTPClient
    var removeAt: BootTime?
    /// Counts failures of both: what the stream says, and removals.
    var attempts: Reconnector
    var jitter: Jitter
    var bearer: Secret? {
        didSet { if bearer != oldValue { lastOfOldToken = HTTPRequestID(requests) } }
    }
    /// The one that the stream was opened with.
    var streamBearer: Secret?
    /// The server did not take the token once already.
    var wasRefused = false
    /// For the owner: the token is not taken any more.
    var isTokenRefused = false
    var entries: [Entry] = []
    private var turn: Turn?
    /// Some did not fit: they come with a new stream.
    var hasMore = false
    private var recent: [Removed] = []
    private var requests: UInt64 = 0
    private var oddities: UInt64 = 0
    private(set) var streamProblem: TransportProblem?
    private var removalProblem: TransportProblem?
    /// The server did not take the token for a removal since the last one that went well.
    private var wasRemovalRefused = false
    /// Removals up to this were asked for with another token than that of now.
    private var lastOfOldToken = HTTPRequestID(0)

    init(url: HTTPURL, settings: FCMSettings, seed: UInt64) {
        self.url = url
        self.settings = settings
        place = url
        var streaming = HTTPStream.Settings()
        streaming.backoff = settings.backoff
        streaming.connectPatience = settings.dialPatience
        streaming.setupDeadline = settings.setupDeadline
        streaming.silence = settings.streamPatience
        streaming.events.lineBytes = 524_288
        streaming.events.eventBytes = 524_288
        let origin = url.origin(authorityFile: settings.caFile)
        stream = HTTPStream(
            origin: origin, slot: Self.streamSlot, format: .serverSentEvents, settings: streaming, seed: seed)
        removals = Self.client(url, settings)
        attempts = Reconnector(pace: settings.backoff)
        jitter = Jitter(seed: seed &+ 1)
    }

    private static func client(_ place: HTTPURL, _ settings: FCMSettings) -> HTTPClient {
        HTTPClient(
            origin: place.origin(authorityFile: settings.caFile), slot: removalSlot,
            settings: settings.clientSettings(deadline: settings.setupDeadline))
    }

    var nextDeadline: BootTime? {
        [stream.nextDeadline, removals.nextDeadline, resumeAt, removeAt, nextTurn].compactMap { $0 }.min()
    }

    private var nextTurn: BootTime? {
        let isWaited = entries.contains { if case .waiting = $0.state { true } else { false } }
        return isWaited ? turn?.until : nil
    }

    mutating func newRequest() -> HTTPRequestID {
        requests &+= 1
        return HTTPRequestID(requests)
    }

    var problem: TransportProblem? { streamProblem ?? removalProblem }

    mutating func set(_ problem: TransportProblem?) { streamProblem = problem?.inward }

    mutating func removalTaken() {
        wasRemovalRefused = false
        removalProblem = nil
    }

    mutating func removalRefused(_ id: HTTPRequestID, _ response: HTTPResponse) {
        guard response.status == 401 || response.status == 403, id > lastOfOldToken else { return }
        guard wasRemovalRefused || response.status == 403 else {
            // Perhaps only the token has come to its end.
            wasRemovalRefused = true
            isTokenRefused = true
            bearer = nil
            return
        }
        let words =
            "database: this box may read what is there and not remove it (\(response.statusWords)), so that nothing new "
            + "comes in behind \(Self.streamLimit) messages; let the service account remove what is there"
        removalProblem = TransportProblem(.mayNotRemove, words, isRefusal: true).inward
    }

    /// An alarm or a fault waits, and with it perhaps somebody's order.
    mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {
        attempts.setUrgent(isUrgent, at: now)
        stream.setUrgent(isUrgent, at: now)
        guard isUrgent else { return }
        let soon = now.boot + settings.backoff.urgentMaximum
        removeAt = removeAt.map { min($0, soon) }
        if streamProblem?.isRefusal != true { resumeAt = resumeAt.map { min($0, soon) } }
    }

    /// The first, the second, the fourth …: odd things do not fill the log.
    mutating func tellOddity(_ what: String, into actions: inout [TransportAction]) {
        oddities &+= 1
        guard oddities & (oddities - 1) == 0 else { return }
        let fields = [LogEntry.Field("what", what), LogEntry.Field("count", String(oddities))]
        actions.append(.log(LogEntry(.notice, "the database holds something that is no message", fields)))
    }

    /// `place` with more of a path, without its query.
    func target(_ more: String) -> String {
        var path = String(place.target.prefix { $0 != "?" })
        while path.hasSuffix("/") { path.removeLast() }
        return path + more
    }

    func authorization(_ bearer: Secret) -> HTTPField {
        HTTPField("Authorization", secret: Secret("Bearer \(bearer.revealed)"))
    }

    // MARK: Messages

    mutating func appeared(
        _ children: [DatabaseChange.Child], at now: Moment, into actions: inout [TransportAction]
    ) {
        for child in children { appeared(child, into: &actions) }
        giveNext(at: now, into: &actions)
        removeNext(at: now, into: &actions)
    }

    private mutating func appeared(_ child: DatabaseChange.Child, into actions: inout [TransportAction]) {
        var text = child.data?.text ?? ""
        let isTooLarge = text.utf8.count > Self.messageLimit
        if isTooLarge { text = "" }
        guard !entries.contains(where: { $0.key == child.key }) else { return }
        guard entries.count < Self.openLimit else {
            hasMore = true
            return
        }
        // What the stream told before it saw the removal.
        let isOld = recent.contains { $0.key == child.key && $0.text == text }
        guard let data = child.data, !isTooLarge, !isOld else {
            if !isOld {
                let what = isTooLarge ? "of more than \(Self.messageLimit) bytes" : "that is no object of strings"
                tellOddity("a node \(what); it is removed", into: &actions)
            }
            entries.append(Entry(key: child.key, text: text, state: .done))
            return
        }
        let from = data["from"]?.stringValue ?? data["registration_token"]?.stringValue ?? ""
        let inbound = InboundMessage(channel: .fcm, from: from, id: child.key, body: .data(data))
        entries.append(Entry(key: child.key, text: text, state: .waiting(inbound)))
    }

    /// What has come while nobody was here comes all at once, and not faster than it can be looked at.
    mutating func giveNext(at now: Moment, into actions: inout [TransportAction]) {
        for index in entries.indices {
            guard case .waiting(let inbound) = entries[index].state else { continue }
            if turn.map({ $0.until <= now.boot }) ?? true { turn = Turn(until: now.boot + .seconds(1)) }
            guard let count = turn?.count, count < Self.turnLimit else { return }
            turn?.count = count + 1
            entries[index].state = .given
            actions.append(.inbound(inbound))
        }
    }

    /// Of what is too large to be read its key is known.
    mutating func discard(_ key: String, at now: Moment, into actions: inout [TransportAction]) {
        appeared([DatabaseChange.Child(key: key, data: nil)], at: now, into: &actions)
    }

    mutating func forget(_ index: Int) {
        let entry = entries.remove(at: index)
        recent.append(Removed(key: entry.key, text: entry.text))
        if recent.count > Self.recentLimit { recent.removeFirst() }
    }

    // MARK: Another host of the provider

    /// Only from the place in the settings, only to a host of the provider's, never to plain text.
    func redirect(_ head: HTTPResponseHead) -> HTTPURL? {
        guard head.isRedirect, !isRedirected, let location = head.location(from: place), location.isEncrypted,
            location.port == url.port, location.host != place.host
        else { return nil }
        let isOurs =
            location.host == url.host
            || settings.databaseDomains.contains { location.host.hasSuffix(".\($0.lowercased())") }
        guard isOurs else { return nil }
        // Its path is of the stream's request.
        var moved = location
        moved.target = url.target
        return moved
    }

    mutating func move(to place: HTTPURL, at now: Moment, into actions: inout [TransportAction]) {
        isRedirected = place != url
        guard self.place != place else { return }
        self.place = place
        runRemovals(at: now, into: &actions) { database, orders in database.removals.stop(at: now, into: &orders) }
        removals = Self.client(place, settings)
        removeAt = nil
    }
}
