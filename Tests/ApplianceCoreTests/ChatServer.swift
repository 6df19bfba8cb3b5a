import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Platform

/// An XMPP server with the box's account as the core sees it, and the account of Anna beside it.
struct ChatServer {
    static let port: UInt16 = 5223
    /// Here it begins in clear.
    static let plainPort: UInt16 = 5222
    static let anna = "anna@example.com"

    private struct Line {
        var id: ConnectionID
        var reader = XMLReader()
        var openings = 0
        var isClear = false
    }

    private var lines: [Line] = []
    private var said = 0
    /// What the box wrote to Anna, and the ids of that.
    private(set) var heard: [String] = []
    private(set) var ids: [String] = []
    /// Each message comes back with this condition before anything else is said of it.
    var refusal: String?

    func owns(_ id: ConnectionID) -> Bool { lines.contains { $0.id == id } }

    /// The last that was opened.
    var connection: ConnectionID? { lines.last?.id }

    mutating func opened(_ id: ConnectionID, isClear: Bool = false) -> [Input] {
        lines.append(Line(id: id, isClear: isClear))
        return [.connected(id)]
    }

    mutating func closed(_ id: ConnectionID) { lines.removeAll { $0.id == id } }

    mutating func received(_ id: ConnectionID, _ bytes: [UInt8]) -> [Input] {
        guard let index = lines.firstIndex(where: { $0.id == id }) else { return [] }
        lines[index].reader.append(bytes)
        var text = ""
        while let event = lines[index].reader.next() {
            switch event {
            case .opened:
                if !lines[index].isClear { lines[index].openings += 1 }
                text += Self.header
                switch lines[index].openings {
                case 0: text += Self.encryption
                case 1: text += Self.mechanisms
                default: text += Self.features
                }
            case .element(let element): text += reply(to: element, index)
            case .closed: text += "</stream:stream>"
            case .failed(let error): preconditionFailure("the box wrote what is no XML: \(error)")
            }
        }
        return text.isEmpty ? [] : [.received(id, Array(text.utf8))]
    }

    /// What Anna writes to the box.
    mutating func say(_ text: String, hasID: Bool = true) -> [Input] {
        guard let id = lines.last?.id else { return [] }
        said += 1
        let name = hasID ? " id='m\(said)'" : ""
        let message =
            "<message from='\(Self.anna)/phone' to='box@example.com/r'\(name) type='chat'><body>\(text)</body>"
            + "</message>"
        return [.received(id, Array(message.utf8))]
    }

    private mutating func reply(to element: XMLElement, _ index: Int) -> String {
        if element.isNamed("starttls", in: Self.tls) {
            lines[index].isClear = false
            lines[index].reader.restart()
            return "<proceed xmlns='\(Self.tls)'/>"
        }
        if element.isNamed("auth", in: XMPPNamespace.sasl) {
            lines[index].reader.restart()
            return "<success xmlns='\(XMPPNamespace.sasl)'/>"
        }
        if element.isNamed("iq", in: XMPPNamespace.client) {
            let id = element["id"] ?? ""
            guard element.child("bind", in: XMPPNamespace.bind) != nil else { return "<iq id='\(id)' type='result'/>" }
            return "<iq id='\(id)' type='result'><bind xmlns='\(XMPPNamespace.bind)'>"
                + "<jid>box@example.com/r</jid></bind></iq>"
        }
        if let body = element.child("body", in: XMPPNamespace.client)?.text {
            heard.append(body)
            ids.append(element["id"] ?? "")
            if let refusal { return Self.error(element["id"] ?? "", refusal) }
        }
        return ""
    }

    /// Anna's own server sends the last message back, after this one has taken it.
    func bounce(_ condition: String) -> [Input] {
        guard let id = lines.last?.id, let message = ids.last else { return [] }
        return [.received(id, Array(Self.error(message, condition).utf8))]
    }

    private static func error(_ message: String, _ condition: String) -> String {
        "<message from='\(anna)' to='box@example.com/r' id='\(message)' type='error'><error type='cancel'>"
            + "<\(condition) xmlns='\(XMPPNamespace.stanzaErrors)'/></error></message>"
    }

    private static let header =
        "<stream:stream from='example.com' id='1' version='1.0' xmlns:stream='\(XMPPNamespace.streams)' "
        + "xmlns='\(XMPPNamespace.client)'>"
    private static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    private static let encryption =
        "<stream:features><starttls xmlns='\(tls)'><required/></starttls></stream:features>"
    private static let mechanisms =
        "<stream:features><mechanisms xmlns='\(XMPPNamespace.sasl)'><mechanism>PLAIN</mechanism></mechanisms>"
        + "</stream:features>"
    private static let features =
        "<stream:features><bind xmlns='\(XMPPNamespace.bind)'/></stream:features>"
}

extension Bench {
    static func chatConfiguration() -> Configuration {
        var configuration = configuration()
        configuration.phones = PhoneSettings()
        let account = XMPPAddress("box@example.com") ?? { preconditionFailure("an address") }()
        var settings = XMPPSettings(account: account, password: Secret("pencil"))
        settings.host = "192.0.2.10"
        settings.port = ChatServer.port
        settings.isDirectTLS = true
        configuration.phones.ways = [.xmpp(settings)]
        return configuration
    }

    /// Panel up, the account logged in, and Anna's account a contact that may do what accounts may.
    static func withChat(_ change: (inout Configuration) -> Void = { _ in }) -> Bench {
        var configuration = chatConfiguration()
        change(&configuration)
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        bench.ask(
            .phones(
                .pairContact(
                    ContactRequest(
                        kind: .xmpp, person: "Anna", name: "Chat", value: ChatServer.anna, allowed: [],
                        tellsArming: false))), as: 70)
        bench.advance(.seconds(1))
        let title = bench.chat.heard.last?.split(separator: "\n").first ?? ""
        bench.ask(.phones(.confirm(Secret(String(title.split(separator: " ").last ?? "")))), as: 71)
        bench.advance(.minutes(1))
        return bench
    }

    mutating func say(_ text: String, hasID: Bool = true) {
        for input in chat.say(text, hasID: hasID) { feed(input) }
        settle()
    }

    mutating func bounce(_ condition: String) {
        for input in chat.bounce(condition) { feed(input) }
        settle()
    }

    /// The secret that is on the screen.
    var shownSecret: [UInt8] {
        let uri = push.vault.codesText?.revealed ?? ""
        let text = uri.split(separator: "secret=").last?.split(separator: "&").first ?? ""
        return (try? Base32.decode(String(text))) ?? []
    }

    /// What an authenticator app with this secret shows, so many steps from now.
    func code(_ secret: [UInt8], steps: Int64 = 0) -> String {
        let step = OneTimeCode.step(at: now.wall) ?? 0
        return OneTimeCode.code(secret, step: UInt64(Int64(step) + steps), OpenSSLCrypto())
    }

    /// Sets Anna's codes up at the box; returns the secret.
    mutating func setUpCodes(allow verbs: [ContactVerb] = ContactVerb.allCases) -> [UInt8] {
        ask(.phones(.codes(person: "Anna")), as: 80)
        let secret = shownSecret
        ask(.phones(.confirm(Secret(code(secret)))), as: 81)
        ask(.phones(.allow(contact: "Chat", verbs, tellsArming: false)), as: 82)
        advance(.minutes(1))
        return secret
    }
}
