package import AlarmModel
import PhoneProtocol

extension NtfyTransport {
    /// Lets the stream do something, and deals with what it says.
    mutating func listen(
        at now: Moment, into actions: inout [TransportAction],
        _ body: (inout HTTPStream, inout [HTTPStreamAction]) -> Void
    ) {
        var orders: [HTTPStreamAction] = []
        body(&stream, &orders)
        var index = 0
        while index < orders.count {
            let order = orders[index]
            index += 1
            switch order {
            case .transport(let action): actions.append(action)
            case .wantsRequest: if let request { stream.open(request, at: now, into: &orders) }
            case .opened(let head): opened(head, at: now, into: &actions)
            case .value(let json): take(NtfyLine(json), at: now, into: &actions)
            case .event: break
            case .skipped(let skip):
                tellUnusable(skip.description, into: &actions)
            case .refused(let response): streamProblem = problem(of: response)
            case .ended(let end): ended(end)
            }
        }
        tellProblem(into: &actions)
    }

    /// All topics in one, from where we left off; at the first start from a minute ago, by the server's clock, for
    /// older commands would not be obeyed.
    private var request: HTTPRequest? {
        guard !topics.isEmpty else { return nil }
        let names = topics.joined(separator: ",")
        let target = "\(settings.pathPrefix)/\(names)/json?since=\(newest ?? "1m")"
        return HTTPRequest(.get, target, fields: settings.authorization.map { [$0] } ?? [])
    }

    private mutating func opened(
        _ head: HTTPResponseHead, at now: Moment, into actions: inout [TransportAction]
    ) {
        streamProblem = nil
        hasToldUnusable = false
        if let date = head.date { serverClock = ServerClock(seconds: date.seconds, boot: now.boot) }
        // The server is there: what waits for another attempt need not wait.
        if attempts.waitsForNetwork { look(at: now, into: &actions) }
    }

    private mutating func ended(_ end: HTTPStreamEnd) {
        switch end {
        case .networkChanged, .restarted: break
        case .finished:
            streamProblem = TransportProblem(
                .ended(nil), "\(settings.place) ended the stream of commands; we connect again", isPassing: true)
        case .silent:
            streamProblem = TransportProblem(
                .silent, "\(settings.place): \(end); we connect again", isPassing: true)
        case .failed(let failure):
            let isPassing = failure.status != nil
            streamProblem = TransportProblem(
                failure.kind, "\(settings.place): no commands can come in: \(failure); we try again",
                isPassing: isPassing
            )
        }
    }

    private func problem(of response: HTTPResponse) -> TransportProblem {
        let server = settings.place
        let words = settings.printable(
            (try? JSON(parsing: response.body))?["error"]?.stringValue ?? response.words)
        let quoted = words.isEmpty ? "" : " (it says: \(words))"
        switch response.status {
        case 200...299: return NtfyAnswer.notThisProtocol(server)
        case 300...399: return NtfyAnswer.redirect(response, server, settings)
        case 401: return NtfyAnswer.unauthorizedProblem(server)
        case 403:
            return TransportProblem(
                .forbidden,
                "\(server) does not let this box read a command topic, so phones cannot answer; give the box's account "
                    + "read access to it", isRefusal: true)
        case 404, 405:
            return TransportProblem(
                .notFound,
                "\(server) has no topics to listen to; check the server's address and path in the configuration",
                isRefusal: true)
        case 429:
            return TransportProblem(
                .quota,
                "\(server) does not let us listen for now, its limit is reached\(quoted); with an account there, or a "
                    + "server of your own, the limit is higher", isRefusal: true)
        case 500...599:
            return TransportProblem(
                .serviceFault, "\(server) has a fault (\(response.status))\(quoted); we try again", isPassing: true)
        default: return NtfyAnswer.notThisProtocol(server)
        }
    }

    // MARK: What comes in

    /// Once for each connection: a server that sends nothing else must not fill the log.
    private mutating func tellUnusable(_ what: String, into actions: inout [TransportAction]) {
        guard !hasToldUnusable else { return }
        hasToldUnusable = true
        actions.append(.log(LogEntry(.warning, "\(settings.place): \(what); more of this kind is not told")))
    }

    private mutating func take(
        _ line: NtfyLine, at now: Moment, into actions: inout [TransportAction]
    ) {
        switch line {
        case .open(let time), .keepalive(let time):
            if time > 0 { serverClock = ServerClock(seconds: time, boot: now.boot) }
        case .other: break
        case .unusable(let why):
            tellUnusable("a line of the stream cannot be used, \(why.description)", into: &actions)
        case .message(let message): take(message, at: now, into: &actions)
        }
    }

    private mutating func take(
        _ message: NtfyLine.Message, at now: Moment, into actions: inout [TransportAction]
    ) {
        // A topic that is not listened to any more, or never was: its server is confused.
        guard topics.contains(message.topic), !seen.contains(message.id) else { return }
        seen.append(message.id)
        if seen.count > Self.memory { seen.removeFirst(seen.count - Self.memory) }
        newest = message.id
        var inbound = InboundMessage(
            channel: .ntfy, from: settings.address(ofTopic: message.topic), id: message.id,
            body: .text(message.text))
        inbound.age = age(of: message, at: now)
        actions.append(.inbound(inbound))
    }

    /// By the server's clock, which also gave the message its time.
    private func age(of message: NtfyLine.Message, at now: Moment) -> Duration? {
        guard let clock = serverClock, message.time > 0 else { return nil }
        let passed = max(0, (now.boot - clock.boot).milliseconds / 1000)
        let (sum, overflows) = clock.seconds.addingReportingOverflow(passed)
        let (age, overflowsToo) = sum.subtractingReportingOverflow(message.time)
        guard !overflows, !overflowsToo else { return nil }
        return .seconds(min(max(age, 0), 1_000_000_000))
    }

    // MARK: Connections

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        if slot == Self.streamSlot {
            return listen(at: now, into: &actions) {
                $0.connected(connection, slot: slot, at: now, into: &$1)
            }
        }
        guard let index = clients.firstIndex(where: { $0.slot == slot }) else { return }
        publish(index, at: now, into: &actions) {
            $0.connected(connection, slot: slot, at: now, into: &$1)
        }
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        if slot == Self.streamSlot {
            return listen(at: now, into: &actions) {
                $0.connectFailed(failure, slot: slot, at: now, into: &$1)
            }
        }
        guard let index = clients.firstIndex(where: { $0.slot == slot }) else { return }
        publish(index, at: now, into: &actions) {
            $0.connectFailed(failure, slot: slot, at: now, into: &$1)
        }
    }

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment,
        into actions: inout [TransportAction]
    ) {
        if stream.connection == connection {
            return listen(at: now, into: &actions) { $0.received(connection, bytes, at: now, into: &$1) }
        }
        guard let index = clients.firstIndex(where: { $0.connection == connection }) else { return }
        publish(index, at: now, into: &actions) { $0.received(connection, bytes, at: now, into: &$1) }
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        if stream.connection == connection {
            return listen(at: now, into: &actions) { $0.closed(connection, end, at: now, into: &$1) }
        }
        guard let index = clients.firstIndex(where: { $0.connection == connection }) else { return }
        publish(index, at: now, into: &actions) { $0.closed(connection, end, at: now, into: &$1) }
    }
}
