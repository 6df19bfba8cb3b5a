import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// The panel session and the connection below it.
extension Appliance {
    /// Lets the session act and carries out what it orders.
    mutating func drivePanel(
        _ step: inout Step, _ act: (inout Session, Moment, inout [PanelAction]) -> Void
    ) {
        var actions: [PanelAction] = []
        session.isTraced = clients.contains { $0.isTracing }
        act(&session, step.now, &actions)
        for action in actions { perform(action, &step) }
    }

    private mutating func perform(_ action: PanelAction, _ step: inout Step) {
        switch action {
        case .connect:
            var actions: [Dialer.Action] = []
            dialer.dial(
                name: configuration.panelHost, port: configuration.panelPort, link: .any, remembered: addresses,
                at: step.now, into: &actions)
            perform(actions, &step)
        case .close:
            closePanelConnection(&step)
            var actions: [Dialer.Action] = []
            dialer.cancel(at: step.now, into: &actions)
            perform(actions, &step)
        case .send(let bytes):
            guard let connection = panelConnection else { return }
            step.effects.append(.send(connection, bytes))
        case .event(let event): record(event, &step)
        case .outcome(let id, let outcome): commandEnded(id, outcome, &step)
        case .trace(let line): trace(line, &step)
        case .log(let entry): step.effects.append(.log(entry))
        }
    }

    mutating func perform(_ actions: [Dialer.Action], _ step: inout Step) {
        for action in actions {
            switch action {
            case .resolve(let id, let name, let link): step.effects.append(.resolve(id, name: name, link))
            case .open(let connection, let endpoint, let link): step.effects.append(.open(connection, endpoint, link))
            case .close(let connection): step.effects.append(.close(connection))
            case .connected(let connection):
                panelConnection = connection
                isPanelPaused = false
                drivePanel(&step) { $0.connected(at: $1, into: &$2) }
            case .failed(let failure):
                drivePanel(&step) { $0.connectFailed(failure, at: $1, into: &$2) }
            case .remember(let address): remember(address)
            }
        }
    }

    mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, _ step: inout Step
    ) {
        if connection == panelConnection {
            panelConnection = nil
            drivePanel(&step) { $0.closed(end, at: $1, into: &$2) }
        } else if connection >= Self.firstClient {
            clients.removeAll { $0.id == connection }
        } else if Self.isProbe(connection) {
            driveLinks(&step) { $0.openFailed(connection, end, at: $1, into: &$2) }
        } else if Self.isPhones(connection) {
            phoneClosed(connection, end, &step)
        } else {
            var actions: [Dialer.Action] = []
            dialer.openFailed(connection, end, at: step.now, into: &actions)
            perform(actions, &step)
        }
    }

    mutating func closePanelConnection(_ step: inout Step) {
        guard let connection = panelConnection else { return }
        panelConnection = nil
        step.effects.append(.close(connection))
    }

    /// Keeps the newest good address of each name.
    mutating func remember(_ address: RememberedAddress) {
        addresses.removeAll { $0.name == address.name }
        addresses.append(address)
        if addresses.count > 16 { addresses.removeFirst() }
    }

    /// Writes down how a command ended; the client hears of it when that is durable.
    mutating func commandEnded(_ id: CommandID, _ outcome: Outcome, _ step: inout Step) {
        guard let entry = desk.end(id) else { return }
        let reason = outcome.reason.map { ": \(describe($0))" } ?? ""
        let words =
            switch outcome {
            case .done: "done"
            case .refused: "refused"
            case .failed: "failed"
            case .notConfirmed: "not confirmed by the panel; look at its state before you try again"
            case .expired: "expired before the panel took it"
            }
        rememberActor(of: entry, outcome, &step)
        let event = event(of: entry, .response, "\(words)\(reason)", at: step.now)
        var row = LedgerRow(
            command: id, summary: entry.summary, origin: "local", time: entry.acceptedAt, outcome: outcome)
        switch entry.origin {
        case .client(let client):
            record(event, &step)
            step.writes.continuations.append(.replyOutcome(client, outcome))
        case .phone(let phone, let counter, let digest):
            row.origin = "phone \(phone)"
            phoneCommandEnded(phone, counter, digest, PhoneResult(outcome), event, &step)
        case .legacy(let token):
            row.origin = "legacy \(token.prefix(8))"
            announce(event, &step)
            step.writes.continuations.append(.tellLegacy(token: token))
        case .contact(let address):
            row.origin = "contact \(address.number)"
            announce(event, &step)
            step.writes.continuations.append(.tellContact(address, event.message))
        case .house(let way):
            row.origin = "house \(way.rawValue)"
            announce(event, &step)
        }
        step.writes.ledger.append(row)
    }

    /// An event about a command of somebody.
    func event(of entry: CommandDesk.Open, _ type: EventType, _ what: String, at now: Moment) -> Event {
        Event(
            type: type, code: EventCode.command.rawValue, raw: EventCode.command.rawValue,
            message: "\(entry.summary): \(what)", time: now.wall, isTimeTrusted: now.isWallTrusted,
            partition: entry.partition, partitionName: entry.partition.flatMap(configuration.panel.names.partition),
            zone: entry.zone, zoneName: entry.zone.flatMap { configuration.panel.names.zone($0)?.name },
            userName: entry.person?.name, command: entry.id)
    }

    /// The reason with the names of the zones it mentions.
    func describe(_ reason: Reason) -> String {
        guard case .notReady(let zones) = reason, !zones.isEmpty else { return reason.description }
        let named = zones.map { zone in
            configuration.panel.names.zone(zone).map { "\(zone) (\($0.name))" } ?? "\(zone)"
        }
        return "not ready: open zones \(named.joined(separator: ", ")); close or bypass them, or use --force"
    }
}
