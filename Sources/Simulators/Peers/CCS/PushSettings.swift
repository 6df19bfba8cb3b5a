package import AlarmModel
package import PhoneProtocol

/// What a simulated push service is like; faults come on top.
package struct PushSettings: Equatable, Sendable {
    /// The project number; the user of the login.
    package var sender: String
    /// The server key; the password of the login.
    package var key: Secret
    package var form = Form.prefixed
    /// Messages of a client that wait for their answer.
    package var window = 100
    package var overWindow = OverWindow.stall
    /// Messages to a client that wait for its acknowledgement; at that many nothing more is sent to it.
    package var inboundWindow = 100
    package var messagesPerMinute = 240
    package var messagesPerHour = 5000
    /// How long an iPhone's channel takes after the app came to the front.
    package var channelDelay = Duration.milliseconds(500)..<Duration.seconds(3)
    /// From the announcement to the end of a draining connection.
    package var drainSpan = Duration.seconds(30)
    /// Tokens of apps that nobody simulates are good, too.
    package var takesAnyToken = false
    /// Whether `Action.wire` and `.heard` are wanted.
    package var isTraced = false

    package init(sender: String, key: Secret) {
        self.sender = sender
        self.key = key
    }

    /// How the service writes its element; both mean the same.
    package enum Form: String, Codable, Hashable, Sendable, CaseIterable {
        /// `<data:gcm xmlns:data="google:mobile:data">`
        case prefixed
        /// `<gcm xmlns="google:mobile:data">`
        case plain
    }

    /// What happens to a message beyond `window`.
    package enum OverWindow: String, Codable, Hashable, Sendable, CaseIterable {
        /// Nothing more is read until an answer left.
        case stall
        case nack
    }

    static let longestTTL: Int64 = 2_419_200
    static let largestPayload = 4096
    static let mostStored = 100
    static let mostPendingInbound = 20
}

/// What runs on a virtual phone.
package struct PushClient: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// Sends only through a channel that stands seconds after the app came to the front; no receipts.
        case ios
        case android
    }
    package var kind: Kind
    /// Android package or iOS bundle id.
    package var category: String

    package init(kind: Kind, category: String) {
        self.kind = kind
        self.category = category
    }
}

/// What a phone gets.
package struct PushDelivery: Equatable, Sendable {
    /// An object; empty when the message had none.
    package var data: JSON
    package var notification: JSON?
    /// `normal` or `high`
    package var priority: String
}

/// How a phone is connected to the service.
package enum PushPresence: String, Hashable, Sendable, CaseIterable, Codable {
    case offline
    /// Reachable, but the app is not in front.
    case background
    case online
}

/// What an SDK tells the app when a message could not be sent.
package enum PushSendFailure {
    /// The channel does not stand (docs/messages.md B.5).
    package static let channelNotReady = 501
    /// The app server is not connected, or too much waits already.
    package static let notAvailable = 1001
    package static let tooLarge = 1005
}
