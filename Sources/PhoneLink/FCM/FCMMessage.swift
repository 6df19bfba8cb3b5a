package import AlarmModel
package import PhoneProtocol

/// A message as FCM's HTTP v1 takes it (docs/push.md C.2).
package struct FCMMessage: Equatable, Sendable {
    /// The request's body.
    package var json: JSON

    /// Bytes that FCM takes as data and notification together.
    package static let sizeLimit = 4096
    /// Seconds: four weeks.
    static let timeToLiveMaximum = 2_419_200

    /// nil when this channel cannot carry it: to an address that is none of FCM's, or words.
    package init?(_ delivery: Delivery, at now: Moment) {
        var (target, place) = ("token", delivery.address.value)
        let topic = delivery.address.topicName
        switch delivery.address.kind {
        case .phone(.fcmToken): if let topic { (target, place) = ("topic", topic) }
        case .phone(.fcmInstallation): target = "fid"
        case .phone(.topic), .phone(.xmpp), .phone(.mqtt), .phone(.webPush), .house: return nil
        }
        let data: JSON
        let look: Look
        switch delivery.content {
        case .sealed(let envelope):
            data = Self.data(envelope)
            look = delivery.isAnswer ? .silent : .fixed(hasSound: delivery.priority == .alarm)
        case .frame(let frame):
            data = Self.data(frame)
            look = .silent
        case .legacy(let event):
            data = event
            look = topic != nil || event["raw"]?.stringValue == "HOWALARMING" ? .silent : .clear(event)
        case .words, .event, .report: return nil
        }
        let seconds = min(max(delivery.timeToLive, 0), Self.timeToLiveMaximum)
        let isUrgent = delivery.priority <= .fault && look.isVisible || look.isClear || topic != nil
        var expiration: String? = seconds == 0 ? "0" : nil
        if seconds > 0, now.isWallTrusted { expiration = String(now.wall.seconds + Int64(seconds)) }
        json = .object([
            "message": .object([
                target: .string(place),
                "data": data,
                "notification": look.notification,
                "android": .object([
                    "priority": .string(isUrgent ? "HIGH" : "NORMAL"),
                    "ttl": .string("\(seconds)s"),
                    "notification": look.isClear ? .object(["sound": .string("default")]) : nil,
                ]),
                "apns": .object([
                    "headers": .object([
                        "apns-priority": .string(isUrgent ? "10" : "5"),
                        "apns-push-type": .string(look.isVisible ? "alert" : "background"),
                        "apns-expiration": expiration.map { .string($0) },
                    ]),
                    "payload": .object(["aps": look.aps]),
                ]),
            ])
        ])
    }

    /// As the other push channel carries it; values are strings.
    private static func data(_ envelope: [UInt8]) -> JSON {
        .object(["v": .string("2"), "e": .string(Base64URL.encode(envelope))])
    }

    /// What the phone's system shows by itself.
    private enum Look: Equatable {
        /// One text for everything (docs/pairing.md 5), which the app's extension replaces on iOS; on Android the app
        /// is woken and shows what it likes.
        case fixed(hasSound: Bool)
        /// The event in clear, for original apps (docs/messages.md B.4).
        case clear(JSON)
        case silent

        var isVisible: Bool { self != .silent }
        var isClear: Bool { if case .clear = self { true } else { false } }

        var notification: JSON? {
            guard case .clear(let event) = self else { return nil }
            return .object([
                "title": .string("HowAlarming Event \(event["type"]?.stringValue ?? "")"),
                "body": .string(event["message"]?.stringValue ?? ""),
            ])
        }

        var aps: JSON {
            switch self {
            case .fixed(let hasSound):
                .object([
                    "alert": .object(["title": .string("HowAlarming"), "body": .string("new message")]),
                    "sound": hasSound ? .string("default") : nil,
                    "mutable-content": .integer(1),
                ])
            case .clear: .object(["badge": .integer(0), "sound": .string("default")])
            case .silent: .object(["content-available": .integer(1)])
            }
        }
    }
}
