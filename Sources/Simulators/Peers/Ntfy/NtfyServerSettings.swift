package import AlarmModel

/// A simulated topic server as its owner has set it up.
package struct NtfyServerSettings: Equatable, Sendable {
    /// Somebody with a token, or a name and a password, and what they may do with topics.
    package struct Account: Equatable, Sendable {
        package var token: Secret?
        package var user = ""
        package var password = Secret("")
        /// In their order; the first whose pattern fits decides.
        package var grants: [Grant] = []
        package init(
            token: Secret?, user: String = "", password: Secret = Secret(""), grants: [Grant] = []
        ) {
            self.token = token
            self.user = user
            self.password = password
            self.grants = grants
        }
    }

    package struct Grant: Equatable, Sendable {
        /// A topic; a `*` at its end stands for anything.
        package var pattern: String
        package var mayRead: Bool
        package var mayWrite: Bool
        package init(_ pattern: String, mayRead: Bool, mayWrite: Bool) {
            self.pattern = pattern
            self.mayRead = mayRead
            self.mayWrite = mayWrite
        }

        func covers(_ topic: String) -> Bool {
            pattern.hasSuffix("*") ? topic.hasPrefix(pattern.dropLast()) : topic == pattern
        }
    }

    package var accounts: [Account] = []
    /// What everybody may do with some topics, where no grant of an account fits.
    package var everybody: [Grant] = []
    /// What is allowed to somebody who says nothing about himself, and where no grant fits.
    package var everybodyMay = true
    package var keepalive = Duration.seconds(45)
    /// For how long messages are kept.
    package var cache = Duration.hours(12)
    package var messageLimit = 4096
    /// A longer message becomes a file; otherwise it is refused.
    package var takesAttachments = true
    /// Messages that may still be published; nil: as many as one likes.
    package var quota: Int?
    /// In front of every path.
    package var pathPrefix = ""
    /// How the server calls itself.
    package var baseURL = "https://localhost"
    /// What happens shows in a trace, without secrets.
    package var isTraced = false

    package init() {}
}

/// The switches that make the server misbehave; all off by default.
package struct NtfyFaults: Equatable, Sendable {
    /// What the next answers are instead of the right ones.
    package enum Answer: Equatable, Sendable {
        case status(Int, retryAfter: Int?, code: Int?)
        case redirect(String)
        /// The page of a network that wants a login.
        case page
        /// JSON, but something else.
        case wrongJSON
        /// A megabyte of it.
        case huge
        /// The half of it, then the end.
        case earlyClose
        /// Not HTTP.
        case garbage
        /// Carried out, and never answered.
        case noAnswer
    }
    package var answer: Answer?
    /// For how many requests.
    package var times = 0
    /// Streams only, publishing only, or both.
    package var scope = Scope.all
    package enum Scope: String, Hashable, Sendable, CaseIterable { case all, publish, subscribe }
    /// Answers take so long.
    package var delay = Duration.zero
    /// The server's clock is wrong by so much.
    package var skew = Duration.zero
    /// No signs of life, and no messages, on streams; they stay open.
    package var streamsAreSilent = false
    package var refusesConnections = false
    /// The next messages come twice on streams.
    package var duplicates = 0

    package init() {}
}

/// What happens to the server from outside.
package enum NtfyStimulus: Equatable, Sendable {
    /// What comes is not read, nothing is sent, newcomers included.
    case blackHole(Bool)
    case answer(NtfyFaults.Answer, times: Int, NtfyFaults.Scope)
    case delay(Duration)
    case skew(Duration)
    case silenceStreams(Bool)
    case closeStreams
    case resetAll
    /// A line without an end on every stream.
    case endlessLine
    /// A line that is no JSON, or JSON of another kind.
    case rawLine(String)
    case duplicate(Int)
    case refuseConnect(Bool)
    case certificate(PushSimulator.Certificate)
    /// nil: as many as one likes.
    case quota(Int?)
    /// As somebody else does it; `age` back in time.
    case publish(topic: String, text: String, age: Duration)
    /// Somebody presses a button of the newest message of a topic, counted from 1.
    case press(topic: String, button: Int)
    case forget
    case faultsOff
}

/// What is really so, for tests.
package struct NtfyTruth: Codable, Equatable, Sendable {
    package struct Message: Codable, Equatable, Sendable {
        package var id: String
        package var topic: String
        package var title: String
        package var message: String
        package var priority: Int
        package var tags: [String]
        package var buttons: [String]
        package var sequence: String
    }
    package var messages: [Message]
    /// The topics of each stream that is open.
    package var streams: [String]
    package var connections: Int
    package var requests: Int
    package var published: Int
    package var refused: Int
}
