extension XMPPStream {
    mutating func receivedStanza(_ stanza: XMLElement, into actions: inout [XMPPAction]) {
        if isManaged, let handled = session?.handled {
            session?.handled = handled &+ 1
            // The server began with the one that could not be read.
            if isResumed { session?.wasUnreadable = false }
        }
        guard stanza.isNamed("iq", in: XMPPNamespace.client) else {
            actions.append(.stanza(stanza))
            return
        }
        switch stanza["type"] {
        case "result": _ = answered(stanza, isResult: true, into: &actions)
        case "error": _ = answered(stanza, isResult: false, into: &actions)
        case "get", "set": answer(stanza, into: &actions)
        default: actions.append(.stanza(stanza))
        }
    }

    /// Asks for the account's roster; what the server answers comes as a stanza.
    mutating func askForRoster(into actions: inout [XMPPAction]) {
        guard phase == .ready else { return }
        let query = XMLElement("query", namespace: XMPPNamespace.roster)
        let attributes = [XMLAttribute("id", "roster"), XMLAttribute("type", "get")]
        let question = XMLElement("iq", namespace: XMPPNamespace.client, attributes: attributes, children: [query])
        send(question, into: &actions)
    }

    /// A ping is answered, anything else is a service that we do not have (RFC 6120 8.2.3, docs/push.md A.13).
    private mutating func answer(_ question: XMLElement, into actions: inout [XMPPAction]) {
        // Without an id nobody could match the answer, and what is longer than any real one is not worth an echo.
        guard let id = question["id"], id.utf8.count <= Self.idLimit,
            question["from"].map({ $0.utf8.count <= Self.addressLimit }) ?? true
        else { return }
        let isPing = question["type"] == "get" && question.child("ping", in: XMPPNamespace.ping) != nil
        var attributes = [XMLAttribute("id", id), XMLAttribute("type", isPing ? "result" : "error")]
        if let from = question["from"] { attributes.insert(XMLAttribute("to", from), at: 0) }
        var answer = XMLElement("iq", namespace: XMPPNamespace.client, attributes: attributes)
        if !isPing {
            let condition = XMLElement("service-unavailable", namespace: XMPPNamespace.stanzaErrors)
            answer.children = [
                XMLElement(
                    "error", namespace: XMPPNamespace.client, attributes: [XMLAttribute("type", "cancel")],
                    children: [condition])
            ]
        }
        send(answer, isKept: false, into: &actions)
    }

    /// Bytes of an id that is answered, and of an address (RFC 7622 3.1: three parts of 1023).
    private static let idLimit = 1024
    private static let addressLimit = 3071
}
