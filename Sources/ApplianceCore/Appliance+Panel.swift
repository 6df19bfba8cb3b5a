import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// The panel session and the connection below it.
extension Appliance {
    /// Lets the session act and carries out what it orders.
    mutating func drivePanel(
        at now: Moment, into effects: inout [Effect], _ act: (inout Session, inout [PanelAction]) -> Void
    ) {
        var actions: [PanelAction] = []
        session.isTraced = clients.contains { $0.isTracing }
        act(&session, &actions)
        for action in actions { perform(action, at: now, into: &effects) }
    }

    private mutating func perform(_ action: PanelAction, at now: Moment, into effects: inout [Effect]) {
        switch action {
        case .connect:
            var actions: [Dialer.Action] = []
            dialer.dial(
                name: configuration.panelHost, port: configuration.panelPort, link: .any, remembered: addresses,
                at: now, into: &actions)
            perform(actions, at: now, into: &effects)
        case .close:
            closePanelConnection(into: &effects)
            var actions: [Dialer.Action] = []
            dialer.cancel(at: now, into: &actions)
            perform(actions, at: now, into: &effects)
        case .send(let bytes):
            guard let connection = panelConnection else { return }
            effects.append(.send(connection, bytes))
        case .event(let event): record(event)
        case .outcome(let id, let outcome): commandEnded(id, outcome, at: now)
        case .trace(let line): trace(line, into: &effects)
        case .log(let entry): effects.append(.log(entry))
        }
    }

    mutating func perform(_ actions: [Dialer.Action], at now: Moment, into effects: inout [Effect]) {
        for action in actions {
            switch action {
            case .resolve(let id, let name, let link): effects.append(.resolve(id, name: name, link))
            case .open(let connection, let endpoint, let link): effects.append(.open(connection, endpoint, link))
            case .close(let connection): effects.append(.close(connection))
            case .connected(let connection):
                panelConnection = connection
                isPanelPaused = false
                drivePanel(at: now, into: &effects) { $0.connected(at: now, into: &$1) }
            case .failed(let failure):
                drivePanel(at: now, into: &effects) { $0.connectFailed(failure, at: now, into: &$1) }
            case .remember(let address): remember(address)
            }
        }
    }

    mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into effects: inout [Effect]
    ) {
        if connection == panelConnection {
            panelConnection = nil
            drivePanel(at: now, into: &effects) { $0.closed(end, at: now, into: &$1) }
        } else if connection >= Self.firstClient {
            clients.removeAll { $0.id == connection }
        } else if Self.isProbe(connection) {
            driveLinks(at: now, into: &effects) { $0.openFailed(connection, end, at: now, into: &$1) }
        } else if Self.isPhones(connection) {
            phoneClosed(connection, end, at: now, into: &effects)
        } else {
            var actions: [Dialer.Action] = []
            dialer.openFailed(connection, end, at: now, into: &actions)
            perform(actions, at: now, into: &effects)
        }
    }

    mutating func closePanelConnection(into effects: inout [Effect]) {
        guard let connection = panelConnection else { return }
        panelConnection = nil
        effects.append(.close(connection))
    }

    /// Keeps the newest good address of each name.
    mutating func remember(_ address: RememberedAddress) {
        addresses.removeAll { $0.name == address.name }
        addresses.append(address)
        if addresses.count > 16 { addresses.removeFirst() }
    }

    /// Writes down how a command ended; the client hears of it when that is durable.
    mutating func commandEnded(_ id: CommandID, _ outcome: Outcome, at now: Moment) {
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
        rememberActor(of: entry, outcome, at: now)
        let event = event(of: entry, .response, "\(words)\(reason)", at: now)
        var row = LedgerRow(
            command: id, summary: entry.summary, origin: "local", time: entry.acceptedAt, outcome: outcome)
        switch entry.origin {
        case .client(let client):
            record(event)
            step.continuations.append(.replyOutcome(client, outcome))
        case .phone(let phone, let counter, let digest):
            row.origin = "phone \(phone)"
            phoneCommandEnded(phone, counter, digest, PhoneResult(outcome), event, at: now)
        case .legacy(let token):
            row.origin = "legacy \(token.prefix(8))"
            announce(event)
            step.continuations.append(.tellLegacy(token: token))
        case .contact(let address):
            row.origin = "contact \(address.number)"
            announce(event)
            step.continuations.append(.tellContact(address, event.message))
        case .house(let way):
            row.origin = "house \(way.rawValue)"
            announce(event)
        }
        step.ledger.append(row)
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
