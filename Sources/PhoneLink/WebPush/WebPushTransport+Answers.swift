package import AlarmModel

extension WebPushTransport {
    package mutating func answered(
        _ id: HTTPRequestID, _ response: HTTPResponse, on index: Int, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        guard let place = pending.firstIndex(where: { $0.request == id }) else { return }
        let verdict = WebPushVerdict(status: response.status)
        if verdict == .unauthorized, !pending[place].isRepeated {
            // Once, with another token: this one may be of a clock that was wrong.
            lines[index].token = nil
            pending[place].isRepeated = true
            pending[place].request = nil
            return send(index, at: now, into: &actions)
        }
        let message = pending.remove(at: place).message
        if response.isSuccess { return accept(message, on: index, at: now, into: &actions) }
        let host = Self.place(lines[index].client.origin)
        let why = "\(host) answered \(response.status): \(verdict.words)"
        lines[index].problem =
            verdict.isOfService
            ? TransportProblem(
                .answered(response.status), of: host, why, isRefusal: !verdict.passes, isPassing: verdict.passes) : nil
        // No answer makes us wait for days.
        let longest = isUrgent ? Duration.minutes(1) : .hours(1)
        refuse(
            message, verdict.reaction, why, after: response.retryAfter(at: now).map { min($0, longest) },
            needsPerson: verdict == .unauthorized, into: &actions)
    }

    package mutating func failed(
        _ id: HTTPRequestID, _ failure: HTTPFailure, on index: Int, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        guard let place = pending.firstIndex(where: { $0.request == id }) else { return }
        let message = pending.remove(at: place).message
        // It has said that it took it; what is wrong with the rest of the answer means nothing to us.
        if let status = failure.status, (200...299).contains(status) {
            return accept(message, on: index, at: now, into: &actions)
        }
        let host = Self.place(lines[index].client.origin)
        let why = "\(host): \(failure)"
        if case .notARequest = failure.cause { return refuse(message, .giveUp, why, into: &actions) }
        lines[index].problem = TransportProblem(
            failure.kind, of: host, why, isRefusal: !failure.mayPass, isPassing: failure.mayPass)
        refuse(message, .retry(first: .seconds(1), attempts: nil), why, into: &actions)
    }
}

/// What the answer of a push service means (RFC 8030 5, 7.3, 8.4).
enum WebPushVerdict: Equatable, Sendable {
    case gone, tooLong, unauthorized, later, redirect, notWanted, unwell

    init(status: Int) {
        switch status {
        case 300...399: self = .redirect
        case 401, 403: self = .unauthorized
        case 404, 410: self = .gone
        case 413: self = .tooLong
        case 408, 425, 429: self = .later
        case 400...499: self = .notWanted
        default: self = .unwell
        }
    }

    var reaction: PushReaction {
        switch self {
        case .gone: .dropAddress
        case .tooLong: .giveUp
        // The phone's other channels go on.
        case .unauthorized: .hold(.minutes(5))
        case .later, .unwell: .retry(first: .seconds(1), attempts: nil)
        case .redirect, .notWanted: .retry(first: .seconds(5), attempts: 5)
        }
    }

    var words: String {
        switch self {
        case .gone: "the browser has no such subscription any more; open the app on the phone, which subscribes again"
        case .tooLong: "the message is too long for it; this is a fault of this program, please report it"
        case .unauthorized:
            "it does not take this box's signature; check 'contact' in 'web_push' and the box's clock, and pair the "
                + "phone again if the box's keys are new"
        case .later: "it asks to come back later; it is tried again"
        case .redirect: "a redirect, which is not followed; open the app on the phone, which subscribes again"
        case .notWanted: "it does not want the message; open the app on the phone, which subscribes again"
        case .unwell: "it has trouble of its own; it is tried again"
        }
    }

    /// Without anybody's doing something.
    var passes: Bool {
        switch self {
        case .later, .unwell: true
        case .gone, .tooLong, .unauthorized, .redirect, .notWanted: false
        }
    }

    /// It may concern other phones, too.
    var isOfService: Bool {
        switch self {
        case .later, .unwell, .redirect: true
        case .gone, .tooLong, .unauthorized, .notWanted: false
        }
    }
}
