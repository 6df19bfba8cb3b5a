package import AlarmModel
import PhoneProtocol

extension NtfySimulator {
    mutating func subscribe(
        _ request: HTTPServerRequest, _ topics: [String], _ format: NtfySubscriber.Format,
        _ account: NtfyServerSettings.Account, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard topics.allSatisfy({ may(account, read: $0) }) else {
            return answer(request, error: 40301, at: now, into: &actions)
        }
        func value(_ names: String...) -> String? {
            for name in names {
                if let found = request.field("X-\(name)") ?? request.field(name) ?? request.parameter(name) {
                    return found
                }
            }
            return nil
        }
        let polls = ["1", "true", "yes"].contains((value("Poll", "po") ?? "").lowercased())
        let since = value("Since", "si") ?? (polls ? "all" : "none")
        guard let backlog = backlog(topics, since: since, at: now) else {
            return answer(request, error: 40008, at: now, into: &actions)
        }
        let type: String
        switch format {
        case .json: type = "application/x-ndjson; charset=utf-8"
        case .sse: type = "text/event-stream; charset=utf-8"
        case .raw: type = "text/plain; charset=utf-8"
        }
        http.beginStream(
            request.connection, fields: [HTTPServerRequest.Field("Content-Type", type)], into: &actions)
        let subscriber = NtfySubscriber(
            connection: request.connection, topics: topics, format: format,
            nextKeepalive: now.boot + settings.keepalive)
        if !polls { send("open", to: subscriber, at: now, into: &actions) }
        for message in backlog { send(message, to: subscriber, into: &actions) }
        if polls {
            http.endStream(request.connection, into: &actions)
        } else {
            subscribers.append(subscriber)
        }
    }

    /// What is kept of these topics from there on; nil when it is no such place. After a message that is not known, all.
    private func backlog(_ topics: [String], since: String, at now: Moment) -> [NtfyStored]? {
        let oldest = time(at: now) - settings.cache.nanoseconds / 1_000_000_000
        let kept = stored.filter { topics.contains($0.topic) && $0.time >= oldest }
        switch since {
        case "none": return []
        case "all": return kept
        default: break
        }
        if since.utf8.count == 12, Self.isTopic(since) {
            guard let place = stored.firstIndex(where: { $0.id == since }) else { return kept }
            return stored[(place + 1)...].filter { topics.contains($0.topic) && $0.time >= oldest }
        }
        if let seconds = Int64(since) { return kept.filter { $0.time >= seconds } }
        if since.last?.isLetter == true, let span = ScriptWords.duration(since) {
            let start = time(at: now) - span.nanoseconds / 1_000_000_000
            return kept.filter { $0.time >= start }
        }
        return nil
    }

    /// `open` or `keepalive`.
    mutating func send(
        _ event: String, to subscriber: NtfySubscriber, at now: Moment,
        into actions: inout [HTTPServiceAction]
    ) {
        let json = JSON.object([
            "id": .string(newID()), "time": .integer(time(at: now)), "event": .string(event),
            "topic": .string(subscriber.topics.joined(separator: ",")),
        ]).text
        switch subscriber.format {
        case .json: chunk(json + "\n", to: subscriber, into: &actions)
        case .sse: chunk("event: \(event)\ndata: \(json)\n\n", to: subscriber, into: &actions)
        case .raw: chunk("\n", to: subscriber, into: &actions)
        }
    }

    func message(_ message: NtfyStored, _ format: NtfySubscriber.Format) -> String {
        switch format {
        case .json: text(of: message) + "\n"
        case .sse: "data: \(text(of: message))\n\n"
        case .raw: message.message.split(separator: "\n").joined(separator: " ") + "\n"
        }
    }

    mutating func send(
        _ message: NtfyStored, to subscriber: NtfySubscriber, into actions: inout [HTTPServiceAction]
    ) {
        chunk(self.message(message, subscriber.format), to: subscriber, into: &actions)
    }

    private mutating func chunk(
        _ text: String, to subscriber: NtfySubscriber, into actions: inout [HTTPServiceAction]
    ) {
        http.chunk(subscriber.connection, Array(text.utf8), into: &actions)
    }

    // MARK: What happens from outside

    package mutating func perform(
        _ stimulus: NtfyStimulus, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        switch stimulus {
        case .blackHole(let isOn):
            http.isBlackHole = isOn
            // What was there stays dead.
            if isOn { for id in http.open { http.silence(id) } }
        case .answer(let answer, let times, let scope):
            (faults.answer, faults.times, faults.scope) = (answer, times, scope)
        case .delay(let span): faults.delay = span
        case .skew(let span): faults.skew = span
        case .silenceStreams(let isOn): faults.streamsAreSilent = isOn
        case .closeStreams:
            let open = subscribers.map(\.connection)
            subscribers = []
            for id in open {
                http.endStream(id, into: &actions)
                http.close(id, into: &actions)
            }
        case .resetAll:
            subscribers = []
            delayed = []
            for id in http.open { http.reset(id, into: &actions) }
        case .endlessLine:
            let piece = "{\"id\":\"" + String(repeating: "x", count: 200_000)
            for subscriber in subscribers { chunk(piece, to: subscriber, into: &actions) }
        case .rawLine(let line):
            for subscriber in subscribers { chunk(line + "\n", to: subscriber, into: &actions) }
        case .duplicate(let count): faults.duplicates = count
        case .refuseConnect(let isOn):
            faults.refusesConnections = isOn
            actions.append(.listen(!isOn))
        case .certificate(let kind): actions.append(.certificate(kind))
        case .quota(let count): settings.quota = count
        case .publish(let topic, let text, let age):
            var message = NtfyStored(id: newID(), time: time(at: now), topic: topic)
            message.time -= age.nanoseconds / 1_000_000_000
            message.message = text
            add(message, at: now, into: &actions)
        case .press(let topic, let button): press(topic, button, at: now, into: &actions)
        case .forget: stored = []
        case .faultsOff:
            if faults.refusesConnections { actions.append(.listen(true)) }
            faults = NtfyFaults()
            http.isBlackHole = false
            actions.append(.certificate(.valid))
        }
    }

    /// What a store app does: it posts the button's body to the button's address.
    private mutating func press(
        _ topic: String, _ number: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard let message = stored.last(where: { $0.topic == topic && !$0.buttons.isEmpty }),
            message.buttons.indices.contains(number - 1)
        else { return actions.append(.trace("no such button")) }
        let button = message.buttons[number - 1]
        let target = button.url.split(separator: "/").last.map(String.init) ?? ""
        var request = HTTPServerRequest(
            connection: ConnectionID(0), method: "POST", target: "/\(target)",
            fields: button.headers.map { HTTPServerRequest.Field($0.key, $0.value.stringValue ?? "") })
        request.body = Array(button.body.utf8)
        guard let account = account(of: request), Self.isTopic(target), may(account, write: target)
        else {
            refused += 1
            return actions.append(.trace("the button was refused"))
        }
        publish(request, target, account, at: now, into: &actions)
    }
}
