import AlarmModel
package import PhoneProtocol

extension PushSimulator {
    /// What the world does to the service, its connections and its phones. What is done to connections is done to all
    /// that are open.
    package enum Stimulus: Codable, Equatable, Sendable {
        /// Announces CONNECTION_DRAINING and ends the connections after a while.
        case drain(Duration?)
        /// The same without an announcement: new messages are refused with CONNECTION_DRAINING.
        case drainNack(Duration?)
        case closeGraceful
        /// RST
        case closeAbrupt
        /// The connections that are open stay so, dead.
        case halfOpen
        /// Newcomers too, or no longer.
        case halfOpenNewcomers(Bool)
        case whitespaceOnly(Bool)
        /// A space, as real services send to keep a connection alive.
        case space
        case slowDrip(Bool)
        case split(Bool)
        case nack(PushFaults.Nack)
        /// Answers to messages take so long from now on.
        case delayAcks(Duration)
        /// The phone has a new token; the old one leads to it.
        case canonicalID(old: String, new: String)
        /// A stream error with this condition (RFC 6120 4.9.3), and the end.
        case streamError(String)
        case authFail(Int)
        case refuseConnect(Bool)
        /// Bytes that are no XML.
        case garbage
        case certificate(Certificate)
        /// The service asks whether the client lives (XEP-0199).
        case ping

        case duplicateInbound(Int)
        case duplicateDownstream(Int)
        /// So many are kept, two seconds at most, and let go in reverse order.
        case reorderInbound(Int)
        case reorderDownstream(Int)

        case window(Int)
        case overWindow(PushSettings.OverWindow)
        case inboundWindow(Int)
        case form(PushSettings.Form)

        case register(String, PushClient)
        case unregister(String)
        case presence(String, PushPresence)
        /// False: the app's channel breaks, and does not come up until told so.
        case channel(String, up: Bool)
        /// An app sends upstream; seconds.
        case inbound(String, messageID: String, ttl: Int64, data: JSON)
        /// A device confirms a message that did not ask for it.
        case receipt(of: String, token: String)
        /// What waits for a client comes before the answer to its last question.
        case eager(Bool)

        /// Every switch back to its default; what is silent stays so.
        case faultsOff
    }

    mutating func act(_ stimulus: Stimulus) {
        switch stimulus {
        case .drain(let span): drain(span, announced: true)
        case .drainNack(let span): drain(span, announced: false)
        case .closeGraceful: for id in connections.map(\.id) { end(id, gracefully: true) }
        case .closeAbrupt: for id in connections.map(\.id) { end(id, gracefully: false) }
        case .halfOpen: for id in connections.map(\.id) { silence(id, .halfOpen) }
        case .halfOpenNewcomers(let isOn): faults.halfOpen = isOn
        case .whitespaceOnly(let isOn):
            faults.whitespaceOnly = isOn
            for id in connections.map(\.id) where isOn { silence(id, .whitespace) }
        case .space: for id in connections.map(\.id) { put(" ", on: id) }
        case .slowDrip(let isOn):
            faults.slowDrip = isOn
            if !isOn { for id in connections.map(\.id) { flushDrip(of: id) } }
        case .split(let isOn): faults.split = isOn
        case .nack(let nack): faults.nack = nack
        case .delayAcks(let span): faults.answerDelay = span
        case .canonicalID(let old, let new): changeToken(old, to: new)
        case .streamError(let condition):
            for id in connections.map(\.id) { failStream(id, condition, isOurs: false) }
        case .authFail(let count): faults.authFail = count
        case .refuseConnect(let isOn): refuseConnect(isOn)
        case .garbage: for id in connections.map(\.id) { put("<message><<&garbage;</mess>]]>", on: id) }
        case .certificate(let certificate): outgoing.append(.certificate(certificate))
        case .ping: for id in connections.map(\.id) { ping(id) }
        case .duplicateInbound(let count): faults.duplicateInbound = count
        case .duplicateDownstream(let count): faults.duplicateDownstream = count
        case .reorderInbound(let count): heldInbound.wanted = count
        case .reorderDownstream(let count): heldDeliveries.wanted = count
        case .window(let size): settings.window = max(1, size)
        case .overWindow(let policy): settings.overWindow = policy
        case .inboundWindow(let size):
            settings.inboundWindow = max(1, size)
            flushInbound()
        case .form(let form): settings.form = form
        case .register(let token, let client): register(token, client)
        case .unregister(let token): unregister(token)
        case .presence(let token, let presence): setPresence(of: token, presence)
        case .channel(let token, let up): setChannel(of: token, up: up)
        case .inbound(let token, let messageID, let ttl, let data):
            sendInbound(token, messageID: messageID, data: data, ttl: ttl)
        case .receipt(let message, let token): confirm(message, at: token, "")
        case .eager(let isOn): faults.isEager = isOn
        case .faultsOff:
            faults = PushFaults()
            outgoing += [.listen(.accept), .certificate(.valid)]
            for id in connections.map(\.id) { flushDrip(of: id) }
            releaseHeld()
        }
    }

    private mutating func refuseConnect(_ isOn: Bool) {
        faults.refuseConnect = isOn
        outgoing.append(.listen(isOn ? .refuse : .accept))
    }

    private mutating func drain(_ span: Duration?, announced: Bool) {
        for id in connections.map(\.id) {
            guard let index = index(of: id), connections[index].isLoggedIn else { continue }
            connections[index].isDraining = true
            connections[index].refusesAsDraining = connections[index].refusesAsDraining || !announced
            if announced {
                send(
                    .object(["message_type": .string("control"), "control_type": .string("CONNECTION_DRAINING")]),
                    on: id)
            }
            cancel(.drainEnds(id))
            after(span ?? settings.drainSpan, .drainEnds(id))
        }
    }

    private mutating func silence(_ id: ConnectionID, _ how: PushConnection.Silence) {
        guard let index = index(of: id), connections[index].silence != how else { return }
        connections[index].silence = how
        cancel(.space(id))
        switch how {
        case .off: break
        case .halfOpen: outgoing.append(.stopReading(id))
        case .whitespace: after(.seconds(10), .space(id))
        }
    }

    mutating func sendSpace(on id: ConnectionID) {
        guard let index = index(of: id), connections[index].silence == .whitespace else { return }
        outgoing.append(.send(id, [32]))
        after(.seconds(10), .space(id))
    }
}
