import AlarmModel
import PhoneProtocol
import Simulators

/// A push service with its clients and a fake clock; all that it does is written down.
struct PushBench {
    var push: PushSimulator
    var now = BootTime.zero + .hours(2)
    private(set) var actions: [PushSimulator.Action] = []
    /// What a client was sent, by its number.
    private(set) var heard: [(client: ConnectionID, bytes: [UInt8])] = []

    static let sender = "123456789012"
    static let key = "AIzaTESTKEY"
    static let auth = "ADEyMzQ1Njc4OTAxMkBnY20uZ29vZ2xlYXBpcy5jb20AQUl6YVRFU1RLRVk="

    init(seed: UInt64 = 1, _ change: (inout PushSettings) -> Void = { _ in }) {
        var settings = PushSettings(sender: Self.sender, key: Secret(Self.key))
        change(&settings)
        push = PushSimulator(settings: settings, seed: seed)
    }

    mutating func step(_ body: (inout PushSimulator, BootTime, inout [PushSimulator.Action]) -> Void) {
        var new: [PushSimulator.Action] = []
        body(&push, now, &new)
        actions += new
        for action in new {
            if case .send(let client, let bytes) = action { heard.append((client, bytes)) }
        }
    }

    mutating func wait(_ span: Duration) {
        let end = now + span
        while let due = push.nextDeadline, due <= end {
            now = max(now, due)
            step { $0.timerFired(at: $1, into: &$2) }
        }
        now = end
    }

    // MARK: The wire

    mutating func say(_ text: String, _ client: UInt64 = 1) {
        step { $0.received(ConnectionID(client), Array(text.utf8), at: $1, into: &$2) }
    }

    mutating func connect(_ client: UInt64 = 1) {
        step { $0.accepted(ConnectionID(client), at: $1, into: &$2) }
    }

    mutating func lose(_ client: UInt64 = 1) { step { $0.closed(ConnectionID(client), at: $1, into: &$2) } }

    /// Connected, logged in, with a session; what was sent until then is forgotten.
    mutating func logIn(_ client: UInt64 = 1) {
        connect(client)
        say(Self.header, client)
        say("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(Self.auth)</auth>", client)
        say(Self.header, client)
        say(
            "<iq id='b' type='set'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>box</resource></bind></iq>",
            client)
        say("<iq id='s' type='set'><session xmlns='urn:ietf:params:xml:ns:xmpp-session'/></iq>", client)
        forget()
    }

    static let header =
        "<stream:stream to='gcm.googleapis.com' version='1.0' xmlns='jabber:client' "
        + "xmlns:stream='http://etherx.jabber.org/streams'>"

    /// A message of the client; JSON as it goes into the stanza.
    mutating func message(_ json: String, id: String = "x", _ client: UInt64 = 1) {
        let text = json.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
            .split(separator: "<", omittingEmptySubsequences: false).joined(separator: "&lt;")
        say("<message id='\(id)'><gcm xmlns='google:mobile:data'>\(text)</gcm></message>", client)
    }

    mutating func acknowledge(_ messageID: String, to token: String = "TOKEN", _ client: UInt64 = 1) {
        message("{\"to\":\"\(token)\",\"message_id\":\"\(messageID)\",\"message_type\":\"ack\"}", id: "x", client)
    }

    /// All that a client was sent since the last `forget`.
    func text(_ client: UInt64 = 1) -> String {
        String(decoding: heard.filter { $0.client == ConnectionID(client) }.flatMap(\.bytes), as: UTF8.self)
    }

    /// The JSON of the messages that a client was sent since the last `forget`, errors apart.
    func payloads(_ client: UInt64 = 1) -> [JSON] {
        text(client).split(separator: "<message>").compactMap { part in
            guard let start = part.firstIndex(of: ">"), let end = part[start...].firstIndex(of: "<") else { return nil }
            var json = String(part[part.index(after: start)..<end])
            for (escape, plain) in [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")] {
                json = json.split(separator: escape, omittingEmptySubsequences: false).joined(separator: plain)
            }
            return try? JSON(parsing: json)
        }
    }

    /// The error codes of the nacks, in order.
    func refusals(_ client: UInt64 = 1) -> [String] { payloads(client).compactMap { $0["error"]?.stringValue } }

    /// The message ids of payloads of this type; nil: upstream.
    func ids(_ type: String?, _ client: UInt64 = 1) -> [String] {
        payloads(client).filter { $0["message_type"]?.stringValue == type }.compactMap { $0["message_id"]?.stringValue }
    }

    mutating func forget() {
        actions = []
        heard = []
    }

    // MARK: Phones

    mutating func perform(_ text: String) throws {
        let stimulus = try PushScript.parseStimulus(text)
        step { $0.perform(stimulus, at: $1, into: &$2) }
    }

    /// A phone that is online and whose channel stands.
    mutating func phone(_ token: String = "TOKEN", _ kind: PushClient.Kind = .android) {
        let client = PushClient(kind: kind, category: "com.example.app")
        step { $0.phoneRegistered(token, client, at: $1, into: &$2) }
        step { $0.phonePresence(token, .online, at: $1, into: &$2) }
        wait(.seconds(5))
    }

    mutating func inbound(_ messageID: String, from token: String = "TOKEN", ttl: Int64 = 0) {
        let data = JSON.object(["command": .string("ping")])
        step { $0.phoneSends(token, messageID: messageID, data: data, ttl: ttl, at: $1, into: &$2) }
    }

    /// What the phones got, as `m` members of the data.
    var arrivals: [String] {
        actions.compactMap { action in
            guard case .deliver(_, let delivery) = action else { return nil }
            return delivery.data["m"]?.stringValue ?? "?"
        }
    }

    mutating func down(
        _ messageID: String, ttl: Int = 60, _ more: String = "", to token: String = "TOKEN", client: UInt64 = 1
    ) {
        message(
            "{\"to\":\"\(token)\",\"message_id\":\"\(messageID)\",\"time_to_live\":\(ttl),"
                + "\"data\":{\"m\":\"\(messageID)\"}\(more)}", id: "x", client)
    }
}
