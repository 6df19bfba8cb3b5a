package import AlarmModel
package import PhoneProtocol

/// A message to one phone (docs/push.md A.5).
package struct CCSMessage: Codable, Equatable, Sendable {
    package enum Priority: String, Codable, Equatable, Sendable {
        case high, normal
    }

    /// A registration token, or `/topics/NAME`.
    package var to: String
    package var messageID: MessageID
    package var priority: Priority
    /// Seconds, 0 to 2 419 200; 0 is "now or never".
    package var timeToLive: Int64
    /// Ask for word from the device; not for iOS.
    package var receiptRequested: Bool
    /// iOS: wake the app.
    package var contentAvailable: Bool
    /// iOS: let the app change the notification before it is shown.
    package var mutableContent: Bool
    /// Values are strings; reserved keys are the caller's to avoid.
    package var data: JSON
    package var notification: JSON?

    package static let timeToLiveMaximum: Int64 = 2_419_200

    package init(
        to: String, messageID: MessageID, priority: Priority = .high, timeToLive: Int64, receiptRequested: Bool = false,
        contentAvailable: Bool = false, mutableContent: Bool = false, data: JSON, notification: JSON? = nil
    ) {
        self.to = to
        self.messageID = messageID
        self.priority = priority
        self.timeToLive = timeToLive
        self.receiptRequested = receiptRequested
        self.contentAvailable = contentAvailable
        self.mutableContent = mutableContent
        self.data = data
        self.notification = notification
    }

    /// Members in the order of the original server (docs/messages.md B.4).
    package var json: JSON {
        .object([
            "priority": .string(priority.rawValue),
            "time_to_live": .integer(min(max(timeToLive, 0), Self.timeToLiveMaximum)),
            "delivery_receipt_requested": receiptRequested ? .bool(true) : nil,
            "content_available": contentAvailable ? .bool(true) : nil,
            "mutable_content": mutableContent ? .bool(true) : nil,
            "data": data,
            "notification": notification,
            "to": .string(to),
            "message_id": .string(messageID.text),
        ])
    }

    /// The stanza's id is the message's, so that an error stanza can be told to belong to it.
    package var stanza: XMLElement { CCSStanza.message(id: messageID.text, json) }
}

/// The envelope of both directions (docs/push.md A.4).
package enum CCSStanza {
    package static let namespace = "google:mobile:data"
    /// Part of the account's name and of the stream's header on every host, testing ones included.
    package static let domain = "gcm.googleapis.com"

    static func message(id: String?, _ json: JSON) -> XMLElement {
        let content = XMLElement("gcm", namespace: namespace, text: json.text)
        let attributes = id.map { [XMLAttribute("id", $0)] } ?? []
        return XMLElement("message", namespace: XMPPNamespace.client, attributes: attributes, children: [content])
    }

    /// What we owe for a message of a phone and for a receipt.
    static func ack(to: String, messageID: String) -> XMLElement {
        let json = JSON.object([
            "to": .string(to), "message_id": .string(messageID), "message_type": .string("ack"),
        ])
        return message(id: nil, json)
    }
}
