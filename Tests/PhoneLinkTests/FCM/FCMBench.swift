import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

/// A transport, a clock, the servers' ends of its connections and everything that it ordered.
struct FCMBench {
    static let messages = DialSlot(0)
    static let signIn = DialSlot(1)
    static let stream = DialSlot(2)
    static let removal = DialSlot(3)

    struct Request: Equatable {
        var connection: ConnectionID
        var line: String
        var fields: [String]
        var body: String
        func field(_ name: String) -> String? {
            fields.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
        }
        var json: JSON { (try? JSON(parsing: body)) ?? .null }
    }

    static let file = """
        {"type":"service_account","project_id":"house-1","private_key_id":"kid1",
         "private_key":"-----BEGIN PRIVATE KEY-----\\nSECRETKEY\\n-----END PRIVATE KEY-----\\n",
         "client_email":"box@house-1.iam.gserviceaccount.com","token_uri":"https://oauth2.example.com/token"}
        """
    static let databaseText = "https://house-1.firebaseio.com/up/box1"

    var transport: FCMTransport
    var now = Moment(boot: .zero + .seconds(1000), wall: WallTime(milliseconds: 1_700_000_000_000), isWallTrusted: true)
    var actions: [TransportAction] = []
    private var ended: [ConnectionID] = []
    /// What the last `deliver` said.
    var isTaken = false
    private var connections: [(slot: DialSlot, id: ConnectionID)] = []
    private var nextConnection: UInt64 = 1

    init(hasDatabase: Bool = false, seed: UInt64 = 1, _ change: (inout FCMSettings) -> Void = { _ in }) throws {
        var settings = FCMSettings(account: try ServiceAccount(parsing: Array(Self.file.utf8)))
        if hasDatabase { settings.databaseURL = try HTTPURL(Self.databaseText) }
        change(&settings)
        transport = FCMTransport(settings: settings, seed: seed)
    }

    /// Signed in; what was ordered until then is forgotten.
    static func ready(
        hasDatabase: Bool = false, _ change: (inout FCMSettings) -> Void = { _ in }
    ) throws -> FCMBench {
        var bench = try FCMBench(hasDatabase: hasDatabase, change)
        bench.start()
        bench.signIn()
        if hasDatabase { bench.connect(stream) }
        bench.forget()
        return bench
    }

    mutating func forget() {
        for case .close(let id) in actions { ended.append(id) }
        actions = []
    }

    mutating func start() { transport.start(at: now, into: &actions) }

    /// The signature and the token that it is exchanged for.
    mutating func signIn(token: String = "TOKEN1", expires: Int = 3600) {
        sign()
        connect(Self.signIn)
        answer(Self.signIn, 200, "{\"access_token\":\"\(token)\",\"expires_in\":\(expires),\"token_type\":\"Bearer\"}")
    }

    mutating func sign(_ answer: TransportAnswer = .bytes([1, 2, 3])) {
        guard let job = jobs.last else { return }
        transport.computed(job.0, answer, at: now, into: &actions)
    }

    var jobs: [(TransportJobID, TransportJob)] {
        actions.compactMap { if case .compute(let id, let job) = $0 { (id, job) } else { nil } }
    }

    /// Nothing is done when a connection stands already.
    mutating func connect(_ slot: DialSlot) {
        guard connection(slot) == nil, dials(slot) > 0 else { return }
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        connections.append((slot, id))
        transport.connected(id, slot: slot, at: now, into: &actions)
    }

    func dials(_ slot: DialSlot) -> Int {
        actions.count { if case .connect(slot, _) = $0 { true } else { false } }
    }

    /// An attempt was ordered after one was cancelled.
    func isDialingAgain(_ slot: DialSlot) -> Bool {
        let cancelled = actions.lastIndex(of: .cancelConnect(slot))
        let dialed = actions.lastIndex { if case .connect(slot, _) = $0 { true } else { false } }
        guard let cancelled, let dialed else { return false }
        return dialed > cancelled
    }

    /// The one that stands.
    func connection(_ slot: DialSlot) -> ConnectionID? {
        let closed = actions.compactMap { if case .close(let id) = $0 { id } else { nil } }
        return connections.last { $0.slot == slot && !closed.contains($0.id) && !ended.contains($0.id) }?.id
    }

