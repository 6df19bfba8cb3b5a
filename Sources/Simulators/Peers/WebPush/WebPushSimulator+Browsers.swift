package import AlarmModel
import PhoneProtocol

/// Towards Firefox: its own protocol over a WebSocket. A message stays until the browser has acknowledged it, and comes
/// again where it says hello before that.
extension WebPushSimulator {
    struct BrowserLink: Sendable {
        let id: ConnectionID
        var reader = WebSocketReader()
        /// nil before its hello.
        var name: String?
        /// The messages that went out on it.
        var sent: Set<Int> = []
    }

    private static let protocolName = "push-notification"

    /// False: the request is of another kind.
    mutating func meets(_ request: HTTPServerRequest, at now: Moment, into actions: inout [HTTPServiceAction]) -> Bool {
        guard request.path == "/", let hash = settings.hash, let offer = WebSocketOffer(request) else { return false }
        let id = request.connection
        http.switchProtocol(id, fields: offer.acceptance(Self.protocolName, hash: hash), into: &actions)
        links.append(BrowserLink(id: id))
        hear(id, at: now, into: &actions)
        return true
    }

    /// Takes what has come on a browser's connection.
    mutating func hear(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        guard let index = link(id) else { return }
        links[index].reader.append(http.takePending(id))
        while let index = link(id) {
            do throws(WebSocketReader.Problem) {
                guard let message = try links[index].reader.next() else { return }
                take(message, from: id, at: now, into: &actions)
            } catch {
                part(from: id, code: error.code, into: &actions)
            }
        }
    }

    private func link(_ id: ConnectionID) -> Int? { links.firstIndex { $0.id == id } }

    private mutating func take(
        _ message: WebSocketMessage, from id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        switch message {
        case .ping(let bytes): http.send(id, WebSocketFrame(.pong, bytes).bytes, into: &actions)
        case .pong: break
        case .close: part(from: id, code: 1000, into: &actions)
        case .text(let bytes):
            guard let json = try? JSON(parsing: bytes), let said = PushBrowserMessage(json) else {
                note("a browser said what is no message of its protocol")
                return part(from: id, code: 1007, into: &actions)
            }
            answer(said, from: id, at: now, into: &actions)
        }
    }

    private mutating func part(from id: ConnectionID, code: UInt16, into actions: inout [HTTPServiceAction]) {
        links.removeAll { $0.id == id }
        http.send(id, WebSocketFrame.close(code).bytes, into: &actions)
        http.close(id, into: &actions)
    }

    private mutating func answer(
        _ said: PushBrowserMessage, from id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let name = links.first { $0.id == id }?.name
        switch said {
        case .hello(let known):
            let name = known ?? makeName()
            // One that comes again has given up its older connection.
            for old in links where old.name == name && old.id != id { part(from: old.id, code: 1000, into: &actions) }
            if let index = link(id) { links[index].name = name }
            tell(id, .hello(name: name), into: &actions)
            deliver(at: now, into: &actions)
        case .register(let channel, let key):
            guard let name else { return part(from: id, code: 1002, into: &actions) }
            let endpoint = subscribe(for: key, in: name, channel)
            tell(id, .registered(channel: channel, endpoint: endpoint), into: &actions)
        case .unregister(let channel):
            for one in subscriptions where one.channel == channel && one.browser == name {
                perform(.end(endpoint: settings.origin + Self.path + one.token), at: now, into: &actions)
            }
            tell(id, .unregistered(channel: channel), into: &actions)
        case .acknowledge(let versions):
            stored.removeAll { versions.contains($0.version) }
            for index in records.indices where versions.contains(records[index].version) {
                records[index].acknowledged = records[index].acknowledged ?? now.boot
            }
        case .ping: tell(id, .alive, into: &actions)
        case .other: break
        }
    }

    private mutating func tell(
        _ id: ConnectionID, _ message: PushServiceMessage, into actions: inout [HTTPServiceAction]
    ) {
        http.send(id, WebSocketFrame.text(message.json.text).bytes, into: &actions)
    }

    /// Hands over what waits for the browsers that are there.
    mutating func deliver(at now: Moment, into actions: inout [HTTPServiceAction]) {
        guard !links.isEmpty, !faults.isSilent else { return }
        stored.removeAll { $0.endsAt < now.boot }
        for message in stored {
            guard let subscription = subscription(at: message.endpoint), let channel = subscription.channel,
                let index = links.firstIndex(where: { $0.name != nil && $0.name == subscription.browser }),
                links[index].sent.insert(message.version).inserted
            else { continue }
            let told = PushServiceMessage.notification(channel: channel, version: message.version, body: message.body)
            tell(links[index].id, told, into: &actions)
            guard faults.repeats > 0 else { continue }
            faults.repeats -= 1
            tell(links[index].id, told, into: &actions)
        }
    }

    /// A message for a browser was taken.
    mutating func record(_ message: WebPushStored, at now: Moment) {
        guard subscription(at: message.endpoint)?.channel != nil else { return }
        records.append(
            WebPushRecord(
                version: message.version, endpoint: message.endpoint, count: message.body.count,
                urgency: message.urgency, taken: now.boot))
        if records.count > Self.recordMemory { records.removeFirst() }
    }

    private func subscription(at endpoint: String) -> Subscription? {
        subscriptions.first { settings.origin + Self.path + $0.token == endpoint && !$0.hasEnded }
    }
}

/// A push for a browser, as the service has seen it.
package struct WebPushRecord: Equatable, Sendable {
    package var version: Int
    package var endpoint: String
    /// Bytes of its body.
    package var count: Int
    package var urgency: String?
    package var taken: BootTime
    /// When its browser said that it has it.
    package var acknowledged: BootTime?

    var json: JSON {
        .object([
            "endpoint": .string(endpoint), "bytes": .integer(Int64(count)), "urgency": urgency.map { .string($0) },
            "taken": .integer((taken - .zero).milliseconds),
            "acknowledged": acknowledged.map { .integer(($0 - .zero).milliseconds) },
        ])
    }
}
