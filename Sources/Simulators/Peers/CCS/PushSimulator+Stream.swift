import AlarmModel
import PhoneLink
import PhoneProtocol

/// From the first byte to the session (docs/push.md A.3).
extension PushSimulator {
    mutating func welcome(_ id: ConnectionID) {
        guard index(of: id) == nil else { return }
        tally.connections += 1
        guard !faults.refuseConnect else { return outgoing.append(.reset(id)) }
        let place = connections.firstIndex { $0.id > id } ?? connections.endIndex
        var connection = PushConnection(id: id)
        if faults.halfOpen {
            connection.silence = .halfOpen
            outgoing.append(.stopReading(id))
        } else if faults.whitespaceOnly {
            connection.silence = .whitespace
            after(.seconds(10), .space(id))
        }
        connections.insert(connection, at: place)
    }

    mutating func take(_ bytes: [UInt8], from id: ConnectionID) {
        guard let index = index(of: id), connections[index].stage != .over, connections[index].silence == .off else {
            return
        }
        connections[index].reader.append(bytes)
        readOn(id)
    }

    /// Reads what is there, until the connection ends or has to wait.
    mutating func readOn(_ id: ConnectionID) {
        while let index = index(of: id), connections[index].stage != .over, connections[index].stalled == nil {
            guard let event = connections[index].reader.next() else { return }
            trace(event, id)
            take(event, on: id)
        }
    }

    private mutating func take(_ event: XMLReader.Event, on id: ConnectionID) {
        guard let index = index(of: id) else { return }
        switch event {
        case .opened(let element): takeHeader(element, on: id)
        case .closed: end(id, gracefully: true)
        case .failed(let error): failStream(id, Self.condition(error.reason))
        case .element(let element):
            switch connections[index].stage {
            case .header, .secondHeader, .over: failStream(id, "invalid-xml")
            case .login: logIn(element, on: id)
            case .bind, .session, .ready: takeStanza(element, on: id)
            }
        }
    }

    /// RFC 6120 4.9.3
    private static func condition(_ reason: XMLError.Reason) -> String {
        switch reason {
        case .comment, .documentType, .instruction: "restricted-xml"
        case .tooDeep, .tooLong, .tooManyElements, .tooManyAttributes, .nameTooLong: "policy-violation"
        case .notUTF8, .badCharacter, .badEntity, .badName, .badTag, .badMarkup, .badDeclaration, .wrongEndTag,
            .duplicateAttribute, .unknownPrefix, .badNamespace, .sectionEnd, .textOutside, .afterEnd:
            "not-well-formed"
        }
    }

    private mutating func takeHeader(_ element: XMLElement, on id: ConnectionID) {
        guard let index = index(of: id) else { return }
        // Where it wants to go is not looked at: real services took nonsense.
        guard element.name == "stream", element.namespace == XMPPNamespace.streams else {
            return failStream(id, "invalid-namespace")
        }
        sendHeader(on: id)
        switch connections[index].stage {
        case .header:
            connections[index].stage = .login
            put(
                "<stream:features><mechanisms xmlns=\"\(XMPPNamespace.sasl)\"><mechanism>X-OAUTH2</mechanism>"
                    + "<mechanism>X-GOOGLE-TOKEN</mechanism><mechanism>PLAIN</mechanism></mechanisms>"
                    + "</stream:features>", on: id)
        case .secondHeader:
            connections[index].stage = .bind
            put(
                "<stream:features><bind xmlns=\"\(XMPPNamespace.bind)\"/><session xmlns=\"\(XMPPNamespace.session)\"/>"
                    + "</stream:features>", on: id)
        case .login, .bind, .session, .ready, .over: failStream(id, "invalid-xml")
        }
    }

    mutating func sendHeader(on id: ConnectionID) {
        let number = generator.next()
        put(
            "<stream:stream from=\"\(PushText.domain)\" id=\"\(PushText.hexadecimal(number))\" version=\"1.0\" "
                + "xmlns:stream=\"\(XMPPNamespace.streams)\" xmlns=\"\(XMPPNamespace.client)\">", on: id)
    }

    // MARK: - Login

    private mutating func logIn(_ element: XMLElement, on id: ConnectionID) {
        guard element.name == "auth", element.namespace == XMPPNamespace.sasl else {
            return failStream(id, "not-authorized")
        }
        guard element["mechanism"] == "PLAIN" else { return refuseLogin("invalid-mechanism", on: id) }
        guard let bytes = Base64.decode(element.text) else {
            return refuseLogin("incorrect-encoding", on: id)
        }
        let isRefused = PushFaults.use(&faults.authFail)
        guard !isRefused, isRight(bytes), let index = index(of: id) else {
            return refuseLogin("not-authorized", on: id)
        }
        tally.logins += 1
        connections[index].stage = .secondHeader
        connections[index].reader.restart()
        put("<success xmlns=\"\(XMPPNamespace.sasl)\"/>", on: id)
    }

