package import AlarmModel
import PhoneLink
import PhoneProtocol

/// A server with the box's account and those of people, as far as the box meets them: SCRAM, stream management with
/// resumption (XEP-0198), messages kept for who is away (XEP-0203), receipts of people's apps (XEP-0184). A small one
/// knows none of these, and takes the password as it is.
package struct XMPPPeer: ChannelPeer {
    struct Client: Sendable {
        var id: ConnectionID
        var reader = XMLReader()
        var isIn = false
        var hasSession = false
        var isEncrypted: Bool
    }
    /// What stream management keeps.
    struct Session: Sendable {
        var id: String
        var client: ConnectionID?
        /// Stanzas of the box.
        var handled: UInt32 = 0
        /// Stanzas for the box that it has not acknowledged, with the time of their birth.
        var open: [Kept] = []
        var acknowledged: UInt32 = 0
        var endsAt: BootTime?
    }
    struct Kept: Equatable, Sendable {
        var stanza: String
        var from: String
        var body: String
        var id: String
        var at: WallTime
    }

    package static let box = "box@xmpp.example"
    static let domain = "xmpp.example"
    private static let resumable = Duration.minutes(5)

    private let password: Secret
    private let startsEncrypted: Bool
    private let isSmall: Bool
    /// Each message comes back with this condition before anything else is said of it.
    package var refusal: String?
    private var port = PeerPort()
    private var clients: [Client] = []
    private var session: Session?
    private var sessions = 0
    /// For the box, which was away.
    private var kept: [Kept] = []
    private var arrivals: [Arrival] = []
    private var stanzas = 0
    /// The last message of the box: to whom, and its id.
    private var last: (to: String, id: String)?

    package init(password: Secret, startsEncrypted: Bool, isSmall: Bool = false) {
        self.isSmall = isSmall
        self.password = password
        self.startsEncrypted = startsEncrypted
    }

    package var nextDeadline: BootTime? { [port.nextDeadline, session?.endsAt].compactMap { $0 }.min() }

    package mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.accepted(id)
        clients.append(Client(id: id, isEncrypted: startsEncrypted))
    }

    package mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.closed(id)
        forget(id, at: now)
    }

    private mutating func forget(_ id: ConnectionID, at now: Moment) {
        clients.removeAll { $0.id == id }
        guard session?.client == id else { return }
        session?.client = nil
        session?.endsAt = now.boot + Self.resumable
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.timerFired(at: now, into: &actions)
        if let end = session?.endsAt, end <= now.boot { endSession() }
    }

    package mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    private mutating func endSession() {
        kept += session?.open ?? []
        session = nil
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard port.hears(id), let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].reader.append(bytes)
        while let index = clients.firstIndex(where: { $0.id == id }) {
            guard let event = clients[index].reader.next() else { return }
            switch event {
            case .opened: greet(index, at: now, into: &actions)
            case .element(let element): read(element, index, at: now, into: &actions)
            case .failed: return end(id, at: now, into: &actions)
            case .closed:
                // An orderly end is no loss: nothing is to be resumed.
                if session?.client == id { endSession() }
                return end(id, at: now, into: &actions)
            }
        }
    }

    private mutating func end(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.close(id, at: now, into: &actions)
        forget(id, at: now)
    }

    private mutating func greet(_ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]) {
        let mechanism = isSmall ? "PLAIN" : "SCRAM-SHA-1"
        let logins = "<mechanisms xmlns='\(XMPPNamespace.sasl)'><mechanism>\(mechanism)</mechanism></mechanisms>"
        // Whoever takes the login before the encryption is found out.
        let features =
            if clients[index].isIn {
                "<bind xmlns='\(XMPPNamespace.bind)'/>" + (isSmall ? "" : "<sm xmlns='urn:xmpp:sm:3'/>")
            } else if clients[index].isEncrypted {
                logins
            } else {
                "<starttls xmlns='\(Self.tls)'/>\(logins)"
            }
        say(
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='s' version='1.0' "
                + "from='\(Self.domain)'><stream:features>\(features)</stream:features>", index, at: now,
            into: &actions)
    }

    private mutating func say(
        _ text: String, _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        port.send(clients[index].id, text, at: now, into: &actions)
    }

    // MARK: What the box says

    private mutating func read(
        _ element: XMLElement, _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        switch (element.namespace, element.name) {
        case (Self.tls, "starttls"):
            say("<proceed xmlns='\(Self.tls)'/>", index, at: now, into: &actions)
            clients[index].isEncrypted = true
            clients[index].reader.restart()
        case (XMPPNamespace.sasl, _): logIn(element, index, at: now, into: &actions)
        case ("urn:xmpp:sm:3", _): manage(element, index, at: now, into: &actions)
        case (_, "iq"): ask(element, index, at: now, into: &actions)
        case (_, "message"):
            session?.handled &+= 1
            take(element, index, at: now, into: &actions)
        case (_, "presence"): session?.handled &+= 1
        default: end(clients[index].id, at: now, into: &actions)
        }
    }

    private mutating func logIn(
        _ element: XMLElement, _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let space = "xmlns='\(XMPPNamespace.sasl)'"
        let words = Base64.decode(element.text).map { String(decoding: $0, as: UTF8.self) } ?? ""
        if element["mechanism"] == "PLAIN" {
            guard words.split(separator: "\u{0}").last.map(String.init) == password.revealed else {
                return say("<failure \(space)><not-authorized/></failure>", index, at: now, into: &actions)
            }
            clients[index].isIn = true
            clients[index].reader.restart()
            return say("<success \(space)/>", index, at: now, into: &actions)
        }
        if element.name == "auth" {
            if PeerPort.take(&port.failures) {
                return say(
                    "<failure \(space)><temporary-auth-failure/></failure>", index, at: now, into: &actions)
            }
            let nonce = words.split(separator: ",").first { $0.hasPrefix("r=") } ?? "r="
            let challenge = Base64.encode(Array("\(nonce)srv,s=\(Base64.encode(Self.salt)),i=4096".utf8))
            return say("<challenge \(space)>\(challenge)</challenge>", index, at: now, into: &actions)
        }
        guard words.hasSuffix("p=" + Base64.encode(ToyCrypto.scram(password, Self.salt).proof)) else {
            return say("<failure \(space)><not-authorized/></failure>", index, at: now, into: &actions)
        }
        let proof = Base64.encode(ToyCrypto.scram(password, Self.salt).serverSignature)
        clients[index].isIn = true
        clients[index].reader.restart()
        say(
            "<success \(space)>\(Base64.encode(Array("v=\(proof)".utf8)))</success>", index, at: now, into: &actions)
    }

    private static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    private static let salt = Array("salt".utf8)

    private mutating func manage(
        _ element: XMLElement, _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let space = "xmlns='urn:xmpp:sm:3'"
        let client = clients[index].id
        let count = element["h"].flatMap { UInt32($0) }
        switch element.name {
        case "enable":
            sessions += 1
            session = Session(id: "session-\(sessions)", client: client)
            clients[index].hasSession = true
            say("<enabled \(space) id='session-\(sessions)' resume='true'/>", index, at: now, into: &actions)
            flush(index, at: now, into: &actions)
        case "resume":
            guard let session, session.id == element["previd"], let count else {
                return say(
                    "<failed \(space)><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>", index,
                    at: now, into: &actions)
            }
            if let old = session.client, let place = clients.firstIndex(where: { $0.id == old }), old != client {
                clients.remove(at: place)
                port.close(old, at: now, into: &actions)
            }
            self.session?.client = client
            self.session?.endsAt = nil
            acknowledge(count)
            guard let index = clients.firstIndex(where: { $0.id == client }) else { return }
            clients[index].hasSession = true
            say("<resumed \(space) h='\(session.handled)' previd='\(session.id)'/>", index, at: now, into: &actions)
            for stanza in self.session?.open ?? [] { say(stanza.stanza, index, at: now, into: &actions) }
        case "r":
            guard session?.client == client, !port.isSilent else { return }
            if PeerPort.take(&port.noAnswer) { return }
            say("<a \(space) h='\(session?.handled ?? 0)'/>", index, at: now, into: &actions)
        case "a": if session?.client == client, let count { acknowledge(count) }
        default: end(client, at: now, into: &actions)
        }
    }

    private mutating func acknowledge(_ count: UInt32) {
        guard let known = session?.acknowledged, let open = session?.open.count else { return }
        session?.open.removeFirst(min(open, Int(count &- known)))
        session?.acknowledged = count
    }

    private mutating func ask(
        _ iq: XMLElement, _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let client = clients[index].id
        session?.handled &+= 1
        guard let id = iq["id"], let type = iq["type"], type == "set" || type == "get" else {
            return
        }
        if iq.child("bind", in: "urn:ietf:params:xml:ns:xmpp-bind") != nil {
            // A new session: what the old one had not delivered waits for it.
            if session != nil { endSession() }
            if isSmall { session = Session(id: "", client: client) }
            return say(
                "<iq id='\(id)' type='result'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                    + "<jid>\(Self.box)/here</jid></bind></iq>", index, at: now, into: &actions)
        }
        guard !port.isSilent else { return }
        // It counts as a stanza for the box, and is acknowledged like one.
        let answer = "<iq id='\(id)' type='result' from='\(Self.domain)'/>"
        if session?.client == client, !isSmall {
            session?.open.append(Kept(stanza: answer, from: "", body: "", id: id, at: now.wall))
        }
        say(answer, index, at: now, into: &actions)
    }

    private mutating func take(
        _ message: XMLElement, _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard let to = message["to"], let id = message["id"],
            let body = message.child("body", in: "jabber:client")?.text
        else { return }
        let bare = String(to.prefix { $0 != "/" })
        if PeerPort.take(&port.tooMany) || PeerPort.take(&port.lies) || !port.takes() {
            return deliver(
                "<message from='\(bare)' to='\(Self.box)' id='\(id)' type='error'><error type='wait'>"
                    + "<resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>",
                Kept(stanza: "", from: "", body: "", id: id, at: now.wall), at: now, into: &actions)
        }
        last = (bare, id)
        arrivals.append(Arrival(address: bare, message: MessageID(id), text: body))
        if let refusal { return bounce(refusal, at: now, into: &actions) }
        if PeerPort.take(&port.closesMidway) { return end(clients[index].id, at: now, into: &actions) }
        if message.child("request", in: "urn:xmpp:receipts") != nil, !isSmall {
            stanzas += 1
            deliver(
                "<message from='\(bare)/phone' to='\(Self.box)' id='r\(stanzas)' type='chat'>"
                    + "<received xmlns='urn:xmpp:receipts' id='\(id)'/></message>",
                Kept(stanza: "", from: "", body: "", id: "r\(stanzas)", at: now.wall), at: now, into: &actions)
        }
    }

    // MARK: What people say

    /// The server of whom the box wrote to sends the last message back.
    package mutating func bounce(_ condition: String, at now: Moment, into actions: inout [HTTPServiceAction]) {
        guard let last else { return }
        deliver(
            "<message from='\(last.to)' to='\(Self.box)' id='\(last.id)' type='error'><error type='cancel'>"
                + "<\(condition) xmlns='\(XMPPNamespace.stanzaErrors)'/></error></message>",
            Kept(stanza: "", from: "", body: "", id: last.id, at: now.wall), at: now, into: &actions)
    }

    package mutating func say(
        _ body: String, from: String, id: String?, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let mark = id.map { " id='\($0)'" } ?? ""
        let stanza =
            "<message from='\(from)/phone' to='\(Self.box)'\(mark) type='chat'><body>\(body)</body></message>"
        let message = Kept(stanza: stanza, from: from, body: body, id: id ?? "", at: now.wall)
        let copies = PeerPort.take(&port.repeats) ? 2 : 1
        for _ in 0..<copies { deliver(stanza, message, at: now, into: &actions) }
    }

    private mutating func deliver(
        _ stanza: String, _ message: Kept, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        var message = message
        message.stanza = stanza
        guard session != nil else {
            if !message.body.isEmpty { kept.append(message) }
            return
        }
        if !isSmall { session?.open.append(message) }
        guard let client = session?.client, let index = clients.firstIndex(where: { $0.id == client }) else { return }
        say(stanza, index, at: now, into: &actions)
    }

    /// What was kept while the box was away, with the time when it came.
    private mutating func flush(_ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]) {
        let waiting = kept
        kept = []
        for message in waiting where !message.body.isEmpty {
            let time = TimeZoneRules.utc.civilTime(at: message.at)
            let stamp = "\(time.date)T\(time.time)Z"
            deliver(
                "<message from='\(message.from)/phone' to='\(Self.box)' id='\(message.id)' type='chat'>"
                    + "<body>\(message.body)</body><delay xmlns='urn:xmpp:delay' stamp='\(stamp)'/></message>",
                message, at: now, into: &actions)
        }
    }

    package mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        for id in port.perform(fault, at: now, into: &actions) { forget(id, at: now) }
    }
}
