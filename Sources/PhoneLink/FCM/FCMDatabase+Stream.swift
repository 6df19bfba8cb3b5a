import AlarmModel
import PhoneProtocol

extension FCMDatabase {
    /// The owner's token, as it is now; nil: there is none at the moment.
    mutating func tokenIs(_ bearer: Secret?, at now: Moment, into actions: inout [TransportAction]) {
        self.bearer = bearer
        guard bearer != nil else { return }
        if !stream.isRunning, resumeAt == nil {
            run(at: now, into: &actions) { database, orders in database.stream.start(at: now, into: &orders) }
        }
        if isAsking { openStream(at: now, into: &actions) }
        removeNext(at: now, into: &actions)
    }

    mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        run(at: now, into: &actions) { database, orders in database.stream.stop(at: now, into: &orders) }
        runRemovals(at: now, into: &actions) { database, orders in database.removals.stop(at: now, into: &orders) }
        (isAsking, resumeAt, removeAt, bearer) = (false, nil, nil, nil)
        // Whoever starts again sees them again.
        entries = []
        set(nil)
        removalTaken()
    }

    private mutating func openStream(at now: Moment, into actions: inout [TransportAction]) {
        guard let bearer else { return }
        isAsking = false
        streamBearer = bearer
        let query = "?orderBy=\(HTTPRequest.escaped("\"$key\""))&limitToFirst=\(window)"
        let request = HTTPRequest(
            .get, target(".json") + query, fields: [HTTPField("Accept", "text/event-stream"), authorization(bearer)])
        let origin = place.origin(authorityFile: settings.caFile)
        run(at: now, into: &actions) { database, orders in
            database.stream.open(request, origin: origin, at: now, into: &orders)
        }
    }

    /// Passes the stream's orders on and hears what it tells.
    mutating func run(
        at now: Moment, into actions: inout [TransportAction],
        _ step: (inout FCMDatabase, inout [HTTPStreamAction]) -> Void
    ) {
        var orders: [HTTPStreamAction] = []
        step(&self, &orders)
        for case .transport(let action) in orders { actions.append(action) }
        for order in orders {
            switch order {
            case .transport: break
            case .wantsRequest:
                isAsking = true
                openStream(at: now, into: &actions)
            case .opened:
                wasRefused = false
                set(nil)
                actions.append(.log(LogEntry(.info, "messages from phones come by the database", [])))
            case .event(let event): heard(event, at: now, into: &actions)
            case .value: break
            case .skipped(let skip): skipped(skip, at: now, into: &actions)
            case .refused(let response): refused(response, at: now, into: &actions)
            case .ended(let why): ended(why, at: now, into: &actions)
            }
        }
    }

    /// Anybody who may write there can put a node that is too large. It is removed, and hides nothing for longer.
    private mutating func skipped(_ skip: StreamSkip, at now: Moment, into actions: inout [TransportAction]) {
        guard resumeAt == nil, case .tooLong(_, let beginning) = skip else { return }
        switch DatabaseChange.cut(beginning) {
        case .child(let key): discard(key, at: now, into: &actions)
        case .first(let key) where window == 1: discard(key, at: now, into: &actions)
        case .first:
            // Together they are too much; each by itself may be a message.
            window = 1
            run(at: now, into: &actions) { database, orders in database.stream.restart(at: now, into: &orders) }
        case nil:
            set(
                TransportProblem(
                    .tooMuch,
                    "database: it holds more than can be read (\(url.host)); remove what is no message there",
                    isRefusal: true))
        }
    }

    private mutating func heard(
        _ event: ServerSentEvent, at now: Moment, into actions: inout [TransportAction]
    ) {
        // A stream that was stopped for an event before has nothing to say.
        guard resumeAt == nil else { return }
        switch DatabaseChange(event: event.type, data: event.data) {
        case .children(let children):
            attempts.succeeded()
            appeared(children, at: now, into: &actions)
        case .part(let child):
            // A message for which there was no room comes whole with the next stream.
            if !hasMore { appeared([child], at: now, into: &actions) }
        case .keepAlive: break
        case .cancelled:
            let words =
                "database: its rules do not let this box read any more; let the service account read and remove "
                + "what is there"
            set(TransportProblem(.forbidden, words, isRefusal: true))
            pause(isRefusal: true, at: now, into: &actions)
        case .authRevoked:
            if streamBearer == bearer { isTokenRefused = true }
            bearer = nil
            pause(isRefusal: false, at: now, into: &actions)
        case .meaningless(let what): tellOddity(what, into: &actions)
        }
    }

    /// The first time at once, then with a growing wait.
    private mutating func pause(isRefusal: Bool, at now: Moment, into actions: inout [TransportAction]) {
        resumeAt = now.boot + attempts.delay(isRefusal: isRefusal, &jitter)
        isAsking = false
        run(at: now, into: &actions) { database, orders in database.stream.stop(at: now, into: &orders) }
    }

    private mutating func refused(
        _ response: HTTPResponse, at now: Moment, into actions: inout [TransportAction]
    ) {
        if let place = redirect(response.head) {
            move(to: place, at: now, into: &actions)
            return run(at: now, into: &actions) { database, orders in
                database.stream.restart(at: now, into: &orders)
            }
        }
        let words = response.statusWords
        switch response.status {
        case 401 where !wasRefused:
            // Perhaps only the token has come to its end.
            wasRefused = true
            if streamBearer == bearer { isTokenRefused = true }
            bearer = nil
            run(at: now, into: &actions) { database, orders in database.stream.restart(at: now, into: &orders) }
        case 401, 403:
            let what =
                "database: it does not let the service account in (\(words)); check that it is of the same project and "
                + "that its rules let it read and remove"
            set(TransportProblem(.forbidden, what, isRefusal: true))
        case 404:
            let what = "database: there is none at \(url.host) (\(words)); check its URL"
            set(TransportProblem(.notFound, what, isRefusal: true))
        case 300...399:
            let what =
                "database: it sends us on to a place that is not the provider's, or in a circle; this box does not "
                + "follow. Check its URL"
            set(TransportProblem(.elsewhere, what, isRefusal: true))
        case 429, 500...599:
            set(
                TransportProblem(
                    .serviceFault, "database: it is not available at the moment (\(words)); we try again"))
        default:
            set(
                TransportProblem(
                    .unexpected, "database: it answered something unexpected (\(words)); check its URL"))
        }
        if isRedirected { move(to: url, at: now, into: &actions) }
    }

    private mutating func ended(_ why: HTTPStreamEnd, at now: Moment, into actions: inout [TransportAction]) {
        if why != .restarted { window = Self.streamLimit }
        switch why {
        case .failed(let failure):
            set(
                TransportProblem(
                    failure.kind, "database (\(place.host)): \(why); we connect again", isRefusal: !failure.mayPass))
        case .silent: set(TransportProblem(.silent, "database (\(place.host)): \(why); we connect again"))
        case .finished, .networkChanged, .restarted: break
        }
        // The next attempt begins where the settings say.
        if isRedirected { move(to: url, at: now, into: &actions) }
    }
}
