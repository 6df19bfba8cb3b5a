extension XMPPStream {
    mutating func opened(_ element: XMLElement, into actions: inout [XMPPAction]) {
        guard element.isNamed("stream", in: XMPPNamespace.streams) else {
            return fail(.unexpected(element.name), into: &actions)
        }
        switch phase {
        case .opening: phase = .featuresBeforeLogin
        case .reopening: phase = .featuresAfterLogin
        case .idle, .featuresBeforeLogin, .login, .featuresAfterLogin, .bind, .session, .ready, .over:
            fail(.unexpected(element.name), into: &actions)
        }
    }

    mutating func received(_ element: XMLElement, into actions: inout [XMPPAction]) {
        if element.isNamed("error", in: XMPPNamespace.streams) {
            return fail(Self.streamError(element), into: &actions)
        }
        switch phase {
        case .featuresBeforeLogin: login(element, into: &actions)
        case .login: loginAnswered(element, into: &actions)
        case .featuresAfterLogin: bind(element, into: &actions)
        case .bind, .session, .ready: receivedStanza(element, into: &actions)
        // The reader gives no element before the header.
        case .idle, .opening, .reopening, .over: fail(.unexpected(element.name), into: &actions)
        }
    }

    private mutating func login(_ features: XMLElement, into actions: inout [XMPPAction]) {
        guard features.isNamed("features", in: XMPPNamespace.streams) else {
            return fail(.unexpected(features.name), into: &actions)
        }
        let mechanisms = features.child("mechanisms", in: XMPPNamespace.sasl)?.children.map(\.text) ?? []
        guard mechanisms.contains("PLAIN") else {
            return fail(.noPlain(Array(mechanisms.prefix(20))), into: &actions)
        }
        let auth = XMLElement(
            "auth", namespace: XMPPNamespace.sasl, attributes: [XMLAttribute("mechanism", "PLAIN")],
            text: plainResponse)
        actions.append(.send(Array(auth.text(inside: XMPPNamespace.client).utf8)))
        phase = .login
    }

    private mutating func loginAnswered(_ answer: XMLElement, into actions: inout [XMPPAction]) {
        if answer.isNamed("success", in: XMPPNamespace.sasl) {
            actions.append(.authenticated)
            reader.restart()
            phase = .reopening
            actions.append(.send(header))
        } else if answer.isNamed("failure", in: XMPPNamespace.sasl) {
            let condition = answer.children.first { $0.name != "text" }?.name ?? "not-authorized"
            let text = answer.child("text", in: XMPPNamespace.sasl)?.text ?? ""
            fail(.loginRefused(condition: condition, text: text), into: &actions)
        } else {
            fail(.unexpected(answer.name), into: &actions)
        }
    }

    private mutating func bind(_ features: XMLElement, into actions: inout [XMPPAction]) {
        guard features.isNamed("features", in: XMPPNamespace.streams),
            features.child("bind", in: XMPPNamespace.bind) != nil
        else { return fail(.unexpected(features.name), into: &actions) }
        if let session = features.child("session", in: XMPPNamespace.session) {
            wantsSession = session.child("optional", in: XMPPNamespace.session) == nil
        }
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
                becomeReady(into: &actions)
            }
            return true
        case (.session, "s1"):
            guard isResult else {
                fail(.bindRefused(condition: Self.condition(of: iq)), into: &actions)
                return true
            }
            becomeReady(into: &actions)
            return true
        default:
            return false
        }
    }

    private mutating func becomeReady(into actions: inout [XMPPAction]) {
        phase = .ready
        actions.append(.ready(jid: jid))
    }

    private func ask(_ id: String, _ question: XMLElement, into actions: inout [XMPPAction]) {
        let attributes = [XMLAttribute("id", id), XMLAttribute("type", "set")]
        send(XMLElement("iq", namespace: XMPPNamespace.client, attributes: attributes, children: [question]), &actions)
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
