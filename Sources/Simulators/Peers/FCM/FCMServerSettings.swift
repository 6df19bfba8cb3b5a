import AlarmModel
package import PhoneProtocol

/// How a simulated FCM is set up.
package struct FCMServerSettings: Equatable, Sendable {
    /// The only project that it knows.
    package var projectID: String
    /// What tokens are good for, in seconds.
    package var tokenLife: Int64 = 3599
    /// Between two signs of life of a stream.
    package var keepAlive = Duration.seconds(30)
    /// Tokens of apps that are gone.
    package var unregistered: [String] = []
    package init(projectID: String = "house-1") { self.projectID = projectID }
}

/// What goes wrong there.
package struct FCMFaults: Equatable, Sendable {
    /// An answer to so many of the next requests, instead of the right one.
    package struct Answer: Equatable, Sendable {
        package var status: Int
        /// `errorCode` of FCM or `error` of OAuth; empty: none.
        package var code: String
        package var text: String
        /// In seconds.
        package var retryAfter: Int?
        package var count: Int
        package init(status: Int, code: String, text: String = "", retryAfter: Int? = nil, count: Int = 1) {
            self.status = status
            self.code = code
            self.text = text
            self.retryAfter = retryAfter
            self.count = count
        }
    }
    package var send: Answer?
    package var token: Answer?
    package var database: Answer?
    /// Where the next stream is sent on to.
    package var redirect: String?
    /// Streams say nothing any more, not even a sign of life.
    package var isSilent = false
    /// Messages are taken and not answered.
    package var isMute = false
    /// So many of the next changes are told twice.
    package var repeats = 0
    package init() {}
}

/// What happens to it.
package enum FCMStimulus: Equatable, Sendable {
    case sendError(FCMFaults.Answer)
    case tokenError(FCMFaults.Answer)
    case databaseError(FCMFaults.Answer)
    case tokenLife(Int64)
    /// All tokens that were given out are none any more.
    case revokeTokens
    /// Streams are told that their token has come to its end.
    case authRevoked
    /// Streams are told that the rules have changed.
    case cancel
    case redirect(String)
    case silent(Bool)
    case mute(Bool)
    case blackHole(Bool)
    case closeStreams
    /// Streams are told once more all that lies there, and each of the next so many changes twice.
    case repeatChanges(Int)
    case reset
    case refuseConnect(Bool)
    case certificate(PushSimulator.Certificate)
    /// A phone puts a message: the place, its key, and what it is.
    case put(place: String, key: String, JSON)
    case faultsOff
}
