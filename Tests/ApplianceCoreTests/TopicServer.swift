import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// A topic server as the core sees it: takes what is published, lets the box listen, posts what a store app sends.
struct TopicServer {
    struct Published {
        var topic: String
        var title: String
        var message: String
        var priority: Int
        /// Label and body of each button.
        var buttons: [(label: String, body: String)]
    }

    static let port: UInt16 = 443
    private(set) var connections: [ConnectionID] = []
    func owns(_ id: ConnectionID) -> Bool { connections.contains(id) }

    private(set) var published: [Published] = []
    /// Topics of the stream that is open.
    private(set) var listening: (connection: ConnectionID, topics: [String])?
    /// Nobody answers.
    var isDead = false
    /// Answers to publications: 200, or something else.
    var status = 200
    /// Topics to which the box may not write.
    var forbidden: [String] = []
    private var inputs: [(id: ConnectionID, bytes: [UInt8])] = []
    private var sent = 0

    mutating func opened(_ id: ConnectionID) -> [Input] {
        connections.append(id)
        return isDead ? [.closed(id, .refused)] : [.connected(id)]
    }

    mutating func closed(_ id: ConnectionID) {
        inputs.removeAll { $0.id == id }
        if listening?.connection == id { listening = nil }
    }

    mutating func received(_ id: ConnectionID, _ bytes: [UInt8], at now: Moment) -> [Input] {
        if isDead { return [] }
        if let index = inputs.firstIndex(where: { $0.id == id }) {
            inputs[index].bytes += bytes
        } else {
            inputs.append((id, bytes))
        }
        guard let index = inputs.firstIndex(where: { $0.id == id }),
            let request = Self.request(in: inputs[index].bytes)
        else { return [] }
        inputs.remove(at: index)
        guard request.line.hasPrefix("POST") else {
            if request.line.contains("/v1/health") {
                let body = "{\"healthy\":true}"
                return [
                    .received(id, Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
                ]
            }
            let path = request.line.split(separator: " ")[1].split(separator: "/")[0]
            listening = (id, path.split(separator: ",").map(String.init))
            let line = "{\"id\":\"o\",\"time\":\(now.wall.seconds),\"event\":\"open\"}\n"
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            return [.received(id, Array((head + String(line.utf8.count, radix: 16) + "\r\n\(line)\r\n").utf8))]
        }
        let topic = (try? JSON(parsing: request.body))?["topic"]?.stringValue
        let status = topic.map { forbidden.contains($0) } == true ? 403 : self.status
        guard status == 200 else {
            return [.received(id, Array("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n".utf8))]
        }
        publish(request.body)
        let body = "{\"id\":\"m\(published.count)\",\"time\":1795000000,\"event\":\"message\",\"topic\":\"t\"}"
        return [.received(id, Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))]
    }

    /// What a store app posts to a topic, as the stream tells it.
    mutating func post(_ text: String, to topic: String, at now: Moment, id: String? = nil) -> [Input] {
        guard let listening, listening.topics.contains(topic) else { return [] }
        sent += 1
        let line =
            JSON.object([
                "id": .string(id ?? "up\(sent)"), "time": .integer(now.wall.seconds), "event": .string("message"),
                "topic": .string(topic), "message": .string(text),
            ]).text + "\n"
        return [
            .received(listening.connection, Array("\(String(line.utf8.count, radix: 16))\r\n\(line)\r\n".utf8))
        ]
    }

    private mutating func publish(_ body: [UInt8]) {
        guard let json = try? JSON(parsing: body) else { return }
        let buttons = (json["actions"]?.arrayValue ?? []).map { action in
            (label: action["label"]?.stringValue ?? "", body: action["body"]?.stringValue ?? "")
        }
        published.append(
            Published(
                topic: json["topic"]?.stringValue ?? "", title: json["title"]?.stringValue ?? "",
                message: json["message"]?.stringValue ?? "", priority: Int(json["priority"]?.integerValue ?? 0),
                buttons: buttons))
    }

    private static func request(in bytes: [UInt8]) -> (line: String, body: [UInt8])? {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        guard let end = lines.firstIndex(of: "") else { return nil }
        let head = lines[..<end].joined(separator: "\r\n")
        var length = 0
        for line in lines[..<end] where line.lowercased().hasPrefix("content-length:") {
            length = Int(line.split(separator: ":")[1].filter(\.isNumber)) ?? 0
        }
        let body = Array(bytes.dropFirst(head.utf8.count + 4))
        guard body.count >= length else { return nil }
        return (String(lines[0]), Array(body.prefix(length)))
    }
}

extension Bench {
    /// Panel up, a topic server reached, no push account.
    static func withTopics(_ change: (inout PhoneSettings) -> Void = { _ in }) -> Bench {
        var configuration = configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.ways = [.ntfy(NtfySettings(host: "192.0.2.9"))]
        change(&configuration.phones)
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        return bench
    }

    /// Pairs a store app; returns its command topic.
    mutating func pairStoreApp(
        _ name: String = "Annas iPhone", person: String = "Anna", allow: [ContactVerb] = [], tellsArming: Bool = false
    ) -> Contact? {
        ask(
            .phones(
                .pairContact(
                    ContactRequest(
                        kind: .topic, person: person, name: name, value: "", allowed: allow, tellsArming: tellsArming))),
            as: 70)
        advance(.seconds(1))
        guard let code = topics.published.last?.title.split(separator: " ").last else { return nil }
        ask(.phones(.confirm(Secret(String(code)))), as: 71)
        advance(.seconds(1))
        return push.book?.contacts.last
    }

    mutating func post(_ text: String, to contact: Contact, id: String? = nil) {
        let topic = contact.commandsFrom.split(separator: "/").last.map(String.init) ?? ""
        for input in topics.post(text, to: topic, at: now, id: id) { feed(input) }
    }
}
