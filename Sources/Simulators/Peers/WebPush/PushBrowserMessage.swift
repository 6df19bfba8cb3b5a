package import PhoneProtocol

/// What Firefox says to its push service, over a WebSocket (Mozilla's push protocol).
package enum PushBrowserMessage: Equatable, Sendable {
    /// It is there. `name`: the one that it was given when it came first.
    case hello(name: String?)
    /// It subscribes. `key`: of the application server that may send there, 65 bytes; nil: anybody may.
    case register(channel: String, key: [UInt8]?)
    case unregister(channel: String)
    /// It has these messages.
    case acknowledge([Int])
    case ping
    /// Nothing for this service.
    case other(String)

    /// nil: it is none.
    package init?(_ json: JSON) {
        guard let members = json.objectValue else { return nil }
        // An empty object is a sign of life.
        guard !members.isEmpty else {
            self = .ping
            return
        }
        guard let kind = json["messageType"]?.stringValue else { return nil }
        switch kind {
        case "hello":
            let name = json["uaid"]?.stringValue ?? ""
            self = .hello(name: name.isEmpty ? nil : name)
        case "register":
            guard let channel = Self.channel(json) else { return nil }
            var key: [UInt8]?
            if let text = json["key"]?.stringValue, !text.isEmpty {
                // Firefox pads it.
                guard let bytes = try? Base64URL.decode(String(text.prefix { $0 != "=" })), bytes.count == 65,
                    bytes[0] == 4
                else { return nil }
                key = bytes
            }
            self = .register(channel: channel, key: key)
        case "unregister":
            guard let channel = Self.channel(json) else { return nil }
            self = .unregister(channel: channel)
        case "ack":
            let updates = json["updates"]?.arrayValue ?? []
            self = .acknowledge(updates.compactMap { $0["version"]?.stringValue.flatMap { Int($0) } })
        case "ping": self = .ping
        default: self = .other(kind)
        }
    }

    private static func channel(_ json: JSON) -> String? {
        json["channelID"]?.stringValue.flatMap { (1...64).contains($0.utf8.count) ? $0 : nil }
    }
}

/// What the push service says to Firefox.
package enum PushServiceMessage: Equatable, Sendable {
    case hello(name: String)
    case registered(channel: String, endpoint: String)
    case unregistered(channel: String)
    /// `body` is encrypted for the page.
    case notification(channel: String, version: Int, body: [UInt8])
    case alive

    package var json: JSON {
        switch self {
        case .hello(let name):
            .object([
                "messageType": .string("hello"), "status": .integer(200), "uaid": .string(name),
                "use_webpush": .bool(true), "broadcasts": .object([]),
            ])
        case .registered(let channel, let endpoint):
            .object([
                "messageType": .string("register"), "status": .integer(200), "channelID": .string(channel),
                "pushEndpoint": .string(endpoint),
            ])
        case .unregistered(let channel):
            .object([
                "messageType": .string("unregister"), "status": .integer(200), "channelID": .string(channel),
            ])
        case .notification(let channel, let version, let body):
            .object([
                "messageType": .string("notification"), "channelID": .string(channel),
                "version": .string("\(version)"), "data": .string(Base64URL.encode(body)),
                "headers": .object(["encoding": .string("aes128gcm")]),
            ])
        case .alive: .object([])
        }
    }
}
