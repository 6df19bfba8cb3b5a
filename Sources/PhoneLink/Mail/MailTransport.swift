package import AlarmModel

/// Mail as a channel to people: one message after the other to the configured server, over a connection that stands
/// while there is something to send. The login is tried at the start and every few hours, so that a wrong password is
/// known before an alarm.
package struct MailTransport: Transport {
    struct Connection: Codable, Equatable, Sendable {
        let id: ConnectionID
        var session: SMTPSession
        /// Time of the connection, then of the last command, or since the connection has nothing to do.
        var since: BootTime
        var sending: MessageID?
    }
    struct Waiting: Codable, Equatable, Sendable {
        var message: MailMessage
        var isAlarm: Bool
    }

    package let settings: MailSettings
    var jitter: Jitter
    var attempts: Reconnector
    /// The last login worked, and nothing was wrong since.
    var isGood = false
    var connection: Connection?
    /// Taken and not answered, as they came.
    var queue: [Waiting] = []
    /// Answers to messages that took too long, since the last one in time.
    var lateVerdicts = 0
    /// A connection whose greeting, or an answer before the first message, is overdue. Another one is made beside it, and
    /// the first that speaks is used: a server may greet late, and one that was out of reach never greets by the old one.
    var overdue: Connection?
    var nextCheck = BootTime.zero
    var told = ToldProblem()
    /// It came with a message and ends when the server deals with one, not with a login.
    var isOfMessage = false
    var lastAccepted: WallTime?

    package init(settings: MailSettings, seed: UInt64) {
        self.settings = settings
        jitter = Jitter(seed: seed)
        attempts = Reconnector(pace: settings.pace, dialPatience: settings.dialPatience)
    }

    package var room: TransportRoom {
        guard isGood else { return .none }
        return TransportRoom(
            alarm: max(0, settings.window - queue.count),
            other: max(0, settings.window - settings.reservedForAlarms - queue.count))
    }

    package var health: TransportHealth {
        TransportHealth(
            phase: isGood ? .ready : attempts.shown, problem: told.current, underWay: queue.count,
            lastAccepted: lastAccepted)
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !attempts.isRunning else { return }
        attempts.rest()
        if let misconfiguration { return told.tell(misconfiguration, into: &actions) }
        if settings.security == .plain, !isLocal {
            actions.append(
                .log(
                    LogEntry(
                        .warning, "mail leaves this box unencrypted: everybody on the way can read and change it",
                        [LogEntry.Field("host", settings.host)])))
        }
        connect(at: now, into: &actions)
    }

    private var isLocal: Bool { ["localhost", "127.0.0.1", "::1"].contains(settings.host) }

    /// What no attempt can cure.
    private var misconfiguration: TransportProblem? {
        if settings.security == .plain, settings.user != nil || settings.password != nil {
            return TransportProblem(
                .noEncryption,
                "the mail password is never sent unencrypted; set the mail server's security to 'starttls' or 'tls', or "
                    + "remove user and password", isRefusal: true)
        }
        if !MailAddress.isValid(settings.from) {
            return TransportProblem(
                .misconfigured,
                "the configured sender '\(PeerText.printable(settings.from))' is no mail address; correct it",
                isRefusal: true)
        }
        return nil
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isRunning else { return }
        if attempts.isDialing { actions.append(.cancelConnect(DialSlot(0))) }
        hangUp(into: &actions)
        closeOverdue(into: &actions)
        unready(into: &actions)
        isOfMessage = false
        told.tell(nil, into: &actions)
        attempts.stop()
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard (delivery.isAlarm ? room.alarm : room.other) > 0 else { return false }
        precondition(
            !queue.contains { $0.message.id == delivery.message }, "a message is sent again only after it has ended")
        guard case .words(let notice) = delivery.content else {
            actions.append(
                .refused(delivery.message, Refusal(.giveUp, why: "a mail carries messages in words only")))
            return true
        }
        guard MailAddress.isValid(delivery.address.value) else {
            let shown = PeerText.printable(delivery.address.value)
            actions.append(
                .refused(delivery.message, Refusal(.dropAddress, why: "'\(shown)' is no mail address; correct it")))
            return true
        }
        let message = MailMessage(
            from: settings.from, to: delivery.address.value, id: delivery.message, notice: notice,
            isAlarm: delivery.isAlarm)
        queue.append(Waiting(message: message, isAlarm: delivery.isAlarm))
        work(at: now, into: &actions)
        return true
    }

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.connected(at: now) else { return actions.append(.close(connection)) }
        self.connection = Connection(
            id: connection, session: SMTPSession(settings: settings), since: now.boot, sending: nil)
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.isDialing else { return }
        giveUp(MailProblem.connect(failure), at: now, into: &actions)
    }

    package mutating func secured(
        _ connection: ConnectionID, at now: Moment, into actions: inout [TransportAction]
    ) {
        overdueSpoke(connection, at: now, into: &actions)
        drive(connection, at: now, into: &actions) { $0.secured(into: &$1) }
    }

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        overdueSpoke(connection, at: now, into: &actions)
        guard self.connection?.id == connection else { return }
        self.connection?.session.append(bytes)
        var hasMore = true
        while hasMore, self.connection?.id == connection {
            drive(connection, at: now, into: &actions) { hasMore = $0.takeNext(into: &$1) }
        }
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        if overdue?.id == connection { overdue = nil }
        guard let current = self.connection, current.id == connection else { return }
        self.connection = nil
        // Servers end connections that have nothing to do, and we would make a new one anyway.
        if current.session.isIdle, queue.isEmpty { return attempts.rest() }
        giveUp(MailProblem.lost(end), at: now, into: &actions)
    }
}