    /// NUL, sender `@` domain, NUL, key (RFC 4616).
    private func isRight(_ bytes: [UInt8]) -> Bool {
        let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty else { return false }
        let user = String(decoding: parts[1], as: UTF8.self).split(separator: "@", omittingEmptySubsequences: false)
        guard user.count == 2, user[0] == settings.sender else { return false }
        return [PushText.domain, "fcm.googleapis.com"].contains(String(user[1]))
            && Array(parts[2]) == Array(settings.key.revealed.utf8)
    }

    private mutating func refuseLogin(_ condition: String, on id: ConnectionID) {
        tally.refusedLogins += 1
        put("<failure xmlns=\"\(XMPPNamespace.sasl)\"><\(condition)/></failure>", on: id)
        end(id, gracefully: true)
    }

    // MARK: - Stanzas

    private mutating func takeStanza(_ element: XMLElement, on id: ConnectionID) {
        guard element.namespace == XMPPNamespace.client, let index = index(of: id) else {
            return failStream(id, "unsupported-stanza-type")
        }
        switch element.name {
        case "iq": takeQuery(element, on: id)
        case "message":
            guard connections[index].stage != .bind else { return failStream(id, "not-authorized") }
            becomeReady(id)
            takeMessage(element, on: id)
        case "presence": break
        default: failStream(id, "unsupported-stanza-type")
        }
    }

    private mutating func takeQuery(_ element: XMLElement, on id: ConnectionID) {
        guard let index = index(of: id) else { return }
        let type = element["type"]
        // Results and errors answer our ping: a sign of life, nothing more.
        guard type == "get" || type == "set" else { return }
        let mark = PushText.attribute("id", element["id"])
        if type == "set", let bind = element.child("bind", in: XMPPNamespace.bind) {
            guard connections[index].stage == .bind else { return refuse(element, "cancel", "not-allowed", on: id) }
            let wanted = bind.child("resource", in: XMPPNamespace.bind)?.text ?? ""
            let given = wanted.isEmpty ? PushText.hexadecimal(generator.next()) : wanted
            connections[index].resource = given
            connections[index].stage = .session
            put(
                "<iq\(mark) type=\"result\"><bind xmlns=\"\(XMPPNamespace.bind)\"><jid>\(XMLElement.escaped(address(of: id)))"
                    + "</jid></bind></iq>", on: id)
        } else if connections[index].stage == .bind {
            failStream(id, "not-authorized")
        } else if type == "set", element.child("session", in: XMPPNamespace.session) != nil {
            if faults.isEager { becomeReady(id) }
            put("<iq\(mark) type=\"result\"/>", on: id)
            becomeReady(id)
        } else if type == "get", element.child("ping", in: XMPPNamespace.ping) != nil {
            tally.pings += 1
            let to = PushText.attribute("to", address(of: id))
            put("<iq\(to) from=\"\(PushText.domain)\"\(mark) type=\"result\"/>", on: id)
        } else if !element.children.contains(where: { $0.namespace == XMPPNamespace.roster }) {
            // Real services leave a roster query without an answer.
            refuse(element, "cancel", "service-unavailable", on: id)
        }
    }

    private mutating func refuse(_ query: XMLElement, _ type: String, _ condition: String, on id: ConnectionID) {
        let to = PushText.attribute("to", address(of: id))
        put(
            "<iq\(to) from=\"\(PushText.domain)\"\(PushText.attribute("id", query["id"])) type=\"error\">"
                + "<error type=\"\(type)\"><\(condition) xmlns=\"\(XMPPNamespace.stanzaErrors)\"/></error></iq>", on: id
        )
    }

    mutating func ping(_ id: ConnectionID) {
        guard let index = index(of: id), connections[index].isLoggedIn else { return }
        pingCount += 1
        put(
            "<iq\(PushText.attribute("to", address(of: id))) from=\"\(PushText.domain)\" id=\"ping\(pingCount)\" "
                + "type=\"get\"><ping xmlns=\"\(XMPPNamespace.ping)\"/></iq>", on: id)
    }

    /// The client's full address; empty before it has one.
    func address(of id: ConnectionID) -> String {
        guard let index = index(of: id), !connections[index].resource.isEmpty else { return "" }
        return "\(settings.sender)@\(PushText.domain)/\(connections[index].resource)"
    }

    private mutating func becomeReady(_ id: ConnectionID) {
        guard let index = index(of: id), connections[index].stage == .session else { return }
        connections[index].stage = .ready
        flushInbound()
    }
}
