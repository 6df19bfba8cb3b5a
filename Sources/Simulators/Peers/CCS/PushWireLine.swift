package import AlarmModel

/// One stanza on the wire between the service and a client, without the server key.
package struct PushWireLine: Equatable, Sendable {
    package enum Direction: String, Hashable, Sendable {
        case fromService = "<"
        case fromClient = ">"
    }
    package var time: BootTime
    package var connection: ConnectionID
    package var direction: Direction
    /// A tag of the stream, a whole stanza, or what else was sent.
    package var text: String
}

/// What the service saw, counted since it began.
package struct PushTally: Equatable, Sendable, Codable {
    package var connections = 0
    package var logins = 0
    package var refusedLogins = 0
    /// Messages of clients answered with `ack`.
    package var accepted = 0
    /// … and with `nack`.
    package var refused = 0
    /// Stanza errors; each is a bug of the client.
    package var stanzaErrors = 0
    /// Streams that the service ended with an error of the client's making.
    package var streamErrors = 0
    /// Messages that a client sent although its window was full.
    package var beyondWindow = 0
    /// The most messages that waited for an answer on one connection.
    package var widestWindow = 0
    /// Acknowledgements for what was not sent on that connection.
    package var strayAcknowledgements = 0
    package var badAcknowledgements = 0
    package var delivered = 0
    package var pings = 0
}
