import AlarmModel
import PhoneLink
import PhoneProtocol

/// The server's half of the exchange in fcm-xmpp A.3, and what it says afterwards.
enum Server {
    static let header =
        "<stream:stream from=\"gcm.googleapis.com\" id=\"9F095DD2A3785B12\" version=\"1.0\" "
        + "xmlns:stream=\"http://etherx.jabber.org/streams\" xmlns=\"jabber:client\">"
    static let mechanisms =
        "<stream:features><mechanisms xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"><mechanism>X-OAUTH2</mechanism>"
        + "<mechanism>X-GOOGLE-TOKEN</mechanism><mechanism>PLAIN</mechanism></mechanisms></stream:features>"
    static let success = "<success xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"/>"
    static let features =
        "<stream:features><bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"/>"
        + "<session xmlns=\"urn:ietf:params:xml:ns:xmpp-session\"/></stream:features>"
    static let bound =
        "<iq id=\"b1\" type=\"result\"><bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\">"
        + "<jid>123456789012@gcm.googleapis.com/RESOURCE</jid></bind></iq>"
    static let session = "<iq id=\"s1\" type=\"result\"/>"
    static let end = "</stream:stream>"
    static let login = [header + mechanisms, success, header + features, bound, session]

    static func failure(_ condition: String, _ text: String = "") -> String {
        "<failure xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"><\(condition)/>"
            + (text.isEmpty ? "" : "<text>\(text)</text>") + "</failure>"
    }

    static func streamError(_ condition: String) -> String {
        "<stream:error><\(condition) xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\"/></stream:error></stream:stream>"
    }

    /// Prefixed and without an id, as the real server writes.
    static func message(_ json: String) -> String {
        "<message><data:gcm xmlns:data=\"google:mobile:data\">\(XMLElement.escaped(json))</data:gcm></message>"
    }

    static func ack(_ id: String, canonical: String? = nil) -> String {
        let extra = canonical.map { ",\"registration_id\":\"\($0)\"" } ?? ""
        return message("{\"message_type\":\"ack\",\"from\":\"TOKEN\",\"message_id\":\"\(id)\"\(extra)}")
    }

    static func nack(_ id: String, _ error: String) -> String {
        message(
            "{\"message_type\":\"nack\",\"from\":\"TOKEN\",\"message_id\":\"\(id)\",\"error\":\"\(error)\","
                + "\"error_description\":\"why\"}")
    }

    static func inbound(_ id: String, from: String = "TOKEN") -> String {
        message(
            "{\"category\":\"com.example\",\"from\":\"\(from)\",\"message_id\":\"\(id)\","
                + "\"data\":{\"command\":\"ping\"}}")
    }

    static let draining = message("{\"message_type\":\"control\",\"control_type\":\"CONNECTION_DRAINING\"}")
    static let receipt = message(
        "{\"message_type\":\"receipt\",\"from\":\"gcm.googleapis.com\",\"message_id\":\"dr2:m1\",\"category\":\"com.x\","
            + "\"data\":{\"message_status\":\"MESSAGE_SENT_TO_DEVICE\",\"original_message_id\":\"m1\","
            + "\"device_registration_id\":\"TOKEN\"}}")

    /// An error stanza with the echo of what we sent (fcm-xmpp A.7).
    static func errorStanza(_ id: String, type: String = "modify", text: String = "InvalidJson: MISSING") -> String {
        "<message id=\"\(id)\" type=\"error\" to=\"123456789012@gcm.googleapis.com/RES\">"
            + "<gcm xmlns=\"google:mobile:data\">{\"from\":\"X\",\"message_id\":\"\(id)\",\"data\":{}}</gcm>"
            + "<error code=\"400\" type=\"\(type)\"><bad-request xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\"/>"
            + "<text xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\">\(text)</text></error></message>"
    }
}

/// The channel, a clock and everything that the way ordered.
struct Bench {
    var link: CCSTransport
    var now = Moment(boot: .zero + .seconds(1000), wall: WallTime(milliseconds: 1_700_000_000_000), isWallTrusted: true)
    var actions: [TransportAction] = []
    private var connections: UInt64 = 0

    init(seed: UInt64 = 1, key: String = "AIzaTESTKEY", _ change: (inout CCSSettings) -> Void = { _ in }) {
        var settings = CCSSettings(senderID: "123456789012", apiKey: Secret(key))
        change(&settings)
        link = CCSTransport(settings: settings, seed: seed)
    }

