import AlarmModel
import PanelLink

/// The programs on the control socket and the serial console among them: who may ask what now, what they read and trace, and
/// the console's PIN.
///
/// Guarantees: one request at a time for each client; a client that reads none of its answers is sent away; a console that
/// is locked only looks. Knows nothing of what the requests do.
struct Control: Codable, Equatable, Sendable {
    var consoleLock = ConsoleLock()
    /// Whether the machine can be restarted from here.
    var mayReboot = false
    /// Whether a bundle can be installed from here.
    var mayUpdate = false
    /// What the file said before the core was started.
    private var earlyReload: Reload?

    mutating func takeEarlyReload() -> Reload? { earlyReload.take() }

    mutating func start(_ start: Start, _ step: Step) {
        mayReboot = start.mayReboot
        mayUpdate = start.mayUpdate
        consoleLock = ConsoleLock(
            stored: start.snapshot?.console ?? start.console, isReadable: start.isStoreOpen, at: step.now)
    }

    /// A client asks for something.
    ///
    /// - Parameter steersPairing: it answers the pairing that it began, while that goes on
    /// - Returns: whether others are to carry it out; what concerns clients alone is done
    mutating func requested(
        _ request: ControlRequest, by id: ConnectionID, steersPairing: Bool, _ step: inout Step
    ) -> Bool {
        guard let index = listening(id, &step) else { return false }
        guard step.clients[index].role == .idle || steersPairing else {
            step.reply(.error("one request at a time: wait for the answer or open another connection"), to: id)
            return false
        }
        if step.isOffline, !request.worksOffline {
            step.reply(.error("the daemon is not running; start it with \(Hint.run)"), to: id)
            return false
        }
        if let refusal = consoleRefusal(of: request, at: index, steersPairing: steersPairing, &step) {
            step.reply(.error(refusal), to: id)
            return false
        }
        switch request {
        case .console(let request): requested(request, by: id, at: index, &step)
        case .trace: step.clients[index].role = .tracing(dropped: 0)
        case .events(let query, let follow):
            step.clients[index].role = .reading(EventCursor(query, follows: follow))
            continueReading(at: index, &step)
        case .maintenance(nil): step.reply(.maintenance(step.isMaintenance), to: id)
        case .maintenance(.some(let on)): setMaintenance(on, by: id, at: index, &step)
        case .reboot: reboot(by: id, at: index, &step)
        case .update(let bundle, let older): update(bundle, isOlderConfirmed: older, by: id, at: index, &step)
        case .stick(let request): stick(request, by: id, at: index, &step)
        case .status, .panel, .links: return true
        case .people, .phones, .command, .updates, .forgetPictures:
            step.clients[index].role = .waiting
            return true
        }
        return false
    }

    private func setMaintenance(_ on: Bool, by id: ConnectionID, at index: Int, _ step: inout Step) {
        guard on != step.isMaintenance else { return step.reply(.maintenance(on), to: id) }
        step.clients[index].role = .waiting
        // Both changes are told to everybody: the mark covers what lies between them.
        step.isMaintenance = false
        step.note(
            .info, .maintenance,
            on
                ? "Maintenance on: events are recorded and not notified."
                : "Maintenance off: events are notified again.")
        step.isMaintenance = on
        step.wait(.replyMaintenance(id, on))
    }

    private func reboot(by id: ConnectionID, at index: Int, _ step: inout Step) {
        guard mayReboot else {
            let why = "no service manager runs the daemon here; use the machine's own command, 'systemctl reboot'"
            return step.reply(.error(why), to: id)
        }
        step.clients[index].role = .waiting
        step.note(.info, .reboot, "A restart of the machine was asked for at the box.")
        step.wait(.reboot(id))
    }

    private func update(
        _ bundle: String, isOlderConfirmed: Bool, by id: ConnectionID, at index: Int, _ step: inout Step
    ) {
        guard mayUpdate else {
            let why = "this machine has no slots for its software, so that a bundle cannot be installed"
            return step.reply(.error(why), to: id)
        }
        step.clients[index].role = .waiting
        step.note(.info, .update, "An update was asked for at the box.")
        step.wait(.update(id, bundle: bundle, isOlderConfirmed: isOlderConfirmed))
    }

    private func stick(_ request: StickRequest, by id: ConnectionID, at index: Int, _ step: inout Step) {
        guard mayUpdate else {
            let why = "sticks are for the box alone; on this machine use 'howalarming help' and the commands there"
            return step.reply(.error(why), to: id)
        }
        step.clients[index].role = .waiting
        // A look writes nothing that could be waited for.
        guard let words = request.words else { return step.goOn(.stick(id, request), stored: true) }
        step.note(.info, .stick, words)
        step.wait(.stick(id, request))
    }

    func refused(_ error: ControlRequestError, of id: ConnectionID, _ step: inout Step) {
        guard listening(id, &step) != nil else { return }
        step.reply(.error(error.reason), to: id)
    }

    /// The client's place, unless it has left or reads none of its answers; then it is sent away.
    private func listening(_ id: ConnectionID, _ step: inout Step) -> Int? {
        guard let index = step.clients.firstIndex(where: { $0.id == id }) else { return nil }
        guard step.clients[index].unsent >= Client.patience else { return index }
        step.clients.remove(at: index)
        step.effects.append(.close(id))
        return nil
    }

    mutating func take(_ fact: ConnectionFact, on id: ConnectionID, _ step: inout Step) {
        switch fact {
        case .sent(let upTo):
            guard let index = step.clients.firstIndex(where: { $0.id == id }) else { return }
            step.clients[index].left = max(step.clients[index].left, upTo)
            if step.life != .fresh { continueReading(at: index, &step) }
        case .closed: step.clients.removeAll { $0.id == id }
        case .opened, .secured, .received: break
        }
    }

    /// Before the start there is no journal yet, and so no command number either.
    mutating func receivedEarly(_ input: Input, _ step: inout Step) {
        switch input {
        case .accepted(let client): step.clients.append(Client(id: client))
        case .closed(let connection, let end): take(.closed(end), on: connection, &step)
        case .sent(let connection, let upTo): take(.sent(upTo: upTo), on: connection, &step)
        case .request(let client, _):
            let answer = "HowAlarming is still opening its journal; try again in a few seconds"
            refused(ControlRequestError(answer), of: client, &step)
        case .badRequest(let client, let error): refused(error, of: client, &step)
        case .reload(let reload): earlyReload = reload
        case .signal(.terminate):
            step.life = .finished
            step.effects.append(.finish(status: 0))
        case .started, .found, .resolved, .connected, .secured, .received, .timer, .committed, .commitFailed, .rows,
            .vault, .computed, .derived, .located, .links, .modem:
            break
        }
    }

    /// A slow reader loses lines and is told how many.
    func trace(_ line: TraceLine, _ step: inout Step) {
        for index in step.clients.indices {
            guard case .tracing(let dropped) = step.clients[index].role else { continue }
            guard step.clients[index].unsent < Client.traceWindow else {
                step.clients[index].role = .tracing(dropped: dropped + 1)
                continue
            }
            step.clients[index].role = .tracing(dropped: 0)
            step.reply(.trace(line, dropped: dropped), to: step.clients[index].id)
        }
    }
}
