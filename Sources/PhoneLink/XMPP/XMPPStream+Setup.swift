extension XMPPStream {
    mutating func opened(_ element: XMLElement, into actions: inout [XMPPAction]) {
        guard element.isNamed("stream", in: XMPPNamespace.streams) else {
            return fail(.unexpected(element.name), into: &actions)
        }
        switch phase {
        case .opening: phase = .featuresBeforeLogin
        case .reopening: phase = .featuresAfterLogin
        case .idle, .featuresBeforeLogin, .startingTLS, .securing, .computing, .login, .featuresAfterLogin, .resuming,
            .bind, .session, .enabling, .ready, .over:
            fail(.unexpected(element.name), into: &actions)
        }
    }

    mutating func received(_ element: XMLElement, into actions: inout [XMPPAction]) {
        if element.isNamed("error", in: XMPPNamespace.streams) {
            return fail(Self.streamError(element), into: &actions)
        }
        switch phase {
        case .featuresBeforeLogin: login(element, into: &actions)
        case .startingTLS: startTLSAnswered(element, into: &actions)
        case .login: loginAnswered(element, into: &actions)
        case .featuresAfterLogin: beginSession(element, into: &actions)
        case .resuming: resumeAnswered(element, into: &actions)
        case .enabling: enableAnswered(element, into: &actions)
        case .bind, .session: receivedStanza(element, into: &actions)
        case .ready:
            if !receivedManagement(element, into: &actions) { receivedStanza(element, into: &actions) }
        // The reader gives no element before the header, and nothing is due while we compute.
        case .idle, .opening, .securing, .computing, .reopening, .over: fail(.unexpected(element.name), into: &actions)
        }
    }

    private mutating func beginSession(_ features: XMLElement, into actions: inout [XMPPAction]) {
        guard features.isNamed("features", in: XMPPNamespace.streams),
            features.child("bind", in: XMPPNamespace.bind) != nil
        else { return fail(.unexpected(features.name), into: &actions) }
        if let session = features.child("session", in: XMPPNamespace.session) {
            wantsSession = session.child("optional", in: XMPPNamespace.session) == nil
        }
        offersManagement = options.managesStream && features.child("sm", in: XMPPNamespace.management) != nil
        if !resume(into: &actions) { bind(into: &actions) }
    }

    mutating func bind(into actions: inout [XMPPAction]) {
        phase = .bind
        ask("b1", XMLElement("bind", namespace: XMPPNamespace.bind), into: &actions)
    }

    /// An answer to one of our own questions; false if it is none that is waited for.
    mutating func answered(_ iq: XMLElement, isResult: Bool, into actions: inout [XMPPAction]) -> Bool {
        switch (phase, iq["id"]) {
        case (.bind, "b1"):
            guard isResult else {
                fail(.bindRefused(condition: Self.condition(of: iq)), into: &actions)
                return true
            }
            jid = iq.child("bind", in: XMPPNamespace.bind)?.child("jid", in: XMPPNamespace.bind)?.text
            if wantsSession {
                phase = .session
                ask("s1", XMLElement("session", namespace: XMPPNamespace.session), into: &actions)
            } else {
                sessionStands(into: &actions)
            }
            return true
        case (.session, "s1"):
            guard isResult else {
                fail(.bindRefused(condition: Self.condition(of: iq)), into: &actions)
                return true
            }
            sessionStands(into: &actions)
            return true
        case (.ready, "roster"):
            guard isOfServer(iq["from"]) else { return false }
            if isResult { actions.append(.stanza(iq)) }
            return true
        case (.ready, let id):
            guard let id, id.hasPrefix("p"), let number = UInt64(id.dropFirst()), isOfServer(iq["from"]) else {
                return false
            }
            actions.append(.pong(number))
            return true
        default:
            return false
        }
    }

    private mutating func sessionStands(into actions: inout [XMPPAction]) {
        if offersManagement { enable(into: &actions) } else { becomeReady(into: &actions) }
    }

    mutating func becomeReady(into actions: inout [XMPPAction]) {
        phase = .ready
        actions.append(.ready(jid: jid))
        let again = carried
        carried = []
        for stanza in again { send(stanza, into: &actions) }
    }

    /// Our server speaks without an address, with its own, or with ours (RFC 6120 8.1.2.1).
    private func isOfServer(_ from: String?) -> Bool {
        guard let from else { return true }
        return from == account.domain || from == "\(account.user)@\(account.domain)" || from == jid
    }

    private mutating func ask(_ id: String, _ question: XMLElement, into actions: inout [XMPPAction]) {
        let attributes = [XMLAttribute("id", id), XMLAttribute("type", "set")]
        send(
            XMLElement("iq", namespace: XMPPNamespace.client, attributes: attributes, children: [question]),
            into: &actions)
    }

    private static func streamError(_ error: XMLElement) -> XMPPFailure {
        let children = error.children.filter { $0.namespace == XMPPNamespace.streamErrors }
        let condition = children.lazy.compactMap { XMPPStreamCondition(rawValue: $0.name) }.first
        return .streamError(
            condition ?? .undefinedCondition, text: error.child("text", in: XMPPNamespace.streamErrors)?.text ?? "")
    }

    /// The condition of an error stanza (RFC 6120 8.3.3).
    static func condition(of stanza: XMLElement) -> String {
        let error = stanza.child("error", in: stanza.namespace)
        let condition = error?.children.first { $0.namespace == XMPPNamespace.stanzaErrors && $0.name != "text" }
        return condition?.name ?? "undefined-condition"
    }
}