    mutating func say(_ slot: DialSlot, _ text: String) {
        guard let id = connection(slot) else { return }
        transport.received(id, Array(text.utf8), at: now, into: &actions)
    }

    mutating func answer(_ slot: DialSlot, _ status: Int, _ body: String = "", fields: [String] = []) {
        let more = fields.map { "\($0)\r\n" }.joined()
        say(slot, "HTTP/1.1 \(status) Word\r\nContent-Length: \(body.utf8.count)\r\n\(more)\r\n\(body)")
    }

    mutating func openStream() {
        say(Self.stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n")
    }

    mutating func event(_ name: String, _ data: String) {
        say(Self.stream, "event: \(name)\ndata: \(data)\n\n")
    }

    mutating func lost(_ slot: DialSlot, _ end: ConnectionEnd = .reset) {
        guard let id = connection(slot) else { return }
        ended.append(id)
        transport.closed(id, end, at: now, into: &actions)
    }

    mutating func refuse(_ slot: DialSlot) {
        transport.connectFailed(.dial(.unreachable(.refused)), slot: slot, at: now, into: &actions)
    }

    /// Lets time pass; the timer fires whenever it is due.
    mutating func wait(_ span: Duration) {
        let end = now.boot + span
        var rounds = 0
        while let deadline = transport.nextDeadline, deadline <= end, rounds < 10_000 {
            rounds += 1
            move(to: max(deadline, now.boot))
            transport.timerFired(at: now, into: &actions)
        }
        move(to: end)
    }

    private mutating func move(to time: BootTime) {
        now.wall = now.wall + (time - now.boot)
        now.boot = time
    }

    mutating func deliver(
        _ id: String, to kind: AddressKind = .fcmToken, _ content: DeliveryContent = .sealed([1, 2, 3]),
        priority: PriorityClass = .alarm, timeToLive: Int = 3600, isAnswer: Bool = false
    ) {
        let delivery = Delivery(
            message: MessageID(id), address: DeliveryAddress(.phone(kind), "PHONE"), content: content,
            priority: priority, timeToLive: timeToLive, isAnswer: isAnswer)
        isTaken = transport.deliver(delivery, at: now, into: &actions)
    }

    func expectTaken(_ isExpected: Bool, _ place: SourceLocation = #_sourceLocation) {
        // Not the whole bench in the words of a failure.
        let isTaken = isTaken
        #expect(isTaken == isExpected, sourceLocation: place)
    }

    /// What was sent, whole requests.
    func requests(_ slot: DialSlot) -> [Request] {
        let ids = connections.filter { $0.slot == slot }.map(\.id)
        return actions.compactMap { action in
            guard case .send(let id, let bytes) = action, ids.contains(id) else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            let lines = parts[0].split(separator: "\r\n").map(String.init)
            return Request(
                connection: id, line: lines[0], fields: Array(lines.dropFirst()),
                body: parts.count > 1 ? String(parts[1]) : "")
        }
    }
}

extension FCMBench {
    /// Ends of messages, changes of readiness and of problems: what the core hears.
    var told: [TransportAction] {
        actions.filter { action in
            switch action {
            case .ready, .notReady, .accepted, .received, .refused, .returned, .inbound, .problem: true
            case .connect, .cancelConnect, .upgrade, .send, .close, .compute, .locate, .log, .serverTime, .presence:
                false
            }
        }
    }

    var told1: TransportAction? { told.count == 1 ? told[0] : nil }
    var lastProblem: TransportProblem? {
        for case .problem(let problem) in actions.reversed() { return problem }
        return nil
    }
    var inboundIDs: [String] {
        actions.compactMap { if case .inbound(let message) = $0 { message.id } else { nil } }
    }
    var refusals: [Refusal] { actions.compactMap { if case .refused(_, let refusal) = $0 { refusal } else { nil } } }
    var returned: [String] {
        actions.flatMap { action -> [String] in if case .returned(let ids) = action { ids.map(\.text) } else { [] } }
    }
}
