import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Platform
import Simulators

/// An XMPP server with the box's account as the core's tests look at it, and the account of Anna beside it.
typealias ChatServer = Served<XMPPPeer>

extension ChatServer {
    static var port: UInt16 { 5223 }
    /// Here it begins in clear.
    static var plainPort: UInt16 { 5222 }
    static var anna: String { "anna@example.com" }
    static var password: Secret { Secret("pencil") }

    init() {
        self.init(
            XMPPPeer(password: Self.password, startsEncrypted: false, isSmall: true), at: Self.port, Self.plainPort)
    }

    /// What the box wrote to Anna.
    var heard: [String] { arrivals.map(\.arrival.text) }
    /// The last that was opened.
    var connection: ConnectionID? { connections.last }

    /// What Anna writes to the box.
    mutating func say(_ text: String, id: String?, at now: Moment) -> [Input] {
        act(at: now) { $0.say(text, from: Self.anna, id: id, at: now, into: &$1) }
    }

    /// Anna's own server sends the last message back, after this one has taken it.
    mutating func bounce(_ condition: String, at now: Moment) -> [Input] {
        act(at: now) { $0.bounce(condition, at: now, into: &$1) }
    }
}

extension Bench {
    static func chatConfiguration() -> Configuration {
        var configuration = configuration()
        configuration.phones = PhoneSettings()
        let account = XMPPAddress(XMPPPeer.box) ?? { preconditionFailure("an address") }()
        var settings = XMPPSettings(account: account, password: ChatServer.password)
        settings.host = "192.0.2.10"
        settings.port = ChatServer.port
        settings.isDirectTLS = true
        configuration.phones.channels = [.xmpp(settings)]
        return configuration
    }

    /// Panel up, the account logged in, and Anna's account a contact that may do what accounts may.
    static func withChat(_ change: (inout Configuration) -> Void = { _ in }) -> Bench {
        var configuration = chatConfiguration()
        change(&configuration)
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        bench.pairChat()
        bench.advance(.minutes(1))
        return bench
    }

    /// Anna's account becomes a contact that may do what accounts may.
    mutating func pairChat() {
        ask(
            .phones(
                .pairContact(
                    ContactRequest(
                        kind: .xmpp, person: "Anna", name: "Chat", value: ChatServer.anna, allowed: [],
                        tellsArming: false))), as: 70)
        advance(.seconds(1))
        let title = chat.heard.last?.split(separator: "\n").first ?? ""
        ask(.phones(.confirm(Secret(String(title.split(separator: " ").last ?? "")))), as: 71)
    }

    /// - Parameter number: of a message that is said again; nil: it is a new one
    mutating func say(_ text: String, hasID: Bool = true, again number: Int? = nil) {
        if number == nil { saidCount += 1 }
        for input in chat.say(text, id: hasID ? "m\(number ?? saidCount)" : nil, at: now) { feed(input) }
        settle()
    }

    mutating func bounce(_ condition: String) {
        for input in chat.bounce(condition, at: now) { feed(input) }
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
