package import AlarmModel

/// How to reach FCM's connection server, and how patient to be with it (docs/push.md A.12 to A.15).
package struct CCSSettings: Codable, Equatable, Sendable {
    /// The project's number.
    package var senderID: String
    /// The Cloud Messaging server key.
    package var apiKey: Secret
    package var host: String
    package var port: UInt16
    /// Authorities to trust instead of the system's.
    package var caFile: String?

    /// Without a byte from the server for so long, it is asked for a sign of life …
    package var idleBeforePing = Duration.seconds(60)
    /// … and given up after so long.
    package var pingPatience = Duration.seconds(15)
    /// For an attempt to connect to be answered at all; the dialer has shorter limits of its own.
    package var dialPatience = Duration.seconds(90)
    /// From the encrypted connection until messages can be sent.
    package var setupDeadline = Duration.seconds(15)
    /// For the answer to a message.
    package var ackPatience = Duration.seconds(20)
    /// For a draining connection to be closed by the server.
    package var drainPatience = Duration.minutes(5)
    package var pace = ReconnectPace()
    /// A connection that could take messages for so long makes the back-off start anew.
    package var steadyAfter = Duration.seconds(60)
    /// Messages under way on a connection; the service takes no more.
    package var window = 100
    /// Of these, kept for alarms.
    package var reservedForAlarms = 10

    package init(
        senderID: String, apiKey: Secret, host: String = "fcm-xmpp.googleapis.com", port: UInt16 = 5235,
        caFile: String? = nil
    ) {
        self.senderID = senderID
        self.apiKey = apiKey
        self.host = host
        self.port = port
        self.caFile = caFile
    }

    /// Whether a connection made with the others would be another one.
    func isSameService(as other: CCSSettings) -> Bool {
        senderID == other.senderID && apiKey == other.apiKey && host == other.host && port == other.port
            && caFile == other.caFile
    }
}
