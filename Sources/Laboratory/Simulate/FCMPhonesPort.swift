import AlarmModel
import PhoneProtocol
import Platform
import Simulators

/// Where virtual phones connect to a simulated FCM, with the words of `PushPhonesPort`: one connection is one phone, one
/// JSON object per line. What a phone sends is put into the database, where it stays until the box removes it. Confined
/// to the loop's thread.
///
///     phone → service   {"hello":TOKEN}   {"send":{"id":"p1","data":{…}}}   {"online":false}
///     service → phone   {"ready":true}    {"message":{"data":{…}}}          {"problem":"…"}
///
/// A phone that was away gets what was sent to its token meanwhile, as far as the service remembers it.
final class FCMPhonesPort {
    private struct Phone {
        var token: String
        /// nil: away.
        var client: LoopbackLines.Client?
        var isOnline = true
        /// Messages of the service that it has been shown, or that were not for it.
        var seen = 0
    }

    var port: UInt16 { lines.port }
    private let lines: LoopbackLines
    private let mount: HTTPServiceMount<FCMSimulator>
    private let place: String
    private var phones: [Phone] = []
    private var putCount = 0

    /// Listens at once; port 0 takes a free one.
    ///
    /// - Parameter place: of the database, with a slash before it
    init(
        for mount: HTTPServiceMount<FCMSimulator>, place: String, port wanted: UInt16, on loop: EventLoop
    ) throws(SystemError) {
        self.mount = mount
        self.place = place
        lines = try LoopbackLines(port: wanted, on: loop)
        lines.onLine = { [weak self] client, line in self?.take(line, from: client) }
        lines.onGone = { [weak self] client in self?.gone(client) }
        mount.onStep = { [weak self] in self?.deliver() }
    }

    func close() {
        mount.onStep = nil
        lines.close()
    }

    private func gone(_ client: LoopbackLines.Client) {
        guard let index = phones.firstIndex(where: { $0.client === client }) else { return }
        phones[index].client = nil
    }

    private func take(_ line: String, from client: LoopbackLines.Client) {
        guard let json = try? JSON(parsing: line), json.objectValue != nil else {
            return problem("a line is one JSON object", client)
        }
        if let hello = json["hello"] { return greet(hello, client) }
        guard let index = phones.firstIndex(where: { $0.client === client }) else {
            return problem("say {\"hello\":TOKEN} first", client)
        }
        if let isOnline = json["online"]?.boolValue {
            phones[index].isOnline = isOnline
            if isOnline { client.send(JSON.object(["ready": .bool(true)]).text) }
            deliver()
        } else if let data = json["send"]?["data"], data.objectValue != nil {
            putCount += 1
            // As Firebase's own keys: whatever is put later comes later.
            let key = "-p\(String(1_000_000_000 + putCount).dropFirst())"
            mount.step { [place] in $0.perform(.put(place: place, key: key, data), at: $1, into: &$2) }
        } else {
            problem("use hello, send or online", client)
        }
    }

    private func greet(_ hello: JSON, _ client: LoopbackLines.Client) {
        guard let token = hello.stringValue, !token.isEmpty else { return problem("'hello' takes a token", client) }
        gone(client)
        if let index = phones.firstIndex(where: { $0.token == token }) {
            // Who said hello before with this token was the same phone.
            phones[index].client?.close()
            phones[index].client = client
            phones[index].isOnline = true
        } else {
            phones.append(Phone(token: token, client: client))
        }
        client.send(JSON.object(["ready": .bool(true)]).text)
        deliver()
    }

    private func deliver() {
        for index in phones.indices where phones[index].isOnline {
            guard let client = phones[index].client else { continue }
            let messages = mount.service.messages(after: phones[index].seen)
            phones[index].seen = mount.service.messageCount
            for message in messages.compactMap({ $0["message"] })
            where message["token"]?.stringValue == phones[index].token {
                let content = JSON.object(["data": message["data"], "notification": message["notification"]])
                client.send(JSON.object(["message": content]).text)
            }
        }
    }

    private func problem(_ text: String, _ client: LoopbackLines.Client) {
        client.send(JSON.object(["problem": .string(text)]).text)
    }
}
