import AlarmModel
import PhoneProtocol

/// The messages as they lie on the wire of the push service.
extension CCSMessage {
    /// nil for content that no app reads.
    init?(_ delivery: Delivery) {
        switch delivery.content {
        case .sealed(let bytes) where delivery.isAnswer: self.init(answer: bytes, delivery)
        case .sealed(let bytes): self.init(sealed: bytes, delivery)
        case .frame(let bytes): self.init(answer: bytes, delivery)
        case .legacy(let data): self.init(legacy: data, delivery)
        case .words, .event, .report: return nil
        }
    }

    /// An event for a paired phone. What is shown looks the same for all; the app replaces it (docs/pairing.md 5).
    private init(sealed envelope: [UInt8], _ delivery: Delivery) {
        let isAlarm = delivery.priority == .alarm
        let notice = JSON.object([
            "title": .string("HowAlarming"), "body": .string("new message"),
            "sound": isAlarm ? .string("default") : nil,
        ])
        self.init(
            to: delivery.address.value, messageID: delivery.message,
            priority: delivery.priority <= .fault ? .high : .normal, timeToLive: Int64(delivery.timeToLive),
            receiptRequested: delivery.wantsReceipt, contentAvailable: true, mutableContent: true,
            data: .object(["v": .string("2"), "e": .string(Base64URL.encode(envelope))]), notification: notice)
    }

    /// An answer to a paired phone, or the second frame of a pairing: nothing to be shown, now or never.
    private init(answer bytes: [UInt8], _ delivery: Delivery) {
        self.init(
            to: delivery.address.value, messageID: delivery.message, timeToLive: 0, contentAvailable: true,
            data: .object(["v": .string("2"), "e": .string(Base64URL.encode(bytes))]))
    }

    /// For an original app, byte for byte as its own server made it (docs/messages.md B.4): an event with a
    /// notification, the answer to its `ping` with an empty one. At a topic the app for Android listens, which reads data
    /// alone: with a notification its log would miss the event.
    private init(legacy data: JSON, _ delivery: Delivery) {
        let type = data["type"]?.stringValue ?? ""
        let notice = JSON.object([
            "badge": .string("0"), "sound": .string("default"), "title": .string("HowAlarming Event \(type)"),
            "body": .string(data["message"]?.stringValue ?? ""),
        ])
        self.init(
            to: delivery.address.value, messageID: delivery.message, timeToLive: delivery.isAnswer ? 0 : 3600,
            data: data,
            notification: delivery.address.topicName != nil ? nil : delivery.isAnswer ? .object([:]) : notice)
    }
}

extension DeliveryContent {
    var kindInWords: String {
        switch self {
        case .sealed: "sealed messages"
        case .frame: "frames of a pairing"
        case .legacy: "messages for original apps"
        case .words: "messages in words"
        case .event: "events for programs"
        case .report: "reports for a receiver"
        }
    }
}
