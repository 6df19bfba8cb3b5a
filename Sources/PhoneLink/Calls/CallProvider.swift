package import AlarmModel

/// Has a provider of telephone calls call people, by the HTTP interface that the owner describes, and asks it again and
/// again which key was pressed.
///
/// Guarantees: each call is asked for once; only a key that the provider names for this very call counts; a provider that
/// is away, slow or talks nonsense costs a call its answer and nothing else; what it says is shown to nobody. Redirects are
/// not followed. Knows nothing of alarms.
package struct CallProvider: Codable, Equatable, Sendable {
    /// One that is not over.
    private struct Call: Codable, Equatable, Sendable {
        var id: CallID
        /// As the provider names it; nil: it was not asked for with success yet.
        var name: String?
        var request: HTTPRequestID?
        var nextAsk: BootTime?
        var until: BootTime?
    }

    package let settings: CallSettings
    private var client: HTTPClient
    private var calls: [Call] = []
    private var nextRequest: UInt64 = 1

    /// Between two questions for the key.
    package static let askPause = Duration.seconds(5)
    /// From the provider's yes until nobody presses a key any more.
    package static let keyPatience = Duration.seconds(150)
    /// Letters and digits of a provider's name for a call.
    private static let longestName = 200

    package init(settings: CallSettings) {
        self.settings = settings
        client = HTTPClient(origin: settings.origin, slot: DialSlot(0), settings: settings.client)
    }

    package var nextDeadline: BootTime? {
        (calls.flatMap { [$0.nextAsk, $0.until] } + [client.nextDeadline]).compactMap { $0 }.min()
    }

    /// Asks for a call.
    ///
    /// - Parameter words: what is spoken in this language, without signs that mean something in JSON, XML or a form
    package mutating func call(
        _ id: CallID, _ number: String, _ words: String, in language: NoticeLanguage, at now: Moment,
        into actions: inout [CallAction]
    ) {
        let (start, request) = (settings.start(number, words, in: language), newRequest())
        calls.append(Call(id: id, request: request))
        drive(at: now, into: &actions) {
            // A second request would be a second call.
            $0.request(start, id: request, isUrgent: true, mayRepeat: false, at: now, into: &$1)
        }
    }

    /// Ends everything; nobody is asked any more which key was pressed in calls that were taken.
    package mutating func stop(at now: Moment, into actions: inout [CallAction]) {
        drive(at: now, into: &actions) { $0.stop(at: now, into: &$1) }
        for call in calls { actions.append(.ended(call.id, .unanswered)) }
        calls = []
    }

    package mutating func timerFired(at now: Moment, into actions: inout [CallAction]) {
        drive(at: now, into: &actions) { $0.timerFired(at: now, into: &$1) }
        for call in calls where call.until.map({ $0 <= now.boot }) ?? false {
            calls.removeAll { $0.id == call.id }
            if let request = call.request {
                drive(at: now, into: &actions) { $0.cancel(request, at: now, into: &$1) }
            }
            actions.append(.ended(call.id, .unanswered))
        }
        guard let status = settings.status else { return }
        for index in calls.indices {
            guard let name = calls[index].name, let due = calls[index].nextAsk, due <= now.boot else { continue }
            let (question, request) = (settings.ask(name, by: status), newRequest())
            (calls[index].request, calls[index].nextAsk) = (request, nil)
            drive(at: now, into: &actions) { $0.request(question, id: request, at: now, into: &$1) }
        }
    }

    private mutating func newRequest() -> HTTPRequestID {
        defer { nextRequest += 1 }
        return HTTPRequestID(nextRequest)
    }

    // MARK: The connection

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [CallAction]
    ) {
        drive(at: now, into: &actions) { $0.connected(connection, slot: slot, at: now, into: &$1) }
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [CallAction]
    ) {
        drive(at: now, into: &actions) { $0.connectFailed(failure, slot: slot, at: now, into: &$1) }
    }

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [CallAction]
    ) {
        drive(at: now, into: &actions) { $0.received(connection, bytes, at: now, into: &$1) }
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [CallAction]
    ) {
        drive(at: now, into: &actions) { $0.closed(connection, end, at: now, into: &$1) }
    }

    package mutating func networkChanged(at now: Moment, into actions: inout [CallAction]) {
        drive(at: now, into: &actions) { $0.networkChanged(at: now, into: &$1) }
    }

    private mutating func drive(
        at now: Moment, into actions: inout [CallAction], _ act: (inout HTTPClient, inout [HTTPAction]) -> Void
    ) {
        var said: [HTTPAction] = []
        act(&client, &said)
        for action in said {
            switch action {
            case .transport(let order): actions.append(.transport(order))
            case .answered(let id, let response): answered(id, response, at: now, into: &actions)
            case .failed(let id, let failure): failed(id, failure, at: now, into: &actions)
            }
        }
    }

    // MARK: Answers

    private mutating func answered(
        _ id: HTTPRequestID, _ response: HTTPResponse, at now: Moment, into actions: inout [CallAction]
    ) {
        guard let index = calls.firstIndex(where: { $0.request == id }) else { return }
        calls[index].request = nil
        guard let name = calls[index].name else { return begun(index, response, at: now, into: &actions) }
        let answer = response.isSuccess ? CallAnswer(response.body) : nil
        if let status = settings.status, let answer, answer.value(at: status.keyPath, of: name) != nil {
            return end(index, .pressed, into: &actions)
        }
        calls[index].nextAsk = now.boot + Self.askPause
    }

    /// The provider has answered the request for a call.
    private mutating func begun(
        _ index: Int, _ response: HTTPResponse, at now: Moment, into actions: inout [CallAction]
    ) {
        guard response.isSuccess else {
            return end(index, .refused("\(settings.place): \(Self.words(response.status))"), into: &actions)
        }
        guard let status = settings.status else { return end(index, .taken, into: &actions) }
        let name = CallAnswer(response.body)?.value(at: status.callPath, of: nil)
        guard let name, name.utf8.count <= Self.longestName else {
            let words =
                "\(settings.place) took the call and its answer names none at '\(status.callPath)', so no key counts; "
                + "check 'call_id' in 'calls'"
            return end(index, .nameless(words), into: &actions)
        }
        calls[index].name = name
        calls[index].nextAsk = now.boot + Self.askPause
        calls[index].until = now.boot + Self.keyPatience
    }

    private mutating func failed(
        _ id: HTTPRequestID, _ failure: HTTPFailure, at now: Moment, into actions: inout [CallAction]
    ) {
        guard let index = calls.firstIndex(where: { $0.request == id }) else { return }
        calls[index].request = nil
        guard calls[index].name == nil else { return calls[index].nextAsk = now.boot + Self.askPause }
        end(index, .refused("\(settings.place): \(failure)"), into: &actions)
    }

    private mutating func end(_ index: Int, _ end: CallEnd, into actions: inout [CallAction]) {
        actions.append(.ended(calls.remove(at: index).id, end))
    }

    private static func words(_ status: Int) -> String {
        switch status {
        case 300...399: "it answered \(status), which leads elsewhere; put the address where it leads into 'calls'"
        case 401, 403: "it answered \(status): it does not let this box in; check user, password and headers in 'calls'"
        case 402: "it answered 402: the account has no credit; look at it there"
        case 404, 405, 410: "it answered \(status): there is no such address; check 'url' in 'calls'"
        case 429: "it answered 429: it is asked too often; look at the account's limits there"
        case 400...499: "it answered \(status): it does not want the request; check 'form' or 'json' in 'calls'"
        default: "it answered \(status): it has a problem of its own"
        }
    }
}

/// What `CallProvider` orders or tells.
package enum CallAction: Equatable, Sendable {
    case transport(TransportAction)
    case ended(CallID, CallEnd)
}

/// What became of a call.
package enum CallEnd: Equatable, Sendable {
    /// Somebody pressed a key.
    case pressed
    /// The provider took it; nobody can be asked what became of it.
    case taken
    /// Nobody pressed a key: it may have rung, and a mailbox may have heard it.
    case unanswered
    /// The same, and the provider did not say how it names the call.
    case nameless(String)
    /// The provider did not take it.
    case refused(String)
}
