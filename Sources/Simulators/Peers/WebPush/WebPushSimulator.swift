package import AlarmModel
import PhoneProtocol

/// A simulated push service of browsers, towards the box (RFC 8030) and towards Firefox: subscriptions, each for the key of one application
/// server (RFC 8292), messages of which it reads the outer form only (RFC 8188, RFC 8291), and misbehaviour on command.
///
/// Guarantees: what does not keep to these documents is refused; what it has taken it keeps in order for the phone, until
/// its time to live is over.
package struct WebPushSimulator: HTTPService {
    package var settings: WebPushServerSettings
    package internal(set) var faults = WebPushFaults()
    var http = HTTPServerMachine()
    var subscriptions: [Subscription] = []
    var stored: [WebPushStored] = []
    /// What was taken since `takeArrivals` was called last.
    var fresh: [WebPushStored] = []
    var delayed: [Delayed] = []
    var links: [BrowserLink] = []
    /// What was taken for browsers, oldest first.
    package internal(set) var records: [WebPushRecord] = []
    private var generator: Jitter
    package internal(set) var taken = 0
    /// Why requests were refused, newest last.
    package private(set) var refusals: [String] = []

    struct Subscription: Equatable, Sendable {
        var token: String
        /// Of whoever may send there, as the browser has named it; nil: anybody may.
        var key: [UInt8]?
        /// The name of the Firefox that has it, and its own for it; nil: it was made by `subscribe(for:)`.
        var browser: String?
        var channel: String?
        var hasEnded = false
    }
    struct Delayed: Sendable {
        var due: BootTime
        var request: HTTPServerRequest
    }

    /// In front of a subscription's name.
    static let path = "/wpush/v2/"
    static let memory = 1000
    static let recordMemory = 10_000

    package init(settings: WebPushServerSettings = WebPushServerSettings(), seed: UInt64 = 1) {
        self.settings = settings
        generator = Jitter(seed: seed)
    }

    package var nextDeadline: BootTime? { delayed.map(\.due).min() }

    package mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        http.accepted(id)
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        http.received(id, bytes)
        hear(id, at: now, into: &actions)
        goOn(id, at: now, into: &actions)
    }

    package mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        http.closed(id)
        links.removeAll { $0.id == id }
        delayed.removeAll { $0.request.connection == id }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        let due = delayed.filter { $0.due <= now.boot }
        delayed.removeAll { $0.due <= now.boot }
        for item in due {
            serve(item.request, at: now, into: &actions)
            goOn(item.request.connection, at: now, into: &actions)
        }
    }

    private mutating func goOn(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        while let request = http.next(id, into: &actions) {
            if faults.delay > .zero {
                delayed.append(Delayed(due: now.boot + faults.delay, request: request))
            } else {
                serve(request, at: now, into: &actions)
            }
        }
    }

    // MARK: What browsers do

    /// A browser subscribes.
    ///
    /// - Parameter key: of the application server that may send there, 65 bytes; nil: anybody may
    /// - Returns: the endpoint
    package mutating func subscribe(for key: [UInt8]?) -> String {
        let token = makeName()
        subscriptions.append(Subscription(token: token, key: key))
        return settings.origin + Self.path + token
    }

    /// The same for a Firefox that is there, which names its subscriptions by channels.
    mutating func subscribe(for key: [UInt8]?, in browser: String, _ channel: String) -> String {
        let same = subscriptions.first {
            $0.browser == browser && $0.channel == channel && $0.key == key && !$0.hasEnded
        }
        if let same { return settings.origin + Self.path + same.token }
        let endpoint = subscribe(for: key)
        (subscriptions[subscriptions.count - 1].browser, subscriptions[subscriptions.count - 1].channel) = (
            browser, channel
        )
        return endpoint
    }

    mutating func makeName() -> String {
        (0..<3).map { _ in String(generator.next(), radix: 36) }.joined(separator: "-")
    }

    /// Whether the browser still has this subscription.
    package func has(_ endpoint: String) -> Bool {
        subscriptions.contains { settings.origin + Self.path + $0.token == endpoint && !$0.hasEnded }
    }

    /// The browser is there: what waits for it is handed over.
    package mutating func collect(_ endpoint: String, at now: Moment) -> [WebPushStored] {
        stored.removeAll { $0.endsAt < now.boot }
        guard !faults.isSilent else { return [] }
        let waiting = stored.filter { $0.endpoint == endpoint }
        stored.removeAll { $0.endpoint == endpoint }
        return waiting.flatMap { message in
            guard faults.repeats > 0 else { return [message] }
            faults.repeats -= 1
            return [message, message]
        }
    }

    // MARK: What happens to it

    package mutating func perform(
        _ stimulus: WebPushStimulus, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        switch stimulus {
        case .answer(let answer, let times): (faults.answer, faults.times) = (answer, times)
        case .delay(let span): faults.delay = span
        case .quota(let count): settings.quota = count
        case .silent(let isOn):
            faults.isSilent = isOn
            deliver(at: now, into: &actions)
        case .repeats(let count): faults.repeats = count
        case .blackHole(let isOn):
            http.isBlackHole = isOn
            // What was there stays dead.
            if isOn { for id in http.open { http.silence(id) } }
        case .refuseConnect(let isOn): actions.append(.listen(!isOn))
        case .closeAll:
            links = []
            for id in http.open { http.close(id, into: &actions) }
        case .resetAll:
            links = []
            for id in http.open { http.reset(id, into: &actions) }
        case .end(let endpoint):
            for index in subscriptions.indices
            where settings.origin + Self.path + subscriptions[index].token == endpoint {
                subscriptions[index].hasEnded = true
            }
            stored.removeAll { $0.endpoint == endpoint }
        case .forget(let endpoint):
            subscriptions.removeAll { settings.origin + Self.path + $0.token == endpoint }
            stored.removeAll { $0.endpoint == endpoint }
        case .faultsOff:
            faults = WebPushFaults()
            settings.quota = nil
            http.isBlackHole = false
            actions.append(.listen(true))
            deliver(at: now, into: &actions)
        }
    }

    mutating func note(_ refusal: String) {
        refusals.append(refusal)
        if refusals.count > Self.memory { refusals.removeFirst() }
    }
}
