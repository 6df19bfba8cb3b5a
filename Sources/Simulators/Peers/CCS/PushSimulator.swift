package import AlarmModel
package import PhoneProtocol

/// Google's push service with its XMPP side (CCS) and its phones, as a machine: what happens to it goes in, what it
/// does on the wire and on the phones comes out.
///
/// The mount (a fake network or real TLS sockets) tells of connections and bytes, carries out the actions, and calls
/// `timerFired` no earlier than `nextDeadline`. Calls must come with times that do not go back. The same seed and the
/// same calls give the same actions. Behaviour: docs/push.md A.18.
package struct PushSimulator: Sendable {
    package enum Listening: String, Hashable, Sendable, CaseIterable {
        case accept
        /// Nothing listens: RST in answer to SYN.
        case refuse
    }

    /// What the service shows in the TLS handshakes that follow; the mount's business.
    package enum Certificate: String, Codable, Hashable, Sendable, CaseIterable {
        case valid, expired
        case wrongHost = "wrong-host"
        case selfSigned = "self-signed"
    }

    package enum Action: Equatable, Sendable {
        /// One segment.
        case send(ConnectionID, [UInt8])
        /// close_notify and FIN after what was sent.
        case close(ConnectionID)
        /// RST
        case reset(ConnectionID)
        case stopReading(ConnectionID)
        case resumeReading(ConnectionID)
        case listen(Listening)
        case certificate(Certificate)

        /// A phone gets a message.
        case deliver(token: String, PushDelivery)
        /// A phone is told that messages for it were dropped.
        case deletedMessages(token: String)
        /// A phone is told that its message did not leave; `code` as its SDK says it.
        case sendFailed(token: String, messageID: String, code: Int)
        /// The phone's channel for sending stands.
        case channelUp(token: String)
        /// The phone has another token from now on.
        case tokenChanged(old: String, new: String)

        /// Only when `PushSettings.isTraced`.
        case wire(PushWireLine)
        /// What a client has sent for a phone, or to acknowledge; only when `PushSettings.isTraced`.
        case heard(ConnectionID, JSON)
    }

    package var settings: PushSettings
    package internal(set) var faults = PushFaults()

    var generator: Jitter
    var now = BootTime.zero
    /// Sorted by due time, then by order of arrival.
    var schedule: [PushScheduledJob] = []
    var scheduledCount: UInt64 = 0
    /// Actions of the call that runs; empty between calls.
    var outgoing: [Action] = []
    /// Sorted by id.
    package var connections: [PushConnection] = []
    /// Waits for a connection, in order.
    var inbound: [PushInbound] = []
    /// The connection that got the last inbound message.
    var lastCarrier: ConnectionID?
    /// Sorted by token.
    var phones: [PushPhone] = []
    var aliases: [PushAlias] = []
    /// Tokens that were given up.
    var revoked: [String] = []
    var heldInbound = PushShuffle<PushInbound>()
    var heldDeliveries = PushShuffle<PushArrival>()
    package var tally = PushTally()
    var pingCount = 0

    package init(settings: PushSettings, seed: UInt64) {
        precondition(settings.window > 0 && settings.inboundWindow > 0, "the windows of a push service are not zero")
        self.settings = settings
        generator = Jitter(seed: seed)
    }

    // MARK: - What happens to it

    /// A client connected, its TLS handshake done.
    package mutating func accepted(_ client: ConnectionID, at time: BootTime, into actions: inout [Action]) {
        step(at: time, into: &actions) { $0.welcome(client) }
    }

    package mutating func received(
        _ client: ConnectionID, _ bytes: [UInt8], at time: BootTime, into actions: inout [Action]
    ) {
        step(at: time, into: &actions) { $0.take(bytes, from: client) }
    }

    /// The client's end of the connection is gone, however.
    package mutating func closed(_ client: ConnectionID, at time: BootTime, into actions: inout [Action]) {
        step(at: time, into: &actions) { $0.lose(client) }
    }

    package mutating func perform(_ stimulus: Stimulus, at time: BootTime, into actions: inout [Action]) {
        step(at: time, into: &actions) { $0.act(stimulus) }
    }

    package mutating func timerFired(at time: BootTime, into actions: inout [Action]) {
        step(at: time, into: &actions) { _ in }
    }

    package var nextDeadline: BootTime? { schedule.first?.due }

    // MARK: - Phones

    /// An app got a token. It is offline until told otherwise; a token that is known keeps what is stored for it.
    package mutating func phoneRegistered(
        _ token: String, _ client: PushClient, at time: BootTime, into actions: inout [Action]
    ) {
        step(at: time, into: &actions) { $0.register(token, client) }
    }

    package mutating func phonePresence(
        _ token: String, _ presence: PushPresence, at time: BootTime, into actions: inout [Action]
    ) {
        step(at: time, into: &actions) { $0.setPresence(of: token, presence) }
    }

    /// An app sends upstream. `ttl` in whole seconds; zero: now or never.
    package mutating func phoneSends(
        _ token: String, messageID: String, data: JSON, ttl: Int64, at time: BootTime, into actions: inout [Action]
    ) {
        step(at: time, into: &actions) { $0.sendInbound(token, messageID: messageID, data: data, ttl: ttl) }
    }

    /// A message that came to the service by another door, in the form of this one's.
    package mutating func handOver(_ json: JSON, at time: BootTime, into actions: inout [Action]) {
        step(at: time, into: &actions) { simulator in
            guard let id = json["message_id"]?.stringValue,
                let message = try? PushMessage(messageID: id, checking: json)
            else { return }
            simulator.dispatch(message)
        }
    }

    /// The app was removed from the phone.
    package mutating func phoneUnregistered(_ token: String, at time: BootTime, into actions: inout [Action]) {
        step(at: time, into: &actions) { $0.unregister(token) }
    }

    // MARK: - Time

    private mutating func step(
        at time: BootTime, into actions: inout [Action], _ body: (inout PushSimulator) -> Void
    ) {
        while let first = schedule.first, first.due <= time {
            schedule.removeFirst()
            now = max(now, first.due)
            run(first.job)
        }
        now = max(now, time)
        body(&self)
        actions += outgoing
        outgoing = []
    }

    private mutating func run(_ job: PushJob) {
        switch job {
        case .answer(let id, let answer): sendAnswer(answer, on: id)
        case .drip(let id): drip(id)
        case .space(let id): sendSpace(on: id)
        case .drainEnds(let id): end(id, gracefully: true)
        case .channelUp(let token): channelUp(of: token)
        case .release: releaseHeld()
        }
    }

    mutating func after(_ span: Duration, _ job: PushJob) {
        let due = now + span
        scheduledCount += 1
        let place = schedule.firstIndex { $0.due > due } ?? schedule.endIndex
        schedule.insert(PushScheduledJob(due: due, order: scheduledCount, job: job), at: place)
    }

    mutating func cancel(_ job: PushJob) { schedule.removeAll { $0.job == job } }

    // MARK: - Places

    func index(of id: ConnectionID) -> Int? { connections.firstIndex { $0.id == id } }

    func phoneIndex(of token: String) -> Int? { phones.firstIndex { $0.token == token } }
}
