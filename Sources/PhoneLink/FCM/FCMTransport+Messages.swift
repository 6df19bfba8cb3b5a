import AlarmModel
import PhoneProtocol

extension FCMTransport {
    mutating func send(_ index: Int, _ bearer: Secret, at now: Moment, into actions: inout [TransportAction]) {
        let id = newRequest()
        underWay[index].request = id
        let entry = underWay[index]
        let project = HTTPRequest.escaped(settings.account.projectID)
        let request = HTTPRequest(
            .post, "/v1/projects/\(project)/messages:send",
            fields: [
                HTTPField("Authorization", secret: Secret("Bearer \(bearer.revealed)")),
                HTTPField("Content-Type", "application/json; charset=UTF-8"),
            ], body: entry.body)
        // Twice is harmless: apps know a message by log and number.
        drive(at: now, into: &actions) { transport, orders in
            transport.messages.request(
                request, id: id, isUrgent: entry.isAlarm, mayRepeat: true, at: now, into: &orders)
        }
    }

    /// Those whose token was not taken, with a new one.
    mutating func resend(_ bearer: Secret, at now: Moment, into actions: inout [TransportAction]) {
        while let index = underWay.firstIndex(where: { $0.request == nil }) {
            send(index, bearer, at: now, into: &actions)
        }
    }

    mutating func answered(
        _ id: HTTPRequestID, _ response: HTTPResponse, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = underWay.firstIndex(where: { $0.request == id }) else { return }
        let found = FCMError(
            status: response.status, body: response.body, retryAfter: response.retryAfter(at: now))
        guard let error = found else {
            let entry = underWay.remove(at: index)
            messageProblem = nil
            messageAttempts.succeeded()
            lastAccepted = now.wall
            actions.append(.accepted(entry.message, canonical: nil))
            return
        }
        if error == .unauthorized {
            refusedToken(index, error, at: now, into: &actions)
        } else if case .quota(isOfDevice: false, let wait) = error {
            let longest = messageAttempts.isUrgent ? min(.minutes(1), settings.longestWait) : settings.longestWait
            let span = min(max(wait ?? settings.quotaWait, .seconds(1)), longest)
            let problem = TransportProblem(error.kind, error.description, isPassing: true)
            pause(problem, for: span, isRefusal: true, into: &actions, at: now)
        } else {
            let entry = underWay.remove(at: index)
            if error.isOfService { messageProblem = TransportProblem(error.kind, error.description, isRefusal: true) }
            actions.append(
                .refused(
                    entry.message,
                    Refusal(
                        bounded(error.reaction), why: error.description,
                        after: error.wait.map { min($0, settings.longestWait) }, kind: error.kind)))
        }
    }

    /// No answer makes us wait for days.
    private func bounded(_ reaction: PushReaction) -> PushReaction {
        switch reaction {
        case .retry(let first, let attempts): .retry(first: min(first, settings.longestWait), attempts: attempts)
        case .hold(let span): .hold(min(span, settings.longestWait))
        case .giveUp, .dropAddress, .resend, .serviceFault: reaction
        }
    }

    /// Once, a new token is asked for; a new token that is not taken either is a fault that a person must see to.
    private mutating func refusedToken(
        _ index: Int, _ error: FCMError, at now: Moment, into actions: inout [TransportAction]
    ) {
        token.forget()
        if underWay[index].isRepeated {
            let wait = messageAttempts.delay(isRefusal: true, &messageJitter)
            let problem = TransportProblem(error.kind, error.description, isRefusal: true)
            pause(problem, for: wait, isRefusal: true, into: &actions, at: now)
        } else {
            underWay[index].isRepeated = true
            underWay[index].request = nil
        }
    }

    mutating func failed(
        _ id: HTTPRequestID, _ failure: HTTPFailure, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = underWay.firstIndex(where: { $0.request == id }) else { return }
        switch failure.cause {
        case .notARequest:
            let entry = underWay.remove(at: index)
            actions.append(.refused(entry.message, Refusal(.giveUp, why: failure.description)))
        case .connect, .connectStalled, .unanswered, .closed, .malformed, .noRoom, .stopped:
            lost(failure, at: now, into: &actions)
        }
    }

    /// FCM cannot be reached or does not answer: everything comes back, and the next thing is a question.
    mutating func lost(_ failure: HTTPFailure, at now: Moment, into actions: inout [TransportAction]) {
        needsProbe = true
        let wait = messageAttempts.delay(&messageJitter)
        let problem = TransportProblem(failure.kind, "FCM (\(settings.host)): \(failure)", isPassing: failure.mayPass)
        pause(problem, for: wait, isRefusal: false, into: &actions, at: now)
    }

    private mutating func pause(
        _ problem: TransportProblem, for span: Duration, isRefusal: Bool, into actions: inout [TransportAction],
        at now: Moment
    ) {
        messageProblem = problem
        messageAttempts.wait(span, isRefusal: isRefusal, at: now)
        giveBack(into: &actions)
        // Nothing of them is answered any more; the clients' own orders (a close) still are.
        drive(at: now, into: &actions) { transport, orders in transport.messages.stop(at: now, into: &orders) }
    }

    mutating func giveBack(into actions: inout [TransportAction]) {
        guard !underWay.isEmpty else { return }
        actions.append(.returned(underWay.map(\.message)))
        underWay = []
    }

    // MARK: Reachable again?

    mutating func beginProbe(at now: Moment, into actions: inout [TransportAction]) {
        let id = newRequest()
        probe = id
        drive(at: now, into: &actions) { transport, orders in
            transport.messages.request(
                HTTPRequest(.get, "/"), id: id, deadline: transport.settings.setupDeadline, at: now, into: &orders)
        }
    }

    /// Whatever it was: somebody answers.
    mutating func probeAnswered(at now: Moment) {
        probe = nil
        needsProbe = false
        messageProblem = nil
    }
}