    /// Logged in, and what was ordered until then forgotten.
    static func ready(seed: UInt64 = 1, _ change: (inout CCSSettings) -> Void = { _ in }) -> Bench {
        var bench = Bench(seed: seed, change)
        bench.start()
        bench.logIn()
        _ = bench.take()
        return bench
    }

    mutating func take() -> [TransportAction] {
        defer { actions = [] }
        return actions
    }

    mutating func start() { link.start(at: now, into: &actions) }

    @discardableResult mutating func connect() -> ConnectionID {
        connections += 1
        let id = ConnectionID(connections)
        link.connected(id, slot: DialSlot(0), at: now, into: &actions)
        return id
    }

    @discardableResult mutating func logIn() -> ConnectionID {
        let id = connect()
        for piece in Server.login { say(piece, on: id) }
        return id
    }

    mutating func say(_ text: String, on id: ConnectionID = ConnectionID(1)) {
        link.received(id, Array(text.utf8), at: now, into: &actions)
    }

    mutating func lost(_ end: ConnectionEnd = .finished, _ id: ConnectionID = ConnectionID(1)) {
        link.closed(id, end, at: now, into: &actions)
    }

    mutating func refuse(_ end: ConnectionEnd = .refused) {
        link.connectFailed(.dial(.unreachable(end)), slot: DialSlot(0), at: now, into: &actions)
    }

    /// Lets time pass; the timer fires whenever it is due.
    mutating func wait(_ span: Duration) {
        let end = now.boot + span
        while let deadline = link.nextDeadline, deadline <= end {
            move(to: max(deadline, now.boot))
            link.timerFired(at: now, into: &actions)
        }
        move(to: end)
    }

    /// Waits until the timer fires next; the span, or nil if nothing is due.
    mutating func waitForTimer() -> Duration? {
        guard let deadline = link.nextDeadline else { return nil }
        let span = max(deadline - now.boot, .zero)
        move(to: max(deadline, now.boot))
        link.timerFired(at: now, into: &actions)
        return span
    }

    private mutating func move(to time: BootTime) {
        now.wall = now.wall + (time - now.boot)
        now.boot = time
    }

    @discardableResult mutating func push(_ id: String, isAlarm: Bool = false) -> Bool {
        let message = CCSMessage(
            to: "TOKEN", messageID: MessageID(id), timeToLive: 3600, data: .object(["code": .string("601")]))
        return link.push(message, isAlarm: isAlarm, at: now, into: &actions)
    }
}

extension TransportAction {
    /// What the bench's settings lead to.
    static let connecting = TransportAction.connect(
        DialSlot(0), DialTarget(host: "fcm-xmpp.googleapis.com", port: 5235, security: .tls(authorityFile: nil)))
    static let cancelling = TransportAction.cancelConnect(DialSlot(0))

    /// In our words and in the service's.
    static func refusal(_ id: MessageID, _ error: CCSError, text: String) -> TransportAction {
        .refused(id, Refusal(error.reaction, why: "\(error) (\(text))"))
    }
}

extension InboundMessage {
    static func ccs(
        connection: ConnectionID, from: String, messageID: String, category: String?, data: JSON
    ) -> InboundMessage {
        InboundMessage(
            channel: .ccs, connection: connection, from: from, id: messageID, body: .data(data), category: category)
    }
}

extension [TransportAction] {
    var withoutLogs: [TransportAction] {
        filter { action in
            if case .log = action { return false }
            return true
        }
    }

    /// What was sent, as text.
    func sent(on id: ConnectionID = ConnectionID(1)) -> [String] {
        compactMap { action in
            guard case .send(id, let bytes) = action else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Bytes sent on a connection, joined; the other actions, logs left out.
    var joined: ([TransportAction], String) {
        var text = ""
        let others = withoutLogs.filter { action in
            guard case .send(_, let bytes) = action else { return true }
            text += String(decoding: bytes, as: UTF8.self)
            return false
        }
        return (others, text)
    }

    /// Kinds of the problems that were told; nil: all was well again.
    var problems: [TransportProblem.Kind?] {
        compactMap { action in
            guard case .problem(let problem) = action else { return nil }
            return .some(problem?.kind)
        }
    }

    /// Without the words of problems.
    var steps: [TransportAction] {
        withoutLogs.filter { action in
            guard case .problem = action else { return true }
            return false
        }
    }

    var returned: [String] {
        flatMap { action -> [String] in
            guard case .returned(let ids) = action else { return [] }
            return ids.map(\.text)
        }
    }
}
