package import AlarmModel

/// The mail server that takes our messages, and how patient to be with it.
package struct MailSettings: Codable, Equatable, Sendable {
    package enum Security: String, Codable, Equatable, Sendable, CaseIterable {
        /// TLS from the first byte, as on port 465 (RFC 8314).
        case tls
        /// An upgrade before anything else is said, as on port 587; a server that offers none is refused.
        case startTLS
        /// None. Meant for a server on this machine; there is never a password then.
        case plain
    }
    package var host: String
    package var port: UInt16
    package var security: Security
    /// With `password`, the account; without TLS it is refused.
    package var user: String?
    package var password: Secret?
    /// A mail address.
    package var from: String
    /// Authorities to trust instead of the system's.
    package var caFile: String?
    /// What we call ourselves in EHLO: a host name, or an address in brackets (RFC 5321 4.1.4).
    package var helloName = "[127.0.0.1]"

    package var pace = ReconnectPace()
    /// For an attempt to connect to be answered at all.
    package var dialPatience = Duration.seconds(90)
    /// Time after which the greeting, or an answer before the first message, counts as overdue: another connection is made
    /// beside the one that waits for it. That one is closed after `setupMaximum`, because many servers greet late on
    /// purpose (RFC 5321 4.5.3.2.1 allows 5 minutes).
    package var setupDeadline = Duration.seconds(15)
    package static let setupMaximum = Duration.minutes(5)
    /// For the answer to a command. After the end of a message it is doubled each time it was too short, up to
    /// `dataMaximum`: a slow server would otherwise deliver the same message again and again (RFC 5321 4.5.3.2.6).
    package var answerPatience = Duration.seconds(60)
    package var dataMaximum = Duration.minutes(10)
    /// A connection without work is closed after so long.
    package var idleBeforeClose = Duration.seconds(30)
    /// The login is tried so often although there is nothing to send.
    package var checkInterval = Duration.hours(6)
    /// Messages that are kept here at a time.
    package var window = 50
    /// Of these, kept for alarms.
    package var reservedForAlarms = 10
    /// Before a message that the server could not take now is tried again.
    package var retryFirst = Duration.seconds(30)

    package init(
        host: String, port: UInt16, security: Security, from: String, user: String? = nil, password: Secret? = nil,
        caFile: String? = nil
    ) {
        self.host = host
        self.port = port
        self.security = security
        self.from = from
        self.user = user
        self.password = password
        self.caFile = caFile
    }
}
