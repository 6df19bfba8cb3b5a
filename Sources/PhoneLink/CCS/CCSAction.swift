package import AlarmModel
package import PhoneProtocol

/// What the link to the service orders and tells.
package enum CCSAction: Codable, Hashable, Sendable {
    /// Dial the settings' host and port, then TLS; answered by `connected` or `connectFailed`. One at a time.
    case connect
    /// The answer to `connect` is not wanted any more.
    case cancelConnect
    case send(ConnectionID, [UInt8])
    /// We are done with it; nothing more is heard of it. What was sent before is still to go out.
    case close(ConnectionID)
    /// A connection can take messages.
    case ready
    /// None can.
    case notReady(CCSProblem)
    case upstream(CCSUpstream)
    /// The service has the message. If `canonical` is there, it replaces the address.
    case accepted(MessageID, canonical: String?)
    /// A message of ours that the service did not take, with its own words, printable and bounded.
    case refused(MessageID, CCSError, text: String)
    /// Not known to be taken and not under way any more: to be sent again with the same ids, in this order.
    case returned([MessageID])
    /// The device has the message.
    case received(MessageID, token: String?)
    /// It changed; nil when all is well.
    case problem(CCSProblem?)
    case log(LogEntry)
}

/// A message of a phone. `acknowledge` it once it is stored.
package struct CCSUpstream: Codable, Hashable, Sendable {
    /// The only connection on which it can be acknowledged.
    package var connection: ConnectionID
    /// The phone's address, set by the service.
    package var from: String
    /// The phone's choice; unique at most together with `from`.
    package var messageID: String
    /// The app's name.
    package var category: String?
    /// An empty object when there was none.
    package var data: JSON

    package init(connection: ConnectionID, from: String, messageID: String, category: String?, data: JSON) {
        self.connection = connection
        self.from = from
        self.messageID = messageID
        self.category = category
        self.data = data
    }
}
