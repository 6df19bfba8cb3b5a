package import AlarmModel
import PhoneProtocol

/// The house's own programs as a channel: for each event a connection to the runner, one line with the event, one line
/// with how the program ended. The daemon starts nothing itself.
package struct ProgramTransport: Transport {
    enum Place: Codable, Equatable, Sendable {
        case free
        /// nil: only to see whether the runner is there.
        case dialing(Delivery?, since: BootTime)
        case talking(Delivery, ConnectionID, since: BootTime, input: [UInt8])
    }

    package let settings: ProgramSettings
    var jitter: Jitter
    /// Ready: the runner was there the last time.
    var attempts: Reconnector
    var places: [Place]
    /// Taken and not begun, as they came.
    var queue: [Delivery] = []
    var told = ToldProblem()
    var lastAccepted: WallTime?
    static let answerLimit = 4096

    package init(settings: ProgramSettings, seed: UInt64) {
        self.settings = settings
        jitter = Jitter(seed: seed)
        attempts = Reconnector(pace: settings.pace)
        places = Array(repeating: .free, count: max(1, settings.parallel))
    }

    private var underWay: Int {
        queue.count
            + places.count {
                switch $0 {
                case .free, .dialing(nil, _): false
                case .dialing(.some, _), .talking: true
                }
            }
    }

    package var room: TransportRoom {
        guard attempts.isReady else { return .none }
        return TransportRoom(
            alarm: max(0, settings.window - underWay),
            other: max(0, settings.window - settings.reservedForAlarms - underWay))
    }

    package var health: TransportHealth {
        TransportHealth(
            phase: attempts.shown, problem: told.current, underWay: underWay, lastAccepted: lastAccepted)
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !attempts.isRunning else { return }
        probe(at: now, into: &actions)
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isRunning else { return }
        giveBack(into: &actions)
        told.tell(nil, into: &actions)
        attempts.stop()
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard (delivery.isAlarm ? room.alarm : room.other) > 0 else { return false }
        guard case .event = delivery.content else {
            actions.append(.refused(delivery.message, Refusal(.giveUp, why: "a program is given events only")))
            return true
        }
        guard ProgramAnswer.isProgramName(delivery.address.value) else {
            let name = PeerText.printable(delivery.address.value)
            actions.append(
                .refused(
                    delivery.message,
                    Refusal(.dropAddress, why: "'\(name)' is no name of a program; give the name of a file, no path")))
            return true
        }
        if delivery.isAlarm {
            queue.insert(delivery, at: queue.firstIndex { !$0.isAlarm } ?? queue.count)
        } else {
            queue.append(delivery)
        }
        work(at: now, into: &actions)
        return true
    }

    private mutating func work(at now: Moment, into actions: inout [TransportAction]) {
        while attempts.isReady, !queue.isEmpty, let index = places.firstIndex(of: .free) {
            dial(index, queue.removeFirst(), at: now, into: &actions)
        }
    }

    /// Looks whether the runner is there.
    private mutating func probe(at now: Moment, into actions: inout [TransportAction]) {
        attempts.dial(at: now)
        dial(0, nil, at: now, into: &actions)
    }

    private mutating func dial(
        _ index: Int, _ delivery: Delivery?, at now: Moment, into actions: inout [TransportAction]
    ) {
        places[index] = .dialing(delivery, since: now.boot)
        var target = DialTarget(host: settings.socket, port: 0, security: .plain)
        target.isLocalSocket = true
        actions.append(.connect(DialSlot(index), target))
    }

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard places.indices.contains(slot.number), case .dialing(let delivery, _) = places[slot.number] else {
            actions.append(.close(connection))
            return
        }
        if let delivery {
            places[slot.number] = .talking(delivery, connection, since: now.boot, input: [])
            actions.append(.send(connection, request(delivery)))
        } else {
            places[slot.number] = .free
            actions.append(.close(connection))
        }
        attempts.succeeded()
        told.tell(nil, into: &actions)
        if !attempts.isReady {
            attempts.becameReady(since: now.boot)
            actions.append(.ready)
        }
        work(at: now, into: &actions)
    }

    private func request(_ delivery: Delivery) -> [UInt8] {
        guard case .event(let event, _) = delivery.content else { return [] }
        let limit = min(max(settings.timeLimit.milliseconds / 1000, 1), 300)
        return JSON.object([
            "program": .string(delivery.address.value), "message": .string(delivery.message.text),
            "limit": .integer(limit), "event": event,
        ]).utf8 + [0x0A]
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard places.indices.contains(slot.number), case .dialing(let delivery, _) = places[slot.number] else { return }
        places[slot.number] = .free
        // At the head again, so that it is given back with the others.
        if let delivery { queue.insert(delivery, at: 0) }
        let why =
            switch failure {
            case .dial(.unreachable(let end)): end.description
            case .dial(.unresolved(let why)): why.description
            case .tls(let why): why.description
            }
        giveUp(why, at: now, into: &actions)
    }

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = place(of: connection),
            case .talking(let delivery, _, let since, var input) = places[index]
        else { return }
        input += bytes
        guard let end = input.firstIndex(of: 0x0A) else {
            if input.count > Self.answerLimit {
                return finish(index, nil, at: now, into: &actions)
            }
            places[index] = .talking(delivery, connection, since: since, input: input)
            return
        }
        let json = try? JSON(parsing: Array(input[..<end]), limits: JSON.Limits(depth: 4, bytes: Self.answerLimit))
        finish(index, json.flatMap { ProgramAnswer($0) }, at: now, into: &actions)
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = place(of: connection) else { return }
        finish(index, nil, isClosed: true, at: now, into: &actions)
    }

    private func place(of connection: ConnectionID) -> Int? {
        places.firstIndex { if case .talking(_, connection, _, _) = $0 { true } else { false } }
    }

    /// - Parameter answer: nil: there was none, or it made no sense
    private mutating func finish(
        _ index: Int, _ answer: ProgramAnswer?, isClosed: Bool = false, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        guard case .talking(let delivery, let connection, _, _) = places[index] else { return }
        places[index] = .free
        if !isClosed { actions.append(.close(connection)) }
        let name = "the program '\(delivery.address.value)'"
        let again = PushReaction.retry(first: .seconds(30), attempts: 3)
        let refusal: Refusal? =
            switch answer {
            case .exited(0): nil
            case .exited(let status): Refusal(again, why: "\(name) ended with status \(status); look at its own log")
            case .killed(let signal): Refusal(again, why: "\(name) was ended by signal \(signal)")
            case .overtime: Refusal(again, why: "\(name) took too long and was killed; let it hand long work on")
            case .refused(let why): Refusal(.giveUp, why: "\(name) was not run: \(why)")
            case .busy:
                Refusal(
                    .retry(first: .seconds(5), attempts: nil),
                    why: "too many programs run already, or the program's file is being written")
            case nil:
                // Nothing is known against the program, and the runner may have been started anew.
                Refusal(
                    .retry(first: .seconds(5), attempts: 5),
                    why: "the runner of programs gave no answer about \(name); look at its log")
            }
        if let refusal {
            actions.append(.refused(delivery.message, refusal))
        } else {
            lastAccepted = now.wall
            actions.append(.accepted(delivery.message, canonical: nil))
        }
        work(at: now, into: &actions)
    }

    private mutating func giveUp(_ why: String, at now: Moment, into actions: inout [TransportAction]) {
        giveBack(into: &actions)
        told.tell(
            TransportProblem(
                .unreachable,
                "the runner of programs does not answer at \(PeerText.printable(settings.socket)) (\(why)); start it: "
                    + "systemctl enable --now howalarming-hook.socket"), into: &actions)
        attempts.fail(at: now, &jitter)
    }

    /// Everything under way, what runs already included: whether it ran to its end is not known.
    private mutating func giveBack(into actions: inout [TransportAction]) {
        var ids: [MessageID] = []
        for index in places.indices {
            switch places[index] {
            case .free: break
            case .dialing(let delivery, _):
                actions.append(.cancelConnect(DialSlot(index)))
                if let delivery { ids.append(delivery.message) }
            case .talking(let delivery, let connection, _, _):
                actions.append(.close(connection))
                ids.append(delivery.message)
            }
            places[index] = .free
        }
        if attempts.isReady { actions.append(.notReady) }
        attempts.rest()
        ids += queue.map(\.message)
        queue = []
        if !ids.isEmpty { actions.append(.returned(ids)) }
    }

    // MARK: Time

    private func deadline(of place: Place) -> BootTime? {
        switch place {
        case .free: nil
        case .dialing(_, let since): since + settings.patience
        case .talking(_, _, let since, _): since + settings.timeLimit + settings.patience
        }
    }

    package var nextDeadline: BootTime? {
        (places.map { deadline(of: $0) } + [attempts.nextDeadline]).compactMap { $0 }.min()
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        if attempts.due(at: now) == .attempt { probe(at: now, into: &actions) }
        for index in places.indices {
            guard let time = deadline(of: places[index]), time <= now.boot else { continue }
            switch places[index] {
            case .free: break
            case .dialing: return giveUp("no answer", at: now, into: &actions)
            case .talking: finish(index, nil, at: now, into: &actions)
            }
        }
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) { attempts.setUrgent(isUrgent, at: now) }

    /// No network is needed to reach it.
    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {}
}
