package import AlarmModel
import PhoneProtocol

/// How to reach a topic server that speaks as ntfy does, and how patient to be with it.
package struct NtfySettings: Codable, Equatable, Sendable {
    package enum Access: Codable, Equatable, Sendable {
        /// Whoever knows a topic's name may use it.
        case open
        /// `tk_…`
        case token(Secret)
        case user(String, password: Secret)

        private enum CodingKeys: String, CodingKey {
            case open = "open", token = "token", user = "user"
        }
    }

    package var host: String
    package var port: UInt16
    package var isEncrypted: Bool
    /// In front of every path, such as `/ntfy`; empty where the server has the host for itself.
    package var pathPrefix: String
    /// Authorities to trust instead of the system's.
    package var authorityFile: String?
    package var access: Access
    /// What a tap on a message opens; nil: the app itself.
    package var clickURL: String?
    /// Where only accounts may write: what a button sends along. Everybody who can read an alert can read it.
    package var phoneToken: Secret?

    /// Answers to phones, signs of life among them, that the box publishes in a day: a public server takes only so many messages
    /// from one address, and alarms need them. nil: without limit.
    package var answersADay: Int?

    package var backoff = ReconnectPace()
    /// For an attempt to connect; the dialer has shorter limits of its own.
    package var connectPatience = Duration.seconds(60)
    /// For the answer to a message, whole.
    package var answerPatience = Duration.seconds(20)
    /// From the connection until the stream has begun.
    package var setupDeadline = Duration.seconds(15)
    /// Servers send a sign of life each 45 s; without one for so long the stream counts as dead.
    package var silence = Duration.seconds(75)
    /// A connection to publish that does nothing for so long is closed.
    package var idleTime = Duration.seconds(50)
    /// What worked for so long makes the back-off start anew.
    package var steadyAfter = Duration.seconds(60)
    /// Messages under way at the same time, each on a connection of its own; one of them is kept for alarms.
    package var connections = 4

    package init(
        host: String = "ntfy.sh", port: UInt16? = nil, isEncrypted: Bool = true,
        pathPrefix: String = "",
        authorityFile: String? = nil, access: Access = .open
    ) {
        self.host = host
        self.port = port ?? (isEncrypted ? 443 : 80)
        self.isEncrypted = isEncrypted
        var prefix = pathPrefix
        while prefix.hasSuffix("/") { prefix.removeLast() }
        self.pathPrefix = prefix.isEmpty || prefix.hasPrefix("/") ? prefix : "/" + prefix
        self.authorityFile = authorityFile
        self.access = access
    }

    /// The public server, whose free use is 250 messages a day for each address (ntfy.sh, its documentation of limits).
    package static func isPublic(_ host: String) -> Bool {
        // A name may end with the dot of the root.
        let host = host.lowercased()
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name == "ntfy.sh" || name.hasSuffix(".ntfy.sh")
    }

    /// Leaves half of what the public server takes for events.
    package static let publicAnswersADay = 100

    package var origin: HTTPOrigin {
        HTTPOrigin(
            host: host, port: port, security: isEncrypted ? .tls(authorityFile: authorityFile) : .plain)
    }

    /// The server as addresses name it: `host`, `host:port`, with the path before the topics if there is one.
    package var place: String { origin.authority + pathPrefix }

    /// A topic as an address: `host/topic`.
    package func address(ofTopic topic: String) -> String { "\(place)/\(topic)" }

    /// nil when the address lies on another server, or is none.
    package func topic(ofAddress address: String) -> String? {
        guard let slash = address.lastIndex(of: "/") else { return nil }
        let topic = String(address[address.index(after: slash)...])
        guard address[..<slash].lowercased() == place.lowercased(), Self.isTopic(topic) else {
            return nil
        }
        return topic
    }

    /// 1…64 letters, digits, `-` and `_`.
    package static func isTopic(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    0x30...0x39,
                    UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Credentials of the box.
    package var authorization: HTTPField? {
        switch access {
        case .open: nil
        case .token(let token): HTTPField("Authorization", secret: Secret("Bearer \(token.revealed)"))
        case .user(let name, let password):
            HTTPField(
                "Authorization",
                secret: Secret("Basic " + Base64.encode(Array("\(name):\(password.revealed)".utf8))))
        }
    }

    /// Words of the server, printable, bounded and without our credentials.
    func printable(_ text: String) -> String {
        var secrets = phoneToken.map { [$0] } ?? []
        switch access {
        case .open: break
        case .token(let secret), .user(_, let secret): secrets.append(secret)
        }
        return PeerText.printable(text, hiding: secrets)
    }
}
