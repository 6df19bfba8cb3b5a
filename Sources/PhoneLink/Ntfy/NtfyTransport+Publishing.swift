package import AlarmModel

extension NtfyTransport {
    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard delivery.isAlarm ? room.alarm > 0 : room.other > 0 else { return false }
        let free = clients.indices.filter { clients[$0].pendingCount == 0 }
        guard let index = free.first(where: { clients[$0].connection != nil }) ?? free.first else {
            return false
        }
        switch NtfyPublication.request(for: delivery, settings) {
        case .failure(let failure):
            actions.append(
                .refused(
                    delivery.message, Refusal(.giveUp, why: PeerText.printable(failure.why, limit: 400))))
        case .success(let request):
            let id = takeRequestID()
            underWay.append(UnderWay(request: id, message: delivery.message))
            publish(index, at: now, into: &actions) {
                // Twice does no harm: the app takes a second copy for the first.
                $0.request(request, id: id, mayRepeat: true, at: now, into: &$1)
            }
        }
        return true
    }

    /// Lets a client do something, and deals with what it says.
    mutating func publish(
        _ index: Int, at now: Moment, into actions: inout [TransportAction],
        _ body: (inout HTTPClient, inout [HTTPAction]) -> Void
    ) {
        var orders: [HTTPAction] = []
        body(&clients[index], &orders)
        for order in orders {
            switch order {
            case .transport(let action): actions.append(action)
            case .answered(let id, let response): answered(id, response, at: now, into: &actions)
            case .failed(let id, let failure): failed(id, failure, at: now, into: &actions)
            }
        }
        tellProblem(into: &actions)
    }

    private mutating func take(_ id: HTTPRequestID) -> UnderWay? {
        guard let index = underWay.firstIndex(where: { $0.request == id }) else { return nil }
        return underWay.remove(at: index)
    }

    private mutating func answered(
        _ id: HTTPRequestID, _ response: HTTPResponse, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        if isLook(id) {
            if let trouble = NtfyAnswer.trouble(ofLook: response, settings: settings) {
                // The server is there. What it says of this page decides nothing about a message that waits.
                if attempts.isUrgent { return becomeReady(despite: trouble, at: now, into: &actions) }
                goDown(trouble, asked: response.retryAfter(at: now), at: now, into: &actions)
            } else {
                becomeReady(at: now, into: &actions)
            }
            return
        }
        guard let sent = take(id) else { return }
        switch NtfyAnswer(response, settings: settings, at: now) {
        case .accepted(let name):
            lastAccepted = now.wall
            attempts.succeeded()
            actions.append(.log(LogEntry(.debug, "a topic took a message", [LogEntry.Field("id", name)])))
            actions.append(.accepted(sent.message, canonical: nil))
            isOfMessage = false
            becomeReady(at: now, into: &actions)
        case .refused(let refusal, let problem):
            actions.append(.refused(sent.message, refusal))
            guard let problem else { return }
            publishProblem = problem
            isOfMessage = !problem.isPassing
        case .down(let problem):
            actions.append(.returned([sent.message]))
            goDown(problem, isOfMessage: true, asked: response.retryAfter(at: now), at: now, into: &actions)
        }
    }

    private mutating func failed(
        _ id: HTTPRequestID, _ failure: HTTPFailure, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        let isLook = isLook(id)
        if !isLook {
            guard let sent = take(id) else { return }
            if case .notARequest(let error) = failure.cause {
                actions.append(.refused(sent.message, Refusal(.giveUp, why: error.description)))
                return
            }
            actions.append(.returned([sent.message]))
        }
        guard attempts.isRunning else { return }
        goDown(Self.problem(failure, settings), isOfMessage: !isLook, at: now, into: &actions)
    }

    static func problem(_ failure: HTTPFailure, _ settings: NtfySettings) -> TransportProblem {
        var isRefusal = false
        if case .notARequest = failure.cause { isRefusal = true }
        return TransportProblem(failure.kind, "\(settings.place): \(failure); we try again", isRefusal: isRefusal)
    }

    // MARK: Whether messages can be taken

    /// Asks the server for a sign of life; messages are taken when it has answered.
    mutating func look(at now: Moment, into actions: inout [TransportAction]) {
        guard let index = clients.indices.first(where: { clients[$0].pendingCount == 0 }) else {
            // All are waiting for answers, which tell as much.
            return attempts.wait(.seconds(1), isRefusal: false, at: now)
        }
        let id = takeRequestID()
        look = id
        attempts.dial(at: now)
        let request = HTTPRequest(
            .get, "\(settings.pathPrefix)/v1/health", fields: settings.authorization.map { [$0] } ?? [])
        publish(index, at: now, into: &actions) {
            $0.request(request, id: id, deadline: nil, at: now, into: &$1)
        }
    }

    mutating func becomeReady(at now: Moment, into actions: inout [TransportAction]) {
        if !isOfMessage { publishProblem = nil }
        guard attempts.isRunning, !attempts.isReady else { return }
        attempts.becameReady(since: now.boot)
        actions.append(.ready)
    }

    /// Accepts messages, whose own answer decides, and keeps the problem until one is taken.
    private mutating func becomeReady(
        despite problem: TransportProblem, at now: Moment, into actions: inout [TransportAction]
    ) {
        publishProblem = problem
        isOfMessage = true
        becomeReady(at: now, into: &actions)
    }

    mutating func goDown(
        _ problem: TransportProblem, isOfMessage: Bool = false, asked: Duration? = nil, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        publishProblem = problem
        self.isOfMessage = isOfMessage && !problem.isPassing
        guard attempts.isRunning, !attempts.isWaiting else { return }
        leaveReady(into: &actions)
        let least = attempts.isUrgent ? .zero : min(asked ?? .zero, settings.backoff.maximum)
        attempts.fail(isRefusal: problem.isRefusal, atLeast: least, at: now, &jitter)
    }

    private func isLook(_ id: HTTPRequestID) -> Bool { attempts.isDialing && look == id }

    func leaveReady(into actions: inout [TransportAction]) {
        if attempts.isReady { actions.append(.notReady) }
    }

    private mutating func takeRequestID() -> HTTPRequestID {
        defer { nextRequest += 1 }
        return HTTPRequestID(nextRequest)
    }
}
