package import AlarmModel

/// A client's XMPP stream (RFC 6120): header, encryption, login, resource, session, pings; stream management (XEP-0198)
/// where it is wanted and offered.
///
/// Sends no presence and asks for no roster by itself (docs/push.md A.3). Knows nothing of what the stanzas mean.
/// Names and passwords are sent as they are: beyond ASCII they have to be given in the form that RFC 8265 asks for.
package struct XMPPStream: Codable, Equatable, Sendable {
    package struct Account: Codable, Equatable, Sendable {
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

    package struct Options: Codable, Equatable, Sendable {
        package enum Login: String, Codable, Sendable {
            /// PLAIN with the whole address as name, as FCM wants it.
            case plainOfAddress
            /// SCRAM bound to the channel, SCRAM, PLAIN, in this order; with the name before the `@`.
            case strongest
        }
        package var login = Login.plainOfAddress
        /// The connection is encrypted when it begins; otherwise STARTTLS makes it so before anything secret is said.
        package var isEncrypted = true
        package var usesChannelBinding = false
        package var managesStream = false
        /// The server has offered a login before by which it proves itself.
        package var refusesPlain = false
        package var limits = XMLReader.Limits()
        package init() {}
    }

    package enum Phase: String, Codable, Equatable, Sendable {
        case idle
        /// Waiting for the server's header, then its features.
        case opening, featuresBeforeLogin
        /// Waiting for the server's word, then for the encryption.
        case startingTLS, securing
        /// Waiting for an answer to `compute`.
        case computing
        case login
        case reopening, featuresAfterLogin
        case resuming
        case bind
        case session
        case enabling
        case ready
        case over
    }

    package let account: Account
    let options: Options
    package internal(set) var phase = Phase.idle
    var reader: XMLReader
    package internal(set) var jid: String?
    var isEncrypted: Bool
    var offer: SASLOffer?
    var job: XMPPJob?
    /// `tls-exporter` of the channel, during the login.
    var binding: [UInt8]?
    var scram: SCRAMLogin?
    /// The server offers a SCRAM that we can.
    package internal(set) var hasSCRAM = false
    var offersManagement = false
    /// The session of before that may be resumed, then the one of now.
    package internal(set) var session: XMPPSession?
    /// Both sides count.
    package internal(set) var isManaged = false
    var isResumed = false
    /// Something of before the resumption that is not sent again may not have arrived.
    package internal(set) var hasDropped = false
    /// How often the server has said what it took.
    package internal(set) var acknowledgements: UInt64 = 0
    /// The same of the lost session, until the next one begins.
    var wasUnreadable = false
    /// Messages of a lost session, to be sent again.
    var carried: [XMLElement] = []
    /// Whether the server wants a session to be asked for, which RFC 6121 no longer does.
    var wantsSession = false
    private var pings: UInt64 = 0

    /// - Parameter session: that of the connection before
    package init(account: Account, options: Options = Options(), resuming session: XMPPSession? = nil) {
        self.account = account
        self.options = options
        self.session = session
        isEncrypted = options.isEncrypted
        reader = XMLReader(limits: options.limits)
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
            case .failed(let error):
                takeUnreadable(into: &actions)
                fail(.malformed(error), into: &actions)
            }
        }
    }

    /// Asks for a sign of life; any answer is one.
    ///
    /// - Returns: the number that a `pong` will have; nil if the acknowledgement of XEP-0198 serves
    @discardableResult
    package mutating func ping(into actions: inout [XMPPAction]) -> UInt64? {
        guard phase == .ready else { return nil }
        guard !isManaged else {
            askForAcknowledgement(&actions)
            return nil
        }
        pings &+= 1
        let ping = XMLElement("ping", namespace: XMPPNamespace.ping)
        let attributes = [
            XMLAttribute("to", account.domain), XMLAttribute("id", "p\(pings)"), XMLAttribute("type", "get"),
        ]
        let question = XMLElement("iq", namespace: XMPPNamespace.client, attributes: attributes, children: [ping])
        send(question, into: &actions)
        return pings
    }

    /// A stanza as bytes, to be sent from the binding on, or in answer to a stanza that came right before the end.
    package static func bytes(of stanza: XMLElement) -> [UInt8] {
        Array(stanza.text(inside: XMPPNamespace.client).utf8)
    }

    /// Sends a stanza, from the binding on.
    ///
    /// - Parameter isKept: in a managed session, until the server has it
    package mutating func send(_ stanza: XMLElement, isKept: Bool = true, into actions: inout [XMPPAction]) {
        if isManaged || phase == .enabling {
            guard session?.count(isKept ? stanza : nil) != false else {
                // Nothing of it can be trusted to be sent again.
                session = nil
                return fail(.unacknowledged, into: &actions)
            }
        }
        actions.append(.send(Self.bytes(of: stanza)))
        if isManaged, session?.isAsked == false { askForAcknowledgement(&actions) }
    }

    /// Whether one more stanza of so many bytes can be kept until the server has it.
    package func canKeep(_ size: Int) -> Bool { session?.canKeep(size) ?? true }

    /// A question for an acknowledgement is open.
    package var isAsked: Bool { isManaged && session?.isAsked == true }

    /// A message is not to be sent again should the session be lost.
    package mutating func forget(_ id: String) {
        session?.forget(id)
        carried.removeAll { $0["id"] == id }
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
        reader = XMLReader(limits: options.limits)
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
}
