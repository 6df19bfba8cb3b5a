import AlarmModel
import PhoneProtocol

extension NtfySimulator {
    /// By header fields, or by the query.
    mutating func publish(
        _ request: HTTPServerRequest, _ topic: String, _ account: NtfyServerSettings.Account,
        at now: Moment,
        into actions: inout [HTTPServiceAction]
    ) {
        func value(_ names: String...) -> String? {
            for name in names {
                if let found = request.field("X-\(name)") ?? request.field(name) ?? request.parameter(name) {
                    return found
                }
            }
            return nil
        }
        var message = NtfyStored(id: newID(), time: time(at: now), topic: topic)
        message.title = value("Title", "t") ?? ""
        message.message =
            request.body.isEmpty
            ? value("Message", "m") ?? "" : String(decoding: request.body, as: UTF8.self)
        guard let priority = Self.priority(value("Priority", "prio", "p")) else {
            return answer(request, error: 40007, at: now, into: &actions)
        }
        message.priority = priority
        message.tags = (value("Tags", "Tag", "ta") ?? "").split(separator: ",").map {
            String($0.drop { $0 == " " })
        }
        message.click = value("Click") ?? ""
        message.sequence = value("Sequence-ID", "sid") ?? ""
        message.isKept = value("Cache")?.lowercased() != "no"
        if let text = value("Actions", "Action") {
            guard let list = (try? JSON(parsing: text))?.arrayValue, list.count <= 3 else {
                return answer(request, error: 40018, at: now, into: &actions)
            }
            message.buttons = list.compactMap(NtfyStored.button)
            guard message.buttons.count == list.count else {
                return answer(request, error: 40018, at: now, into: &actions)
            }
        }
        store(message, request, account, at: now, into: &actions)
    }

    /// As an object to the root.
    mutating func publishJSON(
        _ request: HTTPServerRequest, _ account: NtfyServerSettings.Account, at now: Moment,
        into actions: inout [HTTPServiceAction]
    ) {
        guard let message = take(json: request, topicless: (), at: now, into: &actions) else { return }
        store(message, request, account, at: now, into: &actions)
    }

    /// nil: it was refused.
    mutating func take(
        json request: HTTPServerRequest, topicless: Void, at now: Moment,
        into actions: inout [HTTPServiceAction]
    ) -> NtfyStored? {
        func refuse(_ code: Int) -> NtfyStored? {
            answer(request, error: code, at: now, into: &actions)
            return nil
        }
        guard request.body.count <= settings.messageLimit * 2 else { return refuse(41303) }
        guard let json = try? JSON(parsing: request.body), json.objectValue != nil else {
            return refuse(40017)
        }
        guard let topic = json["topic"]?.stringValue, Self.isTopic(topic) else { return refuse(40009) }
        var message = NtfyStored(id: newID(), time: time(at: now), topic: topic)
        message.title = json["title"]?.stringValue ?? ""
        message.message = json["message"]?.stringValue ?? ""
        message.click = json["click"]?.stringValue ?? ""
        message.sequence = json["sequence_id"]?.stringValue ?? ""
        message.tags = json["tags"]?.arrayValue?.compactMap(\.stringValue) ?? []
        message.isKept = (request.field("X-Cache") ?? request.field("Cache"))?.lowercased() != "no"
        if let priority = json["priority"], !priority.isNull {
            guard let number = priority.integerValue, (0...5).contains(number) else {
                return refuse(40007)
            }
            message.priority = Int(number)
        }
        let list = json["actions"]?.arrayValue ?? []
        message.buttons = list.compactMap(NtfyStored.button)
        guard list.count <= 3, message.buttons.count == list.count else { return refuse(40018) }
        return message
    }

    private mutating func store(
        _ message: NtfyStored, _ request: HTTPServerRequest, _ account: NtfyServerSettings.Account,
        at now: Moment,
        into actions: inout [HTTPServiceAction]
    ) {
        var message = message
        guard may(account, write: message.topic) else {
            return answer(request, error: 40301, at: now, into: &actions)
        }
        if let left = settings.quota {
            guard left > 0 else { return answer(request, error: 42908, at: now, into: &actions) }
            settings.quota = left - 1
        }
        if message.message.utf8.count > settings.messageLimit {
            guard settings.takesAttachments else {
                return answer(request, error: 40014, at: now, into: &actions)
            }
            message.attachmentSize = message.message.utf8.count
        }
        if message.message.isEmpty { message.message = "triggered" }
        add(message, at: now, into: &actions)
        http.answer(request.connection, json(text(of: message), at: now), into: &actions)
    }

    func text(of message: NtfyStored) -> String {
        let expires = message.isKept ? message.time + settings.cache.nanoseconds / 1_000_000_000 : nil
        return message.json(expires: expires).text
    }

    /// Keeps it and tells the streams.
    mutating func add(_ message: NtfyStored, at now: Moment, into actions: inout [HTTPServiceAction]) {
        published += 1
        fresh.append(message)
        if fresh.count > Self.memory { fresh.removeFirst() }
        if message.isKept { stored.append(message) } else { passedOn.append(message) }
        if passedOn.count > Self.memory { passedOn.removeFirst() }
        if settings.isTraced, message.isKept {
            // A button has the phone's token.
            var shown = message
            shown.buttons = []
            actions.append(.trace("published \(text(of: shown))"))
        }
        if stored.count > Self.memory { stored.removeFirst() }
        var copies = 1
        if faults.duplicates > 0 {
            faults.duplicates -= 1
            copies = 2
        }
        guard !faults.streamsAreSilent else { return }
        for subscriber in subscribers where subscriber.topics.contains(message.topic) {
            for _ in 0..<copies { send(message, to: subscriber, into: &actions) }
        }
    }

    /// 12 characters, as the server makes them.
    mutating func newID() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<12).map { _ in letters[Int(generator.next() % UInt64(letters.count))] })
    }

    /// A number, or a name; nil when it is none. 0 where nothing is said.
    private static func priority(_ text: String?) -> Int? {
        // Browsers and proxies say by a field of this name how urgent the request is (RFC 9218); the server passes over it.
        switch text?.lowercased() {
        case nil, "": 0
        case let field? where field.hasPrefix("u="): 0
        case "1", "min": 1
        case "2", "low": 2
        case "3", "default": 3
        case "4", "high": 4
        case "5", "max", "urgent": 5
        default: nil
        }
    }
}
