extension XMPPStream {
    // MARK: Beginning (XEP-0198 3 and 5)

    /// Resumes the session that there was, if the server can.
    ///
    /// - Returns: false if another way to a session is needed
    mutating func resume(into actions: inout [XMPPAction]) -> Bool {
        guard offersManagement, let session, let id = session.id else {
            carryOver()
            return false
        }
        phase = .resuming
        sendNonza("resume", [XMLAttribute("h", String(session.handled)), XMLAttribute("previd", id)], &actions)
        return true
    }

    mutating func resumeAnswered(_ answer: XMLElement, into actions: inout [XMPPAction]) {
        guard answer.namespace == XMPPNamespace.management, answer.name == "resumed" || answer.name == "failed" else {
            return fail(.unexpected(answer.name), into: &actions)
        }
        let count = answer["h"].flatMap { UInt32($0) }
        if let count, !acknowledge(count, into: &actions) { return }
        guard answer.name == "resumed" else {
            carryOver()
            return bind(into: &actions)
        }
        guard count != nil else { return fail(.unexpected("resumed without h"), into: &actions) }
        phase = .ready
        isManaged = true
        jid = session?.jid
        let again = session?.unacknowledged.compactMap { $0 } ?? []
        session?.unacknowledged = []
        session?.isAsked = false
        actions.append(.resumed)
        for stanza in again { send(stanza, into: &actions) }
    }

    /// What was sent in vain in a session that is lost goes out in the next one.
    private mutating func carryOver() {
        carried = session?.messages ?? carried
        session = nil
    }

    mutating func enable(into actions: inout [XMPPAction]) {
        phase = .enabling
        session = XMPPSession(jid: jid)
        sendNonza("enable", [XMLAttribute("resume", "true")], &actions)
    }

    mutating func enableAnswered(_ answer: XMLElement, into actions: inout [XMPPAction]) {
        guard answer.namespace == XMPPNamespace.management else { return receivedStanza(answer, into: &actions) }
        switch answer.name {
        case "enabled":
            isManaged = true
            if answer["resume"] == "true" || answer["resume"] == "1" { session?.id = answer["id"] }
            becomeReady(into: &actions)
        case "failed":
            session = nil
            becomeReady(into: &actions)
        default: fail(.unexpected(answer.name), into: &actions)
        }
    }

    // MARK: Counting (XEP-0198 4)

    /// - Returns: whether the element was one of the management's
    mutating func receivedManagement(_ element: XMLElement, into actions: inout [XMPPAction]) -> Bool {
        guard isManaged, let session, element.namespace == XMPPNamespace.management else { return false }
        switch element.name {
        case "r": sendNonza("a", [XMLAttribute("h", String(session.handled))], &actions)
        case "a":
            self.session?.isAsked = false
            guard let count = element["h"].flatMap({ UInt32($0) }) else {
                fail(.unexpected("a without h"), into: &actions)
                return true
            }
            let before = session.acknowledged
            guard acknowledge(count, into: &actions) else { return true }
            // Asked once more for what was sent after the question; not of a server that stands still.
            if count != before, self.session?.unacknowledged.isEmpty == false { askForAcknowledgement(&actions) }
        default: fail(.unexpected(element.name), into: &actions)
        }
        return true
    }

    private mutating func acknowledge(_ count: UInt32, into actions: inout [XMPPAction]) -> Bool {
        guard let done = session?.acknowledge(count) else {
            fail(.unexpected("an acknowledgement of more than was sent"), into: &actions)
            return false
        }
        let ids = done.compactMap { $0.isNamed("message", in: XMPPNamespace.client) ? $0["id"] : nil }
        if !ids.isEmpty { actions.append(.delivered(ids)) }
        return true
    }

    mutating func askForAcknowledgement(_ actions: inout [XMPPAction]) {
        session?.isAsked = true
        sendNonza("r", [], &actions)
    }

    /// A stanza that cannot be read is taken, too: it would come again and again, and end each connection.
    mutating func takeUnreadable(into actions: inout [XMPPAction]) {
        guard isManaged, phase == .ready, let handled = session?.handled else { return }
        session?.handled = handled &+ 1
        sendNonza("a", [XMLAttribute("h", String(handled &+ 1))], &actions)
    }

    private func sendNonza(_ name: String, _ attributes: [XMLAttribute], _ actions: inout [XMPPAction]) {
        let nonza = XMLElement(name, namespace: XMPPNamespace.management, attributes: attributes)
        actions.append(.send(Self.bytes(of: nonza)))
    }
}
