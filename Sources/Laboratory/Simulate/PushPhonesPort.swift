import AlarmModel
import PhoneProtocol
import Platform
import Simulators

/// Where virtual phones connect to a simulated push service: one connection is one phone, one JSON object per line.
/// Confined to the loop's thread.
///
///     phone → service   {"hello":TOKEN,"client":"ios","category":"com.example.app"}
///                       {"send":{"id":"m1","data":{…},"ttl":0}}
///                       {"online":false}   {"background":true}   {"unregister":true}
///     service → phone   {"ready":true}     the channel for sending stands
///                       {"message":{"data":{…},"notification":{…},"priority":"high"}}
///                       {"deleted":true}   {"error":{"id":"m1","code":501}}   {"token":NEW}
///                       {"problem":"…"}    what the phone said makes no sense
///
/// `client` (ios) and `category` may be left out. A phone that says hello is online, one that hangs up is not.
final class PushPhonesPort {
    private struct Phone {
        var token: String
        let client: LoopbackLines.Client
    }

    var port: UInt16 { lines.port }
    private let lines: LoopbackLines
    private let server: PushServer
    private var phones: [Phone] = []

    /// Listens at once; port 0 takes a free one.
    init(for server: PushServer, port wanted: UInt16, on loop: EventLoop) throws(SystemError) {
        self.server = server
        lines = try LoopbackLines(port: wanted, on: loop)
        lines.onLine = { [weak self] client, line in self?.take(line, from: client) }
        lines.onGone = { [weak self] client in self?.gone(client) }
        server.onPhone = { [weak self] token, news in self?.tell(token, news) }
    }

    func close() { lines.close() }

    private func token(of client: LoopbackLines.Client) -> String? { phones.first { $0.client === client }?.token }

    private func gone(_ client: LoopbackLines.Client) {
        guard let token = token(of: client) else { return }
        phones.removeAll { $0.client === client }
        server.phonePresence(token, .offline)
    }

    // MARK: From phones

    private func take(_ line: String, from client: LoopbackLines.Client) {
        guard let json = try? JSON(parsing: line), json.objectValue != nil else {
            return problem("a line is one JSON object", client)
        }
        if let hello = json["hello"] { return greet(hello, json, client) }
        guard let token = token(of: client) else { return problem("say {\"hello\":TOKEN} first", client) }
        if let isOnline = json["online"]?.boolValue {
            server.phonePresence(token, isOnline ? .online : .offline)
        } else if let isBackground = json["background"]?.boolValue {
            server.phonePresence(token, isBackground ? .background : .online)
        } else if json["unregister"]?.boolValue == true {
            phones.removeAll { $0.client === client }
            server.phoneUnregistered(token)
        } else if let send = json["send"] {
            guard let messageID = send["id"]?.stringValue, !messageID.isEmpty, send["data"]?.objectValue != nil,
                let data = send["data"], let ttl = send["ttl"].map(\.integerValue) ?? 0, ttl >= 0
            else {
                return problem("'send' takes \"id\" (text), \"data\" (object) and \"ttl\" (seconds, 0 or more)", client)
            }
            server.phoneSends(token, messageID: messageID, data: data, ttl: ttl)
        } else {
            problem("use hello, send, online, background or unregister", client)
        }
    }

    private func greet(_ hello: JSON, _ json: JSON, _ client: LoopbackLines.Client) {
        guard let token = hello.stringValue, !token.isEmpty else { return problem("'hello' takes a token", client) }
        let kindName = json["client"]?.stringValue ?? PushClient.Kind.ios.rawValue
        guard let kind = PushClient.Kind(rawValue: kindName) else {
            return problem("'client' is ios or android", client)
        }
        // Who said hello before with this token was the same phone.
        for phone in phones where phone.token == token && phone.client !== client { phone.client.close() }
        phones.removeAll { $0.token == token || $0.client === client }
        phones.append(Phone(token: token, client: client))
        server.phoneRegistered(
            token,
            PushClient(kind: kind, category: json["category"]?.stringValue ?? "com.example.howalarming"))
        server.phonePresence(token, .offline)
        server.phonePresence(token, .online)
    }

    private func problem(_ text: String, _ client: LoopbackLines.Client) {
        client.send(JSON.object(["problem": .string(text)]).text)
    }

    // MARK: To phones

    private func tell(_ token: String, _ news: PushServer.PhoneNews) {
        guard let index = phones.firstIndex(where: { $0.token == token }) else { return }
        let json: JSON
        switch news {
        case .message(let delivery):
            json = .object([
                "message": .object([
                    "data": delivery.data, "notification": delivery.notification,
                    "priority": .string(delivery.priority),
                ])
            ])
        case .deleted: json = .object(["deleted": .bool(true)])
        case .failed(let messageID, let code):
            json = .object(["error": .object(["id": .string(messageID), "code": .integer(Int64(code))])])
        case .ready: json = .object(["ready": .bool(true)])
        case .token(let new):
            phones[index].token = new
            json = .object(["token": .string(new)])
        }
        phones[index].client.send(json.text)
    }
}
