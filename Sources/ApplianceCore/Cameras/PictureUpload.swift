package import AlarmModel
package import PhoneLink
import PhoneProtocol

/// Where a picture is sent.
package enum PictureUpload: Equatable, Sendable {
    /// To this topic, as a file, with a title for people.
    case topic(HTTPURL, authorization: Secret?, title: String)
    /// Sealed, as a file, to a topic of this server that is made for it alone.
    case sealed(HTTPURL, authorization: Secret?)
    /// Behind a mail's words.
    case mail(MailSettings, to: String, title: String)
    /// To whoever looks at this topic of a broker; it keeps nothing.
    case broker(MQTTSettings, topic: String)

    package var isSealed: Bool {
        switch self {
        case .sealed: true
        case .topic, .mail, .broker: false
        }
    }

    var json: JSON {
        switch self {
        case .topic(let url, let authorization, let title):
            .object([
                "url": .string(url.description), "authorization": authorization.map { .string($0.revealed) },
                "title": .string(title),
            ])
        case .sealed(let url, let authorization):
            .object(["url": .string(url.description), "authorization": authorization.map { .string($0.revealed) }])
        case .mail(let server, let recipient, let title):
            .object([
                "host": .string(server.host), "port": .integer(Int64(server.port)),
                "security": .string(server.security.rawValue), "user": server.user.map { .string($0) },
                "password": server.password.map { .string($0.revealed) }, "from": .string(server.from),
                "to": .string(recipient), "title": .string(title),
            ])
        case .broker(let broker, let topic):
            .object([
                "host": .string(broker.host), "port": .integer(Int64(broker.port)),
                "encrypted": .bool(broker.security != .plain), "user": broker.user.map { .string($0) },
                "password": broker.password.map { .string($0.revealed) }, "client": .string(broker.clientID),
                "version": .string(broker.protocolVersion.rawValue), "topic": .string(topic),
            ])
        }
    }

    init?(_ json: JSON) {
        func text(_ key: String) -> String? { json[key]?.stringValue }
        let password = text("password").map { Secret($0) }
        if let url = text("url") {
            guard let url = try? HTTPURL(url) else { return nil }
            let authorization = text("authorization").map { Secret($0) }
            self =
                text("title").map { .topic(url, authorization: authorization, title: $0) }
                ?? .sealed(url, authorization: authorization)
            return
        }
        guard let host = text("host"), let port = json["port"]?.integerValue.flatMap({ UInt16(exactly: $0) }) else {
            return nil
        }
        if let security = text("security").flatMap({ MailSettings.Security(rawValue: $0) }), let from = text("from"),
            let recipient = text("to"), let title = text("title")
        {
            self = .mail(
                MailSettings(
                    host: host, port: port, security: security, from: from, user: text("user"), password: password),
                to: recipient, title: title)
        } else if let isEncrypted = json["encrypted"]?.boolValue, let client = text("client"),
            let version = text("version").flatMap({ MQTTSettings.Level(rawValue: $0) }), let topic = text("topic")
        {
            var broker = MQTTSettings(
                host: host, port: port, security: isEncrypted ? .tls(authorityFile: nil) : .plain, user: text("user"),
                password: password, site: "")
            broker.clientID = client
            broker.protocolVersion = version
            self = .broker(broker, topic: topic)
        } else {
            return nil
        }
    }
}

/// Authorities of the servers that pictures go to, in PEM: who sends them cannot read the daemon's files.
package struct PictureAuthorities: Codable, Equatable, Sendable {
    package enum Server: String, Equatable, Sendable, CaseIterable {
        case topics, mail, broker

        /// Where the owner has named the file.
        package var setting: String {
            switch self {
            case .topics: "ntfy.ca_file"
            case .mail: "alert_email.ca_file"
            case .broker: "mqtt.ca_file"
            }
        }
    }

    private var topics: String?
    private var mail: String?
    private var broker: String?

    package init() {}

    /// nil: the system's.
    package subscript(_ server: Server) -> String? {
        get {
            switch server {
            case .topics: topics
            case .mail: mail
            case .broker: broker
            }
        }
        set {
            switch server {
            case .topics: topics = newValue
            case .mail: mail = newValue
            case .broker: broker = newValue
            }
        }
    }

    var files: [(Server, String)] { Server.allCases.compactMap { server in self[server].map { (server, $0) } } }
}
