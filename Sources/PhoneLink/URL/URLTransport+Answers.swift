package import AlarmModel
package import PhoneProtocol

extension URLTransport {
    package mutating func computed(
        _ job: TransportJobID, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = signing.firstIndex(where: { $0.job == job }) else { return }
        let signed = signing.remove(at: index)
        guard case .bytes(let signature) = answer, signature.count == 32 else {
            refuse(
                signed.message, .retry(first: .seconds(1), attempts: nil), "this box could not sign the request",
                into: &actions)
            return
        }
        var request = signed.request
        request.fields.append(HTTPField("X-HowAlarming-Signature", "sha256=" + Hex.encode(signature)))
        send(request, for: signed.message, on: signed.line, isUrgent: signed.isUrgent, at: now, into: &actions)
    }

    mutating func send(
        _ request: HTTPRequest, for message: MessageID, on index: Int, isUrgent: Bool, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        let id = HTTPRequestID(nextRequest)
        nextRequest += 1
        lines[index].underWay.append(UnderWay(request: id, message: message))
        // The key makes a second copy harmless, and the first may be lost.
        drive(index, at: now, into: &actions) {
            $0.request(request, id: id, isUrgent: isUrgent, mayRepeat: true, at: now, into: &$1)
        }
    }

    private mutating func take(_ id: HTTPRequestID, on index: Int) -> MessageID? {
        guard let place = lines[index].underWay.firstIndex(where: { $0.request == id }) else { return nil }
        return lines[index].underWay.remove(at: place).message
    }

    package mutating func answered(
        _ id: HTTPRequestID, _ response: HTTPResponse, on index: Int, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        guard let message = take(id, on: index) else { return }
        if response.isSuccess { return accept(message, on: index, at: now, into: &actions) }
        let verdict = Verdict(status: response.status)
        let why = "\(lines[index].target.place) answered \(response.status): \(verdict.words)"
        lines[index].problem = TransportProblem(
            .answered(response.status), of: lines[index].target.place, why, isRefusal: !verdict.passes,
            isPassing: verdict.passes)
        refuse(message, verdict.reaction, why, after: response.retryAfter(at: now), into: &actions)
    }

    package mutating func failed(
        _ id: HTTPRequestID, _ failure: HTTPFailure, on index: Int, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        guard let message = take(id, on: index) else { return }
        // It has said that it took it; what is wrong with the rest of the answer means nothing to us.
        if let status = failure.status, (200...299).contains(status) {
            return accept(message, on: index, at: now, into: &actions)
        }
        let why = "\(lines[index].target.place): \(failure)"
        let isRefusal: Bool
        switch failure.cause {
        case .connect(.tls), .connect(.dial(.unreachable(.tls))), .malformed(.notHTTP): isRefusal = true
        case .notARequest:
            refuse(message, .giveUp, why, into: &actions)
            return
        case .connect, .connectStalled, .unanswered, .closed, .malformed, .noRoom, .stopped: isRefusal = false
        }
        lines[index].problem = TransportProblem(
            failure.kind, of: lines[index].target.place, why, isRefusal: isRefusal, isPassing: !isRefusal)
        refuse(message, .retry(first: .seconds(1), attempts: nil), why, into: &actions)
    }
}

/// What a status other than success means.
private struct Verdict {
    var reaction: PushReaction
    var words: String
    /// Without anybody's doing something.
    var passes: Bool

    private static let again = PushReaction.retry(first: .seconds(1), attempts: nil)
    /// Perhaps the program there is just being renewed.
    private static let aFewTimes = PushReaction.retry(first: .seconds(5), attempts: 5)

    init(status: Int) {
        switch status {
        case 300...399:
            self.init(
                Self.aFewTimes,
                "a redirect, which is not followed; put the address that it leads to in the configuration")
        case 401, 403, 407:
            self.init(Self.aFewTimes, "access denied; check the address, its key and the secret in the configuration")
        case 404, 405:
            self.init(Self.aFewTimes, "nothing there takes such requests; check the address and the method")
        case 408, 425, 429: self.init(Self.again, "it asks to come back later; it is tried again", passes: true)
        case 410: self.init(.giveUp, "the address is gone for good; take it out of the configuration")
        case 413: self.init(.giveUp, "the event is too long for it; check its limits")
        case 400...499: self.init(Self.aFewTimes, "it does not want the request; check what it expects")
        default: self.init(Self.again, "it has trouble of its own; it is tried again", passes: true)
        }
    }

    private init(_ reaction: PushReaction, _ words: String, passes: Bool = false) {
        self.reaction = reaction
        self.words = words
        self.passes = passes
    }
}
