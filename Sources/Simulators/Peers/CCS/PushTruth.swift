import AlarmModel

/// What is really so at a simulated push service.
package struct PushTruth: Equatable, Sendable, Codable {
    package struct Connection: Equatable, Sendable, Codable {
        package var id: UInt64
        package var isReady: Bool
        package var isDraining: Bool
        /// Messages of the client without an answer so far.
        package var unanswered: Int
        /// Message ids that the client has not acknowledged.
        package var unacknowledged: [String]
    }

    package struct Phone: Equatable, Sendable, Codable {
        package var token: String
        package var presence: PushPresence
        package var isChannelUp: Bool
        /// Message ids that wait for the phone.
        package var stored: [String]
    }

    package var connections: [Connection]
    /// Sorted by token.
    package var phones: [Phone]
    /// Message ids from phones that wait for a connection.
    package var inbound: [String]
    package var tally: PushTally
}

extension PushSimulator {
    package var truth: PushTruth {
        PushTruth(
            connections: connections.map {
                PushTruth.Connection(
                    id: $0.id.number, isReady: $0.stage == .ready, isDraining: $0.isDraining,
                    unanswered: $0.unanswered, unacknowledged: $0.unacknowledged.map(\.messageID))
            },
            phones: phones.map {
                PushTruth.Phone(
                    token: $0.token, presence: $0.presence, isChannelUp: $0.isChannelUp,
                    stored: $0.stored.map(\.message.messageID))
            },
            inbound: inbound.map(\.messageID), tally: tally)
    }
}
