import AlarmModel

/// The switches that make the service misbehave; all off by default.
///
/// A count says for how many the fault lasts; `Int.max` for as long as the switch is on.
package struct PushFaults: Equatable, Sendable {
    /// Newcomers: nothing is read from them and nothing sent.
    package var halfOpen = false
    /// Newcomers: are read, and get a space every ten seconds.
    package var whitespaceOnly = false
    /// One byte a millisecond.
    package var slowDrip = false
    /// Each stanza leaves in several segments.
    package var split = false
    /// The next messages are refused with this code.
    package var nack = Nack(code: "", times: 0)
    /// Answers to messages take so long.
    package var answerDelay: Duration = .zero
    /// The next logins fail.
    package var authFail = 0
    package var refuseConnect = false
    /// What waits for a client comes before the answer to its last question.
    package var isEager = false
    /// The next messages from phones are sent twice.
    package var duplicateInbound = 0
    /// The next messages to phones arrive twice.
    package var duplicateDownstream = 0

    package init() {}

    package struct Nack: Codable, Equatable, Sendable {
        package var code: String
        package var times: Int
        package init(code: String, times: Int) {
            self.code = code
            self.times = times
        }
    }

    /// Takes one from a count; true while it was not used up.
    static func use(_ count: inout Int) -> Bool {
        guard count > 0 else { return false }
        if count != .max { count -= 1 }
        return true
    }
}

/// The codes of a nack that are known (docs/push.md A.6).
package enum PushErrorCode: String, Hashable, Sendable, CaseIterable {
    case invalidJSON = "INVALID_JSON"
    case badRegistration = "BAD_REGISTRATION"
    case deviceUnregistered = "DEVICE_UNREGISTERED"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case badAck = "BAD_ACK"
    case serviceUnavailable = "SERVICE_UNAVAILABLE"
    case internalServerError = "INTERNAL_SERVER_ERROR"
    case deviceRateExceeded = "DEVICE_MESSAGE_RATE_EXCEEDED"
    case topicsRateExceeded = "TOPICS_MESSAGE_RATE_EXCEEDED"
    case connectionDraining = "CONNECTION_DRAINING"
    case invalidAPNsCredential = "INVALID_APNS_CREDENTIAL"
    case authenticationFailed = "AUTHENTICATION_FAILED"
    case connectionUnavailable = "CONNECTION_UNAVAILABLE"
}
