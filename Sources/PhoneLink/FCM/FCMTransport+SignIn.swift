import AlarmModel
import PhoneProtocol

extension FCMTransport {
    mutating func beginSignIn(at now: Moment, into actions: inout [TransportAction]) {
        guard !token.isUnderWay else { return }
        let id = newJob()
        let job = token.begin(settings.account, scopes: settings.scopes, job: id, at: now)
        if case .signRS256(_, let message) = job { signingInput = message }
        signingSince = now.boot
        actions.append(.compute(id, job))
    }

    mutating func signed(
        _ job: TransportJobID, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) {
        let signature: [UInt8]
        switch answer {
        case .bytes(let bytes): signature = bytes
        case .failed(let why):
            return signInFailed(AccessTokenProblem.unsigned(why).forPeople, at: now, into: &actions)
        case .scram, .capabilities:
            let problem = AccessTokenProblem.unsigned("the signature is none; this is a fault of this program")
            return signInFailed(problem.forPeople, at: now, into: &actions)
        }
        signingSince = nil
        guard let form = token.signed(job, signature, input: signingInput) else { return }
        signingInput = []
        let id = newRequest()
        signInRequest = id
        let request = HTTPRequest(
            .post, settings.account.tokenURL.target,
            fields: [HTTPField("Content-Type", "application/x-www-form-urlencoded")], body: form)
        drive(at: now, into: &actions) { transport, orders in
            transport.signIn.request(request, id: id, mayRepeat: true, at: now, into: &orders)
        }
    }

    mutating func signInAnswered(_ response: HTTPResponse, at now: Moment, into actions: inout [TransportAction]) {
        guard response.status == 200 else {
            let problem = AccessTokenProblem(
                status: response.status, body: response.body, date: response.date, at: now)
            return signInFailed(
                problem.forPeople, after: response.retryAfter(at: now), at: now, into: &actions)
        }
        signInRequest = nil
        guard token.granted(response.body, at: now.boot) else {
            return signInFailed(AccessTokenProblem.meaningless(200).forPeople, at: now, into: &actions)
        }
        signInTrouble = nil
        signInAttempts.succeeded()
    }

    func signInWords(_ failure: HTTPFailure) -> TransportProblem {
        let place = settings.account.tokenURL.host
        return TransportProblem(
            failure.kind, of: AccessTokenProblem.place, "Google's sign-in (\(place)): \(failure)",
            isPassing: failure.mayPass)
    }

    /// While the token that there is still serves, nobody is told.
    mutating func signInFailed(
        _ problem: TransportProblem, after span: Duration? = nil, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        (signInRequest, signingSince, signingInput) = (nil, nil, [])
        token.failed()
        let longest = signInAttempts.isUrgent ? min(.minutes(1), settings.longestWait) : settings.longestWait
        let least = min(span ?? .zero, longest)
        signInAttempts.fail(isRefusal: problem.isRefusal, atLeast: least, at: now, &signInJitter)
        signInTrouble = problem
        if token.bearer(at: now.boot) != nil { actions.append(.log(LogEntry(.notice, problem.description))) }
    }

    /// What would wait for a new token waits with the core: it may be an hour until the next attempt.
    mutating func giveBackUnsent(into actions: inout [TransportAction]) {
        let waiting = underWay.filter { $0.request == nil }.map(\.message)
        guard !waiting.isEmpty else { return }
        underWay.removeAll { $0.request == nil }
        actions.append(.returned(waiting))
    }
}

extension AccessTokenProblem {
    /// Beside the service itself, which may have the like.
    static let place = "sign-in"

    /// What only a person can change is told at once, everything else when it lasts.
    fileprivate var forPeople: TransportProblem {
        TransportProblem(kind, of: Self.place, description, isRefusal: isRefusal, isPassing: !isRefusal)
    }
}
