import AlarmModel

/// Why the service did not take a message (docs/push.md A.6 and A.7).
package enum CCSError: Codable, Equatable, Sendable, CustomStringConvertible {
    case invalidJSON
    case badRegistration
    case deviceUnregistered
    case senderIDMismatch
    case badAck
    case serviceUnavailable
    case internalServerError
    case deviceMessageRateExceeded
    case topicsMessageRateExceeded
    case connectionDraining
    case invalidAPNSCredential
    case authenticationFailed
    case connectionUnavailable
    /// An error stanza: the service could not even read the message.
    case rejectedStanza
    /// A code that is not in the table, printable and bounded.
    case unknown(String)

    /// Every code of the table with its name on the wire.
    package static let table: [(code: String, error: CCSError)] = [
        ("INVALID_JSON", .invalidJSON), ("BAD_REGISTRATION", .badRegistration),
        ("DEVICE_UNREGISTERED", .deviceUnregistered), ("SENDER_ID_MISMATCH", .senderIDMismatch),
        ("BAD_ACK", .badAck), ("SERVICE_UNAVAILABLE", .serviceUnavailable),
        ("INTERNAL_SERVER_ERROR", .internalServerError),
        ("DEVICE_MESSAGE_RATE_EXCEEDED", .deviceMessageRateExceeded),
        ("TOPICS_MESSAGE_RATE_EXCEEDED", .topicsMessageRateExceeded),
        ("CONNECTION_DRAINING", .connectionDraining), ("INVALID_APNS_CREDENTIAL", .invalidAPNSCredential),
        ("AUTHENTICATION_FAILED", .authenticationFailed), ("CONNECTION_UNAVAILABLE", .connectionUnavailable),
    ]

    /// By exact code, then by the beginning of the composite texts that old servers sent.
    package init(code: String) {
        if let known = Self.table.first(where: { $0.code == code }) {
            self = known.error
        } else if code.hasPrefix("InvalidJson") {
            self = .invalidJSON
        } else {
            self = .unknown(PeerText.printable(code, limit: 60))
        }
    }

    /// What is to become of the message.
    package var reaction: PushReaction {
        switch self {
        case .invalidJSON, .badAck, .rejectedStanza: .giveUp
        case .badRegistration, .deviceUnregistered, .senderIDMismatch: .dropAddress
        case .serviceUnavailable, .internalServerError: .retry(first: .seconds(1), attempts: nil)
        case .connectionUnavailable, .unknown: .retry(first: .seconds(1), attempts: 5)
        case .deviceMessageRateExceeded, .topicsMessageRateExceeded: .hold(.seconds(60))
        case .connectionDraining: .resend(after: .zero)
        case .invalidAPNSCredential, .authenticationFailed: .serviceFault
        }
    }

    package var description: String {
        switch self {
        case .invalidJSON:
            "the service says that the message is not as it should be; this is a fault of this program, please report it"
        case .badRegistration:
            "the service does not know the phone's address; open the app on the phone so that it registers again"
        case .deviceUnregistered:
            "the app was removed from the phone, or its address has expired; open the app again, or remove the phone"
        case .senderIDMismatch:
            "the phone's app is registered with another sender; check that sender_id is that of the app's project"
        case .badAck: "the service did not understand our answer; this is a fault of this program, please report it"
        case .serviceUnavailable: "the push service is not available at the moment; we try again"
        case .internalServerError: "the push service has a fault; we try again"
        case .deviceMessageRateExceeded: "too many messages for this phone; we wait a minute"
        case .topicsMessageRateExceeded: "too many messages for this topic; we wait a minute"
        case .connectionDraining: "the push service asks for a new connection; we send it again there"
        case .invalidAPNSCredential:
            "the push service cannot reach Apple's: the APNs key in the Firebase project is wrong or has expired; "
                + "upload a new one there"
        case .authenticationFailed: "the push service does not accept the account; check sender_id and api_key"
        case .connectionUnavailable: "the push service could not be reached by its own parts; we try a few times more"
        case .rejectedStanza:
            "the push service could not read the message; this is a fault of this program, please report it"
        case .unknown(let code): "the push service refused the message for a reason unknown to us (\(code))"
        }
    }
}

/// What is to become of a message that a service did not take.
package enum PushReaction: Codable, Equatable, Sendable {
    /// It will never be taken.
    case giveUp
    /// Nothing for this address will ever be taken.
    case dropAddress
    /// Again after a delay that is no shorter than the first and doubles, with jitter; at most so many times in all, or
    /// until it expires, as an alarm always does.
    case retry(first: Duration, attempts: Int?)
    /// Nothing to this address before the span is over.
    case hold(Duration)
    /// The message is sent again after exactly this time, over another connection or by another link.
    case resend(after: Duration)
    /// The service's account is at fault, and with it messages to other addresses; a person must act. An alarm is tried
    /// again meanwhile.
    case serviceFault

    /// The message may be taken another time.
    package var sendsAgain: Bool {
        switch self {
        case .retry, .hold, .resend: true
        case .giveUp, .dropAddress, .serviceFault: false
        }
    }
}
