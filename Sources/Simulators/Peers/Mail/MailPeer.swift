package import AlarmModel
import PhoneProtocol

/// A mail server that takes mails of one account, on connections that are encrypted from the beginning or by STARTTLS.
package struct MailPeer: TalkingPeer {
    package struct Client: PeerClient {
        package var id: ConnectionID
        var input: [UInt8] = []
        var isIn = false
        var isEncrypted: Bool
        var recipient = ""
        var isBody = false
    }

    package static let recipient = "anna@mail.example"

    /// nil: everybody may send.
    private let password: Secret?
    private let startsEncrypted: Bool
    /// What is answered instead of "250 ok" to every sender, and to some recipients.
    package var toSender: String?
    package var toRecipients: [String: String] = [:]
    /// How often it was asked to take a mail.
    package private(set) var asked = 0
    package var port = PeerPort()
    package var clients: [Client] = []
    package var arrivals: [Arrival] = []

    package init(password: Secret?, startsEncrypted: Bool) {
        self.password = password
        self.startsEncrypted = startsEncrypted
    }

    package func newClient(_ id: ConnectionID) -> Client {
        Client(id: id, isIn: password == nil, isEncrypted: startsEncrypted)
    }

    package mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.accepted(id)
        clients.append(newClient(id))
        if PeerPort.take(&port.failures) {
            port.send(id, "421 not now\r\n", at: now, into: &actions)
            return end(id, at: now, into: &actions)
        }
        port.send(id, "220 mail.example ESMTP\r\n", at: now, into: &actions)
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard port.hears(id), let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].input += bytes
        while let index = clients.firstIndex(where: { $0.id == id }), step(index, at: now, into: &actions) {}
    }

    private mutating func step(_ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]) -> Bool {
        if clients[index].isBody {
            let mark = Array("\r\n.\r\n".utf8)
            let input = clients[index].input
            guard input.count >= mark.count,
                let end = (0...input.count - mark.count).first(where: {
                    input[$0..<$0 + mark.count].elementsEqual(mark)
                })
            else { return false }
            clients[index].input.removeFirst(end + mark.count)
            clients[index].isBody = false
            take(String(decoding: input[..<end], as: UTF8.self), index, at: now, into: &actions)
            return true
        }
        guard let end = clients[index].input.firstIndex(of: 10) else { return false }
        let line = String(decoding: clients[index].input[..<end].filter { $0 != 13 }, as: UTF8.self)
        clients[index].input.removeFirst(end + 1)
        obey(line, index, at: now, into: &actions)
        return true
    }

    private mutating func obey(_ line: String, _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]) {
        let id = clients[index].id
        func say(_ text: String) { port.send(id, text + "\r\n", at: now, into: &actions) }
        let verb = line.prefix { $0 != " " }.uppercased()
        switch verb {
        case "EHLO":
            let offer = clients[index].isEncrypted ? "" : "250-STARTTLS\r\n"
            say("250-mail.example\r\n250-SIZE 100000\r\n\(offer)250 AUTH LOGIN PLAIN")
        case "STARTTLS":
            clients[index].isEncrypted = true
            say("220 go on")
        case "AUTH":
            let isRight = line.split(separator: " ").last.map(String.init) == password.map(Self.login)
            clients[index].isIn = isRight
            say(isRight ? "235 welcome" : "535 wrong")
        case "MAIL":
            guard clients[index].isIn else { return say("530 who are you") }
            if PeerPort.take(&port.tooMany) || !port.takes() { return say("452 4.3.1 too many today") }
            asked += 1
            // As some servers do, with a number of its own in each answer.
            say(toSender.map { "\($0) [\(asked)]" } ?? "250 ok")
        case "RCPT":
            if PeerPort.take(&port.lies) { return say("451 4.2.1 come back later") }
            clients[index].recipient = String(line.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" })
            say(toRecipients[clients[index].recipient] ?? "250 ok")
        case "DATA":
            clients[index].isBody = true
            say("354 go on")
        case "RSET", "NOOP": if !port.isSilent { say("250 ok") }
        case "QUIT":
            say("221 bye")
            end(id, at: now, into: &actions)
        default: say("500 what")
        }
    }

    private mutating func take(_ text: String, _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]) {
        let id = clients[index].id
        let field = text.split(separator: "\r\n").first { $0.hasPrefix("Message-ID: <") }
        let name = field?.dropFirst("Message-ID: <".count).prefix { $0 != "@" }
        arrivals.append(
            Arrival(address: clients[index].recipient, message: name.map { MessageID(String($0)) }, text: text))
        if PeerPort.take(&port.noAnswer) { return }
        if PeerPort.take(&port.closesMidway) { return end(id, at: now, into: &actions) }
        port.send(id, "250 2.0.0 queued\r\n", at: now, into: &actions)
    }

    /// RFC 4616, in base64.
    private static func login(_ password: Secret) -> String {
        Base64.encode([0] + Array("box".utf8) + [0] + Array(password.revealed.utf8))
    }
}
