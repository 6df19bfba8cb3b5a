import AlarmModel
import PhoneProtocol
import Simulators

/// How a phone lives by a topic server, as the web app does: while its page is open it listens to its topic, and looks after
/// its browser's subscription whenever it is opened; pushes come with the page closed, too.
struct TopicLife: Sendable {
    /// `host/topic`
    let topic: String
    let takesPushes: Bool
    /// The page is open.
    var isListening = true
    /// What the server keeps for it until the page is opened.
    var kept: [String] = []
    /// The page was opened and has not looked at its subscription yet.
    var looks = true
    var subscription: BrowserSubscription?
    /// The pairing in which the box was told of it.
    var toldAs: PhoneID?

    static let server = "ntfy.example"

    static func topic(_ plan: HousePlan.PhoneOfHouse) -> String {
        "\(server)/phone\(plan.place)\(String(plan.seed, radix: 36))"
    }

    mutating func open() {
        isListening = true
        looks = true
    }
}

/// Where a browser takes pushes, with its keys.
struct BrowserSubscription: Equatable, Sendable {
    let endpoint: String
    let point: [UInt8]
    let secret: String

    init(_ endpoint: String) {
        self.endpoint = endpoint
        point = [4] + ToyCrypto.stretch(ToyCrypto.digest(Array(endpoint.utf8), 10), 64)
        secret = Base64URL.encode(ToyCrypto.stretch(ToyCrypto.digest(Array(endpoint.utf8), 11), 16))
    }

    /// As the box is told.
    var text: String {
        JSON.object([
            "endpoint": .string(endpoint), "p256dh": .string(Base64URL.encode(point)), "auth": .string(secret),
        ]).text
    }

    /// What a browser makes of a push; nil: it can show nothing, and takes the subscription away.
    ///
    /// - Parameter body: as base64url
    func open(_ body: String) -> BrowserPush? {
        (try? Base64URL.decode(body)).flatMap { ToyCrypto.openPush($0, point, secret) }
            .flatMap { try? JSON(parsing: $0) }.flatMap { BrowserPush($0) }
    }
}

/// A push as a phone gets it: what the system shows by itself, and the envelope for the app (docs/push.md C.7).
struct BrowserPush: Equatable, Sendable {
    let message: MessageID
    let words: String
    let envelope: String

    init?(_ json: JSON) {
        guard json["web_push"]?.integerValue == 8030, let shown = json["notification"],
            let title = shown["title"]?.stringValue, !title.isEmpty, let tag = shown["tag"]?.stringValue,
            let envelope = json["ha2"]?.stringValue, (try? Base64URL.decode(envelope)) != nil
        else { return nil }
        message = MessageID(tag)
        words = "\(title)\n\(shown["body"]?.stringValue ?? "")"
        self.envelope = envelope
    }

    /// What there is to see of it.
    func shown(at endpoint: String) -> Arrival { Arrival(address: endpoint, message: message, text: words) }
}

/// What a phone posts to a topic, as a request of its own.
struct TopicPost: Equatable, Sendable {
    let request: [UInt8]

    /// nil: it names no topic of the server.
    init?(_ data: JSON) {
        guard let address = data["to"]?.stringValue, address.hasPrefix(TopicLife.server + "/"),
            let text = data["e"]?.stringValue
        else { return nil }
        let head =
            "POST \(address.dropFirst(TopicLife.server.count)) HTTP/1.1\r\nHost: \(TopicLife.server)\r\n"
            + "Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
        request = Array((head + text).utf8)
    }
}
