package import AlarmModel

/// How a simulated push service of a browser is set up.
package struct WebPushServerSettings: Sendable {
    /// Its own: what tokens have to be made out for, and what endpoints begin with.
    package var origin = "https://push.test"
    /// Bytes of a body at most. RFC 8030 7.2 wants 4096 at least.
    package var bodyLimit = 4096
    /// Seconds for which it keeps a message at most.
    package var longestLife: Int64 = 2_419_200
    /// Messages that it still takes; nil: as many as one likes.
    package var quota: Int?
    /// Whether these bytes are signed so, by whoever has the private half of that key (ES256).
    package var verifies: @Sendable (_ input: [UInt8], _ signature: [UInt8], _ key: [UInt8]) -> Bool

    /// SHA-1, by which a browser knows that it speaks to a WebSocket; nil: no browser comes.
    package var hash: (@Sendable ([UInt8]) -> [UInt8])?

    package init(
        verifies: @escaping @Sendable (_ input: [UInt8], _ signature: [UInt8], _ key: [UInt8]) -> Bool = { _, _, _ in
            true
        }
    ) {
        self.verifies = verifies
    }
}

/// What goes wrong there.
package struct WebPushFaults: Equatable, Sendable {
    /// What the next answers are instead of the right ones.
    package enum Answer: Equatable, Sendable {
        case status(Int, retryAfter: Int?)
        /// Not HTTP.
        case garbage
        /// The half of it, then the end; the message is taken.
        case earlyClose
        /// The message is taken, and nothing is said.
        case noAnswer
        /// It says that it has taken the message, and loses it.
        case loses
    }
    package var answer: Answer?
    /// For how many requests.
    package var times = 0
    /// Answers take so long.
    package var delay = Duration.zero
    /// What was taken is not handed over.
    package var isSilent = false
    /// So many of the next messages are handed over twice.
    package var repeats = 0

    package init() {}
}

/// What happens to it.
package enum WebPushStimulus: Equatable, Sendable {
    case answer(WebPushFaults.Answer, times: Int)
    case delay(Duration)
    /// nil: as many as one likes.
    case quota(Int?)
    case silent(Bool)
    case repeats(Int)
    /// What comes is not read, nothing is sent, newcomers included.
    case blackHole(Bool)
    case refuseConnect(Bool)
    case closeAll
    case resetAll
    /// A browser has given up its subscription: 410 from now on.
    case end(endpoint: String)
    /// The service has lost it: 404 from now on.
    case forget(endpoint: String)
    case faultsOff
}

/// A message that the service has taken and the phone has not got.
package struct WebPushStored: Equatable, Sendable {
    /// Its number.
    package var version = 0
    package var endpoint: String
    /// Encrypted for the phone.
    package var body: [UInt8]
    package var endsAt: BootTime
    package var topic: String?
    package var urgency: String?
}
