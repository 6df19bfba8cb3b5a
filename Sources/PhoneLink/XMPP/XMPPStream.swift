package import AlarmModel

/// A client's XMPP stream over an encrypted connection (RFC 6120): header, SASL PLAIN, resource, session, pings.
///
/// Sends no presence and asks for no roster (reference fcm-xmpp A.3). Knows nothing of what the stanzas mean.
package struct XMPPStream: Codable, Hashable, Sendable {
    package struct Account: Codable, Hashable, Sendable {
        /// Name before the `@`.
        package var user: String
        package var domain: String
        package var password: Secret
        package init(user: String, domain: String, password: Secret) {
            self.user = user
            self.domain = domain
            self.password = password
        }
    }

    package enum Phase: String, Codable, Hashable, Sendable {
        case idle
        /// Waiting for the server's header, then its features.
        case opening, featuresBeforeLogin
        case login
        case reopening, featuresAfterLogin
        case bind
        case session
        case ready
        case over
    }

    package let account: Account
    package internal(set) var phase = Phase.idle
    var reader = XMLReader()
    var jid: String?
    /// Whether the server wants a session to be asked for, which RFC 6121 no longer does.
    var wantsSession = false
    private var pings: UInt64 = 0

    package init(account: Account) { self.account = account }

    /// Whether stanzas may be sent and come in.
    package var carriesStanzas: Bool {
        switch phase {
        case .bind, .session, .ready: true
        case .idle, .opening, .featuresBeforeLogin, .login, .reopening, .featuresAfterLogin, .over: false
        }
    }

    /// The connection stands.
    package mutating func start(into actions: inout [XMPPAction]) {
        guard phase == .idle else { return }
        phase = .opening
        actions.append(.send(header))
    }

    package mutating func received(_ bytes: some Sequence<UInt8>, into actions: inout [XMPPAction]) {
        guard phase != .idle, phase != .over else { return }
        reader.append(bytes)
        while phase != .over, let event = reader.next() {
            switch event {
            case .opened(let element): opened(element, into: &actions)
            case .element(let element): received(element, into: &actions)
            case .closed:
                actions.append(.send(Array(Self.end.utf8)))
                over(.ended, into: &actions)
            case .failed(let error): fail(.malformed(error), into: &actions)
            }
        }
    }

    /// Asks for a sign of life; any answer is one.
    package mutating func ping(into actions: inout [XMPPAction]) {
        guard phase == .ready else { return }
        pings &+= 1
        let ping = XMLElement("ping", namespace: XMPPNamespace.ping)
        let attributes = [
            XMLAttribute("to", account.domain), XMLAttribute("id", "p\(pings)"), XMLAttribute("type", "get"),
        ]
        send(XMLElement("iq", namespace: XMPPNamespace.client, attributes: attributes, children: [ping]), &actions)
    }

    /// A stanza as bytes, to be sent while `carriesStanzas`, or in answer to a stanza that came right before the end.
    package static func bytes(of stanza: XMLElement) -> [UInt8] {
        Array(stanza.text(inside: XMPPNamespace.client).utf8)
    }

    func send(_ stanza: XMLElement, _ actions: inout [XMPPAction]) {
        actions.append(.send(Self.bytes(of: stanza)))
    }

    /// Ends the stream politely; nothing that comes is read any more.
    package mutating func end(into actions: inout [XMPPAction]) {
        guard phase != .idle, phase != .over else { return }
        actions.append(.send(Array(Self.end.utf8)))
        phase = .over
    }

    mutating func fail(_ failure: XMPPFailure, into actions: inout [XMPPAction]) {
        actions.append(.send(Array(Self.end.utf8)))
        over(.failed(failure), into: &actions)
    }

    private mutating func over(_ last: XMPPAction, into actions: inout [XMPPAction]) {
        phase = .over
        reader = XMLReader()
        actions.append(last)
    }

    private static let end = "</stream:stream>"

    var header: [UInt8] {
        let to = XMLElement.escapedAttribute(account.domain)
        let text =
            "<stream:stream to=\"\(to)\" version=\"1.0\" xmlns=\"\(XMPPNamespace.client)\" "
            + "xmlns:stream=\"\(XMPPNamespace.streams)\">"
        return Array(text.utf8)
    }

    /// The initial response of RFC 4616, with an empty authorization identity.
    var plainResponse: String {
        Base64.text([0] + Array("\(account.user)@\(account.domain)".utf8) + [0] + Array(account.password.revealed.utf8))
    }
}
