package import AlarmModel
package import PhoneProtocol

/// What a stanza of the service means.
package enum CCSIncoming: Codable, Equatable, Sendable {
    /// The service took the message; not yet the phone.
    case ack(MessageID?, canonical: String?)
    case nack(MessageID?, CCSError, text: String)
    /// An error stanza: for a message, or for an acknowledgement of ours.
    case errorStanza(id: MessageID?, CCSError, text: String)
    case receipt(CCSReceipt)
    /// The connection will be closed; a new one is wanted.
    case draining
    case inbound(from: String, messageID: String, category: String?, data: JSON)
    case rejected(CCSRejection)
}

/// The device confirmed a message (docs/push.md A.9).
package struct CCSReceipt: Codable, Equatable, Sendable {
    /// Whom to acknowledge.
    package var from: String
    /// The receipt's own id.
    package var messageID: String
    /// Of our message.
    package var original: MessageID?
    package var token: String?

    package init(from: String, messageID: String, original: MessageID?, token: String?) {
        self.from = from
        self.messageID = messageID
        self.original = original
        self.token = token
    }
}

/// Input that means nothing to us; counted by kind.
package enum CCSRejection: String, Codable, Equatable, Sendable, CaseIterable {
    /// Not a message with content of the service.
    case foreignStanza
    case notJSON
    case unknownType
    case unknownControl
    /// No id or no sender where one is needed, or one of unreasonable length.
    case missingField
    /// An answer to a message that is not under way on this connection.
    case strayAnswer
    /// Sent again while we are still busy with it.
    case repeated
    /// More messages of phones than can be kept; the service sends them again.
    case tooMany
}
