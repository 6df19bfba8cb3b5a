package import AlarmModel
import PhoneProtocol

/// A simulated topic server that speaks as ntfy does (docs/push.md C.5): publishing by header fields, by query and
/// as JSON, streams of JSON lines and of server-sent events that continue after a message or a time, signs of life,
/// tokens, quotas, and misbehaviour on command.
package struct NtfySimulator: HTTPService {
    package var settings: NtfyServerSettings
    package internal(set) var faults = NtfyFaults()
    var http = HTTPServerMachine()
    var stored: [NtfyStored] = []
    /// What was published to be passed on and not kept, for who looks on.
    var passedOn: [NtfyStored] = []
    var subscribers: [NtfySubscriber] = []
    var delayed: [Delayed] = []
    var generator: Jitter
    var requests = 0
    var published = 0
    var refused = 0
    /// What was published since `takeArrivals` was called last.
    var fresh: [NtfyStored] = []

    struct Delayed: Sendable {
        var due: BootTime
        var request: HTTPServerRequest
    }

    /// How many messages are kept at most.
    static let memory = 10_000

    package init(settings: NtfyServerSettings = NtfyServerSettings(), seed: UInt64 = 1) {
        self.settings = settings
        generator = Jitter(seed: seed)
    }

    package var nextDeadline: BootTime? {
        (subscribers.map(\.nextKeepalive) + delayed.map(\.due)).min()
    }

    package mutating func accepted(
        _ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        http.accepted(id)
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        http.received(id, bytes)
        goOn(id, at: now, into: &actions)
    }

    package mutating func closed(
        _ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        http.closed(id)
        subscribers.removeAll { $0.connection == id }
        delayed.removeAll { $0.request.connection == id }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        let due = delayed.filter { $0.due <= now.boot }
        delayed.removeAll { $0.due <= now.boot }
        for item in due {
            serve(item.request, at: now, into: &actions)
            goOn(item.request.connection, at: now, into: &actions)
        }
        for index in subscribers.indices where subscribers[index].nextKeepalive <= now.boot {
            subscribers[index].nextKeepalive = now.boot + settings.keepalive
            if !faults.streamsAreSilent {
                send("keepalive", to: subscribers[index], at: now, into: &actions)
            }
        }
    }

    /// The connection of the newest stream that is open.
    package var listening: ConnectionID? { subscribers.last?.connection }

    /// What was published on a topic: first what is kept, then what was only passed on.
    package func texts(on topic: String) -> [String] {
        (stored + passedOn).filter { $0.topic == topic }.map(\.message)
    }

    /// The server's own clock, in seconds.
    func time(at now: Moment) -> Int64 { (now.wall + faults.skew).seconds }

    package var truth: NtfyTruth {
        NtfyTruth(
            messages: stored.map {
                NtfyTruth.Message(
                    id: $0.id, topic: $0.topic, title: $0.title, message: $0.message, priority: $0.priority,
                    tags: $0.tags, buttons: $0.buttons.map(\.label), sequence: $0.sequence)
            },
            streams: subscribers.map { $0.topics.joined(separator: ",") }, connections: http.open.count,
            requests: requests, published: published, refused: refused)
    }

    // MARK: Requests

    private mutating func goOn(
        _ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        while let request = http.next(id, into: &actions) {
            requests += 1
            if settings.isTraced {
                actions.append(.trace("\(id.number) \(request.method) \(request.path)"))
            }
            if faults.delay > .zero {
                delayed.append(Delayed(due: now.boot + faults.delay, request: request))
            } else {
                serve(request, at: now, into: &actions)
            }
        }
    }

    private mutating func serve(
        _ request: HTTPServerRequest, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        var request = request
        guard request.path.hasPrefix(settings.pathPrefix + "/") else {
            return answer(request, error: 40401, at: now, into: &actions)
        }
        request.path = String(request.path.dropFirst(settings.pathPrefix.count))
        let route = Route(request)
        if request.method == "OPTIONS" {
            let fields = [
                HTTPServerRequest.Field("Access-Control-Allow-Methods", "GET, PUT, POST, PATCH, DELETE"),
                HTTPServerRequest.Field("Access-Control-Allow-Headers", "*"),
            ]
            return http.answer(request.connection, HTTPServerAnswer(204, fields: fields), into: &actions)
        }
        if misbehaves(request, route, at: now, into: &actions) { return }
        guard let account = account(of: request) else {
            return answer(request, error: 40101, at: now, into: &actions)
        }
        switch route {
        case .health:
            http.answer(request.connection, json("{\"healthy\":true}", at: now), into: &actions)
        case .stats:
            let text = "{\"messages\":\(published),\"messages_rate\":0.0}"
            http.answer(request.connection, json(text, at: now), into: &actions)
        case .publish(let topic): publish(request, topic, account, at: now, into: &actions)
        case .publishJSON: publishJSON(request, account, at: now, into: &actions)
        case .auth(let topics):
            guard topics.allSatisfy({ may(account, read: $0) }) else {
                return answer(request, error: 40301, at: now, into: &actions)
            }
            http.answer(request.connection, json("{\"success\":true}", at: now), into: &actions)
        case .subscribe(let topics, let format):
            subscribe(request, topics, format, account, at: now, into: &actions)
        case .unknown: answer(request, error: 40401, at: now, into: &actions)
        }
    }

    enum Route: Equatable, Sendable {
        case health, stats
        case publishJSON
        case publish(String)
        case auth([String])
        case subscribe([String], NtfySubscriber.Format)
        case unknown

        init(_ request: HTTPServerRequest) {
            let parts = request.path.split(separator: "/").map(String.init)
            let isWrite = request.method == "POST" || request.method == "PUT"
            let topics = (parts.first ?? "").split(separator: ",").map(String.init)
            let areTopics = !topics.isEmpty && topics.allSatisfy(NtfySimulator.isTopic)
            switch (parts.count, parts.last ?? "") {
            case (0, _) where isWrite: self = .publishJSON
            case (2, "health") where parts[0] == "v1": self = .health
            case (2, "stats") where parts[0] == "v1": self = .stats
            case (1, let topic) where isWrite && topics.count == 1 && areTopics: self = .publish(topic)
            case (2, "publish") where topics.count == 1 && areTopics,
                (2, "send") where topics.count == 1 && areTopics,
                (2, "trigger") where topics.count == 1 && areTopics:
                self = .publish(topics[0])
            case (2, "auth") where areTopics: self = .auth(topics)
            case (2, let word) where areTopics && !isWrite:
                self = NtfySubscriber.Format(rawValue: word).map { .subscribe(topics, $0) } ?? .unknown
            default: self = .unknown
            }
        }

        var scope: NtfyFaults.Scope {
            switch self {
            case .publish, .publishJSON: .publish
            case .subscribe: .subscribe
            case .health, .stats, .auth, .unknown: .all
            }
        }
    }

    static func isTopic(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
}
