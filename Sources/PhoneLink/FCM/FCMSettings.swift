import AlarmModel

/// How to reach FCM's HTTP v1 and the database for what comes back, and how patient to be (docs/push.md C.2, C.5).
package struct FCMSettings: Codable, Equatable, Sendable {
    package var account: ServiceAccount
    /// Where messages are sent; another one only for tests.
    package var host = "fcm.googleapis.com"
    package var port: UInt16 = 443
    /// The place in the Realtime Database under which phones put their messages, without `.json`; nil: nothing comes back.
    package var databaseURL: HTTPURL?
    /// The database may send us on to a host of these domains, and to nowhere else.
    package var databaseDomains = ["firebaseio.com", "firebasedatabase.app"]
    /// Authorities to trust instead of the system's.
    package var caFile: String?

    /// For the answer to a message.
    package var answerPatience = Duration.seconds(20)
    /// For the answer to a request for a token, and to an attempt to find out whether FCM can be reached again.
    package var setupDeadline = Duration.seconds(15)
    /// For a signature of our own.
    package var signaturePatience = Duration.seconds(30)
    /// For an attempt to connect; the dialer has shorter limits of its own.
    package var dialPatience = Duration.seconds(60)
    /// The database says something every 30 s; after so long without a byte its stream is opened anew.
    package var streamPatience = Duration.seconds(70)
    package var backoff = ReconnectPace()
    /// Messages taken and not answered.
    package var window = 24
    /// Of these, kept for alarms.
    package var reservedForAlarms = 8
    /// The least that is waited after the project's quota is used up; the longest that the service can make us wait.
    package var quotaWait = Duration.seconds(60)
    package var longestWait = Duration.hours(1)

    package init(account: ServiceAccount, databaseURL: HTTPURL? = nil, caFile: String? = nil) {
        self.account = account
        self.databaseURL = databaseURL
        self.caFile = caFile
    }

    var messagesOrigin: HTTPOrigin { HTTPOrigin(host: host, port: port, security: .tls(authorityFile: caFile)) }

    /// What the access token is good for.
    var scopes: [String] {
        let base = "https://www.googleapis.com/auth/"
        let database = ["userinfo.email", "firebase.database"]
        return (["firebase.messaging"] + (databaseURL == nil ? [] : database)).map { base + $0 }
    }

    func clientSettings(deadline: Duration, bodyLimit: Int = 65_536) -> HTTPClientSettings {
        var client = HTTPClientSettings()
        client.deadline = deadline
        client.connectPatience = dialPatience
        client.queueLimit = max(window + 2, 8)
        client.limits.bodyBytes = bodyLimit
        return client
    }
}
