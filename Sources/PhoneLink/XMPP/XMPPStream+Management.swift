extension XMPPStream {
    // MARK: Beginning (XEP-0198 3 and 5)

    /// Resumes the session that there was, if the server can.
    ///
    /// - Returns: false if another way to a session is needed
    mutating func resume(into actions: inout [XMPPAction]) -> Bool {
        guard offersManagement, let session, let id = session.id else {
            carryOver(into: &actions)
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
        if let count {
            guard let taken = acknowledge(count, into: &actions) else { return }
            session?.taken += taken
        }
        guard answer.name == "resumed" else {
            carryOver(into: &actions)
            return bind(into: &actions)
        }
        guard count != nil else { return fail(.unexpected("resumed without h"), into: &actions) }
        phase = .ready
        isManaged = true
        isResumed = true
        jid = session?.jid
        hasDropped = session?.unacknowledged.contains(nil) ?? false
        let again = session?.takeKept() ?? []
        session?.isAsked = false
        actions.append(.resumed)
        for stanza in again { send(stanza, into: &actions) }
        if again.isEmpty, session?.taken.isEmpty == false { askForAcknowledgement(&actions) }
    }

    /// What was sent in vain in a session that is lost goes out in the next one.
    private mutating func carryOver(into actions: inout [XMPPAction]) {
        guard let lost = session else { return }
        report(lost.taken, into: &actions)
        carried = lost.messages
        wasUnreadable = lost.wasUnreadable
        session = nil
    }

    mutating func enable(into actions: inout [XMPPAction]) {
        phase = .enabling
        session = XMPPSession(jid: jid)
        session?.wasUnreadable = wasUnreadable
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
            acknowledgements &+= 1
            guard let count = element["h"].flatMap({ UInt32($0) }) else {
                fail(.unexpected("a without h"), into: &actions)
                return true
            }
            let before = session.acknowledged
            guard let taken = acknowledge(count, into: &actions) else { return true }
            // What the server had to say of those came before this.
            report(session.taken + taken, into: &actions)
            self.session?.taken = []
            // Asked once more for what was sent after the question; not of a server that stands still.
            if count != before, self.session?.unacknowledged.isEmpty == false { askForAcknowledgement(&actions) }
        default: fail(.unexpected(element.name), into: &actions)
        }
        return true
    }

    /// - Returns: the messages among the stanzas that the server took; nil if it cannot be, and the stream is over
    private mutating func acknowledge(_ count: UInt32, into actions: inout [XMPPAction]) -> [String]? {
        guard let done = session?.acknowledge(count) else {
            fail(.unexpected("an acknowledgement of more than was sent"), into: &actions)
            return nil
        }
        return done.compactMap { $0.isNamed("message", in: XMPPNamespace.client) ? $0["id"] : nil }
    }

    private func report(_ taken: [String], into actions: inout [XMPPAction]) {
        if !taken.isEmpty { actions.append(.delivered(taken)) }
    }

    mutating func askForAcknowledgement(_ actions: inout [XMPPAction]) {
        session?.isAsked = true
        sendNonza("r", [], &actions)
    }

    /// What cannot be read may stand in the place of a stanza, which is asked for once more. When that cannot be read
    /// either it is taken: it would come again and again, and end each connection.
    mutating func takeUnreadable(into actions: inout [XMPPAction]) {
        guard isManaged, phase == .ready, let session else { return }
        guard session.wasUnreadable || !session.isResumable else {
            self.session?.wasUnreadable = true
            return
        }
        self.session?.wasUnreadable = false
        self.session?.handled = session.handled &+ 1
        sendNonza("a", [XMLAttribute("h", String(session.handled &+ 1))], &actions)
    }

    private func sendNonza(_ name: String, _ attributes: [XMLAttribute], _ actions: inout [XMPPAction]) {
        let nonza = XMLElement(name, namespace: XMPPNamespace.management, attributes: attributes)
        actions.append(.send(Self.bytes(of: nonza)))
    }
}
