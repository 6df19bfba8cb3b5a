import AlarmModel
import ApplianceCore
import PhoneLink
import Platform
import Testing

/// A mail server that wants STARTTLS and a login, and a broker with TLS, on one loop. Confined to one test.
final class PictureServers {
    let authority: Authority
    private(set) var mails: [String] = []
    /// Each line and each end of a mail, as they came in clear and encrypted.
    private(set) var commands: [(line: String, isEncrypted: Bool)] = []
    private(set) var postings: [MQTTPublish] = []
    /// Connections to the mail server.
    private(set) var visits = 0
    /// What the mail server answers a recipient.
    var toRecipient = "250 ok"
    private let identity: TLSIdentity
    private let loop: EventLoop
    private var mailListener: Listener?
    private var brokerListener: Listener?
    private var kept: [AnyObject] = []

    init(on loop: EventLoop) throws {
        self.loop = loop
        authority = try Authority()
        identity = try authority.issue(.init(names: ["localhost", "127.0.0.1"]))
        let here = Endpoint(address: try #require(IPAddress("127.0.0.1")), port: 0)
        mailListener = try Listener(loopback: here, on: loop, limit: 16) { [weak self] in self?.greet($0) }
        brokerListener = try Listener(loopback: here, on: loop, limit: 16) { [weak self] in self?.serveBroker($0) }
    }

    var mail: MailSettings {
        MailSettings(
            host: "127.0.0.1", port: mailListener?.port ?? 0, security: .startTLS, from: "box@mail.example",
            user: "box", password: Secret("pass"))
    }
    var broker: MQTTSettings {
        MQTTSettings(
            host: "127.0.0.1", port: brokerListener?.port ?? 0, user: "box", password: Secret("pass"), site: "home")
    }
    /// Of both servers.
    var authorities: PictureAuthorities {
        var authorities = PictureAuthorities()
        (authorities[.mail], authorities[.broker]) = (authority.certificatePEM, authority.certificatePEM)
        return authorities
    }

    private func greet(_ stream: Stream) {
        visits += 1
        talk(on: stream, isEncrypted: false, below: stream)
        stream.send(Array("220 mail.example\r\n".utf8))
    }

    private func talk(on stream: any ByteStream, isEncrypted: Bool, below: Stream?) {
        kept.append(stream)
        var input: [UInt8] = []
        var isBody = false
        stream.onReceived = { [weak self, weak stream] bytes in
            input += bytes
            while let self, let stream, let end = input.firstRange(of: Array((isBody ? "\r\n.\r\n" : "\r\n").utf8)) {
                let text = String(decoding: input[..<end.lowerBound], as: UTF8.self)
                input.removeSubrange(..<end.upperBound)
                guard !isBody else {
                    isBody = false
                    self.mails.append(text)
                    stream.send(Array("250 queued\r\n".utf8))
                    continue
                }
                self.commands.append((text, isEncrypted))
                isBody = text == "DATA"
                stream.send(Array((self.answer(to: text, isEncrypted) + "\r\n").utf8))
                guard text == "STARTTLS", let below else { continue }
                let secure = SecureStream(server: below, identity: self.identity, on: self.loop)
                self.talk(on: secure, isEncrypted: true, below: nil)
                secure.startHandshake()
                return
            }
        }
    }

    private func answer(to line: String, _ isEncrypted: Bool) -> String {
        switch line.prefix(4) {
        case "EHLO": isEncrypted ? "250-mail.example\r\n250 AUTH PLAIN" : "250-mail.example\r\n250 STARTTLS"
        case "STAR": "220 go on"
        case "AUTH": "235 come in"
        case "RCPT": toRecipient
        case "DATA": "354 go on"
        default: "250 ok"
        }
    }

    private func serveBroker(_ plain: Stream) {
        let stream = SecureStream(server: plain, identity: identity, on: loop)
        kept.append(stream)
        var reader = MQTTReader(version: .v311, limit: 1 << 20)
        stream.onReceived = { [weak self, weak stream] bytes in
            reader.append(bytes)
            while case .packet(let packet)? = reader.next() {
                switch packet {
                case .connect: stream?.send(MQTTPacket.connack(MQTTConnack(reason: 0)).bytes(.v311))
                case .publish(let publish):
                    self?.postings.append(publish)
                    stream?.send(MQTTPacket.puback(MQTTAnswer(id: publish.id ?? 0)).bytes(.v311))
                default: Issue.record("the broker is sent \(packet.type)")
                }
            }
        }
        stream.startHandshake()
    }
}
