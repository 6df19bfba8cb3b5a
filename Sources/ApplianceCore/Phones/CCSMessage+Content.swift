import AlarmModel
import PhoneLink
import PhoneProtocol

/// The messages as they lie on the wire of the push service.
extension CCSMessage {
    /// What every sealed event looks like; the app replaces it (reference pairing 5).
    private static func notice(isAlarm: Bool) -> JSON {
        .object([
            "title": .string("HowAlarming"), "body": .string("new message"),
            "sound": isAlarm ? .string("default") : nil,
        ])
    }

    /// An event for a paired phone.
    init(sealed envelope: [UInt8], _ entry: OutboxEntry, to token: String) {
        let isAlarm = entry.priority == .alarm
        self.init(
            to: token, messageID: entry.message, priority: entry.priority <= .fault ? .high : .normal,
            timeToLive: Int64(entry.timeToLive), receiptRequested: entry.wantsReceipt, contentAvailable: true,
            mutableContent: true,
            data: .object(["v": .string("2"), "e": .string(Base64URL.encode(envelope))]),
            notification: Self.notice(isAlarm: isAlarm))
    }

    /// An answer to a paired phone, or the second frame of a pairing: nothing to be shown, now or never.
    init(answer bytes: [UInt8], to token: String, as id: MessageID) {
        self.init(
            to: token, messageID: id, timeToLive: 0, contentAvailable: true,
            data: .object(["v": .string("2"), "e": .string(Base64URL.encode(bytes))]))
    }

    /// An event for an original app, byte for byte as its own server made it (reference fcm-xmpp B.4).
    init(clear message: HowAlarmingMessage, _ entry: OutboxEntry, to token: String) {
        self.init(
            to: token, messageID: entry.message, timeToLive: 3600, data: message.pushData,
            notification: .object([
                "badge": .string("0"), "sound": .string("default"),
                "title": .string("HowAlarming Event \(message.type.rawValue)"), "body": .string(message.message),
            ]))
    }

    /// The answer to an original app's `ping`.
    init(status data: JSON, to token: String, as id: MessageID) {
        self.init(to: token, messageID: id, timeToLive: 0, data: data, notification: .object([:]))
    }
}
