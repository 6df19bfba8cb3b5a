import AlarmModel
import PhoneProtocol

/// Messages down by FCM's HTTP v1, messages up by the stream of a Realtime Database (docs/push.md C.2, C.5).
///
/// One access token serves both. A message that FCM has answered is accepted or refused; one that it has not is
/// returned, and after that FCM is asked for a sign of life before it gets more.
package struct FCMTransport: Codable, Equatable, Sendable {
    static let messageSlot = DialSlot(0)
    static let signInSlot = DialSlot(1)

    struct UnderWay: Codable, Equatable, Sendable {
        var message: MessageID
        var isAlarm: Bool
        var body: [UInt8]
        /// nil while it waits for a new token.
        var request: HTTPRequestID?
        /// It has been refused for its token once.
        var isRepeated = false
    }

    package let settings: FCMSettings
    var isRunning = false
    var wasReady = false

    var token = AccessToken()
    var signIn: HTTPClient
    var signInRequest: HTTPRequestID?
    var signingSince: BootTime?
    var signingInput: [UInt8] = []
    var signInAttempts: Reconnector
    var signInJitter: Jitter
    /// Why there is no new token; of interest once the old one has ended.
    var signInTrouble: TransportProblem?

    var messages: HTTPClient
    /// In the order of `deliver`.
    var underWay: [UnderWay] = []
    /// Nothing is sent while they wait.
    var messageAttempts: Reconnector
    var messageJitter: Jitter
    /// FCM was out of reach: first a question that any answer will do for.
    var needsProbe = false
    var probe: HTTPRequestID?
    var messageProblem: TransportProblem?

    var database: FCMDatabase?

    /// Of sign-in or messages: nothing can be relied on. Trouble with the database alone is told, but alarms go out.
    var problem: TransportProblem?
    private var told = ToldProblem()
    var lastAccepted: WallTime?
    private var requests: UInt64 = 0
    private var jobs: UInt64 = 0

    package init(settings: FCMSettings, seed: UInt64) {
        self.settings = settings
        signIn = HTTPClient(
            origin: settings.account.tokenURL.origin(authorityFile: settings.caFile), slot: Self.signInSlot,
            settings: settings.clientSettings(deadline: settings.setupDeadline))
        messages = HTTPClient(
            origin: settings.messagesOrigin, slot: Self.messageSlot,
            settings: settings.clientSettings(deadline: settings.answerPatience))
        signInAttempts = Reconnector(pace: settings.backoff)
        signInJitter = Jitter(seed: seed)
        messageAttempts = signInAttempts
        messageJitter = Jitter(seed: seed &+ 1)
        database = settings.databaseURL.map { FCMDatabase(url: $0, settings: settings, seed: seed &+ 2) }
    }

    /// What is wrong with the way back, messages to phones notwithstanding.
    var databaseProblem: TransportProblem? { isRunning ? database?.problem : nil }

    mutating func newRequest() -> HTTPRequestID {
        requests &+= 1
        return HTTPRequestID(requests)
    }

    mutating func newJob() -> TransportJobID {
        jobs &+= 1
        return TransportJobID(jobs)
    }

    /// Passes a client's orders on and hears its answers.
    mutating func drive(
        at now: Moment, into actions: inout [TransportAction],
        _ step: (inout FCMTransport, inout [HTTPAction]) -> Void
    ) {
        var orders: [HTTPAction] = []
        step(&self, &orders)
        // What the clients did comes first: what an answer leads to may undo it, such as an attempt to connect.
        for case .transport(let action) in orders { actions.append(action) }
        for order in orders {
            switch order {
            case .transport: break
            case .answered(let id, let response):
                if id == signInRequest {
                    signInAnswered(response, at: now, into: &actions)
                } else if id == probe {
                    probeAnswered(at: now)
                } else {
                    answered(id, response, at: now, into: &actions)
                }
            case .failed(let id, let failure):
                if id == signInRequest {
                    signInFailed(signInWords(failure), at: now, into: &actions)
                } else if id == probe {
                    probe = nil
                    lost(failure, at: now, into: &actions)
                } else {
                    failed(id, failure, at: now, into: &actions)
                }
            }
        }
    }

    /// After everything that happened: what is to be done next, and what changed for the outside.
    mutating func settle(at now: Moment, into actions: inout [TransportAction]) {
        if isRunning {
            if !signInAttempts.isWaiting, let due = token.renewAt, due <= now.boot {
                beginSignIn(at: now, into: &actions)
            }
            if !messageAttempts.isWaiting, needsProbe, probe == nil { beginProbe(at: now, into: &actions) }
            if let bearer = token.bearer(at: now.boot) {
                resend(bearer, at: now, into: &actions)
            } else if signInAttempts.isWaiting {
                giveBackUnsent(into: &actions)
            }
            runDatabase(at: now, into: &actions) { database, bearer, actions in
                database.tokenIs(bearer, at: now, into: &actions)
            }
        }
        let isReady = isReady(at: now.boot)
        if isReady != wasReady {
            wasReady = isReady
            actions.append(isReady ? .ready : .notReady)
        }
        let signInProblem = token.bearer(at: now.boot) == nil ? signInTrouble : nil
        problem = isRunning ? signInProblem ?? messageProblem : nil
        told.tell(problem ?? databaseProblem, into: &actions)
    }

    func isReady(at now: BootTime) -> Bool {
        isRunning && token.bearer(at: now) != nil && !messageAttempts.isWaiting && !needsProbe
    }

    /// Lets the database do something, if there is one, and passes on what came of it.
    mutating func runDatabase(
        at now: Moment, into actions: inout [TransportAction],
        _ step: (inout FCMDatabase, Secret?, inout [TransportAction]) -> Void
    ) {
        guard var database else { return }
        step(&database, token.bearer(at: now.boot), &actions)
        if database.isTokenRefused {
            database.isTokenRefused = false
            // Messages may still go out by it, and another one cannot be had now.
            if !signInAttempts.isWaiting { token.forget() }
        }
        self.database = database
    }
}
